package sqlite

import (
	"context"
	"database/sql"
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
		Open: func(t testing.TB) sourcetest.Database { return newDB(t) },
		Facts: sourcetest.Facts{
			Integer: "INTEGER", Text: "TEXT", Float: "REAL", Time: "TEXT", Fold: "TEXT COLLATE NOCASE",
			Literal: sqlLiteral,
			BadKeys: []sourcetest.Value{
				{Type: "INTEGER", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "INTEGER", SQL: "'x'", Reason: `key column id: text "x" is no integer, as the table's key is`},
				{Type: "INTEGER", SQL: "2.5", Reason: "key column id: real 2.5 is no integer, as the table's key is"},
				{Type: "INTEGER", SQL: "x'02'", Reason: "key column id: a blob of 1 bytes is no integer, as the table's key is"},
				{Type: "TEXT", SQL: "CAST(x'ff' AS TEXT)", Reason: `key column id: text "\xff" is not valid UTF-8`},
				{Type: "TEXT", SQL: "x'31'", Reason: "key column id: a blob of 1 bytes is no text, as the table's key is"},
			},
		},
		Lacks: map[string]string{
			"keys of UUIDs are read by every way and every range": "SQLite has no type of UUIDs",
			"session settings change no token and no value":       "a SQLite file has no settings that change values",
		},
	})
}

// A testDB is an empty database file with one writing connection.
type testDB struct {
	t      testing.TB
	path   string
	writer *sql.DB
}

func newDB(t testing.TB) *testDB {
	t.Helper()
	db := &testDB{t: t, path: filepath.Join(t.TempDir(), "test.db")}
	var err error
	if db.writer, err = OpenWritable(db.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.writer.Close() })
	// One connection, so that a transaction can be spread over statements.
	db.writer.SetMaxOpenConns(1)
	if _, err := db.writer.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	return db
}

// Exec implements sourcetest.Database.
func (db *testDB) Exec(statements ...string) error {
	_, err := db.writer.Exec("BEGIN IMMEDIATE; " + strings.Join(append(statements, "COMMIT"), ";\n"))
	if err != nil {
		_, _ = db.writer.Exec("ROLLBACK")
	}
	return err
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
	d, err := Open(db.t.Context(), Config{Name: "test", DSN: db.path})
	if err != nil {
		return nil, err
	}
	source := sqlsource.New(d, pace.Limits{})
	db.t.Cleanup(source.Close)
	return source.Table(context.Background(), config)
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
