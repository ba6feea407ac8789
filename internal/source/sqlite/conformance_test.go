package sqlite

import (
	"context"
	"database/sql"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/sourcetest"
)

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	sourcetest.Run(t, harness(func(d *DB) dialect.Dialect { return d }))
}

// harness returns the harness of a dialect over SQLite's.
func harness(over func(*DB) dialect.Dialect) sourcetest.Harness {
	return sourcetest.Harness{
		Open: func(t testing.TB) sourcetest.Database {
			db := newDB(t)
			db.dialect = over
			return db.Connect()
		},
		Facts: sourcetest.Facts{
			Integer: "INTEGER", Text: "TEXT", Float: "REAL", Time: "TEXT", Fold: "TEXT COLLATE NOCASE",
			Literal: sqlLiteral,
			Keys: []sourcetest.KeyType{
				{Type: "REAL", Values: []any{0.0, -1.5, 1e300, 5e-324, 0.1, 10.0, 9.0, 0.30000000000000004}, Missing: 0.25, Of: "k / 128.0", Draw: drawNumber},
				{Type: "DECIMAL(10, 2)", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("10"), doc.Number("9.01"), doc.Number("9007199254740993"), doc.Number("0.1")}, Missing: doc.Number("9.005"), Of: "k / 100.0", Draw: drawNumber},
				{Type: "BLOB", Values: []any{doc.Blob(""), doc.Blob("\x00"), doc.Blob("\x00\xff"), doc.Blob("\x00\x00"), doc.Blob("\xff"), doc.Blob("a")}, Missing: doc.Blob("\x01"), Of: "CAST(printf('%08x', k) AS BLOB)", Draw: drawBytes},
				{Type: "NUMERIC", Values: []any{doc.Number("0.5"), doc.Number("-3"), doc.Number("10"), doc.Number("9.25"), doc.Number("9223372036854775807"), doc.Number("9223372036854775808")}, Missing: doc.Number("9.005"), Of: "k / 100.0", Draw: drawNumber},
			},
			Fails: "json(CASE v WHEN 0 THEN '{' ELSE '1' END)", FailsReason: "malformed JSON", FailsValues: []any{"5"},
			Truncate: "DELETE FROM doc",
			Changing: []string{"datetime('now')", "current_date", "random()", "julianday()"},
			Marks: []sourcetest.Mark{
				{Type: "INTEGER", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "BOOLEAN", Live: "1", Dead: "0", Values: []any{false}},
				{Type: "TEXT", Live: "''", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "REAL", Live: "1", Dead: "0.5", Values: []any{0.5}},
				{Type: "", Live: "0", Dead: "'0'", Values: []any{"0"}},
			},
			Values: []sourcetest.Value{
				{Type: "", SQL: "''", Want: ""},
				{Type: "TEXT", SQL: "' '", Want: " "},
				{Type: "TEXT", SQL: "char(9, 10, 13)", Want: "\t\n\r"},
				{Type: "TEXT", SQL: "'a' || char(0) || 'b'", Want: "a\x00b"},
				{Type: "TEXT", SQL: "char(1, 7, 27, 31, 127, 128, 159)", Want: "\x01\x07\x1b\x1f\x7f\u0080\u009f"},
				{Type: "TEXT", SQL: "'👍🏽👨‍👩‍👧'", Want: "👍🏽👨‍👩‍👧"},
				{Type: "TEXT", SQL: "char(1114111, 57344, 65534, 65533)", Want: "\U0010ffff\ue000\ufffe\ufffd"},
				{Type: "TEXT", SQL: "char(65279) || 'a'", Want: "\ufeffa"},
				{Type: "TEXT", SQL: "'é' || 'e' || char(769)", Want: "ée\u0301"},
				{Type: "TEXT", SQL: "char(8207, 8238, 8203, 8232)", Want: "\u200f\u202e\u200b\u2028"},
				{Type: "TEXT", SQL: "hex(zeroblob(50000))", Want: strings.Repeat("0", 100_000)},
				{Type: "TEXT", SQL: "'{\"a\": '", Want: `{"a": `},
				{Type: "TEXT", SQL: "'007'", Want: "007"},
				{Type: "TEXT", SQL: "1e3", Want: "1000.0"},
				{Type: "TEXT", SQL: "x'6162'", Want: `\x6162`},
				{Type: "VARCHAR(3)", SQL: "'longer'", Want: "longer"},
				{Type: "", SQL: "1 / 0", Want: nil},
				{Type: "", SQL: "9e999 - 9e999", Want: nil},
				{Type: "", SQL: "9223372036854775807", Want: int64(math.MaxInt64)},
				{Type: "", SQL: "-9223372036854775807 - 1", Want: int64(math.MinInt64)},
				{Type: "", SQL: "9223372036854775808", Want: 9223372036854775808.0},
				{Type: "", SQL: "9007199254740993", Want: int64(9007199254740993)},
				{Type: "", SQL: "5e-324", Want: 5e-324},
				{Type: "", SQL: "1.7976931348623157e308", Want: math.MaxFloat64},
				{Type: "", SQL: "0.1 + 0.2", Want: 0.30000000000000004},
				{Type: "", SQL: "1.0", Want: 1.0},
				{Type: "REAL", SQL: "1", Want: 1.0},
				{Type: "INTEGER", SQL: "2.0", Want: int64(2)},
				{Type: "INTEGER", SQL: "2.5", Want: 2.5},
				{Type: "INTEGER", SQL: "'two'", Want: "two"},
				{Type: "INTEGER", SQL: "' 2 '", Want: int64(2)},
				{Type: "DECIMAL(40, 20)", SQL: "'12345678901234567890.12345678901234567890'", Want: 12345678901234567890.12345678901234567890},
				{Type: "NUMERIC", SQL: "'0x10'", Want: "0x10"},
				{Type: "BLOB", SQL: "x'00ff'", Want: `\x00ff`},
				{Type: "BLOB", SQL: "x''", Want: `\x`},
				{Type: "BOOLEAN", SQL: "1", Want: true},
				{Type: "BOOL", SQL: "FALSE", Want: false},
				{Type: "BOOLEAN", SQL: "2", Want: int64(2)},
				{Type: "BOOLEAN", SQL: "'true'", Want: "true"},
				{Type: "DATE", SQL: "'2024-02-30'", Want: "2024-02-30"},
				{Type: "DATETIME", SQL: "'0000-00-00 00:00:00'", Want: "0000-00-00 00:00:00"},
				{Type: "TIMESTAMP", SQL: "'2024-05-06 12:00:00+14:00'", Want: "2024-05-06 12:00:00+14:00"},
				{Type: "DATETIME", SQL: "1714996800", Want: int64(1714996800)},
			},
			BadValues: []sourcetest.Value{
				{Type: "", SQL: "9e999", Reason: "real +Inf is no number that can be indexed"},
				{Type: "REAL", SQL: "-9e999", Reason: "real -Inf is no number that can be indexed"},
				{Type: "TEXT", SQL: "CAST(x'eda080' AS TEXT)", Reason: `text "\xed\xa0\x80" is not valid UTF-8`},
				{Type: "TEXT", SQL: "CAST(x'61ff62' AS TEXT)", Reason: `text "a\xffb" is not valid UTF-8`},
				{Type: "TEXT", SQL: "CAST(x'c080' AS TEXT)", Reason: `text "\xc0\x80" is not valid UTF-8`},
			},
			BadTimes: []sourcetest.Value{
				{Type: "{time}", SQL: "'soon'"}, {Type: "{time}", SQL: "9e999"}, {Type: "{time}", SQL: "x'00'"},
			},
			Wall: "TEXT",
			Times: []sourcetest.Time{
				{Type: "INTEGER", SQL: "1714996800", Want: "2024-05-06T12:00:00Z", Tick: time.Second},
				{Type: "INTEGER", SQL: "1714996800123", Want: "2024-05-06T12:00:00.123Z", Tick: time.Millisecond},
				{Type: "INTEGER", SQL: "1714996800123456", Want: "2024-05-06T12:00:00.123456Z", Tick: time.Microsecond},
				{Type: "INTEGER", SQL: "1714996800123456789", Want: "2024-05-06T12:00:00.123456Z", Tick: time.Microsecond},
				{Type: "REAL", SQL: "1714996800.25", Want: "2024-05-06T12:00:00.25Z", Tick: time.Microsecond},
				{Type: "REAL", SQL: "2460437.0", Want: "2024-05-06T12:00:00Z", Tick: time.Millisecond},
				{Type: "TEXT", SQL: "'2024-05-06 12:00:00'", Want: "2024-05-06T12:00:00Z", Tick: time.Second},
				{Type: "DATETIME", SQL: "'2024-05-06 12:00:00'", Want: "2024-05-06T12:00:00Z", Tick: time.Second},
				{Type: "TEXT", SQL: "'2024-05-06 12:00:00.123'", Want: "2024-05-06T12:00:00.123Z", Tick: time.Millisecond},
				{Type: "TEXT", SQL: "'2024-05-06T12:00:00.123456Z'", Want: "2024-05-06T12:00:00.123456Z", Tick: time.Microsecond, Wide: true},
				{Type: "TEXT", SQL: "'2024-05-06T12:00:00+00:00'", Want: "2024-05-06T12:00:00Z", Tick: time.Second},
				{Type: "TEXT", SQL: "'2024-05-06 14:00:00+02:00'", Want: "2024-05-06T12:00:00Z", Tick: time.Second, Wide: true},
				{Type: "TEXT", SQL: "'2024-05-06 12:00'", Want: "2024-05-06T12:00:00Z", Tick: time.Minute},
				{Type: "DATE", SQL: "'2024-05-06'", Want: "2024-05-06T00:00:00Z", Tick: 24 * time.Hour},
				{Type: "TEXT", SQL: "'2024-05-06 14:00:00'", Zone: "Europe/Berlin", Want: "2024-05-06T12:00:00Z", Tick: time.Second},
				{Type: "TEXT", SQL: "'2024-05-06'", Zone: "Europe/Berlin", Want: "2024-05-05T22:00:00Z", Tick: 24 * time.Hour},
			},
			BadKeys: []sourcetest.Value{
				{Type: "INTEGER", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "INTEGER", SQL: "'x'", Reason: `key column id: text "x" is no integer, as the table's key is`},
				{Type: "INTEGER", SQL: "2.5", Reason: "key column id: real 2.5 is no integer, as the table's key is"},
				{Type: "INTEGER", SQL: "x'02'", Reason: "key column id: a blob of 1 bytes is no integer, as the table's key is"},
				{Type: "TEXT", SQL: "CAST(x'ff' AS TEXT)", Reason: "is not valid UTF-8"},
				{Type: "REAL", SQL: "'x'", Reason: `key column id: text "x" is no real, as the table's key is`},
				{Type: "REAL", SQL: "x'31'", Reason: "key column id: a blob of 1 bytes is no real, as the table's key is"},
				{Type: "DECIMAL(9,3)", SQL: "'x'", Reason: `key column id: text "x" is no decimal, as the table's key is`},
				{Type: "TEXT", SQL: "x'31'", Reason: "key column id: a blob of 1 bytes is no text, as the table's key is"},
			},
			Writes: []string{"INSERT INTO doc SELECT 9, u, v FROM doc RETURNING *", "PRAGMA query_only = 0", "PRAGMA user_version = 7", "SELECT * FROM doc; PRAGMA query_only = 0; DELETE FROM doc", "VACUUM"},
		},
		Lacks: map[string]string{
			"keys of UUIDs are read by every way and every range":                                 "SQLite has no type of UUIDs",
			"a connection that is killed makes the database unavailable, and the next read works": "a SQLite file has no connections that another session could kill",
			"session settings change no token and no value":                                       "a SQLite file has no settings that change values",
		},
	}
}

// A testDB is a database file with one writing connection and a source.
type testDB struct {
	t       testing.TB
	path    string
	writer  *sql.DB
	dialect func(*DB) dialect.Dialect
	source  *source.Source
}

func newDB(t testing.TB, statements ...string) *testDB {
	t.Helper()
	db := &testDB{t: t, path: filepath.Join(t.TempDir(), "test.db"), dialect: func(d *DB) dialect.Dialect { return d }}
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

func (db *testDB) newSource() *source.Source {
	db.t.Helper()
	d, err := Open(db.t.Context(), db.path, 4)
	if err != nil {
		db.t.Fatal(err)
	}
	source := source.New(db.dialect(d), pace.Limits{})
	db.t.Cleanup(source.Close)
	return source
}

// Connect implements sourcetest.Database.
func (db *testDB) Connect() sourcetest.Database {
	other := *db
	other.source = db.newSource()
	return &other
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
	return c.Open(context.Background(), db.source, "t")
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	if blob, ok := v.(doc.Blob); ok {
		return "x'" + doc.PartText(blob) + "'"
	}
	return dialecttest.Literal(v, "2006-01-02 15:04:05.000000")
}
