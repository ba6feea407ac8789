package sourcetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var modelBehaviours = []behaviour{
	{"rows that fail, are marked and have children at random are the same in every way", true, randomFailures},
	{"a list of marks that fails for one key rejects that row alone", true, failingList},
	{"the groups of a reject are read without the row, whatever fails", true, groupsOfRejects},
	{"rows of one key show that their groups differ", true, groupsOfOneKey},
}

// A world is the tables doc, part, who and tomb, and a model of their rows.
type world struct {
	*run
	random *rand.Rand
	names  []string // of the key's columns
	keys   [][]any  // from which rows are drawn
	tables []SQLTable
	by     int // the table under test: without marks, by column or by list
	bad    map[doc.OID]bool
	gone   map[doc.OID]bool
	times  map[doc.OID][]time.Time // of live and marked rows: their own first, then their children's
}

func randomFailures(r *run) {
	for _, c := range []struct {
		types []string
		keys  [][]any
	}{
		{[]string{"{int}"}, [][]any{{int64(-5)}, {int64(0)}, {int64(7)}, {int64(8)}, {int64(1 << 62)}}},
		{[]string{"{fold}"}, [][]any{{"a"}, {"A"}, {"b"}, {"B"}, {"é"}, {"E"}, {"a b"}}},
		{[]string{"{fold}", "{int}"}, [][]any{{"x", int64(1)}, {"X", int64(1)}, {"x", int64(2)}, {"é", int64(-1)}, {"y", int64(0)}}},
	} {
		w := &world{run: r.fresh(), random: rand.New(rand.NewPCG(3, 4)), keys: c.keys}
		w.create(c.types)
		for range 15 {
			w.draw()
			if w.check(); r.Failed() {
				return
			}
		}
	}
}

func (w *world) create(types []string) {
	var columns []string
	for i, typ := range types {
		w.names = append(w.names, fmt.Sprintf("k%d", i+1))
		columns = append(columns, w.names[i]+" "+typ)
	}
	key, declared := join(w.names), join(columns)
	w.exec("CREATE TABLE doc ("+declared+", u {time}, v {int}, gone {int})", "CREATE TABLE part ("+declared+", u {time}, name {text})",
		"CREATE TABLE who ("+declared+", u {time}, name {text})", "CREATE TABLE tomb ("+declared+")")
	c := Config{SQL: w.sql("SELECT " + key + ", u, gone, {fails} AS x FROM doc"), Key: w.names, Batch: 3, Page: 2, Numbers: w.sink(), Children: append(parts(w.names...),
		Child{Name: "who", Path: "extra.who", SQL: "SELECT * FROM who", Key: w.names, Updated: "u", Value: true})}
	for _, c.Deleted = range []Deleted{{}, {Column: "gone", Values: []any{int64(1)}}, {SQL: "SELECT * FROM tomb"}} {
		w.tables = append(w.tables, w.open(c))
	}
}

// draw replaces all rows.
func (w *world) draw() {
	w.by, w.bad, w.gone, w.times = w.random.IntN(3), map[doc.OID]bool{}, map[doc.OID]bool{}, map[doc.OID][]time.Time{}
	statements := []string{"DELETE FROM doc", "DELETE FROM part", "DELETE FROM who", "DELETE FROM tomb"}
	insert := func(table string, key []any, more ...any) {
		statements = append(statements, "INSERT INTO "+table+" VALUES "+w.values(append(slices.Clone(key), more...)))
	}
	for _, key := range w.keys {
		o, v, mark := oid(key...), int64(1), int64(0)
		there := w.random.IntN(10) > 0
		if there {
			if w.bad[o] = w.random.IntN(4) == 0; w.bad[o] {
				v = 0
			}
			if w.gone[o] = w.by > 0 && w.random.IntN(3) == 0; w.gone[o] && w.by == 1 {
				mark = 1
			} else if w.gone[o] {
				insert("tomb", key)
			}
			w.times[o] = []time.Time{at(w.random.IntN(9))}
			insert("doc", key, w.times[o][0], v, mark)
		}
		for range w.random.IntN(4) {
			u := at(w.random.IntN(9))
			insert([]string{"part", "who"}[w.random.IntN(2)], key, u, []string{"b", "a"}[w.random.IntN(2)])
			if there { // else the child belongs to no row
				w.times[o] = append(w.times[o], u)
			}
		}
	}
	w.exec(statements...)
}

