package sqlitesource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// statements are the fixed parts of the statements on one view. q is the user's
// SQL, q.a and q.b are its key columns, and q.u is its updateTime, or NULL if it
// has none.
//
// Keys are in the order of the column's collation, which is the order of its
// index. Keys that are equal under the collation (NOCASE, RTRIM) are in byte
// order, so that the end of a page can't separate and skip one.
type statements struct {
	from    string // FROM (<sql>) q
	docs    string // SELECT all columns, and whether the row is marked deleted
	stamps  string // SELECT key, u, token
	times   string // SELECT key, u
	keys    string // SELECT key
	key     string // (q.a, q.b)
	bytes   string // the same COLLATE BINARY; "" if no part is text
	marks   string // (?, ?)
	order   string // ORDER BY key, in the order of ranges
	isNull  string // a part of the key is NULL
	updated string // q.u
	stamp   string // (q.u, q.a, q.b), text in byte order
	byStamp string // ORDER BY stamp
}

// newStatements builds the statements. Selected columns have a unary plus: it keeps
// the value and removes the declared type, by which the driver would convert the
// text of a DATE or TIMESTAMP column. marked is the expression that marks a row
// deleted; "": none, and docs has no such column.
func newStatements(sql string, columns, key []string, kinds []doc.Kind, updated, marked string) statements {
	all, keys := qualify(columns), qualify(key)
	s := statements{
		from:    " FROM (" + sql + "\n) q",
		key:     tuple(keys),
		marks:   tuple(slices.Repeat([]string{"?"}, len(key))),
		order:   " ORDER BY " + strings.Join(keys, ", "),
		updated: "NULL",
	}
	if updated != "" {
		s.updated = qualify([]string{updated})[0]
	}
	inBytes := keys
	if slices.Contains(kinds, doc.Text) {
		inBytes = suffixed(keys, " COLLATE BINARY")
		s.bytes = tuple(inBytes)
		s.order += ", " + strings.Join(inBytes, ", ")
	}
	stamp := append([]string{s.updated}, inBytes...)
	s.stamp, s.byStamp = tuple(stamp), " ORDER BY "+strings.Join(stamp, ", ")
	selected := prefixed("+", all)
	if marked != "" {
		selected = append(selected, "("+marked+") IS TRUE")
	}
	s.docs = "SELECT " + strings.Join(selected, ", ") + s.from
	keyed := "SELECT " + strings.Join(prefixed("+", keys), ", ")
	s.keys = keyed + s.from
	s.times = keyed + ", +" + s.updated + s.from
	s.stamps = keyed + ", +" + s.updated + ", " + tokenFunction + "(" + strings.Join(all, ", ") + ")" + s.from
	s.isNull = "(" + strings.Join(suffixed(keys, " IS NULL"), " OR ") + ")"
	return s
}

// inBytes returns the key with text in byte order.
func (s *statements) inBytes() string { return cmp.Or(s.bytes, s.key) }

// qualify quotes names and prefixes them with q, so that they can only be columns
// of the user's SQL.
func qualify(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `q."` + strings.ReplaceAll(n, `"`, `""`) + `"`
	}
	return quoted
}

func prefixed(prefix string, texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = prefix + t
	}
	return out
}

func suffixed(texts []string, suffix string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t + suffix
	}
	return out
}

// tuple returns a row value of the expressions, or the only expression itself.
func tuple(exprs []string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, ", ") + ")"
}

// A condition is a conjunction of terms with their bound values.
type condition struct {
	terms []string
	args  []any
}

func (c *condition) and(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// String returns the WHERE clause; "" without terms.
func (c *condition) String() string {
	if len(c.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// afterKey limits a condition to the keys after one, in the order of ranges.
func (s *statements) afterKey(c *condition, key []any) {
	if s.bytes == "" {
		c.and(s.key+" > "+s.marks, key...)
		return
	}
	c.and(s.key+" >= "+s.marks, key...)
	c.and("("+s.key+" > "+s.marks+" OR "+s.bytes+" > "+s.marks+")", slices.Concat(key, key)...)
}

// maxKeys is the number of keys that one statement may select by; SQLite binds at
// most 32,766 values.
const maxKeys = 10_000

// amongKeys limits a condition to some keys. Keys of one part are bound as a list:
// SQLite pushes a list, but not a subquery, into an SQL that has a GROUP BY;
// otherwise it would compute all groups to find a few. SQLite has no such list for
// composite keys, so they are bound as one JSON text.
//
// A single key must also match by its bytes, so that a rowFault is not that of
// another row whose key is equal under the collation.
func (s *statements) amongKeys(c *condition, keys [][]any) error {
	if len(keys) == 1 && s.bytes != "" {
		c.and(s.bytes+" = "+s.marks, keys[0]...)
	}
	parts := len(keys[0])
	if parts == 1 {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(keys)), ", ")
		c.and(s.key+" IN ("+marks+")", slices.Concat(keys...)...)
		return nil
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return fmt.Errorf("list %d keys: %w", len(keys), err)
	}
	columns := make([]string, parts)
	for i := range columns {
		columns[i] = fmt.Sprintf("value ->> %d", i)
	}
	c.and(s.key+" IN (SELECT "+strings.Join(columns, ", ")+" FROM json_each(?))", string(list))
	return nil
}
