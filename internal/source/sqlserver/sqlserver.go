// Package sqlserver is the dialect of SQL Server (2017 and later) and Azure SQL for
// source. It is the only importer of their driver.
//
// The package has not run on a real server yet: its statements are checked by a
// grammar, by a stand-in and by a driver that replays results.
//
// Guarantees:
//   - Every statement is a SELECT, a SET or a DECLARE. Those of a configuration run in
//     a transaction that is rolled back: the server has none that are read-only. An
//     SQL of the configuration that closes a parenthesis it has not opened is
//     rejected, so it can't begin another statement.
//   - A transaction has the isolation level SNAPSHOT. A snapshot begins with the
//     first read, so Begin reads a row. If the database does not allow SNAPSHOT, each
//     statement sees what was committed when it read: the Snapshot is Mixed.
//   - What values depend on is set in each transaction, since the driver resets
//     sessions.
//   - No error text contains a user name, a password or an address with one.
//
// Text keys are paged in the order of their column's collation, which an index
// answers. What a collation takes for equal, such as trailing blanks, is ordered by
// the bytes of UTF-16. uniqueidentifier has another order.
//
// A cancelled statement ends in the server, too. Statements wait at most 5 s for a
// lock.
//
// Cost. Begin takes two round trips, and each statement one. While the database allows
// no SNAPSHOT, Begin takes three.
package sqlserver

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A DB is one database. It is safe for concurrent use.
type DB struct {
	stdsql.DB
	conf  msdsn.Config
	state atomic.Pointer[state] // nil: to be looked at
}

// Open prepares a database with conns connections at most. It does not connect.
func Open(_ context.Context, dsn string, conns int) (*DB, error) {
	conf, err := parseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	return open(conf, mssql.NewConnectorConfig(conf), conns), nil
}

func open(conf msdsn.Config, connect driver.Connector, conns int) *DB {
	d := &DB{conf: conf}
	d.DB = stdsql.DB{Name: address(conf), Pool: stdsql.OpenPool(connect, conns), Vendor: vendor{&faults, clockSQL, d}, Timeout: dialect.StatementTimeout}
	return d
}

// Quote implements dialect.Dialect.
func (*DB) Quote(name string) string { return quote(name) }

func quote(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

// Placeholder implements dialect.Dialect. A parameter that is compared with a
// column has the column's type: a wider type would convert the column instead, and
// no index would answer.
func (*DB) Placeholder(n int, as *dialect.Column) string {
	p := fmt.Sprintf("@p%d", n)
	if as == nil {
		return p
	}
	return nativeOf(as).cast(p)
}

// Limit implements dialect.Dialect.
func (*DB) Limit(placeholder string) string {
	return " OFFSET 0 ROWS FETCH NEXT " + placeholder + " ROWS ONLY"
}

// AnyOrder implements dialect.Orderer: OFFSET is a part of ORDER BY.
func (*DB) AnyOrder() string { return "(SELECT NULL)" }

// Keyset implements dialect.Dialect. There is no comparison of rows.
func (*DB) Keyset() dialect.Keyset { return dialect.Led }

// Tie implements dialect.Dialect. The server compares texts without their trailing
// blanks, even in a binary collation, and bytes without their trailing zeros, so a
// byte follows those of UTF-16. Value writes the parameter.
func (*DB) Tie(c *dialect.Column, expr string) string {
	if t := nativeOf(c).name; t == "char" || t == "nchar" {
		expr = "RTRIM(" + expr + ")"
	}
	return "CAST(CAST(" + expr + " AS nvarchar(max)) AS varbinary(max)) + 0x01"
}

// Select implements dialect.Dialect. The driver does not know the values of user
// types, nor those of newer servers.
func (*DB) Select(c *dialect.Column, expr string) string {
	switch t := nativeOf(c); {
	case t.isUser():
		return expr + ".ToString()"
	case t.name == "sql_variant":
		return "CAST(" + expr + " AS nvarchar(4000))"
	case !t.isKnown():
		return "CAST(" + expr + " AS nvarchar(max))"
	}
	return expr
}

// tokenVersion is part of the epoch. It changes with Token.
const tokenVersion = "sqlserver 1"

// Token implements dialect.Dialect: 64 bits of the SHA-256 of all columns.
func (*DB) Token(of *dialect.Described, exprs []string) string {
	return "CAST(SUBSTRING(" + digest(of, exprs) + ", 1, 8) AS bigint)"
}

// digest returns the SHA-256 of all columns, each as its length and bytes, or 0xFF
// for NULL. The bytes are those that the server stores: a text form would round
// floats and times.
func digest(of *dialect.Described, exprs []string) string {
	parts := []string{"CAST(0x AS varbinary(max))"}
	for i, expr := range exprs {
		bytes := nativeOf(&of.Columns[i]).bytes(expr)
		parts = append(parts, "ISNULL(CAST(DATALENGTH("+bytes+") AS binary(8)) + "+bytes+", 0xFF)")
	}
	return "HASHBYTES('SHA2_256', " + strings.Join(parts, " + ") + ")"
}

// RowKey implements dialect.RowKeyer.
func (d *DB) RowKey(of *dialect.Described, exprs []string, name string) string {
	return "SELECT " + strings.Join(exprs, ", ") + ", (k.d + '-' + CAST(row_number() OVER (PARTITION BY k.d ORDER BY (SELECT NULL)) AS varchar(20))) COLLATE Latin1_General_100_BIN2 AS " + d.Quote(name) + " " + of.From() +
		" CROSS APPLY (SELECT LOWER(CONVERT(varchar(32), SUBSTRING(" + digest(of, exprs) + ", 1, 16), 2)) AS d) k"
}

// Suspect implements dialect.Dialect. A half surrogate arrives as U+FFFD, which
// is text.
func (*DB) Suspect(c *dialect.Column, kind doc.Kind, expr string) string {
	if t := nativeOf(c); kind == doc.Integer && t.isDecimal() && t.precision > integerDigits {
		return "(" + expr + " > 9223372036854775807 OR " + expr + " < -9223372036854775808)"
	}
	return ""
}

// maxParameters is less than the 2,100 that a statement may have: marks of deleted
// rows and a limit need some.
const maxParameters = 2000

// MaxKeys implements dialect.Dialect.
func (*DB) MaxKeys(parts int) int { return maxParameters / parts }

// Among implements dialect.Lister. Lists have few lengths, so that they have few
// plans: a shorter list repeats its last key.
func (d *DB) Among(q *dialect.Query, columns []*dialect.Column, exprs []string, keys [][]any) bool {
	n := len(keys)
	for _, length := range []int{1, 10, 100, 1000, d.MaxKeys(len(exprs))} {
		if length >= n {
			n = length
			break
		}
	}
	open, separator, end := exprs[0]+" IN (", ", ", ")"
	if len(exprs) > 1 {
		names, same := make([]string, len(exprs)), make([]string, len(exprs))
		for i, expr := range exprs {
			names[i] = fmt.Sprintf("k%d", i)
			same[i] = "keys_of_page." + names[i] + " = " + expr
		}
		open, separator = "EXISTS (SELECT 1 FROM (VALUES (", "), ("
		end = ")) keys_of_page(" + strings.Join(names, ", ") + ") WHERE " + strings.Join(same, " AND ") + ")"
	}
	q.Write(open).List(n, separator, func(i int) { q.BindKey(keys[min(i, len(keys)-1)], columns) }).Write(end)
	return true
}
