package sqlitesource

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/sqlsource/sourcetest"
)

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	sourcetest.Run(t, sourcetest.Harness{
		Open: func(t testing.TB) sourcetest.Database {
			db := newDB(t)
			return conformanceDB{db, db.source()}
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
				{Type: "INTEGER", SQL: "'x'", Reason: `key id is text "x": this table's key is integer`},
				{Type: "INTEGER", SQL: "2.5", Reason: "key id is real 2.5: this table's key is integer"},
				{Type: "INTEGER", SQL: "x'02'", Reason: "key id is a blob of 1 bytes: this table's key is integer"},
				{Type: "TEXT", SQL: "CAST(x'ff' AS TEXT)", Reason: "key part 1 is not valid UTF-8"},
				{Type: "TEXT", SQL: "x'31'", Reason: "key id is a blob of 1 bytes: this table's key is text"},
			},
			Fault: func(err error) (field, do string, _ bool) {
				var fault *ConfigError
				if !errors.As(err, &fault) {
					return "", "", false
				}
				return fault.Field, fault.Do, true
			},
			Writes: []string{"INSERT INTO doc SELECT 9, u, v FROM doc RETURNING *", "PRAGMA query_only = 0", "PRAGMA user_version = 7", "SELECT * FROM doc; PRAGMA query_only = 0; DELETE FROM doc", "VACUUM"},
		},
		Lacks: map[string]string{
			"keys of UUIDs are read by every way and every range":                                 "SQLite has no type of UUIDs",
			"a row whose deletion mark fails is one reject, and all others are read":              "bug: the mark is a condition of every statement, so the row fails the whole range",
			"a connection that is killed makes the database unavailable, and the next read works": "a SQLite file has no connections that another session could kill",
			"a parameter in an SQL is a fault of the configuration":                               "bug: it is another error, which the daemon retries",
			"session settings change no token and no value":                                       "a SQLite file has no settings that change values",
		},
	})
}

// A conformanceDB is a sourcetest.Database.
type conformanceDB struct {
	*testDB
	reader *Source
}

// Connect implements sourcetest.Database.
func (db conformanceDB) Connect() sourcetest.Database { return conformanceDB{db.testDB, db.source()} }

// Exec implements sourcetest.Database.
func (db conformanceDB) Exec(statements ...string) error {
	_, err := db.writer.Exec("BEGIN IMMEDIATE; " + strings.Join(append(statements, "COMMIT"), ";\n"))
	if err != nil {
		_, _ = db.writer.Exec("ROLLBACK")
	}
	return err
}

// Lock implements sourcetest.Locker. In WAL mode a writer locks out no reader.
func (db conformanceDB) Lock() (unlock func() error, err error) {
	_, err = db.writer.Exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
	return func() error {
		_, err := db.writer.Exec("COMMIT")
		return err
	}, err
}

// Open implements sourcetest.Database.
func (db conformanceDB) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	config := TableConfig{
		Name: "t", SQL: c.SQL, Key: c.Key, Updated: c.Updated, Unit: c.Unit, Zone: c.Zone, Batch: c.Batch, Limits: c.Limits, Numbers: c.Numbers,
		Deleted: DeletedConfig(c.Deleted), Changes: c.Changes, ACL: c.ACL, Units: c.Units, Keep: c.Keep,
	}
	for _, child := range c.Children {
		config.Children = append(config.Children, ChildConfig(child))
	}
	table, err := db.reader.Table(context.Background(), config)
	if err != nil {
		return nil, err
	}
	if c.Page > 0 {
		table.stamps = c.Page
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
