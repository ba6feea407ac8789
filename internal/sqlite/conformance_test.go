package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/pace"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/sourcetest"
)

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	sourcetest.Run(t, sourcetest.Harness{
		Open: func(t testing.TB) sourcetest.Database {
			return newDB(t)
		},
		Facts: sourcetest.Facts{
			Integer: "INTEGER", Text: "TEXT", Float: "REAL", Time: "TEXT", Fold: "TEXT COLLATE NOCASE",
			Literal: sqlLiteral,
			Fails:   "json(CASE v WHEN 0 THEN '{' ELSE '1' END)", FailsReason: "malformed JSON", FailsValues: []any{"5"},
			Marks: []sourcetest.Mark{
				{Type: "INTEGER", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "BOOLEAN", Live: "1", Dead: "0", Values: []any{false}},
				{Type: "TEXT", Live: "''", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "REAL", Live: "1", Dead: "0.5", Values: []any{0.5}},
				{Type: "", Live: "0", Dead: "'0'", Values: []any{"0"}},
			},
			BadKeys: []sourcetest.Value{
				{Type: "INTEGER", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "INTEGER", SQL: "'x'", Reason: `key column id: text "x" is no integer, as the table's key is`},
				{Type: "INTEGER", SQL: "2.5", Reason: "key column id: real 2.5 is no integer, as the table's key is"},
				{Type: "INTEGER", SQL: "x'02'", Reason: "key column id: a blob of 1 bytes is no integer, as the table's key is"},
				{Type: "TEXT", SQL: "CAST(x'ff' AS TEXT)", Reason: "is not valid UTF-8"},
				{Type: "TEXT", SQL: "x'31'", Reason: "key column id: a blob of 1 bytes is no text, as the table's key is"},
			},
			Fault: func(err error) (field, do string, _ bool) {
				var fault *sqlsource.ConfigError
				if !errors.As(err, &fault) {
					return "", "", false
				}
				return fault.Field, fault.Do, true
			},
			Writes: []string{"INSERT INTO doc SELECT 9, u, v FROM doc RETURNING *", "PRAGMA query_only = 0", "PRAGMA user_version = 7", "SELECT * FROM doc; PRAGMA query_only = 0; DELETE FROM doc", "VACUUM"},
		},
		Lacks: map[string]string{
			"keys of UUIDs are read by every way and every range":                                 "SQLite has no type of UUIDs",
			"a connection that is killed makes the database unavailable, and the next read works": "a SQLite file has no connections that another session could kill",
			"session settings change no token and no value":                                       "a SQLite file has no settings that change values",
		},
	})
}

// A testDB is a database file with one writing connection and a source.
type testDB struct {
	t      testing.TB
	path   string
	writer *sql.DB
	source *sqlsource.Source
}

func newDB(t testing.TB, statements ...string) *testDB {
	t.Helper()
	db := &testDB{t: t, path: filepath.Join(t.TempDir(), "test.db")}
	var err error
	if db.writer, err = OpenWritable(db.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.writer.Close() })
	// One connection, so that a transaction can be spread over statements.
	db.writer.SetMaxOpenConns(1)
	for _, s := range append([]string{"PRAGMA synchronous = OFF"}, statements...) {
		if _, err := db.writer.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	db.source = db.newSource()
	return db
}

func (db *testDB) newSource() *sqlsource.Source {
	db.t.Helper()
	d, err := Open(db.t.Context(), Config{Name: "test", DSN: db.path})
	if err != nil {
		db.t.Fatal(err)
	}
	source := sqlsource.New(d, pace.Limits{})
	db.t.Cleanup(source.Close)
	return source
}

// Connect implements sourcetest.Database.
func (db *testDB) Connect() sourcetest.Database {
	return &testDB{db.t, db.path, db.writer, db.newSource()}
}

// Exec implements sourcetest.Database.
func (db *testDB) Exec(statements ...string) error {
	_, err := db.writer.Exec("BEGIN IMMEDIATE; " + strings.Join(append(statements, "COMMIT"), ";\n"))
	if err != nil {
		_, _ = db.writer.Exec("ROLLBACK")
	}
	return err
}

// Lock implements sourcetest.Locker. In WAL mode a writer locks out no reader.
func (db *testDB) Lock() (unlock func() error, err error) {
	_, err = db.writer.Exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
	return func() error {
		_, err := db.writer.Exec("COMMIT")
		return err
	}, err
}

// Open implements sourcetest.Database.
func (db *testDB) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	config := sqlsource.TableConfig{
		Name: "t", SQL: c.SQL, Key: c.Key, Updated: c.Updated, Unit: c.Unit, Zone: c.Zone, Batch: c.Batch, StampPage: c.Page, Limits: c.Limits, Numbers: c.Numbers,
		Deleted: sqlsource.DeletedConfig(c.Deleted), Changes: c.Changes, ACL: c.ACL, Units: c.Units, Keep: c.Keep,
	}
	for _, child := range c.Children {
		config.Children = append(config.Children, sqlsource.ChildConfig(child))
	}
	table, err := db.source.Table(context.Background(), config)
	if err != nil {
		return nil, err
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
		return v.UTC().Format("'2006-01-02 15:04:05.000000'")
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return fmt.Sprint(v)
}
