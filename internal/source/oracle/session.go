package oracle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A vendor is the stdsql.Vendor.
type vendor struct {
	*stdsql.Faults
	stdsql.Clock
}

const clockSQL stdsql.Clock = "SELECT TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), " + timeForm + ") FROM DUAL"

// Begin implements stdsql.Vendor. The clock is read first: what it has shown is in the
// snapshot. The driver refuses the options of BeginTx, and outside a transaction it
// commits after each statement, which would end the snapshot.
func (v vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (stdsql.Tx, dialect.Snapshot, error) {
	s := dialect.Snapshot{Epoch: tokenVersion}
	var err error
	if s.At, err = v.Read(ctx, conn); err != nil {
		return nil, s, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, s, err
	}
	_, err = tx.ExecContext(ctx, "SET TRANSACTION READ ONLY")
	return tx, s, err
}

// Value implements stdsql.Vendor. Times are those that a row had.
func (vendor) Value(a dialect.Arg) any {
	switch v := a.Value.(type) {
	case [16]byte:
		return v[:]
	case doc.Number:
		return string(v)
	case time.Time:
		if a.As != nil && clock(a.As.Type) != nil {
			return clock(a.As.Type).Write(v)
		}
	}
	return a.Value
}

// Describe implements stdsql.Vendor. It runs the SQL without reading a row.
func (vendor) Describe(ctx context.Context, conn *sql.Conn, of dialect.Wrapped) ([]dialect.Column, error) {
	head := "SELECT " + of.Alias + ".* "
	columns, err := stdsql.Columns(ctx, conn, head+of.From()+" WHERE 1 = 0", newColumn)
	if ora, ok := errors.AsType[*network.OracleError](err); ok {
		f := faults.Classify(err)
		f.Line = lineOf(of.SQL, ora.ErrPos()-len(head+"FROM ("))
		return nil, f
	}
	for _, c := range columns {
		if c.Value == nil {
			return nil, &dialect.Fault{
				Subject: dialect.AboutStatement, Text: fmt.Sprintf("column %s has the type %s, which can't be read", c.Name, c.Type),
				Hint: "leave the column out, or convert it in the SQL",
			}
		}
	}
	return columns, err
}

// Scan implements stdsql.Scanner.
func (vendor) Scan(column *sql.ColumnType, to *any) sql.Scanner {
	name := typeName(column.DatabaseTypeName())
	return &scanner{stdsql.Raw(to, name == "RAW" || name == "BLOB"), name}
}

// A scanner converts the values that the driver returns as another type than theirs.
type scanner struct {
	sql.Scanner
	typ string
}

// Scan implements sql.Scanner.
func (s *scanner) Scan(value any) error { return s.Scanner.Scan(converted(s.typ, value)) }
