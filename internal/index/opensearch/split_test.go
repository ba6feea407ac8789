package opensearch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"indexerd/internal/index/analysis"
)

// The cluster splits a column into the terms of the embedded index, at the same positions:
// every character, alone, between letters and twice, in each case, in texts as they are and
// as Plain folds them.
func TestClusterSplitsAsTheEmbeddedIndex(t *testing.T) {
	c := node(t)
	c.Mapping.Stopwords = []string{"The", "été"}
	ix := create(t, c)
	a, err := analysis.New(c.Mapping.Spec())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"The end of the ÉTÉ, the", strings.Repeat("A", 300) + " next", strings.Repeat("é", 200) + " next", "x" + strings.Repeat("Ⱥ", 90) + "y " + strings.Repeat("w", 250),
		"é" + strings.Repeat("a", 300) + " 今" + strings.Repeat("b", 300), "ＷＩＤＥ　１２, the ＴＨＥ", "e\u0301t x\u200dy a\u00adb \U0001F600 İ K ẞ Σς",
	}
	var b strings.Builder
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if 0xD800 <= r && r <= 0xDFFF || r > 0x1FFFF && r%997 != 0 || 0x3400 <= r && r < 0xAC00 && r%31 != 0 || 0xAC00 <= r && r < 0xD800 && r%31 != 0 {
			continue
		}
		fmt.Fprintf(&b, "%c x%cy ", r, r)
		if b.Len() > 4000 {
			texts = append(texts, b.String())
			b.Reset()
		}
	}
	for _, text := range texts {
		plain := a.Plain(text)
		got, want := clusterTerms(t, ix, plain), ownTerms(a, text)
		if at := differs(got, want); at >= 0 {
			t.Errorf("%.40q, term %d: got %q, want %q", text, at, got[at:min(at+3, len(got))], want[at:min(at+3, len(want))])
		}
	}
}

func ownTerms(a *analysis.Analyzer, text string) (all []string) {
	for _, token := range a.Tokens(nil, text) {
		all = append(all, fmt.Sprint(token.Pos, " ", token.Term))
	}
	return all
}

func clusterTerms(t *testing.T, ix *Index, text string) (all []string) {
	t.Helper()
	var answer struct {
		Tokens []struct {
			Token    string `json:"token"`
			Position int    `json:"position"`
		} `json:"tokens"`
	}
	if err := ix.wire.ask(t.Context(), http.MethodPost, "/"+ix.name+"/_analyze", object{"field": "title", "text": text}, &answer); err != nil {
		t.Fatal(err)
	}
	for _, token := range answer.Tokens {
		all = append(all, fmt.Sprint(token.Position+1, " ", token.Token))
	}
	return all
}

// differs returns where two lists differ, -1 if nowhere.
func differs(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return min(i, len(a), len(b))
		}
	}
	return -1
}
