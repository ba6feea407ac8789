package sqlserver

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/h2test"
	"indexerd/internal/test/sourcetest"
)

// What the dialect is able to.
var _ interface {
	dialect.Dialect
	dialect.Orderer
	dialect.Lister
	dialect.RowKeyer
	dialect.Uniquer
	dialect.Inspector
	dialect.Planner
	dialect.Cataloger
	dialect.Watcher
	horizon.Sampler
} = (*DB)(nil)

// TestConformance runs the suite of all sources on H2, a stand-in.
func TestConformance(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, standHarness(onH2.New))
}

// standHarness returns the harness of the dialect on H2.
func standHarness(open func(testing.TB) sourcetest.Database) sourcetest.Harness {
	h := harness(open)
	h.Facts.Text = "nvarchar(1000000)" // of which SQL Server has 4,000 characters
	const eager = "H2 fails for a row before it looks for the key, or for its bytes"
	for _, name := range []string{
		"a row whose deletion mark fails is one reject, and all others are read", "a failing row of a key that differs in case leaves the other key alone",
		"rows that fail, are marked and have children at random are the same in every way",
	} {
		h.Lacks[name] = eager
	}
	h.Lacks["the groups of a reject are read without the row, whatever fails"] = eager
	const short = "texts of H2 have at most 1,048,576 characters"
	h.Lacks["children longer than a batch are all read"], h.Lacks["long rows are read in several batches"] = short, short
	h.Lacks["session settings change no token and no value"] = "H2 has none of SQL Server's settings"
	h.Lacks["a lock makes the table unavailable, and the next read works"] = "a read of H2 waits for no lock"
	const noRowKeys = "H2 can't write the digest: the golden statements have it"
	for _, name := range []string{
		"a table without a key has a key of each row, and equal rows are numbered", "a key of a row stays while the row does, and is another after any change",
		"a table without a key has a limit of rows",
	} {
		h.Lacks[name] = noRowKeys
	}
	return h
}

