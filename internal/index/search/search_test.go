package search

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// A fakeTable has pages, and an index that returns a fixed result.
type fakeTable struct {
	pages  map[doc.OID]doc.Page
	broken error
	result query.Result
	err    error
	asked  query.Request
}

var errNoPage = errors.New("no such page")

// View overwrites the body after see returns.
func (s *fakeTable) View(oid doc.OID, see func(doc.Page) error) error {
	page, ok := s.pages[oid]
	if !ok {
		return errNoPage
	}
	if s.broken != nil {
		return s.broken
	}
	page.Body = slices.Clone(page.Body)
	defer func() {
		for i := range page.Body {
			page.Body[i] = '?'
		}
	}()
	return see(page)
}

func (s *fakeTable) NewestVersions(oid doc.OID, bytes int) ([]doc.Page, bool, error) {
	page, ok := s.pages[oid]
	if !ok {
		return nil, false, errNoPage
	}
	if s.broken != nil {
		return nil, false, s.broken
	}
	older := page
	older.Updated, older.Body = time.Time{}, []byte(`{"row":{"title":"an older title"}}`)
	return []doc.Page{page, older}, false, nil
}

func (s *fakeTable) Meta(oid doc.OID) (doc.Meta, bool, error) {
	page, ok := s.pages[oid]
	return page.Meta, ok, nil
}

func (s *fakeTable) Search(_ context.Context, req query.Request) (query.Result, error) {
	s.asked = req
	return s.result, s.err
}

func (s *fakeTable) Check(query.Request) error { return s.err }

func (s *fakeTable) Hash(doc.Row) (doc.DocHash, []doc.Flaw, error) { return 0, nil, s.err }

func (s *fakeTable) Matching(context.Context, []doc.Doc, query.Request) (map[doc.OID]bool, error) {
	return nil, s.err
}

// Matcher finds the text of a query.Word anywhere.
func (s *fakeTable) Matcher(n query.Node) func(context.Context, string, string) ([]query.Span, error) {
	return func(ctx context.Context, _, text string) (spans []query.Span, err error) {
		word, ok := n.(query.Word)
		for at := 0; ok; {
			i := strings.Index(text[at:], word.Text)
			if i < 0 {
				break
			}
			spans = append(spans, query.Span{Start: at + i, End: at + i + len(word.Text)})
			at += i + len(word.Text)
		}
		return spans, ctx.Err()
	}
}

func key(t *testing.T, id int64) doc.OID {
	t.Helper()
	oid, err := doc.NewOID(id)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

func newSearcher(t *testing.T) (*Searcher, *fakeTable) {
	t.Helper()
	row := doc.Row{
		Names:  []string{"film_id", "title", "plot", "year", "language"},
		Values: []any{int64(7), "a drama", "no <drama> & more", int64(2006), nil},
	}
	body, err := row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2006, 2, 15, 10, 46, 27, 250_000_000, time.FixedZone("", 3600))
	stamp := doc.Stamp{OID: key(t, 7), Updated: at, Token: doc.Token{Digest: 0x9f, Epoch: 1}}
	null := doc.Meta{Stamp: doc.Stamp{OID: key(t, 8)}, V: 3, Fetched: at}
	s := &fakeTable{pages: map[doc.OID]doc.Page{
		key(t, 7): {Meta: doc.Meta{Stamp: stamp, V: 2, Fetched: at}, Body: body},
		key(t, 8): {Meta: null, Body: body},
	}}
	return &Searcher{Index: s, Pages: s, Table: "film", Content: []string{"title", "plot"}, Metadata: []string{"year", "language", "title"}}, s
}

// jsonOf marshals as an HTTP body.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func mustTitle(t *testing.T, text string) title.Template {
	t.Helper()
	template, err := title.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// searchAll returns a search with all of its hits.
