package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/sqlsource"
)

// Quote implements sqlsource.Dialect.
func (*DB) Quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Placeholder implements sqlsource.Dialect. A parameter's type travels with its
// value.
func (*DB) Placeholder(n int, _ *sqlsource.Column) string { return "$" + strconv.Itoa(n) }

// Limit implements sqlsource.Dialect.
func (*DB) Limit(placeholder string) string { return " LIMIT " + placeholder }

// Keyset implements sqlsource.Dialect. An index answers a comparison of rows, but
// only the first column of the expanded condition.
func (*DB) Keyset() sqlsource.Keyset { return sqlsource.RowCompare }

// Tie implements sqlsource.Dialect. Collations order by language or ignore case.
func (*DB) Tie(c *sqlsource.Column, expr string) string {
	if c.Kind != doc.Text {
		return ""
	}
	return expr + `::text COLLATE "C"`
}

// Select implements sqlsource.Dialect.
func (*DB) Select(_ *sqlsource.Column, expr string) string { return expr }

// Token implements sqlsource.Dialect. The row's text form distinguishes NULL from
// empty text and quotes what could be taken for a delimiter.
func (*DB) Token(alias string, _ []string) string {
	return "hashtextextended(concat_ws('|', (" + alias + ".*)::text), 0)"
}

// Sum implements sqlsource.Summer.
func (*DB) Sum(token string) string { return "sum(" + token + ")" }

// Suspect implements sqlsource.Dialect. A numeric may be no 64-bit integer. Text
// has invalid bytes only in a database without an encoding, and never if it is
// ASCII.
func (*DB) Suspect(c *sqlsource.Column, kind doc.Kind, expr string) string {
	switch {
	case nativeOf(c).param == pgtype.NumericOID:
		// NaN is greater than every number.
		return "(" + expr + " <> trunc(" + expr + ") OR " + expr + " NOT BETWEEN -9223372036854775808 AND 9223372036854775807)"
	case kind == doc.Text:
		return `(current_setting('server_encoding') = 'SQL_ASCII' AND ` + expr + `::text COLLATE "C" ~ '[^\x01-\x7f]')`
	}
	return ""
}

// MaxKeys implements sqlsource.Dialect. Keys are one array for each part.
func (*DB) MaxKeys(int) int { return 10_000 }

// Among implements sqlsource.Lister. Text in PostgreSQL has no NUL, so no row has a
// key that contains one.
func (*DB) Among(q *sqlsource.Query, columns []*sqlsource.Column, exprs []string, keys [][]any) bool {
	lists := make([][]any, len(columns))
	for _, key := range keys {
		if slices.ContainsFunc(key, hasNUL) {
			continue
		}
		for i, part := range key {
			lists[i] = append(lists[i], part)
		}
	}
	bind := func(i int) { q.BindArg(sqlsource.Arg{As: columns[i], List: append([]any{}, lists[i]...)}) }
	if len(exprs) == 1 {
		q.Write(exprs[0], " = ANY (")
		bind(0)
		q.Write(")")
		return true
	}
	q.Write("(", strings.Join(exprs, ", "), ") IN (SELECT * FROM unnest(")
	for i := range exprs {
		q.Write([]string{"", ", "}[min(i, 1)])
		bind(i)
	}
	q.Write("))")
	return true
}

func hasNUL(part any) bool {
	s, ok := part.(string)
	return ok && strings.IndexByte(s, 0) >= 0
}

var _ interface {
	sqlsource.Dialect
	sqlsource.Lister
	sqlsource.Inspector
	sqlsource.Planner
	sqlsource.Replica
	sqlsource.Cataloger
	sqlsource.ZoneShower
	sqlsource.Watcher
	horizon.Sampler
} = (*DB)(nil)