// harness returns the harness of the dialect on a server.
func harness(open func(testing.TB) sourcetest.Database) sourcetest.Harness {
	return sourcetest.Harness{
		Open: open,
		Facts: sourcetest.Facts{
			Integer: "bigint", Text: "nvarchar(max)", Float: "float", Time: "datetimeoffset(6)", UUID: "uniqueidentifier", Fold: "varchar_ignorecase(100)",
			Literal: sqlLiteral,
			Fails:   "1 / v", FailsReason: "Divide by zero error", FailsValues: []any{int64(5)},
			Keys: []sourcetest.KeyType{
				{Type: "decimal(38,0)", Values: []any{doc.Number("0"), doc.Number("-7"), doc.Number("12345678901234567890123456789012345678"), doc.Number("10")}, Missing: doc.Number("8"), Of: "k"},
				{Type: "decimal(38,10)", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("1.1"), doc.Number("1234567890123456789012345678.0000000001"), doc.Number("7")}, Missing: doc.Number("9.00000005"), Of: "k * 0.01", Draw: drawDecimal},
			},
			Marks: []sourcetest.Mark{
				{Type: "int", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "bit", Live: "1", Dead: "0", Values: []any{false}},
				{Type: "nvarchar(9)", Live: "'a'", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "nchar(1)", Live: "'n'", Dead: "'y'", Values: []any{"y"}},
				{Type: "decimal(5,2)", Live: "1", Dead: "0.50", Values: []any{0.5}},
				{Type: "float", Live: "1", Dead: "0.1", Values: []any{0.1}},
			},
			Values: []sourcetest.Value{
				{Type: "tinyint", SQL: "127", Want: int64(127)},
				{Type: "smallint", SQL: "-32768", Want: int64(math.MinInt16)},
				{Type: "int", SQL: "-5", Want: int64(-5)},
				{Type: "bigint", SQL: "-9223372036854775808", Want: int64(math.MinInt64)},
				{Type: "bit", SQL: "1", Want: true},
				{Type: "decimal(30,10)", SQL: "12345678901234567890.1", Want: json.Number("12345678901234567890.1000000000")},
				{Type: "decimal(10,4)", SQL: "-1.5", Want: json.Number("-1.5000")},
				{Type: "money", SQL: "-0.0001", Want: json.Number("-0.0001")},
				{Type: "float", SQL: "0.1", Want: 0.1},
				{Type: "float", SQL: "1.7976931348623157e308", Want: math.MaxFloat64},
				{Type: "real", SQL: "0.1", Want: 0.1},
				{Type: "nvarchar(99)", SQL: `N'a"ä" 漢字𝄞'`, Want: `a"ä" 漢字𝄞`},
				{Type: "nvarchar(9)", SQL: "''", Want: ""},
				{Type: "nvarchar(9)", SQL: "'007'", Want: "007"},
				{Type: "varchar(9)", SQL: "'it''s'", Want: "it's"},
				{Type: "char(3)", SQL: "'abc'", Want: "abc"},
				{Type: "bit", SQL: "0", Want: false},
				{Type: "int", SQL: "2147483647", Want: int64(math.MaxInt32)},
				{Type: "smallmoney", SQL: "214748.3647", Want: json.Number("214748.3647")},
				{Type: "decimal(38,0)", SQL: "12345678901234567890123456789012345678", Want: json.Number("12345678901234567890123456789012345678")},
				{Type: "date", SQL: "'0001-01-01'", Want: "0001-01-01"},
				{Type: "nvarchar(9)", SQL: "'ab '", Want: "ab "},
				{Type: "nchar(5)", SQL: "'ab '", Want: "ab"},
				{Type: "nvarchar(max)", SQL: "'text'", Want: "text"},
				{Type: "varbinary(5)", SQL: "0x00ff", Want: `\x00ff`},
				{Type: "varbinary(max)", SQL: "0xc3", Want: `\xc3`},
				{Type: "uniqueidentifier", SQL: "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
				{Type: "date", SQL: "'2024-02-29'", Want: "2024-02-29"},
				{Type: "datetime2(2)", SQL: "'2024-02-29T01:02:03.12'", Want: "2024-02-29T01:02:03.120000"},
				{Type: "datetime2(7)", SQL: "'2024-02-29T01:02:03.1234567'", Want: "2024-02-29T01:02:03.1234567"},
				{Type: "datetimeoffset(6)", SQL: "'2024-02-29T01:02:03.123456+05:00'", Want: "2024-02-28T20:02:03.123456Z"},
			},
			Wall: "datetime2(6)",
			Times: []sourcetest.Time{
				{Type: "datetimeoffset(6)", SQL: "'2024-03-01T12:00:00.000001+02:00'", Want: "2024-03-01T10:00:00.000001Z", Tick: time.Microsecond},
				{Type: "datetimeoffset(3)", SQL: "'2024-03-01T12:00:00.123+00:00'", Want: "2024-03-01T12:00:00.123Z", Tick: time.Millisecond},
				{Type: "datetime2(6)", SQL: "'2024-03-01T12:00:00.999999'", Zone: "UTC", Want: "2024-03-01T12:00:00.999999Z", Tick: time.Microsecond},
				{Type: "datetime2(1)", SQL: "'2024-07-01T12:00:00.5'", Zone: "Europe/Berlin", Want: "2024-07-01T10:00:00.5Z", Tick: 100 * time.Millisecond},
				{Type: "datetime2(0)", SQL: "'2024-07-01T12:00:00'", Zone: "America/St_Johns", Want: "2024-07-01T14:30:00Z", Tick: time.Second},
				{Type: "date", SQL: "'2024-02-29'", Zone: "UTC", Want: "2024-02-29T00:00:00Z", Tick: 24 * time.Hour},
				{Type: "int", SQL: "1709290800", Want: "2024-03-01T11:00:00Z", Tick: time.Second},
				{Type: "bigint", SQL: "1709290800000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Microsecond},
				{Type: "decimal(20,6)", SQL: "1709290800.000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Second},
			},
			BadKeys: []sourcetest.Value{
				{Type: "int", SQL: "NULL", Reason: "key column id is NULL"},
			},
			Writes: []string{
				"INSERT INTO doc SELECT 9, u, v FROM doc", "UPDATE doc SET v = 1", "DELETE FROM doc", "TRUNCATE TABLE doc", "SELECT * INTO copy FROM doc",
				"SELECT * FROM doc) x; DELETE FROM doc; SELECT * FROM (SELECT * FROM doc", "SELECT * FROM doc; DELETE FROM doc",
			},
		},
		Lacks: map[string]string{
			"sums of ranges of keys differ where a key came or went":                                "the dialect sums no keys: without hints no sweep is asked for between the ordinary ones",
			"a hint is not exact before the SQL is looked at again after a commit":                  noHints,
			"no hint is exact of an SQL whose result changes without a commit":                      noHints,
			"the version of a hint moves with every commit that writes, and stands still otherwise": noHints,
			"a value that no document can have costs the value, and not the row":                    "the driver returns valid text",
		},
	}
}

const (
	noHints = "the dialect reads no hints of changes: sweeps and comparisons find them"
)

// onH2 is the dialect on H2.
var onH2 = h2test.Dialect{
	Vendor: h2, Open: func(c driver.Connector) dialect.Dialect { return openStand(c) },
	Record: func(c driver.Connector, r *dialecttest.Recording) dialect.Dialect { return recorder{openStand(c), r} },
	Value:  vendor{}.Value, Write: func(sql string) []string { return []string{forH2(sql)} },
}

func openStand(c driver.Connector) *DB {
	return open(confOf("sqlserver://reader@localhost?database=test"), c, 4)
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	switch v := v.(type) {
	case [16]byte:
		return "'" + doc.FormatUUID(v) + "'"
	case string:
		return literal(v)
	}
	return dialecttest.Literal(v, instantForm)
}

func drawDecimal(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return dialecttest.OneOf(r, "0", "-0.00", "1", "10", "1.0", "-1", "0.1")
	}
	return dialecttest.Decimal(r, []int{3, 3, 20}[r.IntN(3)], []int{3, 9}[r.IntN(2)])
}
