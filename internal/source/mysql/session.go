package mysql

import (
	"context"
	"database/sql"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A vendor is the stdsql.Vendor.
type vendor struct {
	*stdsql.Faults
	stdsql.Clock
}

const clockSQL stdsql.Clock = "SELECT UTC_TIMESTAMP(6)"

const beginSQL = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"

// Slow implements stdsql.Slower: the statement has no time limit.
func (vendor) Slow(sql string) string {
	return "/*M!100100 SET STATEMENT max_statement_time = 0 FOR */ SELECT /*+ MAX_EXECUTION_TIME(0) */ " + strings.TrimPrefix(sql, "SELECT ")
}

// Begin implements stdsql.Vendor. The clock is read first: what it has shown is in
// the snapshot.
func (vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (tx stdsql.Tx, s dialect.Snapshot, err error) {
	var now, mode, version string
	if err := conn.QueryRowContext(ctx, "SELECT UTC_TIMESTAMP(6), @@SESSION.sql_mode, VERSION()").Scan(&now, &mode, &version); err != nil {
		return nil, s, err
	}
	if s.At, err = dialect.ParseTime(now); err != nil {
		return nil, s, err
	}
	major, _, _ := strings.Cut(version, ".")
	s.Epoch = strings.Join([]string{tokenVersion, major, mode}, " ")
	tx, err = stdsql.BeginBy(ctx, conn, beginSQL)
	return tx, s, err
}

// Value implements stdsql.Vendor.
func (vendor) Value(a dialect.Arg) any {
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

// Describe implements stdsql.Vendor. It runs the SQL without reading a row.
func (vendor) Describe(ctx context.Context, conn *sql.Conn, of dialect.Wrapped) ([]dialect.Column, error) {
	return stdsql.Columns(ctx, conn, "SELECT "+of.Alias+".* "+of.From()+" LIMIT 0", newColumn)
}

// Scan implements stdsql.Scanner.
func (vendor) Scan(column *sql.ColumnType, to *any) sql.Scanner {
	return stdsql.Raw(to, isBinary(column.DatabaseTypeName()))
}
