package fulltext

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// A model answers queries by looking at every document. Its texts are words
// between single spaces, so it needs little analysis: whether a word is found by
// any piece (in Chinese, or all words of ngram), whether Chinese words are cut
// into characters, and which are stop words.
type model struct {
	docs    map[doc.OID]modelDoc
	pieces  func(word string) bool
	cut     bool
	stop    map[string]bool
	columns []string
}

type modelDoc struct {
	text map[string]string // by content column
	tags []string
	year *int64
	v    doc.Version
}

func chinese(word string) bool { return word[0] >= 0x80 }

func all(string) bool  { return true }
func none(string) bool { return false }

func newModel(analyzer string) *model {
	m := &model{docs: map[doc.OID]modelDoc{}, pieces: chinese, columns: []string{"title", "body"}}
	switch analyzer {
	case "standard":
		m.pieces, m.cut, m.stop = none, true, map[string]bool{"the": true, "and": true}
	case "ngram":
		m.pieces = all
	}
	return m
}

// matches evaluates a query. ignored is true where it asks for nothing that is
// searched.
func (m *model) matches(n query.Node, d modelDoc) (yes, ignored bool) {
	switch n := n.(type) {
	case query.And:
		yes, ignored = true, true
		for _, c := range n.Nodes {
			if y, i := m.matches(c, d); !i {
				yes, ignored = yes && y, false
			}
		}
		return yes, ignored
	case query.Or:
		ignored = true
		for _, c := range n.Nodes {
			if y, i := m.matches(c, d); !i {
				yes, ignored = yes || y, false
			}
		}
		return yes, ignored
	case query.Not:
		yes, ignored = m.matches(n.Node, d)
		return !yes, ignored
	case query.Word:
		if n.Field == "tags" {
			return slices.Contains(d.tags, n.Text), false
		}
		return m.inText(n.Field, n.Text, false, d)
	case query.Phrase:
		return m.inText(n.Field, n.Text, false, d)
	case query.Prefix:
		if n.Field == "tags" {
			return slices.ContainsFunc(d.tags, func(s string) bool { return strings.HasPrefix(s, n.Text) }), false
		}
		return m.inText(n.Field, n.Text, true, d)
	case query.Range:
		return d.year != nil && inRange(n, float64(*d.year)), false
	}
	return true, false // query.All
}

func inRange(r query.Range, year float64) bool {
	lo, hi := math.Inf(-1), math.Inf(1)
	if r.Min.Text != "" {
		lo = number(r.Min.Text)
	}
	if r.Max.Text != "" {
		hi = number(r.Max.Text)
	}
	return (year > lo || year == lo && !r.Min.Exclusive) && (year < hi || year == hi && !r.Max.Exclusive)
}

func number(s string) float64 { return float64(slices.Index(years, s) - len(years)/2) }

// years are texts of the numbers around 0.
var years = []string{"-3", "-2", "-1", "0", "1", "2", "3"}

func (m *model) inText(field, text string, prefix bool, d modelDoc) (yes, ignored bool) {
	words := m.words(text)
	prefix = prefix && !chinese(text)
	if !prefix {
		words = m.trim(words)
	}
	if len(words) == 0 {
		return false, true
	}
	for _, c := range m.columns {
		if field == "" || field == c {
			yes = yes || m.inWords(m.words(d.text[c]), words, prefix)
		}
	}
	return yes, false
}

func (m *model) words(text string) []string {
	words := strings.Fields(text)
	if !m.cut {
		return words
	}
	var cut []string
	for _, w := range words {
		if !chinese(w) {
			cut = append(cut, w)
		} else {
			cut = append(cut, strings.Split(w, "")...)
		}
	}
	return cut
}

