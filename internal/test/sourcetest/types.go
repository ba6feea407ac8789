package sourcetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

var typeBehaviours = []behaviour{
	{"values of every type have one form, in documents and children", true, values},
	{"a NULL of every type is nil", true, nulls},
	{"a value that no document can have is a reject with its column's name", true, badValues},
}

// valueTable creates doc with a column of the type of each value, and the rows 1,
// with the values, and 2, with NULLs.
func (r *run) valueTable() Config {
	r.Helper()
	columns, literals, nulls := []string{"id {int}", "u {time}"}, []string{"1", "{@1}"}, []string{"2", "{@1}"}
	for i, v := range r.h.Facts.Values {
		columns, literals, nulls = append(columns, fmt.Sprintf("c%d %s", i, v.Type)), append(literals, v.SQL), append(nulls, "NULL")
	}
	r.exec(r.h.Facts.ValueSetup...)
	r.exec("CREATE TABLE doc ("+join(columns)+")", "INSERT INTO doc VALUES ("+join(literals)+")", "INSERT INTO doc VALUES ("+join(nulls)+")")
	return Config{Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM doc", Key: []string{"id"}}}}
}

func values(r *run) {
	table := r.open(r.valueTable())
	if len(r.h.Facts.Values) < 30 {
		r.Errorf("got %d values, want at least 30", len(r.h.Facts.Values))
	}
	r.agree(table, oid(1), oid(2))
	d := readBatches("", table.Docs(r.Context(), []doc.OID{oid(1)})).docs[0]
	for i, v := range r.h.Facts.Values {
		name := fmt.Sprintf("c%d", i)
		got, _ := d.Row.Get(name)
		child, _ := d.Row.Children[0].Rows[0].Get(name)
		if !reflect.DeepEqual(got, v.Want) || !reflect.DeepEqual(child, v.Want) {
			r.Errorf("%s of %s: got %#v, in a child %#v, want %#v", v.SQL, v.Type, got, child, v.Want)
		}
	}
	stored, err := doc.ParseRow([]byte(body(r, d)))
	if err != nil || body(r, doc.Doc{Row: stored}) != body(r, d) {
		r.Errorf("got %v, %v from the page, want the row", stored, err)
	}
	if got, want := d.Row.Names, table.Columns(); !slices.Equal(got, want) {
		r.Errorf("got the columns %v, want %v", got, want)
	}
}

func nulls(r *run) {
	table := r.open(r.valueTable())
	d := readBatches("", table.Docs(r.Context(), []doc.OID{oid(2)})).docs[0]
	for i, v := range d.Row.Values[2:] {
		if v != nil {
			r.Errorf("got %#v of a NULL of %s, want nil", v, r.h.Facts.Values[i].Type)
		}
	}
}

func badValues(r *run) {
	for _, bad := range facts(r, r.h.Facts.BadValues) {
		other := r.fresh()
		other.exec("CREATE TABLE doc (id {int}, u {time}, v "+bad.Type+")", "INSERT INTO doc VALUES (1, {@1}, NULL), (2, {@1}, "+bad.SQL+"), (3, {@1}, NULL)",
			"CREATE TABLE parent (id {int}, u {time})", "INSERT INTO parent SELECT id, u FROM doc")
		for reason, c := range map[string]Config{
			"column v: ":              {},
			"child parts: column v: ": {SQL: "SELECT * FROM parent", Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM doc", Key: []string{"id"}}}},
		} {
			c.Batch, c.Page, c.Numbers = 2, 2, r.sink()
			for _, read := range r.everyWay(other.open(c), oid(1), oid(2), oid(3)) {
				if read.way != "Range" && read.way != "Docs" {
					if got := read.keys(); got != "1 2 3" {
						r.Errorf("%s of %s: %s: got stamps of %s, want all", bad.SQL, bad.Type, read.way, got)
					}
					continue
				}
				if read.keys() != "1 3" || len(read.rejects) != 1 || read.rejects[0].OID != oid(2) || !strings.HasPrefix(read.rejects[0].Reason, reason) || !strings.Contains(read.rejects[0].Reason, bad.Reason) {
					r.Errorf("%s of %s: %s: got %s and rejects %q, want 1 3 and %s%s", bad.SQL, bad.Type, read.way, read.keys(), read.reasons(), reason, bad.Reason)
				}
			}
		}
	}
}
