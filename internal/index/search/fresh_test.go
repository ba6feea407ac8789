package search

import (
	"context"
	"errors"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A liveTable is a table with a database, whose rows differ from the documents.
type liveTable struct {
	*realTable
	rows map[int]doc.Row
	err  error
	slow chan struct{}
	asks int
}

// live gives a table a database with the rows that it has stored.
func live(t *testing.T, r *realTable) *liveTable {
	t.Helper()
	l := &liveTable{realTable: r, rows: map[int]doc.Row{}}
	for oid, page := range r.pages {
		row, err := doc.ParseRow(page.Body)
		if err != nil {
			t.Fatal(err)
		}
		for id := range 100 {
			if key(t, int64(id)) == oid {
				l.rows[id] = row
			}
		}
	}
	r.searcher.Rows = func(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error {
		l.asks++
		if l.slow != nil {
			<-l.slow // it ignores ctx
			return nil
		}
		asked := doc.SetOf(oids)
		for id, row := range l.rows {
			if oid := key(t, int64(id)); asked[oid] {
				each(doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: row})
			}
		}
		return l.err
	}
	return l
}

// set changes a column of a row in the database.
func (l *liveTable) set(id int, column string, value any) {
	row := l.rows[id]
	row.Values = append([]any(nil), row.Values...)
	for i, name := range row.Names {
		if name == column {
			row.Values[i] = value
		}
	}
	l.rows[id] = row
}

var yes, no = true, false

func TestFreshSearch(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(l *liveTable)
		caller Caller
		want   string // title of each hit
		total  uint64
	}{
		{"nothing has changed", func(*liveTable) {}, Caller{Admin: true}, "shark drama, the shark", 2},
		{"a row is gone", func(l *liveTable) { delete(l.rows, 1) }, Caller{Admin: true}, "the shark", 1},
		{"a row that still matches", func(l *liveTable) { l.set(1, "title", "two sharks") }, Caller{Admin: true}, "two sharks, the shark", 2},
		{"a row that does not match any more", func(l *liveTable) { l.set(3, "title", "the whale") }, Caller{Admin: true}, "shark drama", 1},
		{"a row that the filter excludes now", func(l *liveTable) { l.set(3, "year", int64(1)) }, Caller{Admin: true}, "shark drama", 1},
		{"a column that is not searched", func(l *liveTable) { l.set(1, "rating", "R") }, Caller{Admin: true}, "shark drama, the shark", 2},
		{"a row that another group sees now", func(l *liveTable) { l.set(1, "rating", "R") }, Caller{Groups: []string{"PG"}}, "the shark", 1},
		{"a row that the group may still see", func(l *liveTable) { l.set(1, "title", "shark!") }, Caller{Groups: []string{"PG"}}, "shark!, the shark", 2},
		{"a value that does not fit", func(l *liveTable) { l.set(3, "year", "soon") }, Caller{Admin: true}, "shark drama", 1},
		{"a row that is too long to be judged", func(l *liveTable) { l.set(1, "plot", strings.Repeat("shark ", freshText/6+1)) }, Caller{Admin: true}, "the shark", 1},
	} {
		film, _, _ := library(t)
		film.searcher.ACL, film.searcher.Title = "rating", mustTitle(t, "title")
		film.put(t, []any{3, "the shark", "no comment", "PG", 2001})
		l := live(t, film)
		c.change(l)
		p := Params{Query: "shark", Size: 10, Fresh: &yes, Highlight: true, Caller: c.caller, Filters: []query.Filter{{Field: "year", Values: []string{"2001"}}}}
		a, err := searchAll(film.searcher, p)
		if err != nil || a.Fresh == nil || !*a.Fresh || titles(a) != c.want || a.Total != c.total || l.asks != 1 {
			t.Errorf("%s: got %s of %d, fresh %v, %d questions, %v\nwant %s of %d", c.name, titles(a), a.Total, a.Fresh, l.asks, err, c.want, c.total)
		}
		for _, h := range a.Hits {
			if !strings.Contains(h.Highlights["title"][0], "<mark>") || h.Title != h.Fields.Get("title") {
				t.Errorf("%s: got the title %q and highlights %v", c.name, h.Title, h.Highlights)
			}
		}
	}
}

func titles(a Answer) string {
	var all []string
	for _, h := range a.Hits {
		all = append(all, doc.FormatText(h.Fields.Get("title")))
	}
	return strings.Join(all, ", ")
}

// A search that can't check its hits shows them as they are stored.
func TestFreshSearchWithoutTheDatabase(t *testing.T) {
	for name, hinder := range map[string]func(*liveTable){
		"down":                      func(l *liveTable) { l.err = errors.New("the server is down") },
		"slow":                      func(l *liveTable) { l.slow = make(chan struct{}); t.Cleanup(func() { close(l.slow) }) },
		"rows can't be read by key": func(l *liveTable) { l.searcher.Rows = nil },
	} {
		film, _, _ := library(t)
		l := live(t, film)
		delete(l.rows, 1)
		hinder(l)
		a, err := searchAll(film.searcher, Params{Query: "shark", Size: 10, Fresh: &yes})
		if err != nil || a.Fresh == nil || *a.Fresh || titles(a) != "shark drama, the shark" || a.Total != 2 {
			t.Errorf("%s: got %s of %d, fresh %v, %v; want both hits as they are stored", name, titles(a), a.Total, a.Fresh, err)
		}
	}
}