func searchAll(s *Searcher, p Params) (Answer, error) {
	r, err := s.Search(context.Background(), p)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Table: r.Table, Total: r.Total, Fresh: r.Fresh, Hits: []Hit{}, Facets: r.Facets, Next: r.Next(r.Len)}
	for i := range r.Len {
		hit, err := r.Hit(context.Background(), i)
		if err != nil {
			return Answer{}, err
		}
		a.Hits = append(a.Hits, hit)
	}
	return a, nil
}

func TestSearch(t *testing.T) {
	s, table := newSearcher(t)
	table.result = query.Result{
		Total: 4,
		Hits: []query.Hit{
			{OID: key(t, 7), Score: 1.9, V: 2},
			{OID: key(t, 8), V: 2}, // its page has V 3
			{OID: key(t, 9), V: 2}, // has no page
		},
		Facets: map[string][]query.Count{"year": {{Value: "2006", Count: 2}}},
		Next:   "abc",
	}
	s.Boosts, s.Title = map[string]float64{"title": 3}, mustTitle(t, "{title} #{film_id}")
	p := Defaults()
	p.Query, p.Fields = "drama", []string{"year", "language"}
	a, err := searchAll(s, p)
	if err != nil {
		t.Fatal(err)
	}
	a.TookMS = 3
	want := `{"table":"film","took_ms":3,"total":4,"hits":[` +
		`{"oid":"7","title":"a drama #7","score":1.9,"fields":{"year":2006,"language":null},"highlights":{"plot":["no &lt;<mark>drama</mark>&gt; &amp; more"],"title":["a <mark>drama</mark>"]}},` +
		`{"oid":"8","score":0,"fields":{},"highlights":{}},` +
		`{"oid":"9","score":0,"fields":{},"highlights":{}}],` +
		`"facets":{"year":[{"value":"2006","count":2}]},"next":"abc"}`
	if got := jsonOf(t, a); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if table.asked.Size != 10 || table.asked.Query.String() != "drama" || table.asked.Boosts["title"] != 3 {
		t.Errorf("request to the index: got %+v", table.asked)
	}
}

