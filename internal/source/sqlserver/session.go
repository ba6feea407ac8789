package sqlserver

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A vendor is the stdsql.Vendor.
type vendor struct {
	*stdsql.Faults
	stdsql.Clock
	db *DB
}

// Slow implements stdsql.Slower: the statement has one processor.
func (vendor) Slow(sql string) string { return sql + " OPTION (MAXDOP 1)" }

// A state is what a database allows.
type state struct {
	snapshots bool
	first     string // a table of which Begin reads a row
}

// stateSQL looks for the isolation level, and for a table that the account may read.
const stateSQL = `SELECT snapshot_isolation_state, (SELECT TOP (1) name FROM
	(SELECT QUOTENAME(SCHEMA_NAME(t.schema_id)) + N'.' + QUOTENAME(t.name) AS name, t.object_id FROM sys.tables t WHERE t.is_ms_shipped = 0 AND t.is_memory_optimized = 0 AND t.is_external = 0) tables
	WHERE HAS_PERMS_BY_NAME(name, 'OBJECT', 'SELECT') = 1 ORDER BY object_id)
	FROM sys.databases WHERE database_id = DB_ID()`

// settings are what values and plans depend on, and how long a lock is waited for.
const settings = `SET NOCOUNT ON; SET LOCK_TIMEOUT 5000; SET DEADLOCK_PRIORITY LOW; SET ROWCOUNT 0; SET TEXTSIZE 2147483647; SET DATEFORMAT ymd;
	SET ANSI_NULLS ON; SET ANSI_PADDING ON; SET ANSI_WARNINGS ON; SET ARITHABORT ON; SET CONCAT_NULL_YIELDS_NULL ON; SET QUOTED_IDENTIFIER ON; SET NUMERIC_ROUNDABORT OFF; `

const clockSQL stdsql.Clock = "SELECT CONVERT(varchar(26), SYSUTCDATETIME(), 121)"

// firstSQL is the first statement of a transaction. It reads the clock first: what
// that has shown is in the snapshot, which begins with the row.
func (s *state) firstSQL() string {
	return settings + "DECLARE @at datetime2(6) = SYSUTCDATETIME(); " +
		"SELECT CONVERT(varchar(26), @at, 121), CAST(SERVERPROPERTY('ProductMajorVersion') AS varchar(10)), @@LANGUAGE, (SELECT TOP (1) 1 FROM " + s.first + ")"
}

// look returns the state, which is kept while the database allows snapshots.
func (d *DB) look(ctx context.Context, q stdsql.Querier) (*state, error) {
	if s := d.state.Load(); s != nil {
		return s, nil
	}
	var allowed int
	var first sql.NullString
	if err := q.QueryRowContext(ctx, stateSQL).Scan(&allowed, &first); err != nil {
		return nil, err
	}
	s := &state{snapshots: allowed == 1, first: cmp.Or(first.String, "sys.objects")}
	if s.snapshots {
		d.state.Store(s)
	}
	return s, nil
}

// Begin implements stdsql.Vendor. After an error the state is looked at again: the
// table may be gone, or SNAPSHOT not allowed any more.
func (v vendor) Begin(ctx context.Context, conn *sql.Conn, _ string) (tx stdsql.Tx, s dialect.Snapshot, err error) {
	state, err := v.db.look(ctx, conn)
	if err != nil {
		return nil, s, err
	}
	level := sql.LevelReadCommitted
	if state.snapshots {
		level = sql.LevelSnapshot
	}
	began, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return nil, s, err
	}
	var now, version, language string
	var first sql.NullInt64
	if err = began.QueryRowContext(ctx, state.firstSQL()).Scan(&now, &version, &language, &first); err != nil {
		v.db.state.Store(nil)
		return began, s, err
	}
	s.Mixed = !state.snapshots
	s.Epoch = strings.Join([]string{tokenVersion, version, language}, " ")
	s.At, err = time.Parse(time.DateTime, now)
	return began, s, err
}

