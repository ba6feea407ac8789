package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A vendor is the stdsql.Vendor.
type vendor struct{ stdsql.Clock }

// Begin implements stdsql.Vendor. In SQLite the first read takes the snapshot, not
// BEGIN. The clock is read before, which does not read the file.
func (vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (_ stdsql.Tx, s dialect.Snapshot, err error) {
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s, err
	}
	s.Epoch = tokenVersion
	if s.At, err = clockSQL.Read(ctx, tx); err != nil {
		return tx, s, err
	}
	var n int
	return tx, s, tx.QueryRowContext(ctx, `SELECT count(*) `+touching).Scan(&n)
}

// now is the clock in milliseconds, SQLite's best precision. It is this machine's.
// touching reads the database's first page.
const (
	now      = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
	touching = "FROM sqlite_schema"
)

// clock reads the file too, and clockSQL does not.
const (
	clockSQL stdsql.Clock = "SELECT " + now
	clock                 = clockSQL + " FROM (SELECT count(*) " + touching + ")"
)

// Value implements stdsql.Vendor.
func (vendor) Value(a dialect.Arg) any {
	switch v := a.Value.(type) { // as SQLite stores it
	case bool:
		return map[bool]int64{true: 1}[v]
	case doc.Blob:
		return []byte(v)
	case doc.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
		n, _ := strconv.ParseFloat(string(v), 64)
		return n
	}
	return a.Value
}

// Fault implements stdsql.Vendor. A dropped table has the same code as a malformed
// value. A statement that can still be prepared has failed for a row.
func (vendor) Fault(ctx context.Context, s *stdsql.Session, st dialect.Statement, err error) error {
	f, ok := fault(err).(*dialect.Fault)
	if !ok || f.Subject != dialect.AboutStatement || !aboutRow(err) || st.SQL == "" {
		return fault(err)
	}
	f.Subject = dialect.AboutMissing
	explained := dialect.Statement{SQL: "EXPLAIN " + st.SQL, Args: st.Args}
	if s.Run(ctx, explained, func([]any) bool { return false }) == nil {
		f.Subject = dialect.AboutRow
	}
	return f
}

// Describe implements stdsql.Vendor. It prepares the SQL and does not run it. It
// does not wrap the SQL, which would rename columns that share a name.
func (vendor) Describe(ctx context.Context, conn *sql.Conn, of dialect.Wrapped) ([]dialect.Column, error) {
	var info []sqlite.ColumnInfo
	err := conn.Raw(func(driverConn any) (err error) {
		describer, ok := driverConn.(interface {
			ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T can't describe a query", driverConn)
		}
		info, err = describer.ColumnInfo(of.SQL)
		return err
	})
	if err != nil {
		f, ok := fault(err).(*dialect.Fault)
		if !ok || f.Subject != dialect.AboutStatement || !aboutRow(err) {
			return nil, err
		}
		f.Hint = "try it in the sqlite3 shell"
		return nil, f
	}
	if len(info) > maxColumns {
		return nil, &dialect.Fault{Subject: dialect.AboutStatement, Text: fmt.Sprintf("it returns %d columns", len(info)), Hint: fmt.Sprintf("select at most %d", maxColumns)}
	}
	if err := refuse(ctx, conn, of); err != nil {
		return nil, err
	}
	columns := make([]dialect.Column, len(info))
	seen := map[string]bool{}
	for i, c := range info {
		// SQLite's names do not distinguish case.
		folded := strings.ToLower(c.Name)
		if seen[folded] {
			return nil, &dialect.Fault{Subject: dialect.AboutStatement, Text: "it returns two columns named " + c.Name, Hint: "rename one of them with AS"}
		}
		seen[folded] = true
		columns[i] = newColumn(c)
	}
	return columns, nil
}

// maxColumns is the greatest number of arguments of a function: of the token's.
const maxColumns = 1000

// refuse returns an error if the SQL has a parameter, which nothing binds, or is
// several statements. EXPLAIN does not run the SQL. The parentheses are a syntax
// error before a second statement could run.
func refuse(ctx context.Context, conn *sql.Conn, of dialect.Wrapped) error {
	if !strings.ContainsAny(of.SQL, "?:@$;") {
		return nil
	}
	rows, err := conn.QueryContext(ctx, "EXPLAIN SELECT * "+of.From())
	switch {
	case err == nil:
		return rows.Close()
	case strings.HasPrefix(err.Error(), "missing "): // the driver's own error
		return &dialect.Fault{Subject: dialect.AboutStatement, Text: "it has a parameter", Hint: "write the value into the SQL"}
	}
	return err
}

func newColumn(info sqlite.ColumnInfo) dialect.Column {
	c := dialect.Column{Name: info.Name, Type: strings.ToUpper(info.DeclType), Epochs: anyTimes{}, Native: info}
	if info.TableName != "" {
		c.Origin = info.TableName + "." + info.OriginName
	}
	boolean := isBoolean(info.DeclType)
	c.Value = func(raw any) (any, error) { return value(raw, boolean) }
	if holdsJSON(info.DeclType) {
		c.Form, c.Value = stdsql.Nested, stdsql.JSON
	}
	kind, declared := declaredKind(info.DeclType)
	c.Kind, c.Untyped = kind, !declared
	c.Unscaled = unscaled.MatchString(c.Type)
	return c
}

// declaredKind returns the kind that SQLite's rules of affinity give a declared
// type, and whether they give one.
func declaredKind(declared string) (doc.Kind, bool) {
	d := strings.ToUpper(declared)
	switch {
	case strings.Contains(d, "INT"):
		return doc.Integer, true
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"), strings.Contains(d, "UUID"):
		return doc.Text, true
	case strings.Contains(d, "BLOB"):
		return 0, false
	case strings.Contains(d, "REAL"), strings.Contains(d, "FLOA"), strings.Contains(d, "DOUB"):
		return doc.Real, true
	case scaled.MatchString(d):
		return doc.Decimal, true
	}
	return 0, false
}

// scaled matches a number with decimals.
var scaled = regexp.MustCompile(`^(DEC|NUM).*\(\s*\d+\s*,\s*0*[1-9]\d*\s*\)$`)

// unscaled matches a number that is no integer by its type.
var unscaled = regexp.MustCompile(`^(DEC|NUM)`)

func isBoolean(declared string) bool {
	d := strings.ToUpper(declared)
	return d == "BOOLEAN" || d == "BOOL"
}

// holdsJSON reports whether a declared type is JSON.
func holdsJSON(declared string) bool {
	return strings.EqualFold(declared, "JSON") || strings.EqualFold(declared, "JSONB")
}

// value converts a stored value to a document's value.
func value(v any, boolean bool) (any, error) {
	if n, ok := v.(int64); ok && boolean && (n == 0 || n == 1) {
		return n == 1, nil
	}
	return stdsql.Scalar(v)
}