// trim leaves stop words out at both ends of a phrase.
func (m *model) trim(words []string) []string {
	for len(words) > 0 && m.stop[words[0]] {
		words = words[1:]
	}
	for len(words) > 0 && m.stop[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}

func (m *model) inWords(text, words []string, prefix bool) bool {
	for i := range len(text) - len(words) + 1 {
		every := true
		for j, w := range words {
			every = every && m.same(text[i+j], w, j == 0, j == len(words)-1, prefix)
		}
		if every {
			return true
		}
	}
	return false
}

// same reports whether a word of a text is what the phrase wants there. Words
// found in pieces may go on at the open ends of the phrase.
func (m *model) same(word, want string, first, last, prefix bool) bool {
	switch {
	case m.stop[want] && !prefix:
		return true // any word
	case m.stop[word]:
		return false
	case prefix && !m.pieces(want):
		return strings.HasPrefix(word, want)
	case !m.pieces(want):
		return word == want
	case first && last:
		return strings.Contains(word, want)
	case first:
		return strings.HasSuffix(word, want)
	case last:
		return strings.HasPrefix(word, want)
	}
	return word == want
}

// find returns the keys that match a query, in the order of the sort.
func (m *model) find(n query.Node, sorts []query.Sort) []doc.OID {
	var found []doc.OID
	for oid, d := range m.docs {
		if yes, ignored := m.matches(n, d); yes && !ignored {
			found = append(found, oid)
		}
	}
	slices.SortFunc(found, func(a, b doc.OID) int {
		for _, by := range sorts {
			if c := compareBy(by, m.docs[a], m.docs[b]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return found
}

func compareBy(by query.Sort, a, b modelDoc) int {
	if by.Field == "year" {
		switch {
		case a.year == nil || b.year == nil:
			return cmp.Compare(present(b.year != nil), present(a.year != nil))
		case by.Descending:
			return cmp.Compare(*b.year, *a.year)
		}
		return cmp.Compare(*a.year, *b.year)
	}
	switch {
	case len(a.tags) == 0 || len(b.tags) == 0:
		return cmp.Compare(present(len(b.tags) > 0), present(len(a.tags) > 0))
	case by.Descending:
		return cmp.Compare(slices.Max(b.tags), slices.Max(a.tags))
	}
	return cmp.Compare(slices.Min(a.tags), slices.Min(b.tags))
}

func present(b bool) int {
	if b {
		return 1
	}
	return 0
}

var (
	modelWords = []string{"the", "and", "mad", "madman", "man", "ma", "今", "今夜", "夜", "夜今", "月今夜"}
	modelTags  = []string{"a", "ab", "b", "武"}
	// Keys with bytes 00 and ff in them.
	modelKeys = []any{int64(0), int64(-1), int64(255), int64(256), "", "a", "a\x00", "a\x00b", "ÿ", [16]byte{0xff, 0}}
)

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 5).Draw(t, label), " ")
}

func drawDoc(t *rapid.T) modelDoc {
	d := modelDoc{text: map[string]string{"title": drawText(t, "title"), "body": drawText(t, "body")}}
	d.tags = rapid.SliceOfNDistinct(rapid.SampledFrom(modelTags), 0, 2, rapid.ID[string]).Draw(t, "tags")
	if rapid.Bool().Draw(t, "year?") {
		y := rapid.Int64Range(-3, 3).Draw(t, "year")
		d.year = &y
	}
	return d
}

func (d modelDoc) row() doc.Row {
	row := doc.Row{Names: []string{"title", "body", "tags", "year"}, Values: []any{d.text["title"], d.text["body"], nil, nil}}
	tags := []any{}
	for _, s := range d.tags {
		tags = append(tags, s)
	}
	row.Values[2] = tags
	if d.year != nil {
		row.Values[3] = *d.year
	}
	return row
}

func drawNode(t *rapid.T, depth int) query.Node {
	field := rapid.SampledFrom([]string{"", "", "title", "body"}).Draw(t, "field")
	word := rapid.SampledFrom(modelWords).Draw(t, "word")
	tag := rapid.SampledFrom(modelTags).Draw(t, "tag")
	kinds := 7
	if depth > 0 {
		kinds = 10
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0, 1:
		return query.Word{Field: field, Text: word}
	case 2:
		return query.Phrase{Field: field, Text: drawText(t, "phrase")}
	case 3:
		return query.Prefix{Field: field, Text: word}
	case 4:
		return query.Word{Field: "tags", Text: tag}
	case 5:
		return query.Prefix{Field: "tags", Text: tag}
	case 6:
		r := query.Range{Field: "year"}
		bound := rapid.OneOf(rapid.Just(""), rapid.SampledFrom(years))
		r.Min = query.Bound{Text: bound.Draw(t, "min"), Exclusive: rapid.Bool().Draw(t, "exclusive")}
		r.Max = query.Bound{Text: bound.Draw(t, "max"), Exclusive: rapid.Bool().Draw(t, "exclusive")}
		return r
	case 7:
		return query.Not{Node: drawNode(t, depth-1)}
	case 8:
		return query.And{Nodes: []query.Node{drawNode(t, depth-1), drawNode(t, depth-1)}}
	default:
		return query.Or{Nodes: []query.Node{drawNode(t, depth-1), drawNode(t, depth-1), query.All{}}[:rapid.IntRange(2, 3).Draw(t, "n")]}
	}
}

func modelMapping(analyzer string) Mapping {
	return Mapping{
		Content: []string{"title", "body"}, Analyzer: analyzer, Positions: true,
		Metadata: []Field{{"tags", Keyword}, {"year", Number}},
	}
}

// change applies a random batch to index and model.
func (m *model) change(t *rapid.T, ix *Index, v *doc.Version) {
	var puts []doc.Doc
	var deletes []doc.OID
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelKeys), 1, 5, rapid.ID[any]).Draw(t, "keys") {
		oid, err := doc.NewOID(k)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
			deletes = append(deletes, oid)
			delete(m.docs, oid)
			continue
		}
		*v++
		d := drawDoc(t)
		d.v = *v
		m.docs[oid] = d
		puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: *v}, Row: d.row()})
	}
	if err := ix.Apply(puts, deletes); err != nil {
		t.Fatal(err)
	}
}

