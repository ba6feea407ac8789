package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Catalog describes the tables of the database. It also counts the rows of each
// table, and reads the first 1,000 of them, since a SQLite column stores values of
// any type, whatever its declared type. A table or column that SQLite refuses to read
// keeps no other from being described.
func (d *DB) Catalog(ctx context.Context, s dialect.Session) (doc.Catalog, error) {
	c := stdsql.NewCatalog(s, 1)
	name := d.Address()
	c.Name, c.Greatest = strings.TrimSuffix(name, filepath.Ext(name)), "max"
	for _, r := range c.Rows(ctx, "SELECT +t.name, +t.type "+relations+" ORDER BY t.name") {
		if name := r.Text(0); r.Text(1) == "view" {
			c.Views = append(c.Views, quoteName(name))
		} else {
			c.Add(r, doc.CatalogTable{Name: name, SQL: quoteName(name)})
		}
	}
	// Include generated columns; hidden = 1 is a virtual table's.
	c.Each(ctx, `SELECT +t.name, +c.name, +c.type, +c."notnull", +c.dflt_value `+tables+` JOIN pragma_table_xinfo(t.name) c WHERE c.hidden <> 1 ORDER BY t.name, c.cid`, addColumn)
	c.Indexes(ctx, "SELECT +t.name, 'primary', +c.name, 1, 1 "+tables+" JOIN pragma_table_xinfo(t.name) c WHERE c.pk > 0 ORDER BY t.name, c.pk")
	// An indexed expression is a column without a name.
	c.Indexes(ctx, `SELECT +t.name, +l.name, +i.name, 0, +l."unique" `+tables+` JOIN pragma_index_list(t.name) l JOIN pragma_index_info(l.name) i
		WHERE l.partial = 0 AND l.origin <> 'pk' ORDER BY t.name, l.seq DESC, i.seqno`)
	c.Each(ctx, "SELECT +t.name, +s.sql "+tables+" JOIN sqlite_schema s ON s.tbl_name = t.name COLLATE NOCASE WHERE s.type = 'trigger'", addTrigger)
	// A missing "to" is the primary key.
	c.References(ctx, `SELECT +t.name, r.seq + 1, +r."from", +r."table", +r."to", +r.on_delete `+tables+` JOIN pragma_foreign_key_list(t.name) r ORDER BY t.name, r.id DESC, r.seq`, quoteName)
	all, err := c.Done()
	resolveReferences(&all)
	for i := range all.Tables {
		if err == nil {
			err = readValues(ctx, s, &all.Tables[i])
		}
	}
	return all, err
}

// relations leaves out virtual tables and their shadow tables; tables leaves out views
// too. The columns of a view can't be listed if it fails.
const (
	relations = `FROM (SELECT * FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\') t`
	tables    = `FROM (SELECT * ` + relations + ` WHERE type = 'table') t`
)

// setsNow matches a default that is the time of the insert.
var setsNow = regexp.MustCompile(`(?i)\b(current_timestamp|current_date|now|unixepoch)\b`)

// declaredLength matches the 40 in VARCHAR(40), which SQLite ignores.
var declaredLength = regexp.MustCompile(`\((\d+)\)`)

func addColumn(t *doc.CatalogTable, r stdsql.Row) {
	c := doc.CatalogColumn{Name: r.Text(0), SQL: quoteName(r.Text(0)), Type: r.Text(1), NotNull: r.Number(2) == 1, Now: setsNow.MatchString(r.Text(3))}
	if m := declaredLength.FindStringSubmatch(c.Type); m != nil {
		c.Length, _ = strconv.Atoi(m[1])
	}
	_, c.Key = declaredKind(c.Type)
	t.Columns = append(t.Columns, c)
}

// assignments matches what an UPDATE in a trigger sets.
var assignments = regexp.MustCompile(`(?is)\bset\b(.*?)(\bwhere\b|;|$)`)

// addTrigger finds the columns that a trigger sets when a row is updated. It matches
// common SQL only: its result is advice.
func addTrigger(t *doc.CatalogTable, r stdsql.Row) {
	head, body, _ := strings.Cut(strings.ToLower(r.Text(0)), "begin")
	if !strings.Contains(head, "update") {
		return
	}
	for _, set := range assignments.FindAllStringSubmatch(body, -1) {
		for i := range t.Columns {
			c := &t.Columns[i]
			sets := regexp.MustCompile(`(?i)(^|,)\s*["\x60\[]?` + regexp.QuoteMeta(c.Name) + `["\x60\]]?\s*=`)
			c.Maintained = c.Maintained || sets.MatchString(set[1])
		}
	}
}

