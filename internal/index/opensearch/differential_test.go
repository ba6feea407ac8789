package opensearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// number returns a number of the environment, such as INDEXERD_QUERIES=2000.
func number(t *testing.T, name string, without int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(without)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Both engines find the same documents, count the same values and have the same order
// by values, page by page, for every analyzer. The documents have words that are hard to
// split, and texts.
func TestDifferential(t *testing.T) {
	seed := uint64(number(t, "INDEXERD_SEED", 1))
	for i, analyzer := range []string{"standard", "en", "cjk", "ngram", "latest standard", "latest en", "latest cjk", "latest ngram"} {
		t.Run(analyzer, func(t *testing.T) {
			d := newDifferential(t, analyzer, rand.New(rand.NewPCG(seed, uint64(i))))
			refused := 0
			queries := number(t, "INDEXERD_QUERIES", 800) / 8
			for range queries {
				if !d.compare(t, d.request()) {
					refused++
				}
			}
			t.Logf("%d queries, %d of them with a part that this engine refuses", queries, refused)
			if refused > queries/10 {
				t.Errorf("%d of %d queries were refused", refused, queries)
			}
		})
	}
}

type differential struct {
	*rand.Rand
	texts    []string
	embedded *fulltext.Index
	cluster  *Index
}

var (
	vocabulary = strings.Fields(`the and of mad madman madam man's men shark sharks sharky running runs run 3.14 git.exe x_y ÄRGER ärger naïve
		C++ .net at&t iPhone15 wi-fi wifi 1,234.5 AB-12 😀 １２３ ＡＢＣ 今夜 月 今夜月 月今 東京タワー 서울 กรุงเทพ a1 b2 c3 été !? ... - co-op e-mail Ünïcödé shraks sarks`)
	tags = []string{"a", "ab", "b", "武", "A", "x y", `q"uote`, "-", "!"}
)

func newDifferential(t *testing.T, analyzer string, random *rand.Rand) *differential {
	t.Helper()
	m := schema.Mapping{
		Content: []string{"title", "body"}, Analyzer: analyzer, Positions: true,
		Metadata: []schema.Field{
			{Name: "tags", Type: schema.Keyword}, {Name: "year", Type: schema.Number},
			{Name: "seen", Type: schema.Date}, {Name: "free", Type: schema.Boolean},
		},
		Children: []schema.Child{{Name: "cast", Columns: []string{"name"}, Searched: true, Type: schema.Keyword}},
	}
	if name, latest := strings.CutPrefix(analyzer, "latest "); latest {
		m.Analyzer, m.AnalysisVersion = name, analysis.Latest
	}
	if m.Analyzer == "standard" || m.Analyzer == "cjk" {
		m.Stopwords = []string{"and", "of", "the"}
	}
	c := node(t)
	c.Mapping, c.Shards = m, 3
	rows := number(t, "INDEXERD_DOCS", 400)
	d := &differential{Rand: random, texts: texts(t, rows/2), cluster: create(t, c)}
	var err error
	if d.embedded, err = fulltext.Create(filepath.Join(t.TempDir(), "index"), m, 1); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.embedded.Close() })
	for n := 0; n < rows; n += 1000 {
		var puts []doc.Doc
		for i := n; i < min(n+1000, rows); i++ {
			puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: doc.Version(i + 1)}, Row: d.row(i)})
		}
		if err := d.embedded.Apply(puts, nil); err != nil {
			t.Fatal(err)
		}
		if err := d.cluster.Apply(puts, nil); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func pick[T any](d *differential, all []T) T { return all[d.IntN(len(all))] }

func (d *differential) words(least, most int) string {
	var all []string
	for range least + d.IntN(most-least+1) {
		all = append(all, pick(d, vocabulary))
	}
	return strings.Join(all, pick(d, []string{" ", " ", " ", ", ", "", "-"}))
}

