package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
)

// Quote implements dialect.Dialect.
func (*DB) Quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Placeholder implements dialect.Dialect. A parameter's type travels with its
// value.
func (*DB) Placeholder(n int, _ *dialect.Column) string { return "$" + strconv.Itoa(n) }

// Limit implements dialect.Dialect.
func (*DB) Limit(placeholder string) string { return " LIMIT " + placeholder }

// Keyset implements dialect.Dialect. An index answers a comparison of rows, but
// only the first column of the expanded condition.
func (*DB) Keyset() dialect.Keyset { return dialect.RowCompare }

// Tie implements dialect.Dialect. Collations order by language or ignore case; an
// enum has neither.
func (*DB) Tie(c *dialect.Column, expr string) string {
	if c.Kind != doc.Text || nativeOf(c).enum != "" {
		return ""
	}
	return expr + `::text COLLATE "C"`
}

// Select implements dialect.Dialect.
func (*DB) Select(_ *dialect.Column, expr string) string { return expr }

// Token implements dialect.Dialect. The row's text form distinguishes NULL from
// empty text and quotes what could be taken for a delimiter.
func (*DB) Token(of *dialect.Described, _ []string) string {
	return "hashtextextended(concat_ws('|', (" + of.Alias + ".*)::text), 0)"
}

// RowKey implements dialect.RowKeyer. OFFSET 0 keeps the server from computing the
// digest twice for each row. COLLATE "C" makes it sort by bytes.
func (db *DB) RowKey(of *dialect.Described, exprs []string, name string) string {
	return "SELECT " + strings.Join(exprs, ", ") + ", (k.d || '-' || row_number() OVER (PARTITION BY k.d)) COLLATE \"C\" AS " + db.Quote(name) + " " + of.From() +
		" CROSS JOIN LATERAL (SELECT encode(substring(sha256(convert_to((" + of.Alias + ".*)::text, 'UTF8')), 1, 16), 'hex') COLLATE \"C\" AS d OFFSET 0) k"
}

// Sum implements dialect.Summer.
func (*DB) Sum(token string) string { return "sum(" + token + ")" }

// Ordered implements dialect.Divider.
func (*DB) Ordered(as *dialect.Column, expr string) (string, *dialect.Column) {
	if as.Kind == doc.Text {
		return expr + `::text COLLATE "C"`, nil
	}
	return expr, as
}

// Divide implements dialect.Divider. width_bucket steps through an array of values
// of variable length: for these, nested CASEs divide the bounds by halves.
func (*DB) Divide(q *dialect.Query, columns []*dialect.Column, exprs []string, bounds [][]any) {
	if len(bounds) == 0 || len(exprs) > 1 || !fixedSize(columns[0]) {
		dialect.Halve(q, columns, exprs, bounds)
		return
	}
	q.Write("width_bucket(", exprs[0], ", ").BindArg(dialect.Arg{As: columns[0], List: slices.Concat(bounds...)}).Write(")")
}

// fixedSize reports whether all values of a column have one size; nil: texts.
func fixedSize(c *dialect.Column) bool {
	return c != nil && nativeOf(c).param != pgtype.NumericOID && c.Kind != doc.Bytes
}

// KeyDigest implements dialect.Divider. A row's text quotes what could be taken for
// a delimiter.
func (*DB) KeyDigest(columns []*dialect.Column, exprs []string) string {
	if len(exprs) == 1 && columns[0] != nil {
		switch nativeOf(columns[0]).param {
		case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
			return "hashint8extended(" + exprs[0] + ", 0)"
		}
	}
	return "hashtextextended(ROW(" + strings.Join(exprs, ", ") + ")::text COLLATE \"C\", 0)"
}

// Suspect implements dialect.Dialect. A numeric may be no 64-bit integer. Text
// has invalid bytes only in a database without an encoding, and never if it is
// ASCII.
func (*DB) Suspect(c *dialect.Column, kind doc.Kind, expr string) string {
	switch {
	case kind == doc.Integer && nativeOf(c).param == pgtype.NumericOID:
		// NaN is greater than every number.
		return "(" + expr + " <> trunc(" + expr + ") OR " + expr + " NOT BETWEEN -9223372036854775808 AND 9223372036854775807)"
	case kind == doc.Decimal && nativeOf(c).param == pgtype.NumericOID:
		return "(" + expr + " = 'NaN')"
	case kind == doc.Text && nativeOf(c).enum == "":
		return `(current_setting('server_encoding') = 'SQL_ASCII' AND ` + expr + `::text COLLATE "C" ~ '[^\x01-\x7f]')`
	}
	return ""
}

// MaxKeys implements dialect.Dialect. Keys are one array for each part.
func (*DB) MaxKeys(int) int { return 10_000 }

// Among implements dialect.Lister. Text in PostgreSQL has no NUL, so no row has a
// key that contains one.
func (*DB) Among(q *dialect.Query, columns []*dialect.Column, exprs []string, keys [][]any) bool {
	lists := make([][]any, len(columns))
	for _, key := range keys {
		if slices.ContainsFunc(key, hasNUL) {
			continue
		}
		for i, part := range key {
			lists[i] = append(lists[i], part)
		}
	}
	bind := func(i int) { q.BindArg(dialect.Arg{As: listed(columns[i]), List: append([]any{}, lists[i]...)}) }
	if slices.ContainsFunc(columns, func(c *dialect.Column) bool { return nativeOf(c).enum != "" }) {
		amongEnums(q, columns, exprs, bind)
		return true
	}
	if len(exprs) == 1 {
		q.Write(exprs[0], " = ANY (")
		bind(0)
		q.Write(")")
		return true
	}
	q.Write("(", strings.Join(exprs, ", "), ") IN (SELECT * FROM unnest(").List(len(exprs), ", ", bind).Write("))")
	return true
}

// amongEnums is Among for a key with an enum. A text that is no label, such as one
// that was renamed, is an error as an enum. So the keys are texts, and those become
// labels that are some.
func amongEnums(q *dialect.Query, columns []*dialect.Column, exprs []string, bind func(i int)) {
	var names, values []string
	for i, c := range columns {
		name := fmt.Sprintf("k%d", i+1)
		names = append(names, name)
		if enum := nativeOf(c).enum; enum != "" {
			name = "CASE WHEN " + name + " = ANY (enum_range(NULL::" + enum + ")::text[]) THEN " + name + "::" + enum + " END"
		}
		values = append(values, name)
	}
	list := "(SELECT " + strings.Join(values, ", ") + " FROM unnest("
	if len(exprs) == 1 {
		q.Write(exprs[0], " = ANY (ARRAY", list) // unlike a subquery, an index answers it
	} else {
		q.Write("(", strings.Join(exprs, ", "), ") IN ", list)
	}
	q.List(len(exprs), ", ", bind).Write(") AS k(", strings.Join(names, ", "), "))", map[bool]string{true: ")"}[len(exprs) == 1])
}

// listed returns the column with which a list is compared; nil: a list of texts.
func listed(c *dialect.Column) *dialect.Column {
	if nativeOf(c).enum != "" {
		return nil
	}
	return c
}

func hasNUL(part any) bool {
	s, ok := part.(string)
	return ok && strings.IndexByte(s, 0) >= 0
}

var _ interface {
	dialect.Dialect
	dialect.Lister
	dialect.RowKeyer
	dialect.Inspector
	dialect.Planner
	dialect.Replica
	dialect.Cataloger
	dialect.ZoneShower
	dialect.Watcher
	dialect.Footprinter
	dialect.Divider
	horizon.Sampler
	changes.Sampler
} = (*DB)(nil)
