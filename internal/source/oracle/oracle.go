// Package oracle is the dialect of Oracle Database 12.2 and later for source. It is
// the only importer of the driver, which needs no client to be installed.
//
// No test of this package has run on a server of Oracle. Its statements are executed
// by H2, which has a mode for them, and parsed by an independent grammar; types, errors
// and what a session sends are played by a driver of the tests.
//
// Guarantees:
//   - Only SELECT, ALTER SESSION and SET TRANSACTION READ ONLY reach the server. Every
//     transaction is read-only and sees one snapshot of all tables.
//   - What values depend on is set in each session: the time zone, the order of texts,
//     which is that of bytes, and the forms of numbers and times.
//   - No error text contains a user name, a password or an address with one.
//
// A name in capitals, as Oracle stores what SQL writes without quotes, is shown in
// small letters, and a name in small letters in capitals.
//
// Limits. The empty text is NULL. The driver does not report the digits of a TIMESTAMP's
// seconds, so its tick is one second. A row with a CLOB, NCLOB or XML of more than
// 16,000 characters, or a BLOB of more than 32,000 bytes, has no token: each comparison
// fetches it. LONG and BFILE are refused.
//
// A snapshot lives as long as the server's undo: a page that reads for longer fails
// with ORA-01555, and the pass reads again.
//
// Cost. Begin takes three round trips, each statement two.
package oracle

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A DB is one database. It is safe for concurrent use.
type DB struct {
	stdsql.DB
	remote   bool // the host is another machine
	verified bool // an encrypted connection is to a verified server
}

// Open prepares a database with conns connections at most. It does not connect.
func Open(_ context.Context, dsn string, conns int) (*DB, error) {
	a, err := parseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	return open(a, a.connector(), conns), nil
}

// sessionSQL are the settings of every session.
const sessionSQL = `ALTER SESSION SET TIME_ZONE = '+00:00' NLS_SORT = BINARY NLS_COMP = BINARY NLS_NUMERIC_CHARACTERS = '.,'` +
	` NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF9' NLS_TIMESTAMP_TZ_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF9 TZH:TZM'`

func open(a address, connector driver.Connector, conns int) *DB {
	return &DB{
		DB:     stdsql.DB{Name: a.String(), Pool: stdsql.OpenPool(connector, conns, sessionSQL), Vendor: vendor{&faults, clockSQL}, Timeout: dialect.StatementTimeout},
		remote: stdsql.IsRemote(a.host), verified: a.options["SSL VERIFY"] != "false",
	}
}

// Quote implements dialect.Dialect.
func (*DB) Quote(name string) string { return quote(shown(name)) }

func quote(name string) string { return `"` + name + `"` }

// shown converts between a stored name and the one that users see: each is that of the
// other.
func shown(name string) string {
	switch {
	case strings.IndexFunc(name, unicode.IsLower) < 0:
		return strings.ToLower(name)
	case strings.IndexFunc(name, unicode.IsUpper) < 0:
		return strings.ToUpper(name)
	}
	return name
}

// The forms of times as text.
const (
	dateForm = "'YYYY-MM-DD HH24:MI:SS'"
	timeForm = "'YYYY-MM-DD HH24:MI:SS.FF9'"
	zoneForm = "'YYYY-MM-DD HH24:MI:SS.FF9 TZH:TZM'"
)

// Placeholder implements dialect.Dialect. The driver binds a time as a TIMESTAMP WITH
// TIME ZONE, to which the server would convert the column, and lose its index: times
// are bound as text. A CHAR is compared without its padding if the other side is one.
func (*DB) Placeholder(n int, as *dialect.Column) string {
	bind := ":" + strconv.Itoa(n)
	if as == nil {
		return bind
	}
	switch as.Type {
	case "DATE":
		return "TO_DATE(" + bind + ", " + dateForm + ")"
	case "TIMESTAMP":
		return "TO_TIMESTAMP(" + bind + ", " + timeForm + ")"
	case zonedTime, localTime:
		return "TO_TIMESTAMP_TZ(" + bind + ", " + zoneForm + ")"
	case "CHAR":
		return "CAST(" + bind + " AS CHAR(2000))"
	}
	return bind
}

// Limit implements dialect.Dialect.
func (*DB) Limit(placeholder string) string {
	return " FETCH FIRST " + placeholder + " ROWS ONLY"
}

// Keyset implements dialect.Dialect. Rows can't be compared by >, and the server reads an index from the first bound.
func (*DB) Keyset() dialect.Keyset { return dialect.Led }

// Remainder implements dialect.Remainderer.
func (*DB) Remainder(of, by string) string { return "MOD(" + of + ", " + by + ")" }

// OneRow implements dialect.Rower.
func (*DB) OneRow() string { return "DUAL" }

// Tie implements dialect.Dialect: the sessions order texts by bytes.
func (*DB) Tie(*dialect.Column, string) string { return "" }

// Select implements dialect.Dialect. The driver returns a TIMESTAMP WITH LOCAL TIME
// ZONE in another zone than the session's, and can't read all types.
func (*DB) Select(c *dialect.Column, expr string) string {
	switch c.Type {
	case localTime:
		return "SYS_EXTRACT_UTC(" + expr + ")"
	case "XMLTYPE":
		return asText(expr)
	case "JSON":
		return "JSON_SERIALIZE(" + expr + " RETURNING CLOB)"
	case "VECTOR":
		return "FROM_VECTOR(" + expr + " RETURNING CLOB)"
	}
	return expr
}

func asText(xml string) string { return "XMLSERIALIZE(CONTENT " + xml + " AS CLOB)" }

// Suspect implements dialect.Dialect.
func (*DB) Suspect(c *dialect.Column, kind doc.Kind, expr string) string {
	switch {
	case kind == doc.Integer && c.Type == "NUMBER":
		return "(" + expr + " <> TRUNC(" + expr + ") OR " + expr + " > 9223372036854775807 OR " + expr + " < -9223372036854775808)"
	case kind == doc.UUID:
		return "LENGTH(RAWTOHEX(" + expr + ")) <> 32"
	}
	return ""
}

// MaxKeys is the greatest length of a list. Composite keys are written as ORs, which
// the planner takes longer for.
func (*DB) MaxKeys(parts int) int {
	if parts > 1 {
		return 200
	}
	return 1000
}
