package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// Catalog describes the tables of the database. It also counts the rows of each
// table, and reads the first 1,000 of them, since a SQLite column stores values of
// any type, whatever its declared type.
func (d *DB) Catalog(ctx context.Context, s sqlsource.Session) (doc.Catalog, error) {
	name := d.Address()
	c := doc.Catalog{Name: strings.TrimSuffix(name, filepath.Ext(name)), Greatest: "max"}
	err := catalog(ctx, s, &c)
	return c, err
}

func catalog(ctx context.Context, s sqlsource.Session, c *doc.Catalog) error {
	// Leave out virtual tables and their shadow tables.
	rows, err := stdsql.Query(ctx, s, `SELECT +name, +type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view')
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if name := r.Text(0); r.Text(1) == "view" {
			c.Views = append(c.Views, quoteName(name))
		} else {
			c.Tables = append(c.Tables, doc.CatalogTable{Name: name, SQL: quoteName(name)})
		}
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, look := range []func(context.Context, sqlsource.Session, *doc.CatalogTable) error{readColumns, readIndexes, readTriggers, readReferences, readValues} {
			if err := look(ctx, s, t); err != nil {
				return err
			}
		}
	}
	resolveReferences(c)
	return nil
}

// setsNow matches a default that is the time of the insert.
var setsNow = regexp.MustCompile(`(?i)\b(current_timestamp|current_date|now|unixepoch)\b`)

// declaredLength matches the 40 in VARCHAR(40), which SQLite ignores.
var declaredLength = regexp.MustCompile(`\((\d+)\)`)

func readColumns(ctx context.Context, s sqlsource.Session, t *doc.CatalogTable) error {
	// Include generated columns; hidden = 1 is a virtual table's.
	rows, err := stdsql.Query(ctx, s, `SELECT +name, +type, +"notnull", +dflt_value FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`, t.Name)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c := doc.CatalogColumn{SQL: quoteName(r.Text(0)), NotNull: r.Number(2) == 1, Now: setsNow.MatchString(r.Text(3))}
		c.Name, c.Type = r.Text(0), r.Text(1)
		if m := declaredLength.FindStringSubmatch(c.Type); m != nil {
			c.Length, _ = strconv.Atoi(m[1])
		}
		_, c.Key = declaredKind(c.Type)
		t.Columns = append(t.Columns, c)
	}
	var key []string
	rows, err = stdsql.Query(ctx, s, `SELECT +name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk`, t.Name)
	for _, r := range rows {
		key = append(key, r.Text(0))
	}
	if len(key) > 0 {
		t.Primary, t.Keys = true, [][]string{key}
		column(t, key[0]).Indexed = true
	}
	return err
}

// column returns the column of this name in any case, or an empty column.
func column(t *doc.CatalogTable, name string) *doc.CatalogColumn {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return &doc.CatalogColumn{}
}

// readIndexes finds the indexes of the whole table. An indexed expression is a
// column without a name.
func readIndexes(ctx context.Context, s sqlsource.Session, t *doc.CatalogTable) error {
	type index struct {
		columns []string
		unique  bool
	}
	var all []index
	rows, err := stdsql.Query(ctx, s, `SELECT +i.seqno, +l."unique", +i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i
		WHERE l.partial = 0 AND l.origin <> 'pk' ORDER BY l.seq DESC, i.seqno`, t.Name)
	for _, r := range rows {
		if r.Number(0) == 0 {
			all = append(all, index{unique: r.Number(1) == 1})
		}
		last := &all[len(all)-1]
		last.columns = append(last.columns, r.Text(2))
	}
	for _, i := range all {
		column(t, i.columns[0]).Indexed = true
		for _, name := range i.columns {
			i.unique = i.unique && column(t, name).NotNull
		}
		if i.unique {
			t.Keys = append(t.Keys, i.columns)
		}
	}
	return err
}

// assignments matches what an UPDATE in a trigger sets.
var assignments = regexp.MustCompile(`(?is)\bset\b(.*?)(\bwhere\b|;|$)`)

// readTriggers finds the columns that a trigger sets when a row is updated. It
// matches common SQL only: its result is advice.
func readTriggers(ctx context.Context, s sqlsource.Session, t *doc.CatalogTable) error {
	triggers, err := stdsql.Query(ctx, s, `SELECT +sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE`, t.Name)
	for _, r := range triggers {
		head, body, _ := strings.Cut(strings.ToLower(r.Text(0)), "begin")
		if !strings.Contains(head, "update") {
			continue
		}
		for _, set := range assignments.FindAllStringSubmatch(body, -1) {
			for i := range t.Columns {
				c := &t.Columns[i]
				sets := regexp.MustCompile(`(?i)(^|,)\s*["\x60\[]?` + regexp.QuoteMeta(c.Name) + `["\x60\]]?\s*=`)
				c.Maintained = c.Maintained || sets.MatchString(set[1])
			}
		}
	}
	return err
}

func readReferences(ctx context.Context, s sqlsource.Session, t *doc.CatalogTable) error {
	// A missing "to" is the primary key.
	rows, err := stdsql.Query(ctx, s, `SELECT +seq, +"table", +"from", +"to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`, t.Name)
	for _, row := range rows {
		if row.Number(0) == 0 {
			t.References = append(t.References, doc.CatalogReference{To: quoteName(row.Text(1))})
		}
		r := &t.References[len(t.References)-1]
		r.Columns, r.OtherColumns = append(r.Columns, row.Text(2)), append(r.OtherColumns, row.Text(3))
	}
	return err
}

