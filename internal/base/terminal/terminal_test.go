package terminal_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"indexerd/internal/base/terminal"
)

func TestLineEscapesControlSequences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"film 7, café, 東京, \U0001f600", "film 7, café, 東京, \U0001f600"},
		{"\x1b[2J\x1b]0;title\a", `\u001b[2J\u001b]0;title\u0007`},
		{"a\nb\tc\rd", `a\u000ab\u0009c\u000dd`},
		{"\u009b31m\x7f", `\u009b31m\u007f`},
		{"abc\u202etxt.exe", `abc\u202etxt.exe`},
		{"\u2066x\u2069\u2028", `\u2066x\u2069\u2028`},
		{"raw \x9b and cut \xe6\x9d", `raw \ufffd and cut \ufffd\ufffd`},
		{"a real \ufffd stays, and so do RLM \u200f and ZWJ \u200d", "a real \ufffd stays, and so do RLM \u200f and ZWJ \u200d"},
	} {
		if got := terminal.Line(c.text); got != c.want {
			t.Errorf("Line(%q): got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestWriterEscapesTheSameForAnySizeOfWrites(t *testing.T) {
	text, want := "two\tcolumns\nand \x1b[1m 東\u009b京\n", "two\tcolumns\nand \\u001b[1m 東\\u009b京\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := terminal.NewWriter(&out)
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatalf("Write: got %d, %v, want all %d bytes", n, err, len(part))
			}
		}
		if out.String() != want {
			t.Errorf("in writes of %d bytes: got %q, want %q", size, out.String(), want)
		}
	}
}

func TestRawIsTheWriterBelow(t *testing.T) {
	var out bytes.Buffer
	if terminal.Raw(terminal.NewWriter(&out)) != &out || terminal.Raw(&out) != &out {
		t.Error("Raw of a Writer or of a buffer: want the buffer")
	}
}

func TestQuotedWordIsOneWordOfTheShell(t *testing.T) {
	if got, want := terminal.Quote("it's $HOME"), `'it'\''s $HOME'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzJSON checks that a JSON object keeps its value in a Writer.
func FuzzJSON(f *testing.F) {
	f.Add("\x1b[2J\u009b\u202e\x7f\n\t\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		object, err := json.Marshal(map[string]string{"oid": text})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := terminal.NewWriter(&out).Write(object); err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got["oid"] != text {
			t.Errorf("got %q, %v, want %q", got["oid"], err, text)
		}
		if !utf8.Valid(out.Bytes()) || bytes.ContainsAny(out.Bytes(), "\x1b\x7f") {
			t.Errorf("got %q", out.Bytes())
		}
	})
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 rows", 1: "1 row", 999: "999 rows", 1000: "1,000 rows", 1234567: "1,234,567 rows"} {
		if got := terminal.Count(n, "row"); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
