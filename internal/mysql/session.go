package mysql

import (
	"context"
	"database/sql"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// A session is a stdsql.Session whose slow statements have no time limit.
type session struct{ *stdsql.Session }

// Query implements sqlsource.Session.
func (s session) Query(ctx context.Context, st sqlsource.Statement, row func(raw []any) bool) (bool, error) {
	if rest, ok := strings.CutPrefix(st.SQL, "SELECT "); ok && st.Slow {
		st.SQL = "/*M!100100 SET STATEMENT max_statement_time = 0 FOR */ SELECT /*+ MAX_EXECUTION_TIME(0) */ " + rest
	}
	return s.Session.Query(ctx, st, row)
}

// A vendor is the stdsql.Vendor.
type vendor struct{}

const (
	clockSQL = "SELECT UTC_TIMESTAMP(6)"
	beginSQL = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
)

// Begin implements stdsql.Vendor. The clock is read first: what it has shown is in
// the snapshot.
func (vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (tx stdsql.Tx, s sqlsource.Snapshot, err error) {
	var now, mode, version string
	if err := conn.QueryRowContext(ctx, "SELECT UTC_TIMESTAMP(6), @@SESSION.sql_mode, VERSION()").Scan(&now, &mode, &version); err != nil {
		return nil, s, err
	}
	if s.At, err = parseTime(now); err != nil {
		return nil, s, err
	}
	major, _, _ := strings.Cut(version, ".")
	s.Epoch = strings.Join([]string{tokenVersion, major, mode}, " ")
	tx, err = stdsql.BeginBy(ctx, conn, beginSQL)
	return tx, s, err
}

// Moment implements stdsql.Vendor.
func (vendor) Moment(ctx context.Context, conn *sql.Conn) (doc.Moment, error) {
	return stdsql.ReadMoment(ctx, conn, clockSQL)
}

// Value implements stdsql.Vendor.
func (vendor) Value(a sqlsource.Arg) any {
	switch v := a.Value.(type) {
	case [16]byte:
		return v[:]
	case doc.Blob:
		return []byte(v)
	case doc.Number:
		return string(v)
	case doc.Day, doc.UTC, doc.Local:
		return strings.NewReplacer("T", " ", "Z", "").Replace(doc.PartText(v))
	case float64:
		if f := float32(v); a.As != nil && a.As.Type == "FLOAT" && stdsql.Widened(f) == v {
			return float64(f)
		}
	case []byte:
		if a.As != nil && a.As.Type == "BIT" {
			return bitsOf(v)
		}
	}
	return a.Value
}

// Fault implements stdsql.Vendor.
func (vendor) Fault(_ context.Context, _ *stdsql.Session, _ sqlsource.Statement, err error) error {
	return classify(err)
}

// Describe implements stdsql.Vendor. It runs the SQL without reading a row.
func (vendor) Describe(ctx context.Context, conn *sql.Conn, of sqlsource.Wrapped) ([]sqlsource.Column, error) {
	rows, err := conn.QueryContext(ctx, "SELECT "+of.Alias+".* "+of.From()+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	columns := make([]sqlsource.Column, len(types))
	for i, t := range types {
		columns[i] = newColumn(t)
	}
	return columns, err
}

// Scan implements stdsql.Scanner.
func (vendor) Scan(column *sql.ColumnType, to *any) sql.Scanner {
	return stdsql.Raw(to, isBinary(column.DatabaseTypeName()))
}