// resolveReferences replaces the names in foreign keys by the declared ones, and
// adds the columns of primary keys that foreign keys leave out.
func resolveReferences(c *doc.Catalog) {
	for _, t := range c.Tables {
		for i := range t.References {
			r := &t.References[i]
			for j := range r.Columns {
				r.Columns[j] = column(&t, r.Columns[j]).Name
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
					r.OtherColumns[j] = column(other, r.OtherColumns[j]).Name
				}
			}
		}
	}
}

// sampledRows is the number of rows of a table that readValues reads.
const sampledRows = 1000

// countedRows is the number of rows up to which readValues counts them.
const countedRows = 10_000_000

// readValues finds the kind of each column from its declared type and its values,
// and the number of rows.
func readValues(ctx context.Context, s sqlsource.Session, t *doc.CatalogTable) error {
	held := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		held[i] = fmt.Sprintf("group_concat(DISTINCT nullif(typeof(%s), 'null'))", c.SQL)
	}
	rows, err := stdsql.Query(ctx, s, fmt.Sprintf("SELECT %s, (SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d)) FROM (SELECT * FROM %s LIMIT %d)",
		strings.Join(held, ", "), t.SQL, countedRows, t.SQL, sampledRows))
	for _, r := range rows {
		t.Rows = r.Number(len(t.Columns))
		for i := range t.Columns {
			c := &t.Columns[i]
			c.Kind, c.Time = kindOf(c.Type, r.Text(i)), canBeTime(c.Type, r.Text(i))
			c.Key = c.Key || canBeKey(r.Text(i))
		}
	}
	return err
}

// kindOf returns the kind of the declared type, by SQLite's rules of affinity, if
// the values have it too. A value of another type would reject its row.
func kindOf(declared, types string) doc.ColumnKind {
	d := strings.ToUpper(declared)
	switch {
	case isBoolean(declared) && (types == "" || types == "integer"):
		return doc.BooleanColumn
	case strings.Contains(d, "DATE"), strings.Contains(d, "TIMESTAMP"):
		return timeKind(d, types)
	case strings.Contains(d, "UUID") && types != "blob":
		return doc.WordColumn
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"):
		if strings.Contains(types, "blob") {
			return doc.OtherColumn
		}
		return doc.TextColumn
	case strings.Contains(d, "BLOB"), d == "":
		return doc.OtherColumn
	}
	for _, held := range strings.Split(types, ",") {
		if held != "" && held != "integer" && held != "real" {
			return doc.OtherColumn
		}
	}
	return doc.NumberColumn
}

func timeKind(declared, types string) doc.ColumnKind {
	switch {
	case types != "" && types != "text":
		return doc.OtherColumn // a number of seconds or days: not readable as a date
	case strings.Contains(declared, "TIME"):
		return doc.InstantColumn
	}
	return doc.DateColumn
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

// plainName matches a name that needs no quotes unless it is a keyword.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoteName returns a name as SQL writes it, quoted only if necessary.
func quoteName(name string) string {
	if plainName.MatchString(name) && !strings.Contains(keywords, " "+strings.ToLower(name)+" ") {
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
