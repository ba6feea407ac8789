package pgsource

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// A wrapped is a user's SQL as a subquery. Its alias does not occur in the SQL,
// so that no column or table of the user's has the same name.
type wrapped struct {
	sql   string
	alias string
}

// wrap wraps an SQL under the alias x, or x with a number.
func wrap(sql string) wrapped { return wrapAs(sql, "x") }

// wrapAs wraps an SQL and removes semicolons at its end.
func wrapAs(sql, letter string) wrapped {
	sql = strings.TrimRight(sql, "; \t\r\n")
	alias := letter
	for i := 1; strings.Contains(strings.ToLower(sql), alias); i++ {
		alias = fmt.Sprintf("%s%d", letter, i)
	}
	return wrapped{sql: sql, alias: alias}
}

// from is the FROM clause. The line break ends a comment on the last line of
// the SQL.
func (w wrapped) from() string { return "FROM (" + w.sql + "\n) " + w.alias }

func (w wrapped) all() string { return w.alias + ".*" }

func (w wrapped) column(name string) string {
	return w.alias + "." + pgx.Identifier{name}.Sanitize()
}

// token is the digest of the row's text form. That form distinguishes NULL from
// empty text and quotes what could be taken for a delimiter.
func (w wrapped) token() string {
	return "hashtextextended(concat_ws('|', (" + w.all() + ")::text), 0)"
}

// locate returns the line of the user's SQL at a position of a statement, or 0
// if the position is outside.
func (w wrapped) locate(statement string, position int) int {
	before, _, ok := strings.Cut(statement, w.sql)
	start := utf8.RuneCountInString(before)
	runes := []rune(w.sql)
	at := position - 1 - start
	if !ok || w.sql == "" || at < 0 || at >= len(runes) {
		return 0
	}
	return 1 + strings.Count(string(runes[:at]), "\n")
}
