package sqlitesource

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

// A shape is a kind of key: its declarations in the table and in its children, and
// the keys that a test draws from. Text keys include some that are equal except
// for case, accents or trailing spaces.
type shape struct {
	parent, child string
	key           []string
	keys          [][]any
}

var shapes = map[string]shape{
	"integer": {"id INTEGER PRIMARY KEY", "id INTEGER", []string{"id"}, [][]any{{int64(-5)}, {int64(0)}, {int64(7)}, {int64(8)}, {int64(1 << 62)}}},
	"text": {
		"id TEXT COLLATE NOCASE", "id TEXT",
		[]string{"id"},
		[][]any{{"a"}, {"A"}, {"ä"}, {"a\u0308"}, {"é"}, {"E"}, {""}, {"a "}, {"貨物"}},
	},
	"child without case": {"id TEXT", "id TEXT COLLATE NOCASE", []string{"id"}, [][]any{{"a"}, {"A"}, {"b"}, {"B"}, {"é"}}},
	"composite": {
		"a TEXT COLLATE NOCASE, id INTEGER", "a TEXT, id INTEGER",
		[]string{"a", "id"},
		[][]any{{"x", int64(1)}, {"X", int64(1)}, {"x", int64(2)}, {"é", int64(-1)}, {"", int64(0)}},
	},
}

// A world is a table with two children, read without deletion marks, with a
// column of marks and with an SQL of marks, and a model of its rows.
type world struct {
	db     *testDB
	shape  shape
	tables map[string]*Table // by the way in which rows are marked deleted
	table  *Table            // the one under test
	bad    map[doc.OID]bool  // the SQL fails for the row
	gone   map[doc.OID]bool  // the row is marked deleted
	main   map[doc.OID]int64
	kids   map[doc.OID][]int64 // updateTimes of both children
}

func newWorld(t testing.TB, s shape) *world {
	t.Helper()
	key := strings.Join(s.key, ", ")
	db := newDB(t, "CREATE TABLE t ("+s.parent+", u INTEGER, active INTEGER, j TEXT)",
		"CREATE TABLE actor ("+s.child+", u INTEGER, name TEXT)", "CREATE INDEX actor_key ON actor ("+key+")",
		"CREATE TABLE acl ("+s.child+", u INTEGER, name TEXT)", "CREATE TABLE tomb ("+s.child+")")
	c := TableConfig{
		SQL: "SELECT *, json_extract(j, '$.x') AS x FROM t",
		Key: s.key, Batch: 3,
		Children: []ChildConfig{
			{Name: "actors", Path: "children.actors", SQL: "SELECT * FROM actor", Key: s.key, Updated: "u", Columns: []string{"name"}},
			{Name: "acl", Path: "extra.acl", SQL: "SELECT " + key + ", u, name FROM acl", Key: s.key, Updated: "u", Value: true},
		},
	}
	w := &world{db: db, shape: s, tables: map[string]*Table{}}
	for soft, deleted := range map[string]DeletedConfig{
		"": {}, "column": {Column: "active", Values: []any{int64(0)}}, "sql": {SQL: "SELECT * FROM tomb"},
	} {
		c.Deleted = deleted
		w.tables[soft] = db.table(c)
		w.tables[soft].stamps = 2
	}
	return w
}

func (w *world) clear() {
	w.db.exec("DELETE FROM t; DELETE FROM actor; DELETE FROM acl; DELETE FROM tomb")
	w.bad, w.gone, w.main, w.kids = map[doc.OID]bool{}, map[doc.OID]bool{}, map[doc.OID]int64{}, map[doc.OID][]int64{}
}

