package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

var describeBehaviours = []behaviour{
	{"columns that change after the description fail every read", true, changedColumns},
	{"an SQL that writes fails and changes nothing", true, writes},
	{"an SQL may end in a comment or a semicolon", true, sqlEndings},
	{"a fault of the configuration names its field", true, configFaults},
	{"a parameter in an SQL is a fault of the configuration", true, parameters},
}

func changedColumns(r *run) {
	for _, c := range []struct {
		name, sql, child string
		alter            []string
		same             bool // the epoch, and no read fails
		gone             bool // the SQL can't be described again
	}{
		{name: "a column is dropped", alter: []string{"ALTER TABLE doc DROP COLUMN gone"}},
		{name: "a named column is dropped", sql: "SELECT id, u, gone FROM doc", alter: []string{"ALTER TABLE doc DROP COLUMN gone"}, gone: true},
		{name: "a column is added", alter: []string{"ALTER TABLE doc ADD COLUMN size {int}"}},
		{name: "a column is added that the SQL does not select", sql: "SELECT id, u, gone FROM doc", alter: []string{"ALTER TABLE doc ADD COLUMN size {int}"}, same: true},
		{name: "a column is renamed", alter: []string{"ALTER TABLE doc RENAME COLUMN gone TO went"}},
		{name: "two columns swap names", alter: []string{"ALTER TABLE doc RENAME COLUMN gone TO x", "ALTER TABLE doc RENAME COLUMN note TO gone", "ALTER TABLE doc RENAME COLUMN x TO note"}},
		{name: "a column has another type", sql: "SELECT * FROM seen", alter: []string{"DROP VIEW seen", "CREATE VIEW seen AS SELECT id, u, n AS gone FROM doc"}},
		{name: "the key has another name", alter: []string{"ALTER TABLE doc RENAME COLUMN id TO ident"}, gone: true},
		{name: "a child's column is dropped", child: "SELECT * FROM part", alter: []string{"ALTER TABLE part DROP COLUMN note"}},
		{name: "a child's column is added", child: "SELECT * FROM part", alter: []string{"ALTER TABLE part ADD COLUMN size {int}"}},
		{name: "the table is dropped", alter: []string{"DROP TABLE doc"}, gone: true},
		{name: "another table is dropped", alter: []string{"DROP TABLE part"}, same: true},
	} {
		other := r.fresh()
		other.exec("CREATE TABLE doc (id {int}, gone {text}, note {text}, n {int}, u {time})", "CREATE TABLE part (id {int}, note {text}, grp {int})",
			"INSERT INTO doc VALUES (1, 'a', 'x', 3, {@1}), (2, 'b', 'y', 4, {@2})", "INSERT INTO part VALUES (1, 'note', 9)")
		if strings.Contains(c.sql, "seen") {
			other.exec("CREATE VIEW seen AS SELECT id, u, gone FROM doc")
		}
		config := Config{SQL: c.sql, Numbers: r.sink()}
		if c.child != "" {
			config.Children = []Child{{Name: "parts", Path: "children.parts", SQL: c.child, Key: []string{"id"}}}
		}
		table := other.open(config)
		other.agree(table, oid(1), oid(2))
		other.exec(c.alter...)
		if c.same {
			other.agree(table, oid(1), oid(2))
		} else {
			other.checkChanged(c.name, table, c.child != "")
		}
		again, err := other.describe(config)
		switch {
		case c.gone:
			if _, _, ok := configFault(err); !ok {
				r.Errorf("%s: got %v when it is described again, want a fault of the configuration", c.name, err)
			}
			continue
		case err != nil:
			r.Errorf("%s: got %v when it is described again, want none", c.name, err)
			continue
		}
		other.agree(again, oid(1), oid(2))
		if (again.Epoch() == table.Epoch()) != c.same {
			r.Errorf("%s: got the epochs %d and %d, want the same: %t", c.name, table.Epoch(), again.Epoch(), c.same)
		}
	}
}

// checkChanged checks that no way of reading returns a row.
func (r *run) checkChanged(name string, table Table, ofChild bool) {
	r.Helper()
	errs := map[string]error{}
	for _, w := range ways {
		read := w.read(r.Context(), table, ever, []doc.OID{oid(1), oid(2)})
		if errs[w.name] = read.err; read.rows() > 0 {
			r.Errorf("%s: %s: got %d rows, want none", name, w.name, read.rows())
		}
	}
	if !ofChild {
		_, errs["Breakpoints"] = table.Breakpoints(r.Context(), 1)
		_, errs["Keyless"] = table.Keyless(r.Context())
		_, errs["Unusable"] = table.Unusable(r.Context(), ever)
	}
	for way, err := range errs {
		if !errors.Is(err, doc.ErrChangedResult) || errors.Is(err, doc.ErrUnavailable) {
			r.Errorf("%s: %s: got %v, want %v", name, way, err, doc.ErrChangedResult)
		}
	}
}

