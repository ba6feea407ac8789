package doc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSizeCountsTexts(t *testing.T) {
	child := Child{Name: "c", Rows: []Row{{Names: []string{"a"}, Values: []any{"abc"}}, {Names: []string{"a"}, Values: []any{nil}}}}
	for _, c := range []struct {
		row  Row
		want int
	}{
		{Row{}, 0},
		{Row{Values: []any{nil, "", "abcd"}}, 4},
		{Row{Values: []any{json.Number("1.25"), int64(7), true, 0.5}}, 4 + 3*numberSize},
		{Row{Values: []any{[]any{"ab", nil, []any{"cde"}}}}, 5},
		{Row{Values: []any{"ab"}, Children: []Child{child, child}}, 8},
	} {
		if got := c.row.Size(); got != c.want {
			t.Errorf("size of %v: got %d, want %d", c.row, got, c.want)
		}
	}
}

func TestLimitErrorsNameTheOption(t *testing.T) {
	l := Limits{Text: 10, Words: 4, Distinct: 3}
	for _, c := range []struct {
		err  error
		want string // end of the error; "" for none
	}{
		{l.CheckText(10), ""},
		{l.CheckText(11), "more than 10 bytes of text: select less in the SQL, or raise limits.text of the table"},
		{l.CheckWords(4, 3), ""},
		{l.CheckWords(5, 1), "more than 4 words: select less in the SQL, or raise limits.words of the table"},
		{l.CheckWords(4, 4), "more than 3 different words: select less in the SQL, or raise limits.distinct_words of the table"},
		{Limits{}.CheckText(1 << 40), ""},
		{Limits{}.CheckWords(1<<40, 1<<40), ""},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("got %v, want no error", c.err)
		case c.want != "" && (c.err == nil || !strings.HasSuffix(c.err.Error(), c.want)):
			t.Errorf("got %v, want ... %s", c.err, c.want)
		}
	}
}