// Value implements stdsql.Vendor. A text that is compared with no column is compared
// with Tie's expression.
func (vendor) Value(a dialect.Arg) any {
	isGUID := a.As != nil && nativeOf(a.As).name == "uniqueidentifier"
	switch v := a.Value.(type) {
	case string:
		if a.As == nil {
			return tieOf(v)
		}
	case doc.Number:
		return string(v)
	case [16]byte:
		if isGUID {
			return mssql.UniqueIdentifier(v)
		}
		return v[:]
	case []byte:
		if isGUID && len(v) == 16 {
			return mssql.UniqueIdentifier(v)
		}
	}
	return a.Value
}

// tieOf returns what Tie's expression returns for a text.
func tieOf(text string) []byte {
	var bytes []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		bytes = binary.LittleEndian.AppendUint16(bytes, unit)
	}
	return append(bytes, 1)
}

// describeSQL returns the columns of an SQL. browse asks for their tables, which the
// server does not know of some.
func describeSQL(of dialect.Wrapped, browse int) string {
	described := literal("SELECT " + of.Alias + ".* " + of.From())
	return "SELECT error_number, error_message, name, COALESCE(system_type_name, user_type_name), collation_name, source_database, source_schema, source_table, source_column " +
		"FROM sys.dm_exec_describe_first_result_set(" + described + ", NULL, " + strconv.Itoa(browse) + ") WHERE is_hidden = 0 OR error_number IS NOT NULL ORDER BY column_ordinal"
}

// Describe implements stdsql.Vendor. The first statement reads no row: the server checks
// names and privileges before.
func (vendor) Describe(ctx context.Context, conn *sql.Conn, of dialect.Wrapped) ([]dialect.Column, error) {
	if err := checkSQL(of.SQL); err != nil {
		return nil, err
	}
	_, err := conn.ExecContext(ctx, "SELECT 1 AS one "+of.From()+" WHERE 1 = 0")
	if server, ok := errors.AsType[mssql.Error](err); ok {
		f := faults.Classify(err)
		f.Line = int(server.LineNo)
		return nil, f
	}
	if err != nil {
		return nil, err
	}
	columns, err := describe(ctx, conn, describeSQL(of, 1))
	if errors.As(err, new(mssql.Error)) {
		columns, err = describe(ctx, conn, describeSQL(of, 0))
	}
	return columns, err
}

func describe(ctx context.Context, q stdsql.Querier, query string) (columns []dialect.Column, err error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var number sql.NullInt32
		var message, name, typeName, collation, database, schema, table, column sql.NullString
		if err := rows.Scan(&number, &message, &name, &typeName, &collation, &database, &schema, &table, &column); err != nil {
			return nil, err
		}
		if number.Valid {
			return nil, mssql.Error{Number: number.Int32, Message: message.String}
		}
		n := newNative(typeName.String, collation.String)
		n.origin = origin{database.String, schema.String, table.String, column.String}
		columns = append(columns, newColumn(name.String, n))
	}
	return columns, rows.Err()
}

// Scan implements stdsql.Scanner.
func (vendor) Scan(column *sql.ColumnType, to *any) sql.Scanner {
	return scanner{to, column.DatabaseTypeName()}
}

// A scanner stores a value of the driver as a raw value of source.
type scanner struct {
	to       *any
	typeName string
}

// Scan implements sql.Scanner.
func (s scanner) Scan(value any) error {
	switch v := value.(type) {
	case time.Time:
		*s.to = timeText(v, s.typeName)
	case string:
		if *s.to = v; s.typeName == "CHAR" || s.typeName == "NCHAR" {
			*s.to = strings.TrimRight(v, " ")
		}
	case float64:
		if s.typeName == "REAL" {
			value = float32(v)
		}
		return stdsql.Raw(s.to, false).Scan(value)
	case []byte:
		if s.typeName == "UNIQUEIDENTIFIER" {
			var id mssql.UniqueIdentifier
			err := id.Scan(v)
			*s.to = id[:]
			return err
		}
		number := s.typeName == "DECIMAL" || strings.HasSuffix(s.typeName, "MONEY")
		return stdsql.Raw(s.to, !number).Scan(v)
	default:
		*s.to = v
	}
	return nil
}

// literal returns a text in SQL.
func literal(text string) string { return "N'" + strings.ReplaceAll(text, "'", "''") + "'" }