// rows returns the keys of the rows for which a condition holds.
func (w *world) rows(holds func(doc.OID) bool) (oids []doc.OID) {
	for o := range w.times {
		if holds(o) {
			oids = append(oids, o)
		}
	}
	return oids
}

func (w *world) check() {
	w.Helper()
	table := w.tables[w.by]
	var asked []doc.OID
	for _, key := range w.keys {
		asked = append(asked, oid(key...))
	}
	live := w.rows(func(o doc.OID) bool { return !w.gone[o] })
	sound := w.rows(func(o doc.OID) bool { return !w.gone[o] && !w.bad[o] })
	failing := w.rows(func(o doc.OID) bool { return !w.gone[o] && w.bad[o] })
	stamps := map[doc.OID]doc.Stamp{}
	for _, read := range w.everyWay(table, asked...) {
		rows, rejects, deleted := live, []doc.OID(nil), []doc.OID(nil)
		if read.way == "Range" || read.way == "Docs" {
			rows, rejects = sound, failing
		}
		if read.way == "Docs" {
			deleted = w.rows(func(o doc.OID) bool { return w.gone[o] })
		} else {
			read.deleted = nil // a range may have some
		}
		if read.keys() != printed(rows) || printed(doc.OIDs(read.rejects)) != printed(rejects) || printed(read.deleted) != printed(deleted) {
			w.Errorf("%s: got %s, rejects of %v and %v deleted, want %s, %s and %s", read.way, read.keys(), doc.OIDs(read.rejects), read.deleted, printed(rows), printed(rejects), printed(deleted))
		}
		for _, s := range read.stamps {
			if known, ok := stamps[s.OID]; ok && !s.Same(known) && !w.bad[s.OID] {
				w.Errorf("%s: got stamp %+v of %v, want %+v", read.way, s, s.OID, known)
			}
			stamps[s.OID] = s
			if want := slices.MaxFunc(w.times[s.OID], time.Time.Compare); !w.bad[s.OID] && !s.Updated.Equal(want) || (s.Token.Digest == 0) != (w.bad[s.OID] || w.h.Facts.NoDigest) {
				w.Errorf("%s: got stamp %+v of %v, want updateTime %v, and an unknown token if it fails: %t", read.way, s, s.OID, want, w.bad[s.OID])
			}
		}
		for _, d := range read.docs {
			if got, want := len(d.Row.Children[0].Rows)+len(d.Row.Children[1].Rows), len(w.times[d.OID])-1; got != want {
				w.Errorf("%s: got %d children of %v, want %d", read.way, got, d.OID, want)
			}
		}
	}
	window := doc.Window{From: at(w.random.IntN(9)), To: at(w.random.IntN(10))}
	in := w.rows(func(o doc.OID) bool {
		return !w.gone[o] && slices.ContainsFunc(w.times[o], func(u time.Time) bool { return !u.Before(window.From) && u.Before(window.To) })
	})
	if got := w.inWindow(table, window.From, window.To); got != printed(in) {
		w.Errorf("got %s in %v, want %s", got, window, printed(in))
	}
}

func failingList(r *run) {
	keys := r.failingTable(5, 3)
	r.exec("CREATE TABLE parent (id {int}, u {time})", "INSERT INTO parent SELECT id, u FROM doc")
	table := r.open(Config{SQL: "SELECT * FROM parent", Deleted: Deleted{SQL: r.sql("SELECT id FROM doc WHERE {fails} IS NULL")}, Batch: 2, Page: 2, Numbers: r.sink()})
	r.checkFailing(table, keys, 3)
	r.exec("DELETE FROM parent WHERE id = 3")
	r.agree(table, oid(1), oid(2), oid(4), oid(5))
}