func TestModel(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		checkModel(t, root, rapid.SampledFrom([]string{"standard", "cjk", "ngram"}).Draw(t, "analyzer"))
	})
}

func checkModel(t *rapid.T, root, analyzer string) {
	dir, err := os.MkdirTemp(root, "model")
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Create(filepath.Join(dir, "index"), modelMapping(analyzer), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	m, v := newModel(analyzer), doc.Version(0)
	for range rapid.IntRange(1, 4).Draw(t, "batches") {
		m.change(t, ix, &v)
	}
	m.checkVersions(t, ix)
	for range 20 {
		m.checkQuery(t, ix, drawNode(t, 2))
	}
}

func (m *model) checkVersions(t *rapid.T, ix *Index) {
	if n, err := ix.Count(); err != nil || n != uint64(len(m.docs)) {
		t.Fatalf("count: got %d, %v; want %d", n, err, len(m.docs))
	}
	var oids []doc.OID
	for _, k := range modelKeys {
		oid, _ := doc.NewOID(k)
		oids = append(oids, oid)
	}
	got, err := ix.Versions(oids)
	if err != nil {
		t.Fatal(err)
	}
	for i, oid := range oids {
		if want := m.docs[oid].v; got[i] != want {
			t.Fatalf("version of %s: got %d, want %d", oid, got[i], want)
		}
	}
}

// checkQuery compares totals, order and pages.
func (m *model) checkQuery(t *rapid.T, ix *Index, n query.Node) {
	req := query.Request{Query: n, Size: query.MaxSize}
	res := mustSearch(t, ix, req)
	got := oids(res)
	slices.Sort(got)
	want := m.find(n, nil)
	if !slices.Equal(got, want) || res.Total != uint64(len(want)) {
		t.Fatalf("%v: got %v (total %d), want %v", n, got, res.Total, want)
	}
	for i, h := range res.Hits {
		if math.IsNaN(h.Score) || h.Score < 0 || i > 0 && h.Score > res.Hits[i-1].Score || h.V != m.docs[h.OID].v {
			t.Fatalf("%v: hit %d of %+v", n, i, res.Hits)
		}
	}
	m.checkPages(t, ix, query.Request{Query: n}, oids(res))
	for _, field := range []string{"year", "tags"} {
		req.Sort = []query.Sort{{Field: field, Descending: rapid.Bool().Draw(t, "descending")}}
		m.checkPages(t, ix, req, m.find(n, req.Sort))
	}
	m.checkSpans(t, ix, n)
}

// checkPages reads an answer page by page, by From and by After.
func (m *model) checkPages(t *rapid.T, ix *Index, req query.Request, want []doc.OID) {
	req.Size = rapid.IntRange(1, 4).Draw(t, "size")
	req.From = rapid.IntRange(0, 3).Draw(t, "from")
	from, to := min(req.From, len(want)), min(req.From+req.Size, len(want))
	if got := oids(mustSearch(t, ix, req)); !slices.Equal(got, want[from:to]) {
		t.Fatalf("%v from %d size %d sorted by %v: got %v, want %v", req.Query, req.From, req.Size, req.Sort, got, want[from:to])
	}
	req.From = 0
	var got []doc.OID
	for {
		res := mustSearch(t, ix, req)
		got = append(got, oids(res)...)
		if res.Total != uint64(len(want)) || len(got) > len(want) {
			t.Fatalf("%v: total %d and %d hits, want %d", req.Query, res.Total, len(got), len(want))
		}
		if res.Next == "" {
			break
		}
		req.After = res.Next
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v page by page, sorted by %v: got %v, want %v", req.Query, req.Sort, got, want)
	}
}

// checkSpans: text has a match exactly where a query of one part finds it.
func (m *model) checkSpans(t *rapid.T, ix *Index, n query.Node) {
	switch n := n.(type) {
	case query.Word:
		if n.Field == "tags" {
			return
		}
	case query.Phrase:
	case query.Prefix:
		if n.Field == "tags" {
			return
		}
	default:
		return
	}
	for oid, d := range m.docs {
		marked := false
		for _, c := range m.columns {
			spans := ix.Spans(n, c, d.text[c])
			marked = marked || len(spans) > 0
		}
		yes, ignored := m.matches(n, d)
		if want := yes && !ignored; marked != want {
			t.Fatalf("%v in %s %v: marked is %t, want %t", n, oid, d.text, marked, want)
		}
	}
}

func oids(res query.Result) []doc.OID {
	var found []doc.OID
	for _, h := range res.Hits {
		found = append(found, h.OID)
	}
	return found
}

func mustSearch(t *rapid.T, ix *Index, req query.Request) query.Result {
	t.Helper()
	res, err := ix.Search(context.Background(), req)
	if err != nil {
		t.Fatalf("%v: %v", req.Query, err)
	}
	return res
}
