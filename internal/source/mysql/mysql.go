// Package mysql is the dialect of MariaDB and MySQL for source. It is the only
// importer of their driver.
//
// Guarantees:
//   - Only SELECT, EXPLAIN, SET, SHOW, START TRANSACTION and ROLLBACK reach the
//     server, one statement at a time. Every transaction is READ ONLY and sees one
//     snapshot of all InnoDB tables. Tables of other engines have no snapshots.
//   - What values depend on is set in each session: the time zone is UTC, the
//     character set is utf8mb4. sql_mode stays as the server has it, since the SQL
//     of a table may depend on it, and is part of the snapshot's epoch.
//   - No error text contains a user name, a password or an address with one.
//
// Statements with parameters are prepared: the binary protocol has every digit of a
// FLOAT. The driver's own parser of dates is off, since it changes impossible ones.
//
// A cancelled statement closes the connection, and the server ends the statement at
// its own time limit. A snapshot that has read a table holds a lock which an ALTER
// TABLE of it waits for, and all later readers wait for that one: statements wait at
// most 5 s for it.
//
// Cost. Begin takes two round trips, and so does each statement. A reading of hints is one
// statement; in MySQL, while something is written, it is three, and one more for each other
// database that has a table.
package mysql

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A DB is one database. It is safe for concurrent use.
type DB struct {
	stdsql.DB
	conf    *mysql.Config
	looks   *sql.DB // for the horizon: each connection is used once
	version version
	writes  writes
	settled time.Duration
}

// Open prepares a database with conns connections at most. It does not connect.
func Open(_ context.Context, dsn string, conns int) (*DB, error) {
	return open(dsn, conns, lockTimeout)
}

// lockTimeout limits the wait for a table that is being altered.
const lockTimeout = 5 * time.Second

func open(dsn string, conns int, lock time.Duration) (*DB, error) {
	conf, err := parseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	connect, err := mysql.NewConnector(conf)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	settings := sessionSQL(lock, dialect.StatementTimeout)
	d := &DB{
		DB:   stdsql.DB{Name: conf.Addr + "/" + conf.DBName, Pool: stdsql.OpenPool(connect, conns, settings), Vendor: vendor{&faults, clockSQL}},
		conf: conf, looks: stdsql.OpenPool(connect, 0, settings), settled: settled,
	}
	d.looks.SetMaxIdleConns(-1)
	return d, nil
}

// tooMany are the codes of a server that takes no more connections: of any user, of this
// one, and of this one by its account's limit.
var tooMany = []string{"1040", "1203", "1226"}

// Probe implements dialect.Prober.
func (d *DB) Probe(ctx context.Context) error {
	session, err := d.Session(ctx, d.looks)
	if f, ok := errors.AsType[*dialect.Fault](err); ok && slices.Contains(tooMany, f.Code) {
		return nil
	}
	if err == nil {
		session.End()
	}
	return err
}

// Close closes all connections.
func (d *DB) Close() {
	d.DB.Close()
	_ = d.looks.Close()
}

// Quote implements dialect.Dialect. Every sql_mode has this form.
func (*DB) Quote(name string) string { return quote(name) }

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Placeholder implements dialect.Dialect. A number in a text would be compared
// with a DECIMAL as a DOUBLE.
func (*DB) Placeholder(_ int, as *dialect.Column) string {
	if as != nil && as.Type == "DECIMAL" {
		return "CAST(? AS DECIMAL(65," + strconv.Itoa(as.Native.(int)) + "))"
	}
	return "?"
}

// Limit implements dialect.Dialect.
func (*DB) Limit(placeholder string) string { return " LIMIT " + placeholder }

// Keyset implements dialect.Dialect. A comparison of rows reads the index from
// its beginning.
func (*DB) Keyset() dialect.Keyset { return dialect.Expanded }

// Tie implements dialect.Dialect. Collations ignore case, accents and trailing
// blanks.
func (*DB) Tie(_ *dialect.Column, expr string) string {
	return "CONVERT(" + expr + " USING utf8mb4) COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */"
}

// Select implements dialect.Dialect.
func (*DB) Select(_ *dialect.Column, expr string) string { return expr }

// tokenVersion is part of the epoch. It changes with Token.
const tokenVersion = "mysql 2"

// Token implements dialect.Dialect: 64 bits of the SHA-256 of all columns, each as
// its length and bytes, or N for NULL. A FLOAT's text has six digits only. The text
// of several character sets is not mixed. The result is NULL, which is unknown, if a
// row is longer than max_allowed_packet.
func (*DB) Token(of *dialect.Described, exprs []string) string {
	return integerOf(digest(columnsOf(of), exprs))
}

func columnsOf(of *dialect.Described) (columns []*dialect.Column) {
	for i := range of.Columns {
		columns = append(columns, &of.Columns[i])
	}
	return columns
}