func groupsOfRejects(r *run) {
	column, extra := doc.ACL{Column: "grp"}, doc.ACL{Child: "who"}
	note := Child{Name: "notes", Path: "children.notes", SQL: r.sql("SELECT id, u, {fails} AS x FROM note"), Key: []string{"id"}, Updated: "u"}
	who := func(name string) Child {
		return Child{Name: "who", Path: "extra.who", SQL: r.sql("SELECT id, " + name + " AS name FROM grp"), Key: []string{"id"}, Value: true}
	}
	names := func(all ...any) (rows []doc.Row) {
		for _, name := range all {
			rows = append(rows, doc.Row{Names: []string{"name"}, Values: []any{name}})
		}
		return rows
	}
	const row, note1 = "UPDATE doc SET v = 0 WHERE id = 1", "INSERT INTO note VALUES (1, NULL, 0)"
	for _, c := range []struct {
		name   string
		config Config
		breaks string
		want   *doc.Row
	}{
		{"the SQL", Config{SQL: "SELECT id, u, grp, {fails} AS x FROM doc", ACL: column}, row, column.Value("nine")},
		{"a child", Config{ACL: column, Children: []Child{note}}, note1, column.Value("nine")},
		{"the group, too", Config{SQL: "SELECT id, u, {fails} AS grp FROM doc", ACL: column}, row, nil},
		{"the SQL, groups of an extra", Config{SQL: "SELECT id, u, {fails} AS x FROM doc", ACL: extra, Children: []Child{who("name")}}, row, extra.Rows(names("nine", "ten"))},
		{"a child, groups of an extra", Config{ACL: extra, Children: []Child{note, who("name")}}, note1, extra.Rows(names("nine", "ten"))},
		{"the extra", Config{ACL: extra, Children: []Child{who("{fails}")}}, "UPDATE grp SET v = 0 WHERE id = 1 AND name = 'nine'", nil},
		{"a row without groups", Config{SQL: "SELECT id, u, {fails} AS x FROM doc", ACL: extra, Children: []Child{who("name")}}, row + "; DELETE FROM grp", extra.Rows(nil)},
	} {
		other := r.fresh()
		other.exec("CREATE TABLE doc (id {int}, u {time}, v {int}, grp {text})", "CREATE TABLE note (id {int}, u {time}, v {int})", "CREATE TABLE grp (id {int}, v {int}, name {text})",
			"INSERT INTO doc VALUES (1, {@1}, 1, 'nine'), (2, {@1}, 1, 'nine')", "INSERT INTO grp VALUES (1, 1, 'ten'), (1, 1, 'nine'), (2, 1, 'nine')")
		c.config.SQL, c.config.Numbers = r.sql(c.config.SQL), r.sink()
		table := other.open(c.config)
		other.exec(strings.Split(c.breaks, "; ")...)
		for _, read := range other.everyWay(table, oid(1), oid(2))[:2] {
			if read.keys() != "2" || len(read.rejects) != 1 || read.rejects[0].OID != oid(1) || !sameGroups(read.rejects[0].Groups, c.want) {
				r.Errorf("%s: %s: got rows %s and rejects %+v, want 2, and 1 with the groups %+v", c.name, read.way, read.keys(), read.rejects, c.want)
			}
		}
	}
}

// sameGroups compares groups that may be unknown.
func sameGroups(a, b *doc.Row) bool {
	if a == nil || b == nil {
		return a == b
	}
	return doc.SameGroups(a, b)
}

// Of several rows of one key, only some are read.
func groupsOfOneKey(r *run) {
	for _, groups := range []string{"9 9 9 9", "9 7", "9 9 9 7 9 8", "9 7 8 8", "8 8 8 8 8 7"} {
		other := r.fresh()
		other.exec("CREATE TABLE doc (id {int}, u {time}, grp {text})")
		differ := false
		for _, group := range strings.Fields(groups) {
			differ = differ || group != groups[:1]
			other.exec("INSERT INTO doc VALUES (1, {@1}, '" + group + "')")
		}
		for _, batch := range []int{1, 2, 3, 100} {
			table := other.open(Config{ACL: doc.ACL{Column: "grp"}, Batch: batch, Numbers: r.sink()})
			for _, read := range other.everyWay(table, oid(1))[:2] {
				seen := map[any]bool{}
				for _, d := range read.docs {
					group, _ := d.Row.Get("grp")
					seen[group] = true
				}
				read.batches = slices.DeleteFunc(read.batches, func(b doc.Batch) bool { return len(b.Docs) == 0 })
				if len(read.docs) < 2 || len(read.docs) > 3 || len(read.batches) != 1 || (len(seen) > 1) != differ {
					r.Errorf("%s of %s in batches of %d: got %d rows of the groups %v in %d batches, want 2 or 3 in one, and of several groups: %t", read.way, groups, batch, len(read.docs), seen, len(read.batches), differ)
				}
			}
		}
	}
}
