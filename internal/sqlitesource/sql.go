package sqlitesource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/doc"
)

// statements are the fixed parts of what is asked of one view. q is the user's
// SQL; q.key stands for its key columns, q.u for updateTime, or NULL where it
// has none.
//
// Keys are compared in the order of the column's own collation, which is the
// order of its index. Where that may take different texts for equal (NOCASE,
// RTRIM), the bytes decide second, so that no row hides behind another one at
// the border of a page.
type statements struct {
	from        string // FROM (<sql>) q
	docs        string // SELECT all columns, and whether the row is marked deleted
	stamps      string // SELECT key, u, token
	times       string // SELECT key, u
	keys        string // SELECT key
	byBytesKeys string // SELECT key, compared by bytes
	key         string // (q.a, q.b)
	bytes       string // the same COLLATE BINARY; "" where no part is text
	marks       string // (?, ?)
	order       string // ORDER BY key, as ranges are read
	isNull      string // a part of the key is NULL
	updated     string // q.u
	stamp       string // (q.u, q.a, q.b), text in byte order
	byStamp     string // ORDER BY these
	byBytes     string // ORDER BY key, in byte order
}

// newStatements builds them. Selected columns have a unary plus: it changes no
// value, but takes the declared type away, by which the driver would turn the
// text of a DATE or TIMESTAMP column into a time. marked is the expression that
// marks a row deleted; without one there is no such column.
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
	s.byBytes = " ORDER BY " + strings.Join(inBytes, ", ")
	s.stamp, s.byStamp = tuple(stamp), " ORDER BY "+strings.Join(stamp, ", ")
	selected := prefixed("+", all)
	if marked != "" {
		selected = append(selected, "("+marked+") IS TRUE")
	}
	s.docs = "SELECT " + strings.Join(selected, ", ") + s.from
	keyed := "SELECT " + strings.Join(prefixed("+", keys), ", ")
	s.keys = keyed + s.from
	s.byBytesKeys = "SELECT " + strings.Join(prefixed("+", inBytes), ", ") + s.from
	s.times = keyed + ", +" + s.updated + s.from
	s.stamps = keyed + ", +" + s.updated + ", " + tokenFunction + "(" + strings.Join(all, ", ") + ")" + s.from
	s.isNull = "(" + strings.Join(suffixed(keys, " IS NULL"), " OR ") + ")"
	return s
}

// inBytes is the key, text in byte order.
func (s *statements) inBytes() string { return cmp.Or(s.bytes, s.key) }

// qualify quotes names and puts q before them, so that they are columns of the
// user's SQL and can be nothing else.
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

// tuple is a row value, or the one expression itself.
func tuple(exprs []string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, ", ") + ")"
}

// ordinals orders by the first n columns.
func ordinals(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Itoa(i + 1)
	}
	return " ORDER BY " + strings.Join(texts, ", ")
}

// A condition is a WHERE clause in the making, with its values.
type condition struct {
	terms []string
	args  []any
}

func (c *condition) and(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// String is the clause with its WHERE, or nothing.
func (c *condition) String() string {
	if len(c.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// afterKey limits a condition to the keys behind one, in the order of ranges.
func (s *statements) afterKey(c *condition, key []any) {
	if s.bytes == "" {
		c.and(s.key+" > "+s.marks, key...)
		return
	}
	c.and(s.key+" >= "+s.marks, key...)
	c.and("("+s.key+" > "+s.marks+" OR "+s.bytes+" > "+s.marks+")", slices.Concat(key, key)...)
}

// maxKeys is how many keys one statement may ask for; SQLite binds at most
// 32,766 values.
const maxKeys = 10_000

// amongKeys limits a condition to some keys. Single keys are bound one by one:
// SQLite moves such a list, but no subquery, into an SQL that has a GROUP BY,
// and else would compute all groups to find a few. For composite keys it knows
// no such list, and they are bound as one JSON text.
//
// A lone key is asked for by its bytes: what goes wrong then is a fault of that
// row, and not of one that is equal to it under the collation.
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
