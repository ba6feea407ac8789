package fulltext

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

var films = Mapping{
	Content:   []string{"title", "description"},
	Analyzer:  "standard",
	Positions: true,
	Metadata:  []Field{{"rating", Keyword}, {"year", Number}, {"updated", Date}, {"rented", Boolean}, {"tags", Keyword}},
}

// newIndex creates an index that is closed, without an error, when the test ends.
func newIndex(t testing.TB, m Mapping) *Index {
	t.Helper()
	ix, err := Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	return ix
}

func closeAtEnd(t testing.TB, ix *Index) {
	t.Helper()
	t.Cleanup(func() {
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func oid(t rapid.TB, parts ...any) doc.OID {
	t.Helper()
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// film makes a document; the columns it does not name are NULL.
func film(t testing.TB, id any, v doc.Version, columns map[string]any) doc.Doc {
	t.Helper()
	row := doc.Row{}
	for _, name := range []string{"title", "description", "rating", "year", "updated", "rented", "tags"} {
		row.Names, row.Values = append(row.Names, name), append(row.Values, columns[name])
	}
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, id)}, V: v}, Row: row}
}

func apply(t rapid.TB, ix *Index, puts []doc.Doc, deletes ...doc.OID) {
	t.Helper()
	if err := ix.Apply(puts, deletes); err != nil {
		t.Fatal(err)
	}
}

// find returns the printed keys of what a query finds.
func find(t testing.TB, ix *Index, text string, more ...func(*query.Request)) []string {
	t.Helper()
	return keys(ask(t, ix, text, more...))
}

func ask(t testing.TB, ix *Index, text string, more ...func(*query.Request)) query.Result {
	t.Helper()
	n, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	req := query.Request{Query: n, Size: 100}
	for _, f := range more {
		f(&req)
	}
	res, err := ix.Search(context.Background(), req)
	if err != nil {
		t.Fatalf("search %q: %v", text, err)
	}
	return res
}

func keys(res query.Result) []string {
	found := []string{}
	for _, h := range res.Hits {
		found = append(found, h.OID.String())
	}
	return found
}

