package doc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) any {
	t.Helper()
	v, err := ParseJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestParseJSON(t *testing.T) {
	for text, want := range map[string]any{
		`{"a": 1}`:                 JSON(`{"a": 1}`),
		` [1, {"b":[2]}, "x", []]`: []any{int64(1), JSON(`{"b":[2]}`), "x", []any{}},
		`"text"`:                   "text",
		`1.50`:                     json.Number("1.50"),
		`null`:                     nil,
		`true `:                    true,
	} {
		if got := mustParse(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, want %#v", text, got, want)
		}
	}
	for _, text := range []string{``, `{`, `{"a":}`, `{"a":1} x`, `{a:1}`, "{\"a\":\"\xff\"}", `[1,]`, strings.Repeat("[", maxDepth), strings.Repeat(`{"a":`, 1_000_000)} {
		if got, err := ParseJSON(text); err == nil {
			t.Errorf("%.20q: got %#v, want an error", text, got)
		}
	}
	// What is valid here is valid in the row of a child.
	deepest := strings.Repeat("[", maxDepth-rowDepth) + strings.Repeat("]", maxDepth-rowDepth)
	row := Row{Children: []Child{{Name: "c", Rows: []Row{{Names: []string{"a"}, Values: []any{mustParse(t, deepest)}}}}}}
	if _, err := ParseRow(mustJSON(t, row)); err != nil {
		t.Error(err)
	}
}

func TestTextOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":"last name","a":{"n":5,"l":["x",["y"],1.50]},"t":true,"z":null,"e":""}`: "last name 5 x y 1.50",
		`{}`:                         "",
		`[{"a":"one"},"two",3]`:      "one two 3",
		`{"a":"line\nbreak \u00e9"}`: "line\nbreak é",
	} {
		if got := FormatText(mustParse(t, text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	nested := func(levels int) string {
		return strings.Repeat(`{"a":`, levels) + `"deep"` + strings.Repeat("}", levels)
	}
	if got := FormatText(JSON(nested(JSONDepth))); got != "deep" {
		t.Errorf("%d levels: got %q, want the text", JSONDepth, got)
	}
	beside := `{"a":` + nested(JSONDepth) + `,"b":"beside"}`
	if got := FormatText(JSON(beside)); got != "beside" {
		t.Errorf("%d levels: got %q, want what is beside", JSONDepth+1, got)
	}
	long := JSON(`{"a":"first","b":"` + strings.Repeat("x", JSONText) + `","c":"last"}`)
	if got := FormatText(long); got != "first" {
		t.Errorf("a text over the limit: got %d bytes, want the first text", len(got))
	}
}

func TestAt(t *testing.T) {
	value := mustParse(t, `{"address":{"city":"Berlin","geo":{"lat":52.5}},"tags":["b","a"],"lines":[{"sku":"x1","n":[1,2]},{"other":0},{"sku":"x2"}],"a.b":{"c":1},"nil":null}`)
	for _, c := range []struct {
		path string // with blanks between names
		want any
	}{
		{"address city", "Berlin"},
		{"address geo lat", json.Number("52.5")},
		{"address geo", JSON(`{"lat":52.5}`)},
		{"tags", []any{"b", "a"}},
		{"lines sku", []any{"x1", "x2"}},
		{"lines n", []any{int64(1), int64(2)}},
		{"a.b c", int64(1)},
		{"nil", nil},
		{"nil more", nil},
		{"missing", nil},
		{"address city street", nil},
		{"tags more", nil},
	} {
		if got := At(value, strings.Fields(c.path)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %#v, want %#v", c.path, got, c.want)
		}
	}
	for _, c := range []struct{ value, want any }{
		{`{"a":"of a text"}`, "of a text"}, {[]any{JSON(`{"a":1}`), "x", JSON(`{"a":[2]}`)}, []any{int64(1), int64(2)}}, {"no JSON", nil}, {nil, nil}, {int64(5), nil}, {`"{\"a\":1}"`, nil},
	} {
		if got := At(c.value, []string{"a"}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %#v, want %#v", c.value, got, c.want)
		}
	}
}

func TestJSONIsMarshaledAsItIs(t *testing.T) {
	got, err := json.Marshal(map[string]any{"v": []any{JSON(`{"a": 1.50}`)}})
	if want := `{"v":[{"a":1.50}]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// BenchmarkJSON reads an object of 1 KiB: what a source does once for each row, and what
// an engine does once for each document.
func BenchmarkJSON(b *testing.B) {
	var items []string
	for i := range 16 {
		items = append(items, fmt.Sprintf(`{"sku":"AB-%d","title":"a thing of %d words","price":%d.50}`, i, i, i))
	}
	text := `{"address":{"city":"Berlin","zip":"10115"},"lines":[` + strings.Join(items, ",") + `]}`
	for name, do := range map[string]func() any{
		"parse": func() any { return mustParse(b, text) },
		"text":  func() any { return FormatText(JSON(text)) },
		"path":  func() any { return At(JSON(text), []string{"lines", "sku"}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
