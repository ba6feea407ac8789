package postgres

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/sourcetest/dialecttest"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/sourcetest"
)

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, harness())
}

func harness() sourcetest.Harness {
	return sourcetest.Harness{
		Open: func(t testing.TB) sourcetest.Database {
			dsn := pgtest.DB(t)
			db := conformanceDB{t, dsn, pgtest.Connect(t, dsn), nil}.connect()
			if err := db.Exec("SET SESSION lock_timeout = '20s'", collation); err != nil {
				t.Fatal(err)
			}
			return db
		},
		Facts: sourcetest.Facts{
			Integer: "bigint", Text: "text", Float: "float8", Time: "timestamptz", UUID: "uuid", Fold: "text COLLATE nocase",
			Literal: sqlLiteral,
			Keys: []sourcetest.KeyType{
				{Type: "boolean", Values: []any{false, true}, Of: "k % 2 = 0", Repeats: true},
				{Type: "date", Values: []any{dialecttest.Part(doc.Date, "2026-02-15"), dialecttest.Part(doc.Date, "0044-03-15 BC"), dialecttest.Part(doc.Date, "12026-01-01"), dialecttest.Part(doc.Date, "infinity"), dialecttest.Part(doc.Date, "-infinity")},
					Missing: dialecttest.Part(doc.Date, "5874897-12-31"), Of: "DATE '1990-01-01' + k", Draw: drawDate},
				{Type: "timestamptz", Values: []any{dialecttest.Part(doc.Instant, "2026-02-15T01:02:03.000004Z"), dialecttest.Part(doc.Instant, "2026-02-15T01:02:03Z"), dialecttest.Part(doc.Instant, "0044-03-15T00:00:00Z BC"), dialecttest.Part(doc.Instant, "infinity"), dialecttest.Part(doc.Instant, "-infinity")},
					Missing: dialecttest.Part(doc.Instant, "294276-12-31T23:59:59.999999Z"), Of: "TIMESTAMPTZ '1990-01-01Z' + k * INTERVAL '1 s'", Draw: drawTime},
				{Type: "timestamp", Values: []any{dialecttest.Part(doc.Wall, "2026-02-15T01:02:03.000004"), dialecttest.Part(doc.Wall, "1999-12-31T23:59:59"), dialecttest.Part(doc.Wall, "0044-03-15T00:00:00 BC"), dialecttest.Part(doc.Wall, "infinity")},
					Missing: dialecttest.Part(doc.Wall, "4714-11-24T00:00:00 BC"), Of: "TIMESTAMP '1990-01-01' + k * INTERVAL '1 s'", Draw: drawTime},
				{Type: "numeric", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("1.1"), doc.Number("123456789012345678901234567890"), doc.Number("7")},
					Missing: doc.Number("9.00000000005"), Of: "k / 100.0", Draw: drawDecimal},
				{Type: "numeric(38,0)", Values: []any{doc.Number("0"), doc.Number("-12345678901234567890123456789"), doc.Number("7")}, Missing: doc.Number("8"), Of: "k"},
				{Type: "numeric(800,400)", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("10"), doc.Number("9.0000000001"), doc.Number("123456789012345678901234567890.5")},
					Missing: doc.Number("9.00000000005"), Of: "k / 100.0", Draw: drawDecimal},
				{Type: "float8", Values: []any{0.0, -1.5, 1e300, 5e-324, 0.1, 10.0, 9.0}, Missing: 0.25, Of: "k / 128.0", Draw: drawReal},
				{Type: "bytea", Values: []any{doc.Blob(""), doc.Blob("\x00"), doc.Blob("\x00\xff"), doc.Blob("\x00\x00"), doc.Blob("\xff"), doc.Blob("a")}, Missing: doc.Blob("\x01"), Of: "decode(lpad(to_hex(k), 8, '0'), 'hex')", Draw: drawBytes},
				{Setup: "CREATE TYPE mood AS ENUM ('sad', 'ok', 'Happy', 'a,b')", Type: "mood", Values: []any{"sad", "ok", "Happy", "a,b"}, Missing: "unknown", Of: "(ARRAY['sad', 'ok', 'Happy'])[1 + k % 3]::mood", Repeats: true},
				{Type: "float4", Values: []any{0.0, 0.1, -3.4028235e38, 16777216.0, 1.5}, Missing: 1e300, Of: "k / 128.0", Draw: drawReal},
				{Type: "char(5)", Values: []any{"", "ab", "abc", "AB", " x"}, Missing: "missing", Of: "'k' || lpad(to_hex(k), 4, '0')", Draw: drawPadded},
			},
			Fails: "1 / v", FailsReason: "division by zero", FailsValues: []any{int64(5)},
			Marks: []sourcetest.Mark{
				{Type: "int", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "bool", Live: "true", Dead: "false", Values: []any{false}},
				{Type: "text", Live: "''", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "char(3)", Live: "'n'", Dead: "'y'", Values: []any{"y"}},
				{Type: "numeric", Live: "1", Dead: "0.50", Values: []any{0.5}},
				{Type: "float8", Live: "1", Dead: "0.1", Values: []any{0.1}},
			},
			Truncate:   "TRUNCATE doc",
			Changing:   []string{"now()", "CURRENT_DATE::text", "random()", "'now'::timestamptz", "current_setting('application_name')", "age(u)", "pg_backend_pid()"},
			ValueSetup: []string{"CREATE TYPE mood AS ENUM ('sad', 'happy')", "CREATE DOMAIN positive AS int CHECK (VALUE > 0)", "CREATE TYPE pair AS (a int, b text)"},
			Values: []sourcetest.Value{
				{Type: "bool", SQL: "true", Want: true},
				{Type: "smallint", SQL: "-32768", Want: int64(-32768)},
				{Type: "int", SQL: "-5", Want: int64(-5)},
				{Type: "bigint", SQL: "9223372036854775807", Want: int64(9223372036854775807)},
				{Type: "bigint", SQL: "-9223372036854775808", Want: int64(-9223372036854775808)},
				{Type: "real", SQL: "0.1", Want: 0.1},
				{Type: "real", SQL: "3.4028235e38", Want: 3.4028235e38},
				{Type: "float8", SQL: "0.1", Want: 0.1},
				{Type: "float8", SQL: "5e-324", Want: 5e-324},
				{Type: "float8", SQL: "1.7976931348623157e308", Want: 1.7976931348623157e308},
				{Type: "numeric", SQL: "12345678901234567890.10", Want: json.Number("12345678901234567890.10")},
				{Type: "numeric(10,4)", SQL: "1.5", Want: json.Number("1.5000")},
				{Type: "numeric", SQL: "1e30", Want: json.Number("1" + strings.Repeat("0", 30))},
				{Type: "text", SQL: "E'a\\n\"ä\" 漢字'", Want: "a\n\"ä\" 漢字"},
				{Type: "text", SQL: "chr(1) || chr(27) || chr(127) || chr(128)", Want: "\x01\x1b\x7f\u0080"},
				{Type: "text", SQL: "chr(1114111) || chr(57344) || chr(65534)", Want: "\U0010ffff\ue000\ufffe"},
				{Type: "text", SQL: "'e' || chr(769)", Want: "e\u0301"},
				{Type: "text", SQL: "repeat('w', 100000)", Want: strings.Repeat("w", 100_000)},
				{Type: "char(5)", SQL: "'ab '", Want: "ab"},
				{Type: "varchar(5)", SQL: "'ab '", Want: "ab "},
				{Type: "bytea", SQL: `'\x00ff'`, Want: `\x00ff`},
				{Type: "date", SQL: "'2024-02-29'", Want: "2024-02-29"},
				{Type: "date", SQL: "'0044-03-15 BC'", Want: "0044-03-15 BC"},
				{Type: "timestamp", SQL: "'2024-02-29 01:02:03.12'", Want: "2024-02-29T01:02:03.120000"},
				{Type: "timestamptz", SQL: "'2024-02-29 01:02:03.123456+05:30'", Want: "2024-02-28T19:32:03.123456Z"},
				{Type: "timestamptz", SQL: "'infinity'", Want: "infinity"},
				{Type: "time", SQL: "'01:02:03.5'", Want: "01:02:03.5"},
				{Type: "timetz", SQL: "'01:02:03.000001+15:59'", Want: "01:02:03.000001+15:59"},
				{Type: "interval", SQL: "'1 year 2 days 03:04:05'", Want: "1 year 2 days 03:04:05"},
				{Type: "uuid", SQL: "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
				{Type: "inet", SQL: "'10.0.0.1/8'", Want: "10.0.0.1/8"},
				{Type: "json", SQL: `'{"a" :1,"a":2}'`, Want: doc.JSON(`{"a" :1,"a":2}`)},
				{Type: "jsonb", SQL: `'{"b":2, "a": 1}'`, Want: doc.JSON(`{"a": 1, "b": 2}`)},
				{Type: "xml", SQL: "'<a b=\"c\">d</a>'", Want: "c d"},
				{Type: "tsvector", SQL: "to_tsvector('simple', 'b a')", Want: "'a':2 'b':1"},
				{Type: "money", SQL: "12.5", Want: "$12.50"},
				{Type: "mood", SQL: "'happy'", Want: "happy"},
				{Type: "positive", SQL: "5", Want: int64(5)},
				{Type: "pair", SQL: "ROW(1, 'a b')", Want: `(1,"a b")`},
				{Type: "int4range", SQL: "'[1,5)'", Want: "[1,5)"},
				{Type: "bit(4)", SQL: "B'0101'", Want: "0101"},
				{Type: "int[]", SQL: "'{1,NULL,3}'", Want: []any{int64(1), nil, int64(3)}},
				{Type: "text[]", SQL: `ARRAY['a,b', 'NULL', '', '"', '\', '{}', ' x ']`, Want: []any{"a,b", "NULL", "", `"`, `\`, "{}", " x "}},
				{Type: "int[]", SQL: "'{{1,2},{3,4}}'", Want: []any{[]any{int64(1), int64(2)}, []any{int64(3), int64(4)}}},
				{Type: "text[]", SQL: "'{}'", Want: []any{}},
				{Type: "timestamptz[]", SQL: "ARRAY['2024-01-01Z']::timestamptz[]", Want: []any{"2024-01-01T00:00:00.000000Z"}},
			},
			BadValues: []sourcetest.Value{
				{Type: "float8", SQL: "'NaN'", Reason: "NaN is no number that can be indexed"},
				{Type: "real", SQL: "'-Infinity'", Reason: "-Infinity is no number that can be indexed"},
				{Type: "numeric", SQL: "'NaN'", Reason: "NaN is no number that can be indexed"},
				{Type: "float8[]", SQL: "'{1,NaN}'", Reason: "NaN is no number that can be indexed"},
			},
			BadTimes: []sourcetest.Value{
				{Type: "timestamptz", SQL: "'infinity'"}, {Type: "timestamptz", SQL: "'-infinity'"}, {Type: "timestamptz", SQL: "'0044-03-15 12:00Z BC'"},
				{Type: "timestamptz", SQL: "'10000-01-01 00:00Z'"},
			},
			Wall: "timestamp",
			Times: []sourcetest.Time{
				{Type: "timestamptz", SQL: "'2024-03-01 12:00:00.000001+02'", Want: "2024-03-01T10:00:00.000001Z", Tick: time.Microsecond},
				{Type: "timestamptz(3)", SQL: "'2024-03-01 12:00:00.123+00'", Want: "2024-03-01T12:00:00.123Z", Tick: time.Millisecond},
				{Type: "timestamptz(0)", SQL: "'2024-03-01 12:00:00+00'", Want: "2024-03-01T12:00:00Z", Tick: time.Second},
				{Type: "timestamp", SQL: "'2024-03-01 12:00:00.999999'", Zone: "UTC", Want: "2024-03-01T12:00:00.999999Z", Tick: time.Microsecond},
				{Type: "timestamp(1)", SQL: "'2024-07-01 12:00:00.5'", Zone: "Europe/Berlin", Want: "2024-07-01T10:00:00.5Z", Tick: 100 * time.Millisecond},
				{Type: "timestamp", SQL: "'2024-07-01 12:00:00'", Zone: "America/St_Johns", Want: "2024-07-01T14:30:00Z", Tick: time.Microsecond},
				{Type: "date", SQL: "'2024-02-29'", Zone: "UTC", Want: "2024-02-29T00:00:00Z", Tick: 24 * time.Hour},
				{Type: "date", SQL: "'2024-07-01'", Zone: "Asia/Tokyo", Want: "2024-06-30T15:00:00Z", Tick: 24 * time.Hour},
				{Type: "int", SQL: "1709290800", Want: "2024-03-01T11:00:00Z", Tick: time.Second},
				{Type: "bigint", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "bigint", SQL: "1709290800000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Microsecond},
				{Type: "bigint", SQL: "1709290800000001999", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Microsecond},
				{Type: "numeric(20,0)", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "numeric", SQL: "1709290800.000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Second},
			},
			BadKeys: []sourcetest.Value{
				{Type: "int", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "numeric", SQL: "'NaN'", Reason: "key column id: NaN is no key"},
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
			TableLocks: true,
			WriteSetup: []string{"CREATE FUNCTION write_doc() RETURNS bigint LANGUAGE sql AS 'INSERT INTO doc SELECT 9, u, v FROM doc RETURNING id'"},
			Writes: []string{
				"WITH w AS (DELETE FROM doc RETURNING *) SELECT * FROM w", "SELECT id, u, v, write_doc() AS w FROM doc", "SELECT * FROM doc FOR UPDATE", "SELECT * INTO copied FROM doc",
				"SET TRANSACTION READ WRITE", "SELECT id, u, v, set_config('transaction_read_only', 'off', true), write_doc() AS w FROM doc", "CALL write_doc()", "TRUNCATE doc",
			},
		},
	}
}

// A conformanceDB is a sourcetest.Database.
type conformanceDB struct {
	testing.TB
	dsn    string
	writer *pgx.Conn
	source *source.Source
}

const collation = "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"

// Clear implements sourcetest.Clearer.
func (db conformanceDB) Clear() error {
	return db.Exec("SET client_min_messages = warning", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public", collation)
}

// Connect implements sourcetest.Database.
func (db conformanceDB) Connect() sourcetest.Database { return db.connect() }

func (db conformanceDB) connect() conformanceDB {
	d := openDB(db, db.dsn)
	d.lockTimeout = 100 * time.Millisecond
	db.source = source.New(d, pace.Limits{})
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
	return c.Open(context.Background(), db.source, "doc")
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	switch v := v.(type) {
	case doc.Blob:
		return `'\x` + doc.PartText(v) + "'"
	case doc.Day, doc.UTC, doc.Local, [16]byte:
		return "'" + doc.PartText(v) + "'"
	}
	return dialecttest.Literal(v, "2006-01-02 15:04:05.000000+00")
}
