package sourcetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// A Row is a row of a Rows.
type Row struct {
	Key      []any // int64, string or [16]byte
	Text     string
	Updated  time.Time // zero: NULL
	Marked   bool      // deleted
	Outside  bool      // not in the SQL's result
	Children []string  // texts of its child rows, which have no updateTime
}

// A Rows is a table that behaviours fill with rows, and with no two of one key.
type Rows interface {
	Table
	// Put inserts rows, or replaces those with the same keys, in one transaction.
	Put(...Row) error
	// Delete deletes rows in one transaction.
	Delete(...doc.OID) error
}

// A shape describes a Rows.
type shape struct {
	key      []string // types of the key's columns
	children bool
	marks    bool // rows may be Marked or Outside
	config   Config
}

var integerKey = shape{key: []string{"{int}"}}

// at returns the updateTime of most rows, plus some seconds.
func at(seconds int) time.Time {
	return time.Date(2024, 5, 6, 12, 0, seconds, 0, time.UTC)
}

// row returns a row with an integer key.
func row(key int, text string) Row {
	return Row{Key: []any{int64(key)}, Text: text, Updated: at(key)}
}

func (r Row) oid() doc.OID { return oid(r.Key...) }

// oid returns a key of these parts; an int is an int64.
func oid(parts ...any) doc.OID {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if n, ok := p.(int); ok {
			parts[i] = int64(n)
		}
	}
	o, err := doc.NewOID(parts...)
	if err != nil {
		panic(err) // a key of a test is valid
	}
	return o
}

func oidsOf(rows []Row) (oids []doc.OID) {
	for _, row := range rows {
		oids = append(oids, row.oid())
	}
	return oids
}

// fresh returns a run of the same behaviour on an empty database. The run before
// must not be used any more.
func (r *run) fresh() *run {
	r.Helper()
	other := *r
	if c, ok := r.db.(Clearer); ok {
		if err := c.Clear(); err != nil {
			r.Fatal(err)
		}
	} else if r.db != nil {
		other.db = r.h.Open(r)
	}
	return &other
}

// rows creates a Rows with these rows.
func (r *run) rows(s shape, rows ...Row) Rows {
	r.Helper()
	var table Rows
	if r.db == nil {
		table = r.h.Rows(r, s.config)
	} else {
		return r.sqlRows(s, rows...)
	}
	r.put(table, rows...)
	return table
}

func (r *run) put(table Rows, rows ...Row) {
	r.Helper()
	if err := table.Put(rows...); err != nil {
		r.Fatal(err)
	}
}

// sqlRows are Rows of two tables: doc, and part with the children.
type sqlRows struct {
	SQLTable
	*run
	key []string
}

// sqlRows puts rows before it describes the table: they may show its types.
func (r *run) sqlRows(s shape, rows ...Row) *sqlRows {
	r.Helper()
	var key, columns []string
	for i, typ := range s.key {
		key = append(key, fmt.Sprintf("k%d", i+1))
		columns = append(columns, key[i]+" "+typ)
	}
	names, types := join(key), join(columns)
	r.exec(
		"CREATE TABLE doc ("+types+", u {time}, title {text}, gone {int}, seen {int})",
		"CREATE TABLE part ("+types+", u {time}, name {text})",
	)
	c := s.config
	c.SQL, c.Key = "SELECT "+names+", u, title, gone FROM doc WHERE seen = 1", key
	if s.children {
		c.Children = parts(key...)
	}
	if c.Timeless {
		c.Children = timeless(c.Children)
	}
	if s.marks && c.Timeless {
		c.Deleted = Deleted{Column: "gone", Values: []any{int64(1)}}
	} else if s.marks {
		c.Deleted, c.Changes = Deleted{Column: "gone", Values: []any{int64(1)}}, "SELECT "+names+", u FROM doc WHERE seen = 0"
	}
	table := &sqlRows{nil, r, key}
	r.put(table, rows...)
	table.SQLTable = r.open(c)
	return table
}

