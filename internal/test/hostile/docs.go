package hostile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
)

// Mapping is that of the documents of Doc.
var Mapping = schema.Mapping{
	Content: []string{"title", "body"}, Analyzer: "standard", Positions: true, AnalysisVersion: analysis.Latest,
	Metadata: []schema.Field{{Name: "rating", Type: schema.Keyword}, {Name: "code", Type: schema.Keyword}, {Name: "year", Type: schema.Number}, {Name: "seen", Type: schema.Date}},
}

// Doc returns the ith document: some words are in all of them, many words in a few. Some
// texts repeat one word or have no spaces.
func Doc(t testing.TB, i int, r *rand.Rand) doc.Doc {
	t.Helper()
	var body strings.Builder
	for range 60 {
		body.WriteString(Word(r) + " ")
	}
	switch i % 500 {
	case 1:
		body.WriteString(strings.Repeat("aa ", 20_000))
	case 2:
		body.WriteString(strings.Repeat("今夜月明", 5_000))
	case 3:
		body.WriteString(strings.Repeat("."+strings.Repeat(" ", 9), 5_000))
	case 4:
		body.WriteString(strings.Repeat("a", 30_000))
	}
	oid, err := doc.NewOID(int64(i))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Doc{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: doc.Version(i + 1)},
		Row: doc.Row{
			Names:  []string{"title", "body", "rating", "code", "year", "seen"},
			Values: []any{Word(r) + " aa bb", body.String(), fmt.Sprint("r", i%5), fmt.Sprint("code", i), int64(i), time.Unix(int64(i)*86400, 0).UTC().Format(time.RFC3339)},
		},
	}
}

// Word draws a word. A few words are frequent.
func Word(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return []string{"aa", "bb", "cc", "drama", "shark"}[r.IntN(5)]
	}
	return fmt.Sprintf("%c%c%d", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), r.IntN(30))
}

// Pages are pages in memory. They implement search.Pages.
type Pages map[doc.OID]doc.Page

var errNoPage = errors.New("no such page")

// View implements search.Pages.
func (p Pages) View(oid doc.OID, see func(doc.Page) error) error {
	page, ok := p[oid]
	if !ok {
		return errNoPage
	}
	return see(page)
}

// Meta implements search.Pages.
func (p Pages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	page, ok := p[oid]
	return page.Meta, ok, nil
}

// NewestVersions implements search.Pages.
func (p Pages) NewestVersions(oid doc.OID, _ int) ([]doc.Page, bool, error) {
	return []doc.Page{p[oid]}, false, nil
}