func (d *differential) row(i int) doc.Row {
	body := d.words(0, 30)
	if i%2 == 0 {
		body = d.texts[i/2]
	}
	row := doc.Row{Names: []string{"title", "body", "tags", "year", "seen", "free"}, Values: []any{d.words(0, 4), body, nil, nil, nil, nil}}
	list := []any{}
	for range d.IntN(3) {
		list = append(list, pick(d, tags))
	}
	row.Values[2] = list
	if d.IntN(4) > 0 {
		row.Values[3] = pick(d, []any{int64(-3), int64(0), 1.5, 1e300, int64(1999), "2000"})
		row.Values[4] = pick(d, []any{"1999-12-31T23:59:59.999999Z", "2000-01-01", "0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"})
		row.Values[5] = pick(d, []any{true, false})
	}
	row.Children = []doc.Child{{Name: "cast"}}
	for range d.IntN(3) {
		row.Children[0].Rows = append(row.Children[0].Rows, doc.Row{Names: []string{"name"}, Values: []any{d.words(0, 3)}})
	}
	return row
}

func (d *differential) node(depth int) query.Node {
	field := pick(d, []string{"", "", "title", "body", "cast"})
	few := func() (all []query.Node) {
		for range 1 + d.IntN(3) {
			all = append(all, d.node(depth-1))
		}
		return all
	}
	if d.IntN(3) == 0 {
		return d.other(field, depth, few)
	}
	switch d.IntN(9 + 4*min(depth, 1)) {
	case 0, 1:
		return query.Word{Field: field, Text: d.word()}
	case 2:
		return query.Phrase{Field: field, Text: pick(d, []string{d.words(1, 3), d.run(2, 3)}), Slop: max(0, d.IntN(6)-2)}
	case 3:
		return query.Prefix{Field: field, Text: firstRunes(d.word(), 1+d.IntN(3))}
	case 4:
		return query.Fuzzy{Field: field, Text: firstRunes(d.word(), 40), Edits: d.IntN(3)}
	case 5:
		return query.Word{Field: "tags", Text: pick(d, tags)}
	case 6:
		return query.Prefix{Field: "tags", Text: pick(d, tags)}
	case 7:
		return d.between()
	case 8:
		return query.Synonym{Word: query.Word{Field: field, Text: "x"}, Texts: []string{pick(d, vocabulary), d.words(1, 2)}}
	case 9:
		return query.Not{Node: d.node(depth - 1)}
	case 10:
		return query.And{Nodes: few()}
	case 11:
		return query.Some{Nodes: few()}
	}
	return query.Or{Nodes: few()}
}

func firstRunes(text string, n int) string {
	r := []rune(text)
	return string(r[:min(n, len(r))])
}

func (d *differential) between() query.Range {
	bound := func(all ...string) query.Bound {
		return query.Bound{Text: pick(d, append(all, "")), Exclusive: d.IntN(2) == 0}
	}
	switch d.IntN(3) {
	case 0:
		return query.Range{Field: "year", Min: bound("-3", "0", "1999", "1999.5"), Max: bound("0", "1999", "1e300")}
	case 1:
		return query.Range{Field: "seen", Min: bound("1999", "1999-12", "0001"), Max: bound("2000", "1999-12-31", "9999")}
	}
	return query.Range{Field: "tags", Min: bound("a", "b"), Max: bound("b", "x", "武")}
}

