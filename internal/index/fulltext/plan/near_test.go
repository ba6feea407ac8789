package plan

import (
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// Words that stand by themselves count as near each other: not those of a field, of a
// phrase or in parentheses.
func TestFreeWords(t *testing.T) {
	for text, want := range map[string]string{
		"a b c":                 "a b c",
		"a OR b":                "a b",
		`a title:b "c d" -e f*`: "a",
		"a (b OR c)":            "a b c",
		"(a b) OR c":            "c",
		"":                      "",
	} {
		var got []string
		n, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range freeWords(n) {
			got = append(got, w.(query.Word).Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
}

// A window that an error left amid a word has no weights for the next search.
func TestWindowIsEmptyAfterAnError(t *testing.T) {
	w := OpenWindow(64)
	w.weights[3], w.touched, w.Sums[5] = 1, []uint32{3}, 2
	w.table(1)[7] = 1
	w.Release()
	if w.weights[3] != 0 || len(w.touched) != 0 || w.Sums[5] != 0 || w.table(1)[7] != 0 {
		t.Errorf("got weight %v, touched %v, sum %v, score %v, want none", w.weights[3], w.touched, w.Sums[5], w.table(1)[7])
	}
}