func writes(r *run) {
	same := writeTables(r)
	before := r.agree(same, oid(1))
	other := func(sql string) string { return strings.ReplaceAll(sql, "doc", "part") }
	for _, sql := range append([]string{
		"DELETE FROM doc", "INSERT INTO doc SELECT 9, u, 'new' FROM doc", "UPDATE doc SET v = 'new'", "DROP TABLE doc", "COMMIT", "SELECT * FROM doc; DELETE FROM doc",
		"SELECT * FROM doc; COMMIT; DELETE FROM doc", "SELECT * FROM doc) x; DELETE FROM doc; SELECT * FROM (SELECT * FROM doc", "SELECT * FROM doc) x; COMMIT; DELETE FROM doc; --",
	}, r.h.Facts.Writes...) {
		for field, c := range map[string]Config{
			"sql": {SQL: sql}, "deleted.sql": {Deleted: Deleted{SQL: sql}}, "changes": {Changes: sql},
			"child": {Children: []Child{{Name: "parts", Path: "children.parts", SQL: other(sql), Key: []string{"id"}}}},
		} {
			r.checkWrite(field, sql, c, same, before)
		}
	}
}

func writeTables(r *run) SQLTable {
	r.Helper()
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {text})", "CREATE TABLE part (id {int}, u {time}, v {text})",
		"INSERT INTO doc VALUES (1, {@1}, 'old')", "INSERT INTO part VALUES (1, {@1}, 'old')")
	for _, setup := range r.h.Facts.WriteSetup {
		r.exec(setup, strings.ReplaceAll(setup, "doc", "part"))
	}
	return r.open(Config{Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}}}})
}

func (r *run) checkWrite(field, sql string, c Config, same Table, before map[doc.OID]doc.Stamp) {
	r.Helper()
	c.Numbers = r.sink()
	table, err := r.describe(c)
	if err == nil {
		for _, w := range ways {
			read := w.read(r.Context(), table, ever, []doc.OID{oid(1)})
			if err = errors.Join(err, read.err); len(read.rejects) > 0 { // a function that writes fails for each row
				err = errors.Join(err, errors.New(read.rejects[0].Reason))
			}
		}
		for _, left := range table.Left(context.Background(), ever) {
			err = errors.Join(err, left)
		}
	}
	if err == nil || errors.Is(err, doc.ErrUnavailable) {
		r.Errorf("%s: %s: got %v, want an error", field, sql, err)
	}
	if after := r.agree(same, oid(1)); !after[oid(1)].Same(before[oid(1)]) {
		r.Errorf("%s: %s: got row %+v, want it as before, %+v", field, sql, after[oid(1)], before[oid(1)])
	}
}

func sqlEndings(r *run) {
	r.twoTables(2)
	r.exec("CREATE TABLE gone (id {int}, u {time}, v {text})", "INSERT INTO gone VALUES (2, {@2}, '')")
	for _, end := range []string{"", ";", " ; \n", " -- all of it", " -- one; two\n", ";\n\t\n", " /* a comment; */", "\n-- ?", " WHERE v <> 'a ? $1 %s; -- \\ :a'"} {
		c := Config{SQL: "SELECT * FROM doc" + end, Deleted: Deleted{SQL: "SELECT id, v FROM gone" + end}, Changes: "SELECT * FROM gone" + end}
		if !strings.Contains(end, "WHERE") {
			c.Children = parts("id")
			c.Children[0].SQL += end
		} else {
			c.Deleted.SQL = "SELECT id FROM gone"
			c.Changes = "SELECT id, u FROM gone"
		}
		table, err := r.describe(c)
		if err != nil {
			r.Errorf("%q: got %v, want none", end, err)
			continue
		}
		r.checkDeleted(table, "1", "2")
		r.checkLeft(table, ever, "2")
	}
}