func (d *differential) request() query.Request {
	req := query.Request{Query: d.node(2), Size: 1 + d.IntN(40)}
	if d.IntN(2) == 0 {
		req.Query = d.typed()
	}
	for range d.IntN(3) {
		if by := pick(d, []string{"tags", "year", "seen", "free", "cast"}); !slices.ContainsFunc(req.Sort, func(s query.Sort) bool { return s.Field == by }) {
			sort := query.Sort{Field: by, Descending: d.IntN(2) == 0, First: d.IntN(3) == 0, Pick: pick(d, []query.Pick{"", "", query.PickMin, query.PickMax})}
			if d.IntN(4) == 0 {
				sort.Missing = map[string]string{"tags": "ab", "year": "1.5", "seen": "2000-01-01", "free": "true", "cast": "m"}[by]
			}
			req.Sort = append(req.Sort, sort)
		}
	}
	if len(req.Sort) == 0 {
		req.Size = query.MaxSize // scores differ, so all hits are compared
	} else if d.IntN(5) == 0 {
		req.From, req.Skipped = d.IntN(100), d.IntN(2) == 0
	}
	if d.IntN(3) == 0 {
		req.Filters = []query.Filter{pick(d, []query.Filter{
			{Field: "tags", Values: []string{pick(d, tags), pick(d, tags)}}, {Field: "free", Values: []string{"true"}},
			{Field: "year", Values: []string{"1999", "-3", "1.5"}}, {Field: "seen", Values: []string{"2000-01-01"}}, {Field: "seen", Values: []string{">=1999 <2000-06"}}, {Field: "year", Values: []string{">=0 <3", "[1999 TO *]"}}, {Field: "cast", Values: []string{pick(d, vocabulary)}},
		})}
	}
	if d.IntN(3) == 0 {
		req.Visible = &query.Visible{Hidden: "tags", Filters: []query.Filter{{Field: "tags", Values: tags[:d.IntN(4)]}}}
		req.Filters = nil
		req.Query = query.Or{Nodes: []query.Node{query.Word{Text: d.word()}, query.Word{Text: d.word()}}}
	} else if d.IntN(2) == 0 {
		req.Facets = []query.Facet{{Field: "tags", Size: 1 + d.IntN(9)}, {Field: "cast", Size: 1 + d.IntN(100), All: d.IntN(4) == 0}}
	}
	return req
}

// compare asks both engines for all pages of a request. It returns false if the cluster
// refuses it by name.
func (d *differential) compare(t *testing.T, req query.Request) bool {
	t.Helper()
	all, wantErr := d.embedded.Search(t.Context(), query.Request{Query: req.Query, Filters: req.Filters, Visible: req.Visible})
	if len(req.Sort) == 0 && wantErr == nil && all.Total > query.MaxSize && req.Visible == nil {
		req.Sort = []query.Sort{{Field: "year"}} // too many to compare all
	}
	want, wantErr := pages(t, d.embedded.Search, req)
	got, err := pages(t, patient(d.cluster.Search), req)
	if err != nil && wantErr == nil && strings.Contains(err.Error(), "single character") {
		return false
	}
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%v %+v: got error %v, want %v", req.Query, req, err, wantErr)
		return true
	}
	if len(req.Sort) == 0 && all.Total > query.MaxSize {
		got.Hits, want.Hits = nil, nil // not those of one page, but the total
	}
	if len(req.Sort) == 0 { // scores differ
		slices.SortFunc(want.Hits, byOID)
		slices.SortFunc(got.Hits, byOID)
	}
	for i := range got.Hits {
		got.Hits[i].After, got.Hits[i].Score = "", 0
	}
	for i := range want.Hits {
		want.Hits[i].After, want.Hits[i].Score = "", 0
	}
	for _, f := range req.Facets {
		if f.All {
			slices.SortFunc(want.Facets[f.Field], query.Count.Compare)
			slices.SortFunc(got.Facets[f.Field], query.Count.Compare)
		}
	}
	if got.Best, want.Best = 0, 0; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, sorted by %v, filters %v, visible %v, facets %v: got\n%+v, want\n%+v", req.Query, req.Sort, req.Filters, req.Visible, req.Facets, got, want)
	}
	return true
}

func byOID(a, b query.Hit) int { return cmp.Compare(a.OID, b.OID) }

// patient asks again while a node is short of memory: that is no difference.
func patient(find searching) searching {
	return func(ctx context.Context, req query.Request) (res query.Result, err error) {
		for range 30 {
			if res, err = find(ctx, req); !errors.Is(err, ErrAway) {
				return res, err
			}
			<-time.After(time.Second)
		}
		return res, err
	}
}

type searching func(context.Context, query.Request) (query.Result, error)

// pages asks for one page after the other, up to three.
func pages(t *testing.T, find searching, req query.Request) (all query.Result, err error) {
	t.Helper()
	for page := range 3 {
		res, err := find(t.Context(), req)
		if err != nil {
			return all, err
		}
		if page == 0 {
			all = res
		} else {
			all.Hits = append(all.Hits, res.Hits...)
		}
		if req.From, req.After = 0, res.Next; res.Next == "" {
			break
		}
	}
	all.Next = ""
	return all, nil
}
