package sqlitesource

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"indexerd/internal/doc"
)

// Catalog describes the tables of the database. Since SQLite stores what it is
// given, whatever a column is declared as, the first rows of each table are
// looked at too.
func (s *Source) Catalog(ctx context.Context) (doc.Catalog, error) {
	name := filepath.Base(s.path)
	c := doc.Catalog{Name: strings.TrimSuffix(name, filepath.Ext(name)), Greatest: "max"}
	err := s.read(ctx, func(tx *sql.Tx) error { return catalog(ctx, tx, &c) })
	return c, s.fault("look at its tables", err)
}

func catalog(ctx context.Context, tx *sql.Tx, c *doc.Catalog) error {
	// Virtual tables, and those in which they keep what they have, are not
	// known by keys and times.
	err := each(ctx, tx, `SELECT +name, +type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view')
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`, nil, 2, func(raw []any) bool {
		name, _ := raw[0].(string)
		if raw[1] == "view" {
			c.Views = append(c.Views, quoteName(name))
		} else {
			c.Tables = append(c.Tables, doc.CatalogTable{Name: name, SQL: quoteName(name)})
		}
		return true
	})
	if err != nil {
		return err
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, look := range []func(context.Context, *sql.Tx, *doc.CatalogTable) error{lookAtColumns, lookAtIndexes, lookAtTriggers, lookAtReferences, lookAtValues} {
			if err := look(ctx, tx, t); err != nil {
				return err
			}
		}
	}
	resolveReferences(c)
	return nil
}

// setsNow finds a default that is the time of the insert.
var setsNow = regexp.MustCompile(`(?i)\b(current_timestamp|current_date|now|unixepoch)\b`)

// declaredLength finds the 40 in VARCHAR(40), which SQLite itself ignores.
var declaredLength = regexp.MustCompile(`\((\d+)\)`)

func lookAtColumns(ctx context.Context, tx *sql.Tx, t *doc.CatalogTable) error {
	var key []string
	// Hidden columns that are computed are columns like others.
	err := each(ctx, tx, `SELECT +name, +type, +"notnull", +dflt_value, +pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`, []any{t.Name}, 5, func(raw []any) bool {
		c := doc.CatalogColumn{NotNull: raw[2] == int64(1)}
		c.Name, _ = raw[0].(string)
		c.Type, _ = raw[1].(string)
		c.SQL = quoteName(c.Name)
		value, _ := raw[3].(string)
		c.Now = setsNow.MatchString(value)
		if m := declaredLength.FindStringSubmatch(c.Type); m != nil {
			c.Length, _ = strconv.Atoi(m[1])
		}
		_, c.Key = declaredKind(c.Type)
		t.Columns = append(t.Columns, c)
		if raw[4] != int64(0) {
			key = append(key, c.Name)
		}
		return true
	})
	t.Primary = len(key) > 0
	// The primary key's columns may stand in another order than its own.
	if len(key) > 1 {
		key = nil
		err = each(ctx, tx, `SELECT +name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk`, []any{t.Name}, 1, func(raw []any) bool {
			name, _ := raw[0].(string)
			key = append(key, name)
			return true
		})
	}
	if t.Primary {
		t.Keys = [][]string{key}
		column(t, key[0]).Indexed = true
	}
	return err
}

// column is a column by its name, in any case.
func column(t *doc.CatalogTable, name string) *doc.CatalogColumn {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return &doc.CatalogColumn{}
}

// lookAtIndexes finds indexes of the whole table. One of expressions has a
// column without a name.
func lookAtIndexes(ctx context.Context, tx *sql.Tx, t *doc.CatalogTable) error {
	type index struct {
		columns []string
		unique  bool
	}
	var all []index
	err := each(ctx, tx, `SELECT +l.seq, +i.seqno, +l."unique", +i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i
		WHERE l.partial = 0 AND l.origin <> 'pk' ORDER BY l.seq DESC, i.seqno`, []any{t.Name}, 4, func(raw []any) bool {
		name, _ := raw[3].(string)
		if raw[1] == int64(0) {
			all = append(all, index{unique: raw[2] == int64(1)})
		}
		last := &all[len(all)-1]
		last.columns = append(last.columns, name)
		return true
	})
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

// assignments finds what an UPDATE in a trigger sets.
var assignments = regexp.MustCompile(`(?is)\bset\b(.*?)(\bwhere\b|;|$)`)

// lookAtTriggers finds the columns that a trigger sets when a row is updated.
// It reads SQL as people write it, and no further: what it finds is advice.
func lookAtTriggers(ctx context.Context, tx *sql.Tx, t *doc.CatalogTable) error {
	return each(ctx, tx, `SELECT +sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE`, []any{t.Name}, 1, func(raw []any) bool {
		text, _ := raw[0].(string)
		head, body, _ := strings.Cut(strings.ToLower(text), "begin")
		if !strings.Contains(head, "update") {
			return true
		}
		for _, set := range assignments.FindAllStringSubmatch(body, -1) {
			for i := range t.Columns {
				c := &t.Columns[i]
				sets := regexp.MustCompile(`(?i)(^|,)\s*["\x60\[]?` + regexp.QuoteMeta(c.Name) + `["\x60\]]?\s*=`)
				c.Maintained = c.Maintained || sets.MatchString(set[1])
			}
		}
		return true
	})
}

func lookAtReferences(ctx context.Context, tx *sql.Tx, t *doc.CatalogTable) error {
	return each(ctx, tx, `SELECT +seq, +"table", +"from", +"to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`, []any{t.Name}, 4, func(raw []any) bool {
		to, _ := raw[1].(string)
		from, _ := raw[2].(string)
		other, _ := raw[3].(string) // none where it is the primary key
		if raw[0] == int64(0) {
			t.References = append(t.References, doc.CatalogReference{To: quoteName(to)})
		}
		r := &t.References[len(t.References)-1]
		r.Columns, r.OtherColumns = append(r.Columns, from), append(r.OtherColumns, other)
		return true
	})
}

// resolveReferences spells tables and columns as they are declared, and names
// those of a primary key that a foreign key leaves out.
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

// looked is how many rows of a table tell what its columns hold.
const looked = 1000

// lookAtValues finds what each column is for, by what it is declared as and
// what it holds.
func lookAtValues(ctx context.Context, tx *sql.Tx, t *doc.CatalogTable) error {
	held := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		held[i] = fmt.Sprintf("group_concat(DISTINCT nullif(typeof(%s), 'null'))", c.SQL)
	}
	query := fmt.Sprintf("SELECT %s FROM (SELECT * FROM %s LIMIT %d)", strings.Join(held, ", "), t.SQL, looked)
	return each(ctx, tx, query, nil, len(t.Columns), func(raw []any) bool {
		for i := range t.Columns {
			types, _ := raw[i].(string)
			t.Columns[i].Kind = kindOf(t.Columns[i].Type, types)
			t.Columns[i].Time = canBeTime(t.Columns[i].Type, types)
		}
		return true
	})
}

// kindOf follows the declared type, by SQLite's rules of affinity, as long as
// the values do: one that doesn't would keep its row out of the index.
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
		return doc.OtherColumn // seconds or days since some time: no date to a reader
	case strings.Contains(declared, "TIME"):
		return doc.InstantColumn
	}
	return doc.DateColumn
}

// canBeTime: numbers since 1970, Julian days and text can all be updateTimes,
// as long as they can be compared.
func canBeTime(declared, types string) bool {
	switch types {
	case "":
		return !strings.Contains(strings.ToUpper(declared), "BLOB") && !isBoolean(declared)
	case "text", "integer", "real":
		return !isBoolean(declared)
	}
	return false
}