func configFaults(r *run) {
	r.exec("CREATE TABLE doc (id {int}, updated_at {time}, name {text})", "INSERT INTO doc VALUES (1, {@1}, 'soon'), (2, {@2}, 'later')",
		"CREATE TABLE part (doc_id {int}, changed {time}, name {text}, more {text})", "INSERT INTO part VALUES (1, {@1}, 'soon', '')")
	child := func(change func(*Child)) Config {
		c := Child{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"doc_id"}, Updated: "changed"}
		change(&c)
		return Config{Children: []Child{c}}
	}
	for _, c := range []struct {
		name, field, do string
		config          Config
	}{
		{"no table", "sql", "", Config{SQL: "SELECT * FROM missing"}},
		{"syntax", "sql", "", Config{SQL: "SELECT * FORM doc"}},
		{"two columns of one name", "sql", "", Config{SQL: "SELECT id, updated_at, name, name FROM doc"}},
		{"unknown key", "key", "did you mean id?", Config{Key: []string{"idd"}}},
		{"key named twice", "key", "", Config{Key: []string{"id", "id"}}},
		{"no key", "key", "", Config{Key: []string{}}},
		{"unknown updateTime", "updated", "did you mean updated_at?", Config{Updated: "updated_ta"}},
		{"updateTime of words", "updated", "", Config{Updated: "name"}},
		{"child without table", "children.parts.sql", "", child(func(c *Child) { c.SQL = "SELECT * FROM missing" })},
		{"child's unknown key", "children.parts.key", "did you mean doc_id?", child(func(c *Child) { c.Key = []string{"doc_di"} })},
		{"child's key of text", "children.parts.key", "", child(func(c *Child) { c.Key = []string{"name"} })},
		{"child's key of two columns", "children.parts.key", "", child(func(c *Child) { c.Key = []string{"doc_id", "name"} })},
		{"child's unknown updateTime", "children.parts.updated", "did you mean changed?", child(func(c *Child) { c.Updated = "chnaged" })},
		{"child's unknown column", "children.parts.content", "did you mean name?", child(func(c *Child) { c.Columns = []string{"nmae"} })},
		{"extra of two values", "children.parts.sql", "", child(func(c *Child) { c.Value = true })},
		{"extra of no value", "children.parts.sql", "", child(func(c *Child) { c.Value, c.SQL = true, "SELECT doc_id, changed FROM part" })},
		{"mark of an unknown column", "deleted.column", "did you mean name?", Config{Deleted: Deleted{Column: "nmae", Values: []any{"x"}}}},
		{"mark without values", "deleted.column", "", Config{Deleted: Deleted{Column: "name"}}},
		{"list without the key", "deleted.sql", "", Config{Deleted: Deleted{SQL: "SELECT name FROM doc"}}},
		{"list of another type", "deleted.sql", "", Config{Deleted: Deleted{SQL: "SELECT name AS id FROM doc"}}},
		{"changes without updateTime", "changes", "", Config{Changes: "SELECT id FROM doc"}},
	} {
		if c.config.Updated == "" {
			c.config.Updated = "updated_at"
		}
		_, err := r.describe(c.config)
		field, do, ok := configFault(err)
		if !ok || field != c.field || !strings.Contains(do, c.do) || errors.Is(err, doc.ErrUnavailable) || strings.Contains(fmt.Sprint(err), "\n") {
			r.Errorf("%s: got %v of field %q, want a fault of %s: %s", c.name, err, field, c.field, c.do)
		}
	}
	// Without a fault the same configuration is accepted.
	config := child(func(c *Child) { c.Value, c.SQL = true, "SELECT doc_id, changed, name FROM part" })
	config.Updated = "updated_at"
	r.agree(r.open(config), oid(1), oid(2))
}

func parameters(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time})", "INSERT INTO doc VALUES (1, {@1}), (2, {@2})")
	for _, parameter := range []string{"$1", "?", ":a", "$2", "?5"} {
		sql := "SELECT * FROM doc WHERE id > " + parameter
		for field, c := range map[string]Config{
			"sql": {SQL: sql}, "deleted.sql": {Deleted: Deleted{SQL: sql}}, "changes": {Changes: sql},
			"children.parts.sql": {Children: []Child{{Name: "parts", Path: "children.parts", SQL: sql, Key: []string{"id"}}}},
		} {
			_, err := r.describe(c)
			if got, _, ok := configFault(err); !ok || got != field {
				r.Errorf("%s in %s: got %v, want a fault of it", parameter, field, err)
			}
		}
	}
}

// configFault returns what an error says of a table's configuration.
func configFault(err error) (field, do string, ok bool) {
	var fault *source.ConfigError
	if ok = errors.As(err, &fault); ok {
		field, do = fault.Field, fault.Do
	}
	return field, do, ok
}