// draw fills the tables and chooses the one under test.
func (w *world) draw(r *rapid.T) {
	w.db.exec("BEGIN")
	defer w.db.exec("COMMIT")
	w.clear()
	soft := rapid.SampledFrom([]string{"", "column", "sql"}).Draw(r, "soft")
	w.table = w.tables[soft]
	for _, key := range w.shape.keys {
		o := oid(w.db.t, slices.Clone(key)...)
		marks := strings.Repeat("?, ", len(key))
		u := rapid.Int64Range(0, 9).Draw(r, "u") + base
		if rapid.IntRange(0, 9).Draw(r, "there") > 0 {
			j, active := `{"x": 1}`, any(nil)
			if w.bad[o] = rapid.IntRange(0, 4).Draw(r, "bad") == 0; w.bad[o] {
				j = `{"x": `
			}
			w.gone[o] = soft != "" && rapid.IntRange(0, 3).Draw(r, "gone") == 0
			switch {
			case w.gone[o] && soft == "column":
				active = 0
			case w.gone[o]:
				w.db.exec("INSERT INTO tomb VALUES ("+strings.TrimSuffix(marks, ", ")+")", key...)
			}
			w.db.exec("INSERT INTO t VALUES ("+marks+"?, ?, ?)", slices.Concat(key, []any{u, active, j})...)
			w.main[o] = u
		}
		for _, child := range []string{"actor", "acl"} {
			for range rapid.IntRange(0, 2).Draw(r, child) {
				u := rapid.Int64Range(0, 9).Draw(r, "u") + base
				w.db.exec("INSERT INTO "+child+" VALUES ("+marks+"?, ?)", slices.Concat(key, []any{u, rapid.SampledFrom([]string{"b", "a"}).Draw(r, "name")})...)
				w.kids[o] = append(w.kids[o], u)
			}
		}
	}
}

const base = 1_700_000_000

// live returns the keys of the rows that are not marked deleted.
func (w *world) live() (oids []doc.OID) {
	for o := range w.main {
		if !w.gone[o] {
			oids = append(oids, o)
		}
	}
	slices.Sort(oids)
	return oids
}

func (w *world) updated(o doc.OID) time.Time {
	return time.Unix(slices.Max(append([]int64{w.main[o]}, w.kids[o]...)), 0).UTC()
}

// inWindow returns the keys of live rows whose updateTime, or a child's, is in a
// window.
func (w *world) inWindow(from, to int64) (oids []doc.OID) {
	for _, o := range w.live() {
		if slices.ContainsFunc(append([]int64{w.main[o]}, w.kids[o]...), func(u int64) bool { return u >= from && u < to }) {
			oids = append(oids, o)
		}
	}
	return oids
}

func collect[T any](r rapid.TB, pages iter.Seq2[[]T, error]) (all []T) {
	for page, err := range pages {
		if err != nil {
			r.Fatal(err)
		}
		if len(page) == 0 {
			r.Error("an empty page was yielded")
		}
		all = append(all, page...)
	}
	return all
}

// All methods return the same rows, children and versions, for every kind of key
// and of deletion mark, and if the SQL fails for some rows.
func TestEveryWayToReadAgrees(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, s)
			rapid.Check(t, func(r *rapid.T) {
				w.draw(r)
				w.check(r, rapid.Int64Range(0, 9).Draw(r, "from")+base, rapid.Int64Range(0, 10).Draw(r, "to")+base)
			})
		})
	}
}

func (w *world) check(r *rapid.T, from, to int64) {
	live := w.live()
	stamps := map[doc.OID]doc.Stamp{}
	for _, s := range collect(r, w.table.StampsInRange(w.db.t.Context(), doc.Range{})) {
		if _, twice := stamps[s.OID]; twice {
			r.Errorf("%v came twice in its range", s.OID)
		}
		stamps[s.OID] = s
	}
	if got := slices.Sorted(maps.Keys(stamps)); !slices.Equal(got, live) {
		r.Errorf("stamps of the range: %v, want %v", got, live)
	}
	for o, s := range stamps {
		if want := w.updated(o); !w.bad[o] && !s.Updated.Equal(want) {
			r.Errorf("updateTime of %v: %v, want %v", o, s.Updated, want)
		}
		if unknown := s.Token.Digest == 0; unknown != w.bad[o] {
			r.Errorf("token of %v: %v, want unknown: %v", o, s.Token, w.bad[o])
		}
	}
	w.checkDocs(r, stamps)
	same := func(what string, got []doc.Stamp) {
		for _, s := range got {
			if !s.Same(stamps[s.OID]) {
				r.Errorf("%s: %+v, want %+v", what, s, stamps[s.OID])
			}
		}
	}
	window := doc.Window{From: time.Unix(from, 0), To: time.Unix(to, 0)}
	want := w.inWindow(from, to)
	byTime := collect(r, w.table.Stamps(w.db.t.Context(), window))
	same("window", byTime)
	got := distinct(byTime)
	if slices.Sort(got); !slices.Equal(got, want) {
		r.Errorf("window: %v, want %v", got, want)
	}
}