// parts returns the configuration of a child of all columns of part.
func parts(key ...string) []Child {
	return []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: key, Updated: "u"}}
}

func (t *sqlRows) Put(rows ...Row) error {
	var all []string
	for _, row := range rows { // first, since keys may be equal under a collation
		all = append(all, t.remove(row.Key)...)
	}
	flag := map[bool]int64{true: 1}
	for _, row := range rows {
		all = append(all, "INSERT INTO doc VALUES "+t.values(append(slices.Clone(row.Key), updated(row.Updated), row.Text, flag[row.Marked], flag[!row.Outside])))
		for _, name := range row.Children {
			all = append(all, "INSERT INTO part VALUES "+t.values(append(slices.Clone(row.Key), nil, name)))
		}
	}
	return t.db.Exec(all...)
}

func updated(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at
}

func (t *sqlRows) Delete(oids ...doc.OID) error {
	var all []string
	for _, o := range oids {
		parts, err := o.Parts()
		if err != nil {
			return err
		}
		all = append(all, t.remove(parts)...)
	}
	return t.db.Exec(all...)
}

// remove returns the statements that delete a row with its children.
func (t *sqlRows) remove(parts []any) []string {
	var terms []string
	for i, p := range parts {
		terms = append(terms, t.key[i]+" = "+t.h.Facts.Literal(p))
	}
	where := " WHERE " + strings.Join(terms, " AND ")
	return []string{"DELETE FROM doc" + where, "DELETE FROM part" + where}
}

func (r *run) values(values []any) string {
	var literals []string
	for _, v := range values {
		literals = append(literals, r.h.Facts.Literal(v))
	}
	return "(" + join(literals) + ")"
}

// empty is the shortest text that is not NULL.
func (r *run) empty() string {
	if r.h.Facts.EmptyIsNull {
		return " "
	}
	return ""
}

// sql fills in types and times, as the package comment describes.
func (r *run) sql(text string) string {
	r.Helper()
	f := r.h.Facts
	for name, fact := range map[string]string{"{int}": f.Integer, "{text}": f.Text, "{float}": f.Float, "{time}": f.Time, "{uuid}": f.UUID, "{fold}": f.Fold, "{fails}": f.Fails} {
		if fact == "" && strings.Contains(text, name) {
			r.Fatalf("the harness has no fact %s: add it, or add the behaviour to Lacks", name)
		}
		text = strings.ReplaceAll(text, name, fact)
	}
	for i := range 10 {
		text = strings.ReplaceAll(text, fmt.Sprintf("{@%d}", i), f.Literal(at(i)))
	}
	return text
}

// facts returns facts of which a behaviour needs at least one.
func facts[T any](r *run, all []T) []T {
	r.Helper()
	if len(all) == 0 {
		r.Fatalf("the harness has no facts of type %T: add them, or add the behaviour to Lacks", all)
	}
	return all
}

// connect returns a run on the same database with another source.
func (r *run) connect() *run {
	other := *r
	other.db = r.db.Connect()
	return &other
}

// exec runs statements in one transaction of another session.
func (r *run) exec(statements ...string) {
	r.Helper()
	for i := range statements {
		statements[i] = r.sql(statements[i])
	}
	if err := r.db.Exec(statements...); err != nil {
		r.Fatal(err)
	}
}

// describe opens a table. The zero Config is all of doc with the key id.
func (r *run) describe(c Config) (SQLTable, error) {
	if c.SQL == "" {
		c.SQL = "SELECT * FROM doc"
	}
	if c.Key == nil && !c.RowKey {
		c.Key = []string{"id"}
	}
	if c.Updated == "" && !c.Timeless {
		c.Updated = "u"
	}
	return r.db.Open(c)
}

func (r *run) open(c Config) SQLTable {
	r.Helper()
	table, err := r.describe(c)
	if err != nil {
		r.Fatal(err)
	}
	return table
}

func join(texts []string) string { return strings.Join(texts, ", ") }
