package pgsource

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/sqlsource/sourcetest"
)

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, sourcetest.Harness{
		Open: func(t testing.TB) sourcetest.Database {
			dsn := pgtest.DB(t)
			db := conformanceDB{t, dsn, pgtest.Connect(t, dsn), openSource(t, dsn)}
			db.source.lockTimeout = 100 * time.Millisecond
			if err := db.Exec("SET SESSION lock_timeout = '20s'", collation); err != nil {
				t.Fatal(err)
			}
			return db
		},
		Facts: sourcetest.Facts{
			Integer: "bigint", Text: "text", Float: "float8", Time: "timestamptz", UUID: "uuid", Fold: "text COLLATE nocase",
			Literal: sqlLiteral,
			Fails:   "1 / v", FailsReason: "division by zero", FailsValues: []any{int64(5)},
			Marks: []sourcetest.Mark{
				{Type: "int", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "bool", Live: "true", Dead: "false", Values: []any{false}},
				{Type: "text", Live: "''", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "char(3)", Live: "'n'", Dead: "'y'", Values: []any{"y"}},
				{Type: "numeric", Live: "1", Dead: "0.50", Values: []any{0.5}},
				{Type: "float8", Live: "1", Dead: "0.1", Values: []any{0.1}},
			},
			BadKeys: []sourcetest.Value{
				{Type: "int", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "numeric(30,0)", SQL: "9223372036854775808", Reason: "key column id: 9223372036854775808 is not an integer of 64 bits"},
				{Type: "numeric", SQL: "1.5", Reason: "key column id: 1.5 is not an integer of 64 bits"},
				{Type: "numeric", SQL: "'NaN'", Reason: "key column id: NaN is not an integer of 64 bits"},
			},
			Settings: []string{
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET DateStyle = German', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = ''Asia/Tokyo''', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET extra_float_digits = -3', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET IntervalStyle = iso_8601', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET bytea_output = escape', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET xmloption = document', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()); END $$",
				"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lc_monetary = ''C''', current_database()); END $$",
			},
			Fault: func(err error) (field, do string, _ bool) {
				var fault *ConfigError
				if !errors.As(err, &fault) {
					return "", "", false
				}
				return fault.Field, fault.Do, true
			},
			TableLocks: true,
			WriteSetup: []string{"CREATE FUNCTION write_doc() RETURNS bigint LANGUAGE sql AS 'INSERT INTO doc SELECT 9, u, v FROM doc RETURNING id'"},
			Writes: []string{
				"WITH w AS (DELETE FROM doc RETURNING *) SELECT * FROM w", "SELECT id, u, v, write_doc() AS w FROM doc", "SELECT * FROM doc FOR UPDATE", "SELECT * INTO copied FROM doc",
				"SET TRANSACTION READ WRITE", "SELECT id, u, v, set_config('transaction_read_only', 'off', true), write_doc() AS w FROM doc", "CALL write_doc()", "TRUNCATE doc",
			},
		},
		Lacks: map[string]string{
			"a failing row of a key that differs in case leaves the other key alone": "bug: the row is selected by its collation, so its failure rejects every key that the collation takes for equal",
			"a reject has the number of the fetch that failed":                       "bug: a reject has the number of the later fetch that reads its groups",
		},
	})
}

// A conformanceDB is a sourcetest.Database.
type conformanceDB struct {
	testing.TB
	dsn    string
	writer *pgx.Conn
	source *Source
}

const collation = "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"

// Clear implements sourcetest.Clearer.
func (db conformanceDB) Clear() error {
	return db.Exec("SET client_min_messages = warning", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public", collation)
}

// Connect implements sourcetest.Database.
func (db conformanceDB) Connect() sourcetest.Database {
	db.source = openSource(db, db.dsn)
	return db
}

// Exec implements sourcetest.Database.
func (db conformanceDB) Exec(statements ...string) error {
	// Statements of one message are one transaction.
	_, err := db.writer.Exec(context.Background(), strings.Join(statements, ";\n"))
	return err
}

// Lock implements sourcetest.Locker.
func (db conformanceDB) Lock() (unlock func() error, err error) {
	x, err := db.writer.Begin(context.Background())
	if err != nil {
		return nil, err
	}
	_, err = x.Exec(context.Background(), "LOCK TABLE doc IN ACCESS EXCLUSIVE MODE")
	return func() error { return x.Commit(context.Background()) }, err
}

// Kill implements sourcetest.Killer.
func (db conformanceDB) Kill() error {
	return db.Exec("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'indexerd' AND datname = current_database()")
}

// Open implements sourcetest.Database.
func (db conformanceDB) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	config := TableConfig{
		Name: "doc", SQL: c.SQL, Key: c.Key, Updated: c.Updated, Unit: c.Unit, Zone: c.Zone, Batch: c.Batch, Limits: c.Limits, Numbers: c.Numbers,
		Deleted: DeletedConfig(c.Deleted), Changes: c.Changes, ACL: c.ACL, Units: c.Units, Keep: c.Keep,
	}
	if c.Batch == 0 {
		config.Batch = 2000
	}
	for _, child := range c.Children {
		config.Children = append(config.Children, ChildConfig(child))
	}
	table, err := db.source.Table(context.Background(), config)
	if err != nil {
		return nil, err
	}
	if c.Page > 0 {
		table.stampPage = c.Page
	}
	return table, nil
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case time.Time:
		return v.UTC().Format("'2006-01-02 15:04:05.000000+00'")
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case [16]byte:
		return "'" + doc.FormatUUID(v) + "'"
	}
	return fmt.Sprint(v)
}