var typeBehaviours = []behaviour{
	{"values of every type have one form, in documents and children", true, values},
	{"a NULL of every type is nil", true, nulls},
	{"a value that no document can have costs the value, and not the row", true, badValues},
	{"a text with JSON has its values, and a broken one costs the value", true, jsonTexts},
	{"a row whose updateTime is no time is read, and has none", true, badTimes},
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
		for where, c := range map[string]Config{
			"the row": {},
			"a child": {SQL: "SELECT * FROM parent", Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM doc", Key: []string{"id"}}}},
		} {
			c.Batch, c.Page, c.Numbers = 2, 2, r.sink()
			table := other.open(c)
			other.agree(table, oid(1), oid(2), oid(3))
			row := readBatches("", table.Docs(r.Context(), []doc.OID{oid(2)})).docs[0].Row
			if where == "a child" {
				row = row.Children[0].Rows[0]
			}
			v, _ := row.Get("v")
			if list, ok := v.([]any); ok {
				v = list[len(list)-1]
			}
			if got, ok := v.(doc.BadValue); !ok || got.Text == "" || !strings.Contains(got.Reason, bad.Reason) {
				r.Errorf("%s of %s in %s: got %#v, want a bad value: %s", bad.SQL, bad.Type, where, v, bad.Reason)
			}
			body, err := row.AppendJSON(nil)
			stored, parsed := doc.ParseRow(body)
			if again, _ := stored.AppendJSON(nil); err != nil || parsed != nil || string(again) != string(body) {
				r.Errorf("%s of %s in %s: got %s, %v, %v of the page %s", bad.SQL, bad.Type, where, again, err, parsed, body)
			}
		}
	}
}

func jsonTexts(r *run) {
	broken := `["red",`
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {text})")
	all := []any{[]any{"red", "blue", int64(3)}, "red", doc.JSON(`{"a": ["red"]}`), doc.NewBadValue(broken, ""), nil}
	for i, text := range []any{`["red", "blue", 3]`, `"red"`, `{"a": ["red"]}`, broken, nil} {
		r.exec(fmt.Sprintf("INSERT INTO doc VALUES (%d, {@1}, %s)", i+1, r.h.Facts.Literal(text)))
	}
	table := r.open(Config{JSON: []string{"v"}, Values: []string{"v"}, Children: []Child{
		{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM doc", Key: []string{"id"}, JSON: []string{"v"}, Values: []string{"v"}},
	}})
	r.agree(table, oid(1), oid(2), oid(3), oid(4), oid(5))
	for i, want := range all {
		row := readBatches("", table.Docs(r.Context(), []doc.OID{oid(i + 1)})).docs[0].Row
		for where, row := range map[string]doc.Row{"the row": row, "a child": row.Children[0].Rows[0]} {
			got, _ := row.Get("v")
			if bad, ok := got.(doc.BadValue); ok && strings.Contains(bad.Reason, "not JSON") {
				got = doc.NewBadValue(bad.Text, "")
			}
			if !reflect.DeepEqual(got, want) {
				r.Errorf("%s %d: got %#v, want %#v", where, i+1, got, want)
			}
		}
	}
}

// A row whose updateTime is no time is read like one without, and a child's row with one
// hides no other row's.
func badTimes(r *run) {
	for _, bad := range append(slices.Clone(r.h.Facts.BadTimes), Value{Type: "{time}", SQL: "NULL"}) {
		other, typ := r.fresh(), bad.Type
		other.exec("CREATE TABLE doc (id {int}, u "+typ+")", "INSERT INTO doc VALUES (1, {@1}), (2, "+bad.SQL+"), (3, {@1})",
			"CREATE TABLE parent (id {int}, u {time})", "INSERT INTO parent VALUES (1, {@1}), (2, {@1}), (3, {@1})", "CREATE TABLE part (id {int}, n {int}, u "+typ+")",
			"INSERT INTO part VALUES (1, 1, {@2}), (2, 1, "+bad.SQL+"), (2, 2, {@2}), (3, 1, "+bad.SQL+")")
		stamps := other.agree(other.open(Config{Batch: 2, Page: 2, Numbers: r.sink()}), oid(1), oid(2), oid(3))
		if got := stamps[oid(2)].Updated; !got.IsZero() {
			r.Errorf("%s of %s: got updateTime %v, want none", bad.SQL, bad.Type, got)
		}
		stamps = other.agree(other.open(Config{SQL: "SELECT * FROM parent", Batch: 2, Page: 2, Numbers: r.sink(),
			Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}, Updated: "u"}}}), oid(1), oid(2), oid(3))
		if !stamps[oid(1)].Updated.Equal(stamps[oid(2)].Updated) || !stamps[oid(3)].Updated.Before(stamps[oid(2)].Updated) {
			r.Errorf("%s of %s: got updateTimes %v, %v and %v, want those of the children that have one, and of the row", bad.SQL, bad.Type, stamps[oid(1)].Updated, stamps[oid(2)].Updated, stamps[oid(3)].Updated)
		}
	}
}
