package mysql

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/sourcetest"
)

func TestMain(m *testing.M) { os.Exit(mariatest.Main(m)) }

// What the dialect is able to.
var _ interface {
	dialect.Dialect
	dialect.Lister
	dialect.RowKeyer
	dialect.Typer
	dialect.Divider
	dialect.Uniquer
	dialect.Inspector
	dialect.Planner
	dialect.Cataloger
	dialect.Watcher
	dialect.Footprinter
	horizon.Sampler
	changes.Sampler
} = (*DB)(nil)

// TestOnMySQL runs all tests of this package on MySQL.
func TestOnMySQL(t *testing.T) {
	t.Parallel()
	mariatest.OnMySQL(t)
}

// TestConformance runs the suite of all sources.
func TestConformance(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, harness("longtext COLLATE "+exactCollation()))
}

// exactCollation distinguishes all texts.
func exactCollation() string {
	if mariatest.IsMySQL() {
		return "utf8mb4_0900_bin"
	}
	return "utf8mb4_nopad_bin"
}

// harness returns the harness with a type of texts.
func harness(text string) sourcetest.Harness {
	return sourcetest.Harness{
		Open:  func(t testing.TB) sourcetest.Database { return newTestDB(t, mariatest.DB(t)) },
		Alone: func(t testing.TB) sourcetest.Database { return newTestDB(t, mariatest.New(t).DB(t)) },
		Facts: sourcetest.Facts{
			Integer: "bigint", Text: text, Float: "double", Time: "timestamp(6)", UUID: "binary(16)", Fold: "varchar(100) COLLATE utf8mb4_general_ci",
			Literal: sqlLiteral, Truncate: "TRUNCATE doc", Changing: []string{"now(6)", "CURRENT_DATE", "rand()", "uuid()", "connection_id()", "current_user()", "unix_timestamp()", "@@timestamp", "@x", "user()", "from_unixtime(unix_timestamp())"},
			Keys: []sourcetest.KeyType{
				{Type: "decimal(65,0)", Values: []any{doc.Number("0"), doc.Number("-7"), doc.Number("123456789012345678901234567890"), doc.Number(strings.Repeat("9", 65)), doc.Number("10")}, Missing: doc.Number("8"), Of: "k"},
				{Type: "decimal(65,30)", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("10"), doc.Number("9.0000000001"), doc.Number("12345678901234567890.5")},
					Missing: doc.Number("9.00000000005"), Of: "k * 0.01", Draw: drawDecimal},
				{Type: "decimal(65,2)", Values: []any{doc.Number("0.01"), doc.Number(strings.Repeat("9", 63) + ".99"), doc.Number("-" + strings.Repeat("9", 63) + ".99")}, Of: "k * 0.01", Draw: drawDecimal},
				{Type: "double", Values: []any{0.0, -1.5, 1e300, 5e-324, 0.1, 10.0, 9.0}, Missing: 0.25, Of: "k * 0.0078125e0", Draw: drawReal},
				{Type: "float", Values: []any{0.0, 0.1, -1e38, 16777216.0, 1.5}, Missing: 1e300, Of: "k * 0.0078125e0", Draw: drawReal},
				{Type: "varbinary(20)", Values: []any{doc.Blob(""), doc.Blob("\x00"), doc.Blob("\x00\xff"), doc.Blob("\x00\x00"), doc.Blob("\xff"), doc.Blob("a")}, Missing: doc.Blob("\x01"), Of: "UNHEX(LPAD(HEX(k), 8, '0'))", Draw: drawBytes},
				{Type: "date", Values: []any{dialecttest.Part(doc.Date, "2026-02-15"), dialecttest.Part(doc.Date, "0001-01-01"), dialecttest.Part(doc.Date, "9999-12-31")}, Missing: dialecttest.Part(doc.Date, "0044-03-15 BC"), Of: "DATE '1990-01-01' + INTERVAL k DAY", Draw: drawDate},
				{Type: "datetime(6)", Values: []any{dialecttest.Part(doc.Wall, "2026-02-15T01:02:03.000004"), dialecttest.Part(doc.Wall, "1999-12-31T23:59:59"), dialecttest.Part(doc.Wall, "0001-01-01T00:00:00")}, Missing: dialecttest.Part(doc.Wall, "infinity"), Of: "TIMESTAMP '1990-01-01 00:00:00' + INTERVAL k SECOND", Draw: drawTime},
				{Type: "timestamp(6) NULL", Values: []any{dialecttest.Part(doc.Instant, "2026-02-15T01:02:03.000004Z"), dialecttest.Part(doc.Instant, "2026-02-15T01:02:03Z")}, Missing: dialecttest.Part(doc.Instant, "2026-02-15T01:02:03.000005Z"), Of: "TIMESTAMP '1990-01-01 00:00:00' + INTERVAL k SECOND", Draw: drawTimestamp},
				{Type: "bit(40)", Values: []any{int64(0), int64(1), int64(256), int64(1)<<40 - 1}, Missing: int64(77), Of: "k"},
				{Type: "year", Values: []any{int64(1901), int64(2155), int64(2026)}, Missing: int64(5), Of: "1901 + k % 200", Repeats: true},
				{Type: "binary(3)", Values: []any{doc.Blob("\x00\x00\x00"), doc.Blob("\x00\xff\x00"), doc.Blob("\xff\x00\x00"), doc.Blob("abc")}, Missing: doc.Blob("\x01\x00\x00"), Of: "UNHEX(LPAD(HEX(k), 6, '0'))"},
			},
			Fails: "9223372036854775807 + (v = 0)", FailsReason: "BIGINT value is out of range", FailsValues: []any{int64(5)},
			Marks: []sourcetest.Mark{
				{Type: "int", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "boolean", Live: "true", Dead: "false", Values: []any{false}},
				{Type: "text", Live: "''", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "char(3)", Live: "'n'", Dead: "'y'", Values: []any{"y"}},
				{Type: "enum('live', 'dead')", Live: "'live'", Dead: "'dead'", Values: []any{"dead"}},
				{Type: "decimal(5,2)", Live: "1", Dead: "0.50", Values: []any{0.5}},
				{Type: "double", Live: "1", Dead: "0.1", Values: []any{0.1}},
			},
			Values: append(ownValues(), []sourcetest.Value{
				{Type: "boolean", SQL: "true", Want: int64(1)},
				{Type: "tinyint", SQL: "-128", Want: int64(-128)},
				{Type: "smallint unsigned", SQL: "65535", Want: int64(65535)},
				{Type: "mediumint", SQL: "-5", Want: int64(-5)},
				{Type: "int unsigned", SQL: "4294967295", Want: int64(4294967295)},
				{Type: "bigint", SQL: "-9223372036854775808", Want: int64(math.MinInt64)},
				{Type: "bigint unsigned", SQL: "9223372036854775807", Want: int64(math.MaxInt64)},
				{Type: "bigint unsigned", SQL: "18446744073709551615", Want: json.Number("18446744073709551615")},
				{Type: "float", SQL: "0.1", Want: 0.1},
				{Type: "float", SQL: "16777217.5", Want: 16777218.0},
				{Type: "double", SQL: "0.1", Want: 0.1},
				{Type: "double", SQL: "2.2250738585072014e-308", Want: 2.2250738585072014e-308},
				{Type: "double", SQL: "1.7976931348623157e308", Want: math.MaxFloat64},
				{Type: "decimal(30,10)", SQL: "12345678901234567890.1", Want: json.Number("12345678901234567890.1000000000")},
				{Type: "decimal(10,4)", SQL: "-1.5", Want: json.Number("-1.5000")},
				{Type: "decimal(65,0)", SQL: "1" + strings.Repeat("0", 30), Want: json.Number("1" + strings.Repeat("0", 30))},
				{Type: "bit(1)", SQL: "b'1'", Want: json.Number("1")},
				{Type: "bit(10)", SQL: "b'1000000001'", Want: json.Number("513")},
				{Type: "year", SQL: "2024", Want: int64(2024)},
				{Type: "text", SQL: `'a\n"ä" 漢字'`, Want: "a\n\"ä\" 漢字"},
				{Type: "text", SQL: "x'0001071b7fc280'", Want: "\x00\x01\x07\x1b\x7f\u0080"},
				{Type: "text", SQL: "x'f48fbfbfee8080efbfbe'", Want: "\U0010ffff\ue000\ufffe"},
				{Type: "text", SQL: "x'65cc81'", Want: "e\u0301"},
				{Type: "text CHARACTER SET latin1", SQL: "'ÿ'", Want: "ÿ"},
				{Type: "text CHARACTER SET utf16", SQL: "'𝄞'", Want: "𝄞"},
				{Type: "longtext", SQL: "repeat('w', 100000)", Want: strings.Repeat("w", 100_000)},
				{Type: "char(5)", SQL: "'ab '", Want: "ab"},
				{Type: "varchar(5)", SQL: "'ab '", Want: "ab "},
				{Type: "varchar(5)", SQL: "''", Want: ""},
				{Type: "varbinary(5)", SQL: "x'00ff'", Want: `\x00ff`},
				{Type: "blob", SQL: "x'c3'", Want: `\xc3`},
				{Type: "binary(16)", SQL: "x'a0eebc999c0b4ef8bb6d6bb9bd380a11'", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
				{Type: "date", SQL: "'2024-02-29'", Want: "2024-02-29"},
				{Type: "datetime(2)", SQL: "'2024-02-29 01:02:03.12'", Want: "2024-02-29T01:02:03.120000"},
				{Type: "datetime", SQL: "'0000-00-00 00:00:00'", Want: "0000-00-00 00:00:00"},
				{Type: "timestamp NULL", SQL: "'0000-00-00 00:00:00'", Want: "0000-00-00 00:00:00"},
				{Type: "date", SQL: "'0000-00-00'", Want: "0000-00-00"},
				{Type: "date", SQL: "'2024-00-00'", Want: "2024-00-00"},
				{Type: "time(6)", SQL: "'838:59:58.999999'", Want: "838:59:58.999999"},
				{Type: "year", SQL: "'0000'", Want: int64(0)},
				{Type: "bit(64)", SQL: "~0", Want: json.Number("18446744073709551615")},
				{Type: "bigint unsigned", SQL: "9223372036854775808", Want: json.Number("9223372036854775808")},
				{Type: "decimal(65,30)", SQL: strings.Repeat("9", 35) + "." + strings.Repeat("9", 30), Want: json.Number(strings.Repeat("9", 35) + "." + strings.Repeat("9", 30))},
				{Type: "set('a', 'b', 'c')", SQL: "4", Want: []any{"c"}},
				{Type: "timestamp(6) NULL", SQL: "'2024-02-29 01:02:03.123456'", Want: "2024-02-29T01:02:03.123456Z"},
				{Type: "time(1)", SQL: "'-838:59:59'", Want: "-838:59:59.0"},
				{Type: "enum('sad', 'happy')", SQL: "'happy'", Want: "happy"},
				{Type: "set('a', 'b', 'c')", SQL: "'c,a'", Want: []any{"a", "c"}},
				{Type: "set('a', 'b', 'c')", SQL: "''", Want: []any{}},
				{Type: "point", SQL: "POINT(1, 2)", Want: `\x000000000101000000000000000000f03f0000000000000040`},
			}...),
			BadValues: halfSurrogates(),
			BadTimes:  []sourcetest.Value{{Type: "{time} NULL", SQL: "'0000-00-00 00:00:00'"}},
			Wall:      "datetime(6)",
			Times: append(allPrecisions(), []sourcetest.Time{
				{Type: "timestamp(6) NULL", SQL: "'2024-03-01 10:00:00.000001'", Want: "2024-03-01T10:00:00.000001Z", Tick: time.Microsecond},
				{Type: "timestamp(3) NULL", SQL: "'2024-03-01 12:00:00.123'", Want: "2024-03-01T12:00:00.123Z", Tick: time.Millisecond},
				{Type: "timestamp NULL", SQL: "'2024-03-01 12:00:00'", Want: "2024-03-01T12:00:00Z", Tick: time.Second},
				{Type: "datetime(6)", SQL: "'2024-03-01 12:00:00.999999'", Zone: "UTC", Want: "2024-03-01T12:00:00.999999Z", Tick: time.Microsecond},
				{Type: "datetime(1)", SQL: "'2024-07-01 12:00:00.5'", Zone: "Europe/Berlin", Want: "2024-07-01T10:00:00.5Z", Tick: 100 * time.Millisecond},
				{Type: "datetime", SQL: "'2024-07-01 12:00:00'", Zone: "America/St_Johns", Want: "2024-07-01T14:30:00Z", Tick: time.Second},
				{Type: "date", SQL: "'2024-02-29'", Zone: "UTC", Want: "2024-02-29T00:00:00Z", Tick: 24 * time.Hour},
				{Type: "date", SQL: "'2024-07-01'", Zone: "Asia/Tokyo", Want: "2024-06-30T15:00:00Z", Tick: 24 * time.Hour},
				{Type: "int", SQL: "1709290800", Want: "2024-03-01T11:00:00Z", Tick: time.Second},
				{Type: "int unsigned", SQL: "1709290800", Want: "2024-03-01T11:00:00Z", Tick: time.Second},
				{Type: "bigint", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "bigint unsigned", SQL: "1709290800000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Microsecond},
				{Type: "bigint", SQL: "1709290800000001999", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Microsecond},
				{Type: "decimal(20,0)", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "decimal(20,6)", SQL: "1709290800.000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Second},
			}...),
			BadKeys: append(badTextKeys(), []sourcetest.Value{
				{Type: "int", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "bigint unsigned", SQL: "9223372036854775808", Reason: "is no integer, as the table's key is"},
			}...),
			Settings: []string{
				"SET GLOBAL time_zone = '+09:00'",
				"SET GLOBAL lc_time_names = 'de_DE'",
				"SET GLOBAL character_set_server = latin1",
				"SET GLOBAL div_precision_increment = 2",
				"SET GLOBAL /*M! tx_isolation */ /*!80000 transaction_isolation */ = 'READ-UNCOMMITTED'",
				"SET GLOBAL /*M! tx_read_only */ /*!80000 transaction_read_only */ = 0",
				"SET GLOBAL sql_select_limit = 1",
				"SET GLOBAL init_connect = 'SET NAMES latin1'",
			},
			TableLocks: true,
			WriteSetup: []string{"CREATE FUNCTION write_doc() RETURNS bigint BEGIN INSERT INTO doc SELECT 9, u, v FROM doc; RETURN 1; END"},
			Writes: []string{
				"SELECT id, u, v, write_doc() AS w FROM doc", "SELECT * FROM doc INTO OUTFILE '/tmp/never'", "REPLACE INTO doc SELECT 9, u, v FROM doc",
				"SET TRANSACTION READ WRITE", "CALL write_doc()", "TRUNCATE doc", "INSERT INTO doc SELECT 9, u, v FROM doc RETURNING *", "ALTER TABLE doc ADD COLUMN w int",
			},
		},
	}
}

// allPrecisions are times of each number of digits after the point, which the server rounds.
func allPrecisions() (times []sourcetest.Time) {
	at, tick := time.Date(2024, 3, 1, 10, 0, 0, 111_111_000, time.UTC), time.Second
	for digits := range 7 {
		for _, c := range []struct{ name, zone string }{{"timestamp(%d) NULL", ""}, {"datetime(%d)", "UTC"}} {
			times = append(times, sourcetest.Time{Type: fmt.Sprintf(c.name, digits), SQL: "'2024-03-01 10:00:00.111111'", Zone: c.zone, Want: at.Truncate(tick).Format(time.RFC3339Nano), Tick: tick})
		}
		tick /= 10
	}
	return times
}

// ownValues are of types that only one of the two servers has, or shows in its own form.
func ownValues() []sourcetest.Value {
	if mariatest.IsMySQL() {
		return []sourcetest.Value{
			{Type: "json", SQL: `'{"a" :1,"b":2, "a":3}'`, Want: doc.JSON(`{"a": 3, "b": 2}`)},
			{Type: "json", SQL: `'{"long": 1e2, "b": [2.50, null, "\\u00e4"]}'`, Want: doc.JSON(`{"b": [2.5, null, "ä"], "long": 100.0}`)},
			{Type: "json", SQL: "CAST(18446744073709551615 AS JSON)", Want: json.Number("18446744073709551615")},
			{Type: "vector(2)", SQL: "STRING_TO_VECTOR('[1, 2]')", Want: `\x0000803f00000040`},
		}
	}
	return []sourcetest.Value{
		{Type: "json", SQL: `'{"a" :1,"a":2}'`, Want: `{"a" :1,"a":2}`},
		{Type: "uuid", SQL: "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{Type: "inet6", SQL: "'::1'", Want: "::1"},
	}
}

// halfSurrogates are texts that are no UTF-8.
func halfSurrogates() []sourcetest.Value {
	ucs2 := sourcetest.Value{Type: "varchar(5) CHARACTER SET ucs2", SQL: "x'0031d800'", Reason: "is not valid UTF-8"}
	if mariatest.IsMySQL() {
		return []sourcetest.Value{ucs2}
	}
	return []sourcetest.Value{{Type: "varchar(5)", SQL: "x'31eda080'", Reason: "is not valid UTF-8"}, ucs2}
}

// badTextKeys are none in MySQL, which refuses half surrogates but in UCS-2, to which it
// converts no parameter that has one.
func badTextKeys() []sourcetest.Value {
	if mariatest.IsMySQL() {
		return nil
	}
	return halfSurrogates()[:1]
}

// A testDB is a sourcetest.Database.
type testDB struct {
	testing.TB
	dsn    string
	writer *sql.Conn
	source *source.Source
	over   func(*DB) dialect.Dialect // nil: none
}

func newTestDB(t testing.TB, dsn string) testDB {
	return testDB{t, dsn, mariatest.Connect(t, dsn), nil, nil}.connect()
}

// reader is the account of sources.
const reader = "reader"

func (db testDB) connect() testDB {
	db.must("CREATE USER IF NOT EXISTS "+reader+"@'127.0.0.1'", "GRANT ALL ON *.* TO "+reader+"@'127.0.0.1'")
	d := openDB(db, asReader(db.dsn), time.Second)
	d.settled = 0 // other tests write to the same server all the time
	over := dialect.Dialect(d)
	if db.over != nil {
		over = db.over(d)
	}
	db.source = source.New(over, pace.Limits{})
	return db
}

func asReader(dsn string) string { return strings.Replace(dsn, "root@", reader+"@", 1) }

// openDB opens a database, which is closed at the end of the test.
func openDB(t testing.TB, dsn string, lock time.Duration) *DB {
	t.Helper()
	d, err := open(dsn, 4, lock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func (db testDB) must(statements ...string) {
	db.Helper()
	for _, s := range statements {
		if _, err := db.writer.ExecContext(context.Background(), s); err != nil {
			db.Fatalf("%s: %v", s, err)
		}
	}
}

// Connect implements sourcetest.Database.
func (db testDB) Connect() sourcetest.Database { return db.connect() }

// Clear implements sourcetest.Clearer.
func (db testDB) Clear() error {
	name := db.dsn[strings.LastIndex(db.dsn, "/")+1:]
	_, err := db.writer.ExecContext(context.Background(), "DROP DATABASE "+name+"; CREATE DATABASE "+name+"; USE "+name)
	return err
}

// inMySQL writes the suite's SQL for the server: a CAST to a TIMESTAMP is to a
// DATETIME, / is no division of integers, and a unique key is the primary key.
var inMySQL = strings.NewReplacer("CREATE UNIQUE INDEX doc_key ON doc", "ALTER TABLE doc ADD PRIMARY KEY", "END AS timestamp(6))", "END AS datetime(6))", " / ", " DIV ")

// Exec implements sourcetest.Database.
func (db testDB) Exec(statements ...string) error {
	text := "START TRANSACTION;\n"
	for _, s := range statements {
		text += inMySQL.Replace(s) + ";\n"
	}
	_, err := db.writer.ExecContext(context.Background(), text+"COMMIT")
	if err != nil {
		_, _ = db.writer.ExecContext(context.Background(), "ROLLBACK")
	}
	return err
}

// Lock implements sourcetest.Locker.
func (db testDB) Lock() (unlock func() error, err error) {
	_, err = db.writer.ExecContext(context.Background(), "LOCK TABLES doc WRITE")
	return func() error {
		_, err := db.writer.ExecContext(context.Background(), "UNLOCK TABLES")
		return err
	}, err
}

// Kill implements sourcetest.Killer.
func (db testDB) Kill() error {
	rows, err := db.writer.QueryContext(context.Background(), "SELECT id FROM information_schema.processlist WHERE user = '"+reader+"' AND db = DATABASE()")
	if err != nil {
		return err
	}
	var kill []string
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		kill = append(kill, fmt.Sprintf("KILL CONNECTION %d", id))
	}
	if err := rows.Close(); err != nil {
		return err
	}
	for _, statement := range kill {
		if _, err := db.writer.ExecContext(context.Background(), statement); err != nil && !strings.Contains(err.Error(), "Unknown thread") {
			return err
		}
	}
	return nil
}

// Open implements sourcetest.Database.
func (db testDB) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	return c.Open(context.Background(), db.source, "doc")
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	switch v := v.(type) {
	case string:
		return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(v) + "'"
	case [16]byte:
		return "x'" + hex.EncodeToString(v[:]) + "'"
	case doc.Blob:
		return "x'" + hex.EncodeToString([]byte(v)) + "'"
	case doc.Day, doc.UTC, doc.Local:
		return "'" + strings.TrimSuffix(doc.PartText(v), "Z") + "'"
	}
	return dialecttest.Literal(v, "2006-01-02 15:04:05.000000")
}
