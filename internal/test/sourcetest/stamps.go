package sourcetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var stampBehaviours = []behaviour{
	{"every way of reading gives the same stamp", false, everyWaySameStamp},
	{"a row that is read again, or by another session, has the same stamp", false, sameStampAgain},
	{"each change of a row or its children gives another token to that row alone", false, changesChangeTokens},
	{"a token distinguishes NULL, empty text, columns and neighbouring floats", true, tokensDistinguish},
	{"the epoch depends on the SQL, the key and the children", true, epochs},
	{"rows that change at random are the same in every way", false, randomRows},
	{"session settings change no token and no value", true, settings},
}

func everyWaySameStamp(r *run) {
	rows := numbered(7)
	rows[2].Updated, rows[3].Updated = time.Time{}, rows[4].Updated
	rows[0].Children, rows[2].Children, rows[6].Children = []string{"b", "a", "b"}, []string{"c"}, []string{""}
	for _, children := range []bool{false, true} {
		s := integerKey
		s.children, s.config = children, Config{Batch: 2, Page: 3, Numbers: r.sink()}
		other := r.fresh()
		stamps := other.agree(other.rows(s, rows...), oidsOf(rows)...)
		for _, row := range rows {
			if got := stamps[row.oid()].Updated; !got.Equal(row.Updated) {
				r.Errorf("row %v: got updateTime %v, want %v", row.oid(), got, row.Updated)
			}
		}
	}
}

func sameStampAgain(r *run) {
	s := shape{key: []string{"{int}"}, children: true}
	rows := numbered(3)
	rows[1].Children = []string{"a", "b"}
	table := r.rows(s, rows...)
	first := r.agree(table, oidsOf(rows)...)
	r.put(table, rows[1]) // its children may be stored in another order
	again := map[string]map[doc.OID]doc.Stamp{"again": r.agree(table, oidsOf(rows)...)}
	if t, ok := table.(*sqlRows); ok {
		again["by another session"] = r.agree(r.connect().open(Config{SQL: "SELECT k1, u, title, gone FROM doc WHERE seen = 1", Key: t.key, Children: parts(t.key...)}), oidsOf(rows)...)
	}
	for how, stamps := range again {
		for o, s := range stamps {
			if !s.Same(first[o]) {
				r.Errorf("read %s: got %+v, want %+v", how, s, first[o])
			}
		}
	}
}

func changesChangeTokens(r *run) {
	changed, other := row(1, "text"), row(2, "text")
	table := r.rows(shape{key: []string{"{int}"}, children: true}, changed, other)
	both := []doc.OID{changed.oid(), other.oid()}
	before := r.agree(table, both...)
	seen := map[uint64]string{before[both[0]].Token.Digest: "nothing"}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"another text", func() { changed.Text = "texT" }},
		{"a child", func() { changed.Children = []string{"a"} }},
		{"the same child again", func() { changed.Children = []string{"a", "a"} }},
		{"another child twice", func() { changed.Children = []string{"b", "b"} }},
		{"another child", func() { changed.Children = []string{"a", "b"} }},
		{"a child of empty text", func() { changed.Children = []string{"a", ""} }},
		{"a blank at the end", func() { changed.Text = "texT " }},
		{"another updateTime", func() { changed.Updated = changed.Updated.Add(time.Microsecond) }},
	} {
		c.do()
		r.put(table, changed)
		after := r.agree(table, both...)
		digest := after[both[0]].Token.Digest
		if as, known := seen[digest]; known {
			r.Errorf("%s: got the token of %s, want another", c.name, as)
		}
		seen[digest] = c.name
		if !after[both[1]].Same(before[both[1]]) {
			r.Errorf("%s: got stamp %+v of the other row, want it as before, %+v", c.name, after[both[1]], before[both[1]])
		}
	}
}

func tokensDistinguish(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time}, x {text}, y {text}, f {float})")
	table := r.open(Config{})
	seen := map[uint64]string{}
	for _, v := range []string{
		"'ab', 'c', 0.1", "'a', 'bc', 0.1", "'abc', '', 0.1", "'', 'abc', 0.1", "'abc', NULL, 0.1", "NULL, 'abc', 0.1", "NULL, NULL, 0.1", "'', '', 0.1", "NULL, '', 0.1",
		"'NULL', 'NULL', 0.1", "'0', '', 0.1", "'', '0', 0.1", "'a', 'b', 0.1", "'a', 'b', 0.10000000000000002", "'a', 'b', 0.3", "'a', 'b', NULL",
		"'a', 'b', 0", "'a', 'b', 5e-324", "'a', 'b', 1e300", "'a', 'b', 1.0000000000000002e300", "'a ', 'b', 0", "'A', 'b', 0", "'a,b', '', 0", "'a', ',b', 0",
	} {
		if r.h.Facts.EmptyIsNull && strings.Contains(", "+v, ", ''") {
			continue // NULL has been, or will be
		}
		r.exec("DELETE FROM doc", "INSERT INTO doc VALUES (1, {@0}, "+v+")")
		digest := r.agree(table, oid(1))[oid(1)].Token.Digest
		if as, known := seen[digest]; known {
			r.Errorf("%s: got the token of %s, want another", v, as)
		}
		seen[digest] = v
	}
}

