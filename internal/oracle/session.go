package oracle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// A session is a stdsql.Session whose statements have a time limit, unless they are
// slow. The driver stops a statement whose context ends.
type session struct {
	*stdsql.Session
	timeout time.Duration
}

// Query implements sqlsource.Session.
func (s session) Query(ctx context.Context, st sqlsource.Statement, row func(raw []any) bool) (bool, error) {
	if st.Slow {
		return s.Session.Query(ctx, st, row)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	all, err := s.Session.Query(limited, st, row)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &sqlsource.Fault{Subject: sqlsource.AboutServer, Text: fmt.Sprintf("a statement took more than %v", s.timeout)}
	}
	return all, err
}

// A vendor is the stdsql.Vendor.
type vendor struct{}

const clockSQL = "SELECT TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), " + timeForm + ") FROM DUAL"

// Begin implements stdsql.Vendor. The clock is read first: what it has shown is in the
// snapshot. The driver refuses the options of BeginTx, and outside a transaction it
// commits after each statement, which would end the snapshot.
func (vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (stdsql.Tx, sqlsource.Snapshot, error) {
	s := sqlsource.Snapshot{Epoch: tokenVersion}
	var err error
	if s.At, err = stdsql.ReadClock(ctx, conn, clockSQL); err != nil {
		return nil, s, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, s, err
	}
	_, err = tx.ExecContext(ctx, "SET TRANSACTION READ ONLY")
	return tx, s, err
}

// Moment implements stdsql.Vendor.
func (vendor) Moment(ctx context.Context, conn *sql.Conn) (doc.Moment, error) {
	return stdsql.ReadMoment(ctx, conn, clockSQL)
}

// Value implements stdsql.Vendor. Times are those that a row had.
func (vendor) Value(a sqlsource.Arg) any {
	switch v := a.Value.(type) {
	case [16]byte:
		return v[:]
	case time.Time:
		if a.As != nil && clock(a.As.Type) != nil {
			return clock(a.As.Type).Write(v)
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
	head := "SELECT " + of.Alias + ".* "
	rows, err := conn.QueryContext(ctx, head+of.From()+" WHERE 1 = 0")
	if err != nil {
		var ora *network.OracleError
		if errors.As(err, &ora) {
			f := classify(err)
			f.Line = lineOf(of.SQL, ora.ErrPos()-len(head+"FROM ("))
			return nil, f
		}
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	columns := make([]sqlsource.Column, len(types))
	for i, t := range types {
		if columns[i] = newColumn(t); columns[i].Value == nil {
			return nil, &sqlsource.Fault{
				Subject: sqlsource.AboutStatement, Text: fmt.Sprintf("column %s has the type %s, which can't be read", columns[i].Name, columns[i].Type),
				Hint: "leave the column out, or convert it in the SQL",
			}
		}
	}
	return columns, errors.Join(err, rows.Err())
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