// digest returns an expression for the SHA-256 of columns, in hexadecimal digits. Every
// release of both servers has it; SHA1 left MySQL's core in 9.6.
func digest(columns []*dialect.Column, exprs []string) string {
	parts := make([]string, len(exprs))
	for i, expr := range exprs {
		if c := columns[i]; c != nil && c.Type == "FLOAT" {
			expr = "CAST(" + expr + " AS DOUBLE)"
		}
		bytes := "CAST(" + expr + " AS BINARY)"
		parts[i] = "IFNULL(CONCAT(LENGTH(" + bytes + "), ':', " + bytes + "), 'N')"
	}
	return "SHA2(CONCAT(" + strings.Join(parts, ", ") + "), 256)"
}

// integerOf returns the first 64 bits of hexadecimal digits as a number.
func integerOf(digits string) string {
	return "CAST(CONV(LEFT(" + digits + ", 16), 16, -10) AS SIGNED)"
}

// RowKey implements dialect.RowKeyer.
func (*DB) RowKey(of *dialect.Described, exprs []string, name string) string {
	key := "LEFT(" + digest(columnsOf(of), exprs) + ", 32)"
	return "SELECT " + strings.Join(exprs, ", ") + ", CONCAT(" + key + ", '-', ROW_NUMBER() OVER (PARTITION BY " + key + ")) AS " + quote(name) + " " + of.From()
}

// nines is the greatest DECIMAL of 38 digits, to which a CAST limits a greater one.
var nines = strings.Repeat("9", 38)

// Sum implements dialect.Summer. The sum is an exact DECIMAL. A token that is NULL
// makes it greater than any sum of others.
func (*DB) Sum(token string) string {
	return "NULLIF(CAST(SUM(IFNULL(" + token + ", " + nines + "9)) AS DECIMAL(38)), " + nines + ")"
}

// Divide implements dialect.Divider.
func (*DB) Divide(q *dialect.Query, columns []*dialect.Column, exprs []string, bounds [][]any) {
	dialect.Halve(q, columns, exprs, bounds)
}

// Ordered implements dialect.Divider.
func (d *DB) Ordered(as *dialect.Column, expr string) (string, *dialect.Column) {
	if as.Kind == doc.Text {
		return d.Tie(as, expr), nil
	}
	return expr, as
}

// KeyDigest implements dialect.Divider.
func (*DB) KeyDigest(columns []*dialect.Column, exprs []string) string {
	return integerOf(digest(columns, exprs))
}

// Suspect implements dialect.Dialect. The server stores half surrogates, which are
// no UTF-8.
func (*DB) Suspect(c *dialect.Column, kind doc.Kind, expr string) string {
	switch {
	case kind == doc.Integer && (c.Type == "UNSIGNED BIGINT" || c.Type == "DECIMAL" || c.Type == "BIT"):
		return "(" + expr + " > 9223372036854775807 OR " + expr + " < -9223372036854775808)"
	case kind == doc.Text:
		return "HEX(CONVERT(" + expr + " USING utf8mb4)) REGEXP '^(..)*ED[AB]'"
	case kind == doc.Date, kind == doc.Wall, kind == doc.Instant: // zeros, and days that a month does not have
		return "(YEAR(" + expr + ") = 0 OR MONTH(" + expr + ") = 0 OR DAYOFMONTH(" + expr + ") NOT BETWEEN 1 AND 28)"
	case kind == doc.UUID:
		return "LENGTH(" + expr + ") <> 16"
	}
	return ""
}

// MaxKeys is within the 65,535 parameters of a statement. The time to plan a list of
// composite keys grows with the square of its length.
func (*DB) MaxKeys(parts int) int {
	if parts > 1 {
		return 500
	}
	return 10_000
}

// shortList is the length up to which a list of rows is planned fast.
const shortList = 16

// Among implements dialect.Lister. A list of composite keys is one of rows. If it is
// long and all parts are integers, it is a table that is made of one JSON text, whose
// plan takes no time. Texts would need the collation of their column.
func (*DB) Among(q *dialect.Query, columns []*dialect.Column, exprs []string, keys [][]any) bool {
	if len(exprs) == 1 {
		return false
	}
	q.Write("(", strings.Join(exprs, ", "), ") IN (")
	notInteger := func(c *dialect.Column) bool { return c.Kind != doc.Integer }
	if len(keys) > shortList && !slices.ContainsFunc(columns, notInteger) {
		list, err := json.Marshal(keys)
		if err != nil {
			return false
		}
		names, paths := make([]string, len(exprs)), make([]string, len(exprs))
		for i := range exprs {
			names[i] = fmt.Sprintf("k%d", i)
			paths[i] = fmt.Sprintf("k%d BIGINT PATH '$[%d]'", i, i)
		}
		q.Write("SELECT ", strings.Join(names, ", "), " FROM JSON_TABLE(").Bind(string(list), nil)
		q.Write(", '$[*]' COLUMNS (", strings.Join(paths, ", "), ")) keys_of_page)")
		return true
	}
	q.BindKeys(keys, columns).Write(")")
	return true
}