func (w *world) checkDocs(r *rapid.T, stamps map[doc.OID]doc.Stamp) {
	ctx := w.db.t.Context()
	var asked []doc.OID
	for _, key := range w.shape.keys {
		asked = append(asked, oid(w.db.t, slices.Clone(key)...))
	}
	of, err := w.table.StampsOf(ctx, asked)
	if err != nil {
		r.Fatal(err)
	}
	if len(of) != len(stamps) {
		r.Errorf("stamps of the keys: %d, want %d", len(of), len(stamps))
	}
	for _, s := range of {
		if !s.Same(stamps[s.OID]) {
			r.Errorf("stamp of the key: %+v, want %+v", s, stamps[s.OID])
		}
	}
	for what, pages := range map[string]iter.Seq2[doc.Batch, error]{"range": w.table.Range(ctx, doc.Range{}), "docs": w.table.Docs(ctx, asked)} {
		read := map[doc.OID]string{}
		for b, err := range pages {
			if err != nil {
				r.Fatal(err)
			}
			for _, d := range b.Docs {
				read[d.OID] += "document"
				if !d.Stamp.Same(stamps[d.OID]) {
					r.Errorf("%s: stamp of %v: %+v, want %+v", what, d.OID, d.Stamp, stamps[d.OID])
				}
				w.checkChildren(r, d)
			}
			for _, reject := range b.Rejects {
				read[reject.OID] += "reject"
			}
			for _, o := range b.Deleted {
				read[o] += "deleted"
			}
		}
		want := map[doc.OID]string{}
		for o := range w.main {
			switch {
			case w.gone[o] && what == "range":
			case w.gone[o]:
				want[o] = "deleted"
			case w.bad[o]:
				want[o] = "reject"
			default:
				want[o] = "document"
			}
		}
		// A range may return keys of deleted rows, but need not.
		maps.DeleteFunc(read, func(o doc.OID, as string) bool { return what == "range" && as == "deleted" })
		if !maps.Equal(read, want) {
			r.Errorf("%s: got %v, want %v", what, read, want)
		}
	}
}

func (w *world) checkChildren(r *rapid.T, d doc.Doc) {
	if len(d.Row.Children) != 2 || d.Row.Children[0].Name != "actors" || d.Row.Children[1].Name != "acl" {
		r.Fatalf("children of %v: %v, want actors and acl, with rows or without", d.OID, d.Row.Children)
	}
	n := 0
	for _, c := range d.Row.Children {
		var texts []string
		for _, row := range c.Rows {
			text, err := row.AppendJSON(nil)
			if err != nil {
				r.Fatal(err)
			}
			texts = append(texts, string(text))
			parts := make([]any, len(w.shape.key))
			for i, name := range w.shape.key {
				parts[i], _ = row.Get(name)
			}
			if o := oid(w.db.t, parts...); o != d.OID {
				r.Errorf("document %v has a child of %v", d.OID, o)
			}
		}
		if !slices.IsSorted(texts) {
			r.Errorf("children of %v are not sorted: %v", d.OID, texts)
		}
		n += len(c.Rows)
	}
	if want := len(w.kids[d.OID]); n != want {
		r.Errorf("document %v has %d children, want %d", d.OID, n, want)
	}
}