func TestSearch(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, int64(1), 1, map[string]any{"title": "ACADEMY DINOSAUR", "description": "A Epic Drama of a Feminist And a Mad Scientist who must Battle a Teacher in The Canadian Rockies", "rating": "PG", "year": int64(2006), "updated": "2006-02-15T09:46:27.250000Z", "rented": true, "tags": []any{"old", "funny"}}),
		film(t, int64(2), 2, map[string]any{"title": "ACE GOLDFINGER", "description": "A Astounding Epistle of a Database Administrator And a Explorer", "rating": "G", "year": 2006.5, "updated": "2006-03-01", "rented": false}),
		film(t, int64(3), 3, map[string]any{"title": "Shark's drama: 武元衡", "description": "巧笑解迎人, git.exe and 3.14", "rating": "PG-13", "year": int64(-5), "tags": []any{"funny"}}),
		film(t, int64(4), 4, nil),
	})
	all := []string{"1", "2", "3", "4"}
	for text, want := range map[string][]string{
		"":                                  all,
		"*":                                 all,
		"drama":                             {"1", "3"},
		"DRAMA":                             {"1", "3"},
		"drama scientist":                   {"1"},
		"academy scientist":                 {"1"}, // across columns
		"drama OR explorer":                 {"1", "2", "3"},
		"drama -shark":                      {"1"},
		"-drama":                            {"2", "4"},
		"-drama -epistle":                   {"4"},
		"(drama OR explorer) -dinosaur":     {"2", "3"},
		"nothing -drama":                    {},
		"nothing OR -drama":                 {"2", "4"},
		`"mad scientist"`:                   {"1"},
		`"scientist mad"`:                   {},
		`"dinosaur epic"`:                   {}, // from one column into the next
		`"feminist and a mad scientist"`:    {"1"},
		`"feminist mad"`:                    {}, // stop words count as positions
		"the":                               {},
		"the drama":                         {"1", "3"},
		"-the drama":                        {"1", "3"},
		"the OR drama":                      {"1", "3"},
		"...":                               {},
		"dino*":                             {"1"},
		"d*":                                {"1", "2", "3"},
		"DINO*":                             {"1"},
		"title:drama":                       {"3"},
		"description:drama":                 {"1"},
		"title:d*":                          {"1", "3"},
		`title:"ace goldfinger"`:            {"2"},
		"git.exe":                           {"3"},
		"exe":                               {"3"},
		"exe.git":                           {},
		"3.14":                              {"3"},
		"git.ex*":                           {"3"},
		"武":                                 {"3"},
		"元衡":                                {"3"},
		"衡元":                                {},
		"rating:PG":                         {"1"},
		"rating:pg":                         {},
		"rating:PG-13":                      {"3"},
		"rating:PG*":                        {"1", "3"},
		`rating:""`:                         {},
		"rating:*":                          {"1", "2", "3"},
		"-rating:*":                         {"4"},
		"-rating:none":                      all,
		"rating:none -drama":                {},
		"rating:[G TO PG]":                  {"1", "2"},
		"tags:funny":                        {"1", "3"},
		"year:2006":                         {"1"},
		"year:2006.5":                       {"2"},
		"year:-5":                           {"3"},
		"year:>2006":                        {"2"},
		"year:>=2006":                       {"1", "2"},
		"year:<2006":                        {"3"},
		"year:<=2006":                       {"1", "3"},
		"year:[-5 TO 2006]":                 {"1", "3"},
		"year:[* TO 0]":                     {"3"},
		"updated:2006":                      {"1", "2"},
		"updated:2006-02":                   {"1"},
		"updated:2006-02-15":                {"1"},
		"updated:2006-02-15T09:46:27Z":      {"1"},
		"updated:2006-02-15T09:46:27.2Z":    {"1"},
		"updated:2006-02-15T09:46:27.3Z":    {},
		"updated:2006-02-15T10:46:27+01:00": {"1"},
		"updated:>2006-02":                  {"2"},
		"updated:<=2006-02":                 {"1"},
		"updated:[2006-02 TO 2006-03]":      {"1", "2"},
		"rented:true":                       {"1"},
		"rented:false":                      {"2"},
		"drama rating:PG":                   {"1"},
		"drama -rating:PG":                  {"3"},
	} {
		res := ask(t, ix, text)
		got := keys(res)
		slices.Sort(got)
		if !slices.Equal(got, want) || res.Total != uint64(len(want)) {
			t.Errorf("%s: got %v (total %d), want %v", text, got, res.Total, want)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	ix := newIndex(t, films)
	noPositions := films
	noPositions.Positions = false
	short := newIndex(t, noPositions)
	for text, want := range map[string]string{
		"rting:PG":        "no field rting: did you mean rating?",
		"http://x":        "no field http: there are title, description, rating, year, updated, rented, tags",
		"year:old":        "field year: old is no number: write a number as 5, -1.5 or 1e6",
		"year:20*":        "field year: 20* is no number: only words and keywords are searched by their beginning",
		"updated:2006-13": "field updated: 2006-13 is no date: write it as 2006, 2006-01, 2006-01-02 or 2006-01-02T15:04:05Z",
		"rented:maybe":    "field rented: maybe is no boolean: write true or false",
		"title:>a":        "field title is text, searched by its words: list it under metadata to filter, sort, compare or count it",
	} {
		checkError(t, ix, query.Request{Query: parse(t, text)}, want)
	}
	checkError(t, short, query.Request{Query: parse(t, `"mad scientist"`)}, "the phrase \"mad scientist\" can't be found in an index without positions: search for its words without quotes, or set positions: true for this table")
	for want, req := range map[string]query.Request{
		"size is 1001 and must be between 0 and 1000: page with after":                                                       {Size: 1001},
		"size is -1 and must be between 0 and 1000: page with after":                                                         {Size: -1},
		"from is -1: leave it out to begin with the first hit":                                                               {From: -1},
		"both from and after say where to begin: leave one of them out":                                                      {From: 1, After: "x"},
		"from 9991 and size 10 reach beyond hit 10000: go further with after: the next of the answer before":                 {From: 9991, Size: 10},
		"after x is no place in this search: pass on next as it was returned, with the same sort, or begin again without it": {After: "x"},
		"no field yaer: did you mean year?":                                                                                  {Sort: []query.Sort{{Field: "yaer"}}},
		"no facets of field year: it is a number: only keywords are counted":                                                 {Facets: []query.Facet{{Field: "year", Size: 1}}},
		"facet rating: 0 values asked for, not 1 to 1000: name how many values to return":                                    {Facets: []query.Facet{{Field: "rating"}}},
		"no field x: there are title, description, rating, year, updated, rented, tags":                                      {Filters: []query.Filter{{Field: "x", Values: []string{"1"}}}},
	} {
		checkError(t, ix, req, want)
	}
}

func parse(t testing.TB, text string) query.Node {
	t.Helper()
	n, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checkError(t *testing.T, ix *Index, req query.Request, want string) {
	t.Helper()
	_, err := ix.Search(context.Background(), req)
	var bad *query.Error
	if !errors.As(err, &bad) {
		t.Errorf("got error %v, want a query.Error: %s", err, want)
	} else if bad.Error() != want {
		t.Errorf("got  %s\nwant %s", bad, want)
	}
}

func TestSearchWithoutPositions(t *testing.T) {
	m := films
	m.Positions = false
	ix := newIndex(t, m)
	apply(t, ix, []doc.Doc{
		film(t, int64(1), 1, map[string]any{"title": "mad scientist", "description": "git.exe"}),
		film(t, int64(2), 1, map[string]any{"title": "scientist", "description": "exe of git"}),
	})
	for text, want := range map[string][]string{
		"mad scientist": {"1"},
		`"scientist"`:   {"1", "2"},
		"git.exe":       {"1", "2"}, // both words, wherever they stand
		"git.ex*":       {"1", "2"},
	} {
		got := find(t, ix, text)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := Open(dir, films); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open nothing: got %v, want fs.ErrNotExist", err)
	}
	// What a crash in the middle of Create leaves.
	if err := os.MkdirAll(filepath.Join(dir+".tmp", "half"), 0o700); err != nil {
		t.Fatal(err)
	}
	ix, err := Create(dir, films, 7)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stray directory: got %v, want fs.ErrNotExist", err)
	}
	apply(t, ix, []doc.Doc{film(t, int64(1), 9, map[string]any{"title": "drama"})})
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ix.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := ix.Count(); !errors.Is(err, ErrClosed) {
		t.Errorf("count after close: got %v, want ErrClosed", err)
	}
	if err := ix.Apply(nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("apply after close: got %v, want ErrClosed", err)
	}

	if _, err := Create(dir, films, 8); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("create twice: got %v, want an error", err)
	}
	other := films
	other.Analyzer = "en"
	if _, err := Open(dir, other); !errors.Is(err, ErrMapping) {
		t.Errorf("open with another mapping: got %v, want ErrMapping", err)
	}
	ix, err = Open(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	if got := ix.Generation(); got != 7 {
		t.Errorf("generation: got %d, want 7", got)
	}
	if got := find(t, ix, "drama"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("after opening again: got %v, want [1]", got)
	}
	if _, err := Open(dir, films); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("open twice: got %v, want an error", err)
	}
}