// resolveReferences replaces the names in foreign keys by the declared ones, and
// adds the columns of primary keys that foreign keys leave out.
func resolveReferences(c *doc.Catalog) {
	for _, t := range c.Tables {
		for i := range t.References {
			r := &t.References[i]
			for j := range r.Columns {
				r.Columns[j] = stdsql.Column(&t, r.Columns[j]).Name
			}
			for k := range c.Tables {
				other := &c.Tables[k]
				if !strings.EqualFold(other.SQL, r.To) {
					continue
				}
				r.To = other.SQL
				if r.OtherColumns[0] == "" && other.Primary {
					r.OtherColumns = other.Keys[0]
				}
				for j := range r.OtherColumns {
					r.OtherColumns[j] = stdsql.Column(other, r.OtherColumns[j]).Name
				}
			}
		}
	}
}

// sampledRows is the number of rows of a table that readValues reads.
const sampledRows = 1000

// countedRows is the number of rows up to which readValues counts them.
const countedRows = 10_000_000

// readValues finds the number of rows, and the kind of each column from its declared
// type and its values. If the columns can't be read together, each is read alone.
func readValues(ctx context.Context, s dialect.Session, t *doc.CatalogTable) error {
	rows, err := stdsql.Query(ctx, s, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d)", t.SQL, countedRows))
	if err == nil {
		t.Rows = rows[0].Number(0)
		err = readKinds(ctx, s, t, t.Columns)
	}
	if err == nil {
		err = readCollations(ctx, s, t)
	}
	if !dialect.Refused(err) {
		return err
	}
	for i := range t.Columns {
		if err := readKinds(ctx, s, t, t.Columns[i:i+1]); dialect.Refused(err) {
			t.Columns[i].Unreadable = err.Error()
		} else if err != nil {
			return err
		}
	}
	return nil
}

// readKinds finds the kinds of some columns of a table.
func readKinds(ctx context.Context, s dialect.Session, t *doc.CatalogTable, columns []doc.CatalogColumn) error {
	held, names := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.SQL
		held[i] = fmt.Sprintf("group_concat(DISTINCT nullif(%[2]s, 'null')), min(CASE typeof(%[1]s) WHEN 'text' THEN json_valid(%[1]s) AND %[1]s GLOB '[[{]*' WHEN 'blob' THEN json_valid(%[1]s, 8) END)", c.SQL, classOf(c))
	}
	rows, err := stdsql.Query(ctx, s, fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s LIMIT %d)", strings.Join(held, ", "), strings.Join(names, ", "), t.SQL, sampledRows))
	for i := range columns {
		if err != nil {
			return err
		}
		c, classes, isJSON := &columns[i], rows[0].Text(2*i), rows[0].Number(2*i+1) == 1
		types := storageClasses(classes)
		c.Kind, c.Time = kindOf(c.Type, classes), canBeTime(c.Type, types)
		switch {
		case isJSON && types == "blob" && strings.EqualFold(c.Type, "JSONB"):
			c.Forms, c.Reason = []doc.CatalogForm{{SQL: "json(%s)", Kind: doc.JSONColumn}}, "as text"
			c.Marked = true
		case isJSON && types == "text", types == "" && holdsJSON(c.Type):
			c.Kind, c.Length, c.Marked = doc.JSONColumn, 0, !holdsJSON(c.Type)
		case c.Kind == doc.OtherColumn:
			c.Reason = reason(c.Type, types)
		}
		c.Key = c.Key || canBeKey(types)
	}
	return err
}

// reason returns why a column of a declared type that holds values of types is left out.
func reason(declared, types string) string {
	switch {
	case types == "" && strings.EqualFold(declared, "BLOB"):
		return "bytes"
	case types == "":
		return "no type, and no row shows one"
	case strings.Contains(types, ","):
		return "values of several types: CAST it in the SQL"
	case types == "blob":
		return "bytes"
	}
	return "not the values of its type: CAST it in the SQL"
}

// readCollations finds the columns that are compared by a collation of the application.
// The program of a comparison names it.
func readCollations(ctx context.Context, s dialect.Session, t *doc.CatalogTable) error {
	rows, err := stdsql.Query(ctx, s, "SELECT +sql FROM sqlite_schema WHERE name = ? AND sql LIKE '%collate%'", t.Name)
	if err != nil || len(rows) == 0 {
		return err
	}
	const p4 = 5 // a column of EXPLAIN
	names := collationsOf([]string{rows[0].Text(0)})
	for i := range t.Columns {
		program, err := stdsql.Query(ctx, s, "EXPLAIN SELECT "+t.Columns[i].SQL+" > '' FROM "+t.SQL)
		if err != nil {
			return err
		}
		for _, r := range program {
			at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(r.Text(p4), name+"-8") })
			if at >= 0 {
				t.Columns[i].Foreign = names[at]
			}
		}
	}
	return nil
}

