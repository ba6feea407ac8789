package fulltext

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

var (
	modelWords = []string{"the", "and", "mad", "madman", "mdaamn", "man", "ma", "今", "今夜", "夜", "夜今", "月今夜"}
	modelTags  = []string{"a", "ab", "b", "武"}
	// Some keys have bytes 00 and ff.
	modelKeys = []any{int64(0), int64(-1), int64(255), int64(256), "", "a", "a\x00", "a\x00b", "ÿ", [16]byte{0xff, 0}}
)

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 5).Draw(t, label), " ")
}

func drawDoc(t *rapid.T) modelDoc {
	d := modelDoc{text: map[string]string{"title": drawText(t, "title"), "body": drawText(t, "body")}}
	for range rapid.IntRange(0, 2).Draw(t, "rows") {
		d.cast = append(d.cast, drawText(t, "row"))
	}
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
	row.Children = []doc.Child{{Name: "cast"}}
	for _, text := range d.cast {
		row.Children[0].Rows = append(row.Children[0].Rows, doc.Row{Names: []string{"name"}, Values: []any{text}})
	}
	return row
}

// drawNode draws a query. slop is false for analyzers with pairs: the model counts
// positions in words.
func drawNode(t *rapid.T, depth int, slop bool) query.Node {
	field := rapid.SampledFrom([]string{"", "", "title", "body", "cast"}).Draw(t, "field")
	word := rapid.SampledFrom(modelWords).Draw(t, "word")
	tag := rapid.SampledFrom(modelTags).Draw(t, "tag")
	kinds := 9
	if depth > 0 {
		kinds = 13
	}
	if rapid.IntRange(0, 2).Draw(t, "scored or of terms") == 0 {
		return drawOther(t, depth, slop)
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0, 1:
		return query.Word{Field: field, Text: word}
	case 2:
		p := query.Phrase{Field: field, Text: drawText(t, "phrase")}
		if slop {
			p.Slop = rapid.IntRange(0, 3).Draw(t, "slop")
		}
		return p
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
		return query.Fuzzy{Field: field, Text: word, Edits: rapid.IntRange(0, query.MaxEdits).Draw(t, "edits")}
	case 8:
		s := query.Synonym{Word: query.Word{Field: field, Text: word}}
		for range rapid.IntRange(1, 3).Draw(t, "texts") {
			s.Texts = append(s.Texts, drawText(t, "synonym"))
		}
		return s
	case 9:
		return query.Not{Node: drawNode(t, depth-1, slop)}
	case 10:
		return query.And{Nodes: []query.Node{drawNode(t, depth-1, slop), drawNode(t, depth-1, slop)}}
	case 11:
		some := query.Some{}
		for range rapid.IntRange(2, 4).Draw(t, "n") {
			some.Nodes = append(some.Nodes, drawNode(t, depth-1, slop))
		}
		return some
	default:
		return query.Or{Nodes: []query.Node{drawNode(t, depth-1, slop), drawNode(t, depth-1, slop), query.All{}}[:rapid.IntRange(2, 3).Draw(t, "n")]}
	}
}

func modelMapping(analyzer string) schema.Mapping {
	var stopwords []string
	if analyzer == "standard" {
		stopwords = []string{"and", "the"}
	}
	return schema.Mapping{
		Content: []string{"title", "body"}, Analyzer: analyzer, Positions: true, Stopwords: stopwords,
		Metadata: []schema.Field{{Name: "tags", Type: schema.Keyword}, {Name: "year", Type: schema.Number}},
		Children: []schema.Child{{Name: "cast", Columns: []string{"name"}, Searched: true}},
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
	if err := ix.Apply(puts, doc.Removals(1<<62, deletes...)); err != nil {
		t.Fatal(err)
	}
}

// Searches, pages, spans and versions are those of the model.
func TestModel(t *testing.T) {
	t.Parallel()
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
		m.checkQuery(t, ix, drawNode(t, 2, analyzer == "standard"))
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
		missing := map[string][]string{"year": {"", "", "-3", "2006"}, "tags": {"", "", "a", "zz"}}[field]
		req.Sort = []query.Sort{{
			Field: field, Descending: rapid.Bool().Draw(t, "descending"), First: rapid.Bool().Draw(t, "first"),
			Missing: rapid.SampledFrom(missing).Draw(t, "missing"), Pick: rapid.SampledFrom([]query.Pick{"", query.PickMin, query.PickMax}).Draw(t, "pick"),
		}}
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

// checkSpans checks that the Matcher of a query without And, Or and Not finds a
// span in exactly the documents that match.
func (m *model) checkSpans(t *rapid.T, ix *Index, n query.Node) {
	switch n := n.(type) {
	case query.Word:
		if n.Field == "tags" {
			return
		}
	case query.Phrase, query.Fuzzy, query.Synonym:
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
			for _, text := range d.texts(c) {
				spans, err := ix.Matcher(n)(context.Background(), c, text)
				if err != nil {
					t.Fatal(err)
				}
				marked = marked || len(spans) > 0
			}
		}
		yes, ignored := m.matches(n, d)
		if want := yes && !ignored; marked != want {
			t.Fatalf("%v in %s %v %v: spans found is %t, want %t", n, oid, d.text, d.cast, marked, want)
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