func epochs(r *run) {
	r.exec("CREATE TABLE doc (id {int}, n {int}, u {time})", "CREATE TABLE part (id {int}, n {int}, u {time}, v {text})", "INSERT INTO doc VALUES (1, 1, {@0})")
	child := parts("id")[0]
	timeless, otherKey, otherSQL := child, child, child
	timeless.Updated, otherKey.Key, otherSQL.SQL = "", []string{"n"}, "SELECT id, u, v FROM part"
	seen := map[uint32]string{}
	for name, c := range map[string]Config{
		"plain": {}, "another SQL": {SQL: "SELECT id, n, u FROM doc"}, "another key": {Key: []string{"n"}}, "a key of two columns": {Key: []string{"id", "n"}},
		"a child": {Children: []Child{child}}, "a child without updateTime": {Children: []Child{timeless}}, "another key of the child": {Children: []Child{otherKey}},
		"another SQL of the child": {Children: []Child{otherSQL}}, "two children": {Children: []Child{child, child}},
	} {
		table := r.open(c)
		if as, known := seen[table.Epoch()]; known {
			r.Errorf("%s: got the epoch of %s, want another", name, as)
		}
		seen[table.Epoch()] = name
		c.Batch, c.Page = 7, 5
		if got := r.open(c).Epoch(); got != table.Epoch() {
			r.Errorf("%s: got epoch %d with other batches, want %d", name, got, table.Epoch())
		}
		for _, s := range r.rangeOf(table).stamps {
			if s.Token.Epoch != table.Epoch() {
				r.Errorf("%s: got epoch %d in a token, want %d", name, s.Token.Epoch, table.Epoch())
			}
		}
	}
}

func settings(r *run) {
	if r.h.Alone != nil {
		r = &run{r.T, r.h, r.h.Alone(r.T)}
	}
	config := r.valueTable()
	before := r.open(config)
	stamps, want := r.agree(before, oid(1), oid(2)), body(r, r.rangeOf(before).docs[0])
	for _, setting := range facts(r, r.h.Facts.Settings) {
		r.exec(setting)
		after := r.connect().open(config)
		if got := r.agree(after, oid(1), oid(2))[oid(1)]; !got.Same(stamps[oid(1)]) {
			r.Errorf("%s: got stamp %+v, want %+v", setting, got, stamps[oid(1)])
		}
		if got := body(r, r.rangeOf(after).docs[0]); got != want {
			r.Errorf("%s: got %s, want %s", setting, got, want)
		}
	}
}

// A model holds what each way must return after random changes.
func randomRows(r *run) { r.randomRows(false) }

func (r *run) randomRows(timeless bool) {
	random := rand.New(rand.NewPCG(1, 2))
	s := shape{key: []string{"{text}", "{int}"}, children: true, marks: true, config: Config{Timeless: timeless, Batch: 4, Page: 3, Numbers: r.sink()}}
	table, model := r.rows(s), map[doc.OID]Row{}
	for range 25 {
		var puts []Row
		for _, key := range random.Perm(20)[:random.IntN(8)] {
			row := Row{Key: []any{[]string{"a", "B", r.empty()}[key%3], int64(key)}, Text: fmt.Sprint(random.IntN(3)), Updated: at(random.IntN(9)), Marked: random.IntN(4) == 0, Outside: random.IntN(6) == 0}
			for range random.IntN(3) {
				row.Children = append(row.Children, fmt.Sprint(random.IntN(3)))
			}
			if timeless || random.IntN(8) == 0 {
				row.Updated = time.Time{}
			}
			puts = append(puts, row)
			model[row.oid()] = row
		}
		r.put(table, puts...)
		if len(puts) > 0 && random.IntN(2) == 0 {
			if err := table.Delete(puts[0].oid()); err != nil {
				r.Fatal(err)
			}
			delete(model, puts[0].oid())
		}
		r.checkModel(table, model, doc.Window{From: at(random.IntN(9)), To: at(random.IntN(10))})
		if r.Failed() {
			return
		}
	}
}

func (r *run) checkModel(table Table, model map[doc.OID]Row, w doc.Window) {
	r.Helper()
	var live, windowed, left, deleted []doc.OID
	var rows []Row
	for o, row := range model {
		in := !row.Updated.IsZero() && !row.Updated.Before(w.From) && row.Updated.Before(w.To)
		switch {
		case row.Marked || row.Outside:
			if in {
				left = append(left, o)
			}
			if !row.Outside {
				deleted = append(deleted, o)
			}
		default:
			live, rows = append(live, o), append(rows, row)
			if in {
				windowed = append(windowed, o)
			}
		}
	}
	r.agree(table, live...)
	r.checkChildren(table, rows)
	if got := r.inWindow(table, w.From, w.To); got != printed(windowed) {
		r.Errorf("got %s in %v, want %s", got, w, printed(windowed))
	}
	r.checkLeft(table, w, printed(left))
	read := readBatches("Docs", table.Docs(r.Context(), slices.Collect(maps.Keys(model))))
	if read.err != nil || read.keys() != printed(live) || printed(read.deleted) != printed(deleted) {
		r.Errorf("Docs: got %s and %s deleted, %v, want %s and %s", read.keys(), printed(read.deleted), read.err, printed(live), printed(deleted))
	}
}
