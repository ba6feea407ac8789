package fulltext

import (
	"fmt"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Hits have the versions of their documents, in whichever segment these are, also where all
// documents of a segment are deleted.
func TestVersionsOfHits(t *testing.T) {
	ix := newIndex(t, films)
	version := doc.Version(0)
	for round := range 6 {
		var docs []doc.Doc
		for i := range 40 {
			version++
			docs = append(docs, film(t, fmt.Sprint((round*25+i)%100), version, map[string]any{"title": "one"}))
		}
		apply(t, ix, docs)
	}
	res, err := ix.Search(t.Context(), query.Request{Query: parse(t, "one"), Size: 100})
	if err != nil || len(res.Hits) != 100 {
		t.Fatalf("got %d hits, %v, want 100", len(res.Hits), err)
	}
	oids := make([]doc.OID, len(res.Hits))
	for i, hit := range res.Hits {
		oids[i] = hit.OID
	}
	want, err := ix.Versions(oids)
	if err != nil {
		t.Fatal(err)
	}
	for i, hit := range res.Hits {
		if hit.V != want[i] || hit.V == 0 {
			t.Errorf("%s: got version %d, want %d", hit.OID, hit.V, want[i])
		}
	}
}