// A search is fresh if its parameters ask for it, or else its table's configuration.
func TestFreshByDefault(t *testing.T) {
	for _, c := range []struct {
		table bool
		asked *bool
		want  string
	}{{false, nil, "null"}, {false, &yes, "true"}, {false, &no, "null"}, {true, nil, "true"}, {true, &yes, "true"}, {true, &no, "null"}} {
		film, _, _ := library(t)
		live(t, film)
		film.searcher.Fresh = c.table
		a, err := searchAll(film.searcher, Params{Query: "shark", Size: 10, Fresh: c.asked})
		if got := jsonOf(t, a.Fresh); err != nil || got != c.want {
			t.Errorf("table %t, search %s: got fresh %s, %v, want %s", c.table, jsonOf(t, c.asked), got, err, c.want)
		}
	}
}

// A page continues behind its last hit, also if that one is left out.
func TestPagesOfAFreshSearch(t *testing.T) {
	film, _, _ := library(t)
	l := live(t, film)
	delete(l.rows, 1)
	delete(l.rows, 2)
	p := Params{Size: 2, Fresh: &yes, Sort: []query.Sort{{Field: "rating"}}}
	first, err := searchAll(film.searcher, p)
	if err != nil || len(first.Hits) != 0 || first.Total != 1 || first.Next == nil {
		t.Fatalf("got %d hits of %d, next %v, %v; want none of 1, and a next", len(first.Hits), first.Total, first.Next, err)
	}
	p.After = *first.Next
	second, err := searchAll(film.searcher, p)
	if err != nil || titles(second) != "the shark" || second.Next != nil {
		t.Errorf("got %s, next %v, %v", titles(second), second.Next, err)
	}
}

// An answer that is cut short continues behind the last hit that it has.
func TestPagesOfAFreshSearchThatIsCutShort(t *testing.T) {
	film, _, _ := library(t)
	l := live(t, film)
	delete(l.rows, 1)
	p := Params{Size: 10, Fresh: &yes}
	r, err := film.searcher.Search(t.Context(), p)
	if err != nil || r.Len != 2 || r.Next(2) != nil {
		t.Fatalf("got %d hits, %v, want 2", r.Len, err)
	}
	p.After = *r.Next(1)
	rest, err := searchAll(film.searcher, p)
	if err != nil || titles(rest) != "the shark" {
		t.Errorf("got %s, %v, want the second of the two hits", titles(rest), err)
	}
}

// Each table of a page is asked once. Tables that can't be checked keep their hits.
func TestFreshSearchInAllTables(t *testing.T) {
	film, song, note := library(t)
	films, songs, notes := live(t, film), live(t, song), live(t, note)
	delete(films.rows, 3)
	delete(songs.rows, 2)
	find := func(want string, total uint64, fresh string, p Params) {
		t.Helper()
		parts := partsOf(film, song, note)
		films.asks, songs.asks, notes.asks = 0, 0, 0
		r, err := SearchAll(t.Context(), parts, nil, p)
		if err != nil {
			t.Fatal(err)
		}
		a := Answer{Fresh: r.Fresh, Total: r.Total}
		for i := range r.Len {
			h, err := r.Hit(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			a.Hits = append(a.Hits, h)
		}
		if found(a) != want || a.Total != total || jsonOf(t, a.Fresh) != fresh || max(films.asks, songs.asks, notes.asks) > 1 {
			t.Errorf("got %s of %d, fresh %s; want %s of %d, fresh %s", found(a), a.Total, jsonOf(t, a.Fresh), want, total, fresh)
		}
	}
	p := Params{Query: "shark", Size: 10, Fresh: &yes}
	find("film 1, note 8", 2, "true", p)
	notes.err = errors.New("down")
	find("film 1, note 8", 2, "false", p)
	p.Fresh = nil
	find("film 1, song 2, note 8, film 3", 4, "null", p)
	film.searcher.Fresh = true
	find("film 1, song 2, note 8", 3, "false", p)
}

// Rows of one key that differ make no document.
func TestFreshSearchOfAKeyWithTwoRows(t *testing.T) {
	film, _, _ := library(t)
	l := live(t, film)
	rows := film.searcher.Rows
	film.searcher.Rows = func(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error {
		for _, row := range []doc.Row{l.rows[1], l.rows[2]} {
			each(doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: key(t, 1)}}, Row: row})
		}
		delete(l.rows, 1)
		return rows(ctx, oids, each)
	}
	a, err := searchAll(film.searcher, Params{Query: "shark", Size: 10, Fresh: &yes})
	if err != nil || titles(a) != "the shark" {
		t.Errorf("got %s, %v, want the other hit only", titles(a), err)
	}
}