// Classes of values that contradict a declared type although their storage class does
// not: integers of a BOOLEAN that are neither 0 nor 1, and texts of a DATE that are none.
const (
	notBoolean = "count"
	notDate    = "words"
)

// classOf returns an expression for the class of a column's value: its storage class, or
// notBoolean or notDate.
func classOf(c doc.CatalogColumn) string {
	class := "typeof(" + c.SQL + ")"
	switch {
	case isBoolean(c.Type):
		return "CASE WHEN " + class + " = 'integer' AND " + c.SQL + " NOT IN (0, 1) THEN '" + notBoolean + "' ELSE " + class + " END"
	case isDate(c.Type):
		return "CASE WHEN " + class + " = 'text' AND " + c.SQL + " NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN '" + notDate + "' ELSE " + class + " END"
	}
	return class
}

// storageClasses returns the storage classes of classes, each once.
func storageClasses(classes string) string {
	var all []string
	for class := range strings.SplitSeq(classes, ",") {
		switch class {
		case notBoolean:
			class = "integer"
		case notDate:
			class = "text"
		}
		if !slices.Contains(all, class) {
			all = append(all, class)
		}
	}
	return strings.Join(all, ",")
}

// kindOf returns the kind of a column. The declared type is a hint, by SQLite's rules of
// affinity: where the classes of its values contradict it, they decide.
func kindOf(declared, classes string) doc.ColumnKind {
	d := strings.ToUpper(declared)
	switch {
	case isBoolean(declared) && (classes == "" || classes == "integer"):
		return doc.BooleanColumn
	case isDate(declared) && (classes == "" || classes == "text"):
		if strings.Contains(d, "TIME") {
			return doc.InstantColumn
		}
		return doc.DateColumn
	case strings.Contains(d, "UUID") && classes != "blob":
		return doc.WordColumn
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"):
		if strings.Contains(classes, "blob") {
			return doc.OtherColumn
		}
		return doc.TextColumn
	case strings.Contains(d, "BLOB"), d == "":
		return doc.OtherColumn
	case d == "TIME" && (classes == "" || storageClasses(classes) == "text"):
		return doc.WordColumn
	}
	kind := kindOfValues(storageClasses(classes))
	if kind == doc.TextColumn && isBoolean(declared) {
		return doc.WordColumn
	}
	return kind
}

// kindOfValues returns the kind of a column whose declared type does not decide: of
// numbers, unless there is another class.
func kindOfValues(classes string) doc.ColumnKind {
	switch {
	case strings.Contains(classes, "blob"):
		return doc.OtherColumn
	case strings.Contains(classes, "text"):
		return doc.TextColumn
	}
	return doc.NumberColumn
}

func isDate(declared string) bool {
	d := strings.ToUpper(declared)
	return strings.Contains(d, "DATE") || strings.Contains(d, "TIMESTAMP")
}

// canBeKey reports whether a column of these storage classes, without a declared kind
// of key, can be a key: its values sort as one kind.
func canBeKey(types string) bool {
	switch types {
	case "integer", "real", "integer,real", "real,integer", "text", "blob":
		return true
	}
	return false
}

// canBeTime reports whether a column can be an updateTime: all its values must be
// integers, reals or text, so that they can be compared.
func canBeTime(declared, types string) bool {
	switch types {
	case "":
		return !strings.Contains(strings.ToUpper(declared), "BLOB") && !isBoolean(declared)
	case "text", "integer", "real":
		return !isBoolean(declared)
	}
	return false
}

// quoteName returns a name as SQL writes it, quoted only if necessary.
func quoteName(name string) string {
	if stdsql.IsBare(name, keywords) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// keywords are the keywords of https://www.sqlite.org/lang_keywords.html.
const keywords = " " +
	"abort action add after all alter always analyze and as asc attach autoincrement before begin between by " +
	"cascade case cast check collate column commit conflict constraint create cross current current_date " +
	"current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each " +
	"else end escape except exclude exclusive exists explain fail filter first following for foreign from full " +
	"generated glob group groups having if ignore immediate in index indexed initially inner insert instead " +
	"intersect into is isnull join key last left like limit match materialized natural no not nothing notnull null " +
	"nulls of offset on or order others outer over partition plan pragma preceding primary query raise range " +
	"recursive references regexp reindex release rename replace restrict returning right rollback row rows " +
	"savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update using " +
	"vacuum values view virtual when where window with without "
