package fulltext

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Many hits of a query of many words are not explained at once.
func TestExplainIsBounded(t *testing.T) {
	ix := newIndex(t, films)
	words := make([]string, 150)
	for i := range words {
		words[i] = fmt.Sprint("word", i)
	}
	docs := make([]doc.Doc, 1000)
	for i := range docs {
		docs[i] = film(t, int64(i), 1, map[string]any{"title": strings.Join(words, " ")})
	}
	apply(t, ix, docs)
	n, err := query.Parse(strings.Join(words, " "))
	if err != nil {
		t.Fatal(err)
	}
	for size, refused := range map[int]bool{100: false, 1000: true} {
		res, err := ix.Search(t.Context(), query.Request{Query: n, Size: size, Explain: true})
		var bad *query.Error
		if got := errors.As(err, &bad); got != refused || !got && (err != nil || len(res.Hits[0].Explain) != len(words)) {
			t.Errorf("%d hits: got %v, want refused: %v", size, err, refused)
		}
	}
}
