package sourcetest

import (
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

var childBehaviours = []behaviour{
	{"every document has its own children, sorted by their canonical JSON", true, ownChildren},
	{"a child's updateTime raises its document's, and puts it into its window", true, childTimes},
	{"a child without updateTime changes the token alone", true, timelessChildren},
	{"a child row without a parent changes nothing", true, orphans},
	{"more children than a page are all read", true, manyChildren},
	{"children longer than a batch are all read", true, longChildren},
	{"an extra is a child of one value", true, extras},
}

// twoTables creates doc, with the rows 1 to n of updateTime at(1), and part.
func (r *run) twoTables(n int) {
	r.Helper()
	statements := []string{"CREATE TABLE doc (id {int}, u {time}, v {text})", "CREATE TABLE part (id {int}, u {time}, name {text})"}
	for i := range n {
		statements = append(statements, fmt.Sprintf("INSERT INTO doc VALUES (%d, {@1}, 'row %d')", i+1, i+1))
	}
	r.exec(statements...)
}

func ownChildren(r *run) {
	r.twoTables(5)
	want := map[string][]string{"4": nil, "5": nil}
	for i, name := range []string{"b", r.empty(), "a", "é", `"`, "b", "B", "a b", "漢"} {
		key := i%3 + 1
		r.exec(fmt.Sprintf("INSERT INTO part VALUES (%d, NULL, '%s')", key, name))
		want[fmt.Sprint(key)] = append(want[fmt.Sprint(key)], name)
	}
	r.exec("INSERT INTO part VALUES (1, {@0}, 'b'), (1, {@0}, NULL)")
	for batch := range 6 {
		table := r.open(Config{Children: append(parts("id"), Child{Name: "none", Path: "children.none", SQL: "SELECT id FROM part WHERE id = 99", Key: []string{"id"}}), Batch: batch + 1, Page: 2})
		r.agree(table, oid(1), oid(2), oid(3), oid(4), oid(5))
		for _, d := range r.rangeOf(table).docs {
			c := d.Row.Children
			if len(c) != 2 || c[0].Name != "parts" || c[1].Name != "none" || len(c[1].Rows) != 0 {
				r.Fatalf("row %v: got children %v, want parts and none", d.OID, c)
			}
			var bodies, names []string
			for _, row := range c[0].Rows {
				bodies = append(bodies, body(r, doc.Doc{Row: row}))
				if name, _ := row.Get("name"); name != nil && !strings.Contains(bodies[len(bodies)-1], `"u":"`) {
					names = append(names, name.(string))
				}
				if id, _ := row.Get("id"); oid(id) != d.OID {
					r.Errorf("row %v: got the child of %v", d.OID, id)
				}
			}
			if !slices.IsSorted(bodies) {
				r.Errorf("row %v: got children %v, want them sorted", d.OID, bodies)
			}
			slices.Sort(want[d.OID.String()])
			if slices.Sort(names); !slices.Equal(names, want[d.OID.String()]) {
				r.Errorf("row %v: got children %q, want %q", d.OID, names, want[d.OID.String()])
			}
		}
	}
}

func childTimes(r *run) {
	r.twoTables(2)
	table := r.open(Config{Children: parts("id")})
	for _, c := range []struct {
		change  string
		updated int // of row 1
		window  int // a second whose window has row 1
	}{
		{"INSERT INTO part VALUES (1, {@5}, 'a')", 5, 5},
		{"INSERT INTO part VALUES (1, {@0}, 'b')", 5, 0},
		{"UPDATE part SET u = {@7} WHERE name = 'b'", 7, 7},
		{"UPDATE part SET u = NULL WHERE name = 'b'", 5, 5},
		{"DELETE FROM part WHERE name = 'a'", 1, 1},
	} {
		r.exec(c.change)
		stamps := r.agree(table, oid(1), oid(2))
		if got := stamps[oid(1)].Updated; !got.Equal(at(c.updated)) {
			r.Errorf("%s: got updateTime %v, want %v", c.change, got, at(c.updated))
		}
		if got := stamps[oid(2)].Updated; !got.Equal(at(1)) {
			r.Errorf("%s: got updateTime %v of the other row, want %v", c.change, got, at(1))
		}
		if got := r.inWindow(table, at(c.window), at(c.window+1)); !strings.HasPrefix(got, "1") {
			r.Errorf("%s: got %q in the window, want 1", c.change, got)
		}
		if got := r.inWindow(table, at(8), at(9)); got != "" {
			r.Errorf("%s: got %q in a window without changes, want none", c.change, got)
		}
	}
}

func timelessChildren(r *run) {
	r.twoTables(2)
	table := r.open(Config{Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT id, name FROM part", Key: []string{"id"}}}})
	before := r.agree(table, oid(1), oid(2))
	r.exec("INSERT INTO part VALUES (1, {@5}, 'a')")
	after := r.agree(table, oid(1), oid(2))
	if b, a := before[oid(1)], after[oid(1)]; (a.Token == b.Token) != r.h.Facts.NoDigest || !a.Updated.Equal(b.Updated) {
		r.Errorf("got %+v after %+v, want another token of the same updateTime", a, b)
	}
	if got := r.inWindow(table, at(2), ever.To); got != "" {
		r.Errorf("got %q in the window of the child, want none", got)
	}
}

func orphans(r *run) {
	r.twoTables(2)
	table := r.open(Config{Children: parts("id"), Page: 1})
	before := r.agree(table, oid(1), oid(2))
	r.exec("INSERT INTO part VALUES (9, {@5}, 'no parent'), (NULL, {@5}, 'no key'), (0, {@6}, 'no parent'), (NULL, NULL, NULL)")
	for o, s := range r.agree(table, oid(1), oid(2)) {
		if !s.Same(before[o]) {
			r.Errorf("got stamp %+v, want %+v", s, before[o])
		}
	}
	if got := r.inWindow(table, at(2), ever.To); got != "" {
		r.Errorf("got %q in the window of the child rows, want none", got)
	}
	for way, f := range map[string]func() (doc.Batch, error){
		"Keyless":  func() (doc.Batch, error) { return table.Keyless(r.Context()) },
		"Unusable": func() (doc.Batch, error) { return table.Unusable(r.Context(), ever) },
	} {
		if b, err := f(); err != nil || len(b.Rejects) > 0 {
			r.Errorf("%s: got %v, %v, want none: a child's key is nothing to report", way, b.Rejects, err)
		}
	}
}

func manyChildren(r *run) {
	r.twoTables(8)
	var inserts []string
	for i := range 60 {
		inserts = append(inserts, fmt.Sprintf("INSERT INTO part VALUES (%d, {@%d}, 'child %d')", i%6+1, 4+i%2, i))
	}
	r.exec(inserts...)
	var want []doc.OID
	for i := range 8 {
		want = append(want, oid(i+1))
	}
	for _, page := range []int{1, 2, 4, 9, 10, 11, 100} {
		table := r.open(Config{Children: parts("id"), Page: page, Batch: page})
		r.agree(table, want...)
		for from, keys := range map[int]string{1: "1 2 3 4 5 6 7 8", 2: "", 4: "1 3 5", 5: "2 4 6", 6: ""} {
			if got := r.inWindow(table, at(from), at(from+1)); got != keys {
				r.Errorf("pages of %d: got %q in the window of second %d, want %q", page, got, from, keys)
			}
		}
		for _, d := range r.rangeOf(table).docs {
			want := 10
			if d.OID >= oid(7) {
				want = 0
			}
			if got := len(d.Row.Children[0].Rows); got != want {
				r.Errorf("pages of %d: got %d children of %v, want %d", page, got, d.OID, want)
			}
		}
	}
}

func longChildren(r *run) {
	r.twoTables(6)
	for i := range 12 {
		r.exec(fmt.Sprintf("INSERT INTO part VALUES (%d, NULL, '%s')", min(i+1, 6), strings.Repeat("x", 1<<20)))
	}
	table := r.open(Config{Children: parts("id"), Numbers: r.sink()})
	for _, read := range []reading{r.rangeOf(table), readBatches("Docs", table.Docs(r.Context(), []doc.OID{oid(6), oid(5), oid(4), oid(3), oid(2), oid(1)}))} {
		if read.err != nil || read.keys() != "1 2 3 4 5 6" || len(read.docs) != 6 || len(read.batches) < 2 {
			r.Errorf("%s: got %d documents, %s, in %d batches, %v, want each of 6 rows once, in several", read.way, len(read.docs), read.keys(), len(read.batches), read.err)
		}
		for _, d := range read.docs {
			if got, want := len(d.Row.Children[0].Rows), map[bool]int{true: 7, false: 1}[d.OID == oid(6)]; got != want {
				r.Errorf("%s: got %d children of %v, want %d", read.way, got, d.OID, want)
			}
		}
	}
}

func extras(r *run) {
	r.twoTables(2)
	r.exec("INSERT INTO part VALUES (1, {@5}, 'b'), (1, {@4}, 'a')")
	extra := Child{Name: "tags", Path: "extra.tags", SQL: "SELECT * FROM part", Key: []string{"id"}, Updated: "u", Value: true}
	table := r.open(Config{Children: []Child{extra}, ACL: doc.ACL{Child: "tags"}})
	stamps := r.agree(table, oid(1), oid(2))
	if got := stamps[oid(1)].Updated; !got.Equal(at(5)) {
		r.Errorf("got updateTime %v, want %v", got, at(5))
	}
	d := r.rangeOf(table).docs[0]
	var values []string
	for _, row := range d.Row.Children[0].Rows {
		v, _ := row.Get("name")
		values = append(values, v.(string))
	}
	if slices.Sort(values); !slices.Equal(values, []string{"a", "b"}) || d.Row.Children[0].Name != "tags" {
		r.Errorf("got %v, want the tags a and b", d.Row.Children)
	}
}