func TestSearchWithoutHits(t *testing.T) {
	s, _ := newSearcher(t)
	a, err := searchAll(s, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	a.TookMS = 0
	want := `{"table":"film","took_ms":0,"total":0,"hits":[],"facets":{},"next":null}`
	if got := jsonOf(t, a); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Highlights are made from the first highlightBytes of a field, counted over all
// rows of a child.
func TestHighlightsOfLongText(t *testing.T) {
	s, _ := newSearcher(t)
	s.Children = []Child{{Name: "notes", Columns: []string{"note"}, Searched: true}}
	long := strings.Repeat("月", highlightBytes/3-1) + " drama"
	row := doc.Row{
		Names: []string{"title", "plot"}, Values: []any{long, "drama " + long},
		Children: []doc.Child{{Name: "notes", Rows: []doc.Row{
			{Names: []string{"note"}, Values: []any{long}}, {Names: []string{"note"}, Values: []any{"drama"}},
		}}},
	}
	found := s.prepare(Params{Highlight: true}, query.Word{Text: "drama"})
	got, err := found.highlights(context.Background(), row)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got["plot"]) != 1 || !strings.HasPrefix(got["plot"][0], "<mark>drama</mark>") {
		t.Errorf("got %.200v, want one mark at the start of plot", got)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := found.highlights(canceled, row); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestSearchErrors(t *testing.T) {
	s, table := newSearcher(t)
	for want, p := range map[string]Params{
		`unclosed quote at character 1: write the closing quote, or \" for a quote`: {Query: `"a`, Strict: true},
		"no field tilte: did you mean title?":                                       {Fields: []string{"tilte"}},
	} {
		_, err := searchAll(s, p)
		checkBadQuery(t, err, want)
	}
	table.err = query.NoField("yaer", []string{"year"})
	_, err := searchAll(s, Defaults())
	checkBadQuery(t, err, "no field yaer: did you mean year?")

	table.err = context.DeadlineExceeded
	if _, err := searchAll(s, Defaults()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}

	table.err, table.broken = nil, errors.New("wrong checksum")
	table.result.Hits = []query.Hit{{OID: key(t, 7), V: 2}}
	_, err = searchAll(s, Defaults())
	if want := "page 7 of film: wrong checksum"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func checkBadQuery(t *testing.T, err error, want string) {
	t.Helper()
	var bad *Error
	if !errors.As(err, &bad) || bad.Code != "bad_query" || bad.Error() != want {
		t.Errorf("got  %v\nwant bad_query: %s", err, want)
	}
}

func TestDocOfAPage(t *testing.T) {
	s, table := newSearcher(t)
	for id, want := range map[int64]string{
		7: `{"table":"film","oid":"7","updated":"2006-02-15T09:46:27.250000Z","token":"000000000000009f","fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"a drama","plot":"no <drama> & more","year":2006,"language":null}}`,
		8: `{"table":"film","oid":"8","updated":null,"token":"0000000000000000","fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"a drama","plot":"no <drama> & more","year":2006,"language":null}}`,
	} {
		d, err := s.Doc(key(t, id))
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonOf(t, d); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	_, err := s.Doc(key(t, 9))
	var missing *Error
	if !errors.As(err, &missing) || missing.Code != "not_found" || missing.Error() != "film has no document 9" {
		t.Errorf("got %v, want not_found", err)
	}
	table.broken = errors.New("wrong checksum")
	if _, err := s.Doc(key(t, 7)); !errors.Is(err, table.broken) {
		t.Errorf("got %v, want %v", err, table.broken)
	}
}

// A writing table has its page only after the first look.
type writing struct {
	*fakeTable
	looks int
}

func (w *writing) View(oid doc.OID, see func(doc.Page) error) error {
	if w.looks++; w.looks == 1 {
		return errNoPage
	}
	return w.fakeTable.View(oid, see)
}

// A page that is written between a look for it and the question whether there is one is
// read, and no error.
func TestPageThatIsWrittenMeanwhile(t *testing.T) {
	s, table := newSearcher(t)
	s.Pages = &writing{fakeTable: table}
	if d, err := s.Doc(key(t, 7)); err != nil || d.OID != "7" {
		t.Errorf("got %+v, error %v, want document 7", d, err)
	}
}

// After an answer that is cut short, Next continues behind its last hit.
func TestNextOfAShorterAnswer(t *testing.T) {
	s, table := newSearcher(t)
	table.result.Hits = []query.Hit{{OID: key(t, 7), V: 2, After: "behind the first"}, {OID: key(t, 7), V: 2, After: "behind the second"}}
	for end, want := range map[string][]string{"": {"behind the first", ""}, "behind the second": {"behind the first", "behind the second"}} {
		table.result.Next = end
		r, err := s.Search(t.Context(), Defaults())
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			got := r.Next(i + 1)
			if (got == nil) != (w == "") || got != nil && *got != w {
				t.Errorf("after %d of %d hits: got %v, want %q", i+1, r.Len, got, w)
			}
		}
	}
}

func TestVersionsOfAPage(t *testing.T) {
	s, table := newSearcher(t)
	v, err := s.Versions(key(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"table":"film","oid":"7","versions":[` +
		`{"updated":"2006-02-15T09:46:27.250000Z","fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"a drama","plot":"no <drama> & more","year":2006,"language":null}},` +
		`{"updated":null,"fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"an older title"}}]}`
	if got := jsonOf(t, v); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = s.Versions(key(t, 9))
	var missing *Error
	if !errors.As(err, &missing) || missing.Code != "not_found" {
		t.Errorf("got %v, want not_found", err)
	}
	table.broken = errors.New("wrong checksum")
	if _, err := s.Versions(key(t, 7)); !errors.Is(err, table.broken) {
		t.Errorf("got %v, want %v", err, table.broken)
	}
}
