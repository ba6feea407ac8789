package mysql

import (
	"encoding/json"
	"testing"
)

// A plan has texts of the statement, of which MariaDB escapes quotes and backslashes
// only. What is valid stays as it is.
func TestPlansAreRepaired(t *testing.T) {
	for _, c := range []struct{ plan, want string }{
		{"{\n  \"query_block\": {\"rows\": 3}\n}", "{\n  \"query_block\": {\"rows\": 3}\n}"},
		{`{"c": "a \"b\" \\ \u0041 \n"}`, `{"c": "a \"b\" \\ \u0041 \n"}`},
		{`{"c": "x > '\?\0'"}`, `{"c": "x > '\\?\\0'"}`},
		{"{\"c\": \"\x00\x1f\"}", `{"c": "\u0000\u001f"}`},
		{`{"c": "\`, `{"c": "\`},
	} {
		if got := repaired(c.plan); got != c.want {
			t.Errorf("%q: got %q, want %q", c.plan, got, c.want)
		}
	}
}

// Any text is valid once its control characters and escapes are repaired.
func FuzzRepaired(f *testing.F) {
	f.Add(`\?`)
	f.Add("\x00\\\\")
	f.Fuzz(func(t *testing.T, inner string) {
		text := []rune{}
		for i, r := range inner { // a quote or a backslash is escaped, as the server does
			if r == '"' || r == '\\' && i == len(inner)-1 || r == 'u' {
				continue
			}
			text = append(text, r)
		}
		if n := len(text); n > 0 && text[n-1] == '\\' {
			text = append(text, '?')
		}
		if plan := repaired(`{"c": "` + string(text) + `"}`); !json.Valid([]byte(plan)) {
			t.Errorf("%q: got %q", inner, plan)
		}
	})
}
