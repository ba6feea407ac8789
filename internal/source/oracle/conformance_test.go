package oracle

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
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
	dialect.Remainderer
	dialect.Rower
	dialect.Inspector
	dialect.Cataloger
	dialect.Watcher
	horizon.Sampler
} = (*DB)(nil)

// TestConformance runs the suite of all sources on H2, a stand-in.
func TestConformance(t *testing.T) {
	t.Parallel()
	h := standHarness(onH2.New)
	h.Lacks["rows that fail, are marked and have children at random are the same in every way"] = noFolding
	h.Lacks["a row whose deletion mark fails is one reject, and all others are read"] = "H2 computes a list of marks for every row"
	const short = "texts of H2 have at most 1,048,576 characters"
	h.Lacks["children longer than a batch are all read"], h.Lacks["long rows are read in several batches"] = short, short
	h.Lacks["session settings change no token and no value"] = "H2 has none of Oracle's settings"
	sourcetest.Run(t, h)
}

// standHarness returns the harness on H2, whose texts are longer than Oracle's.
func standHarness(open func(testing.TB) sourcetest.Database) sourcetest.Harness {
	h := harness(open)
	h.Facts.Text, h.Facts.Fails, h.Facts.FailsValues = "VARCHAR2(1000000)", h2test.Fails, []any{"5"}
	return h
}

// harness returns the harness of the dialect on a server.
func harness(open func(testing.TB) sourcetest.Database) sourcetest.Harness {
	return sourcetest.Harness{
		Open: open,
		Facts: sourcetest.Facts{
			Integer: "NUMBER(19)", Text: "VARCHAR2(4000)", Float: "BINARY_DOUBLE", Time: "TIMESTAMP(6) WITH TIME ZONE", UUID: "RAW(16)",
			Literal: sqlLiteral, EmptyIsNull: true, Tick: time.Second,
			Fails: "1 / v", FailsReason: "divisor is equal to zero", FailsValues: []any{int64(5)},
			Keys: []sourcetest.KeyType{
				{Type: "NUMBER", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("1.1"), doc.Number("123456789012345678901234567890"), doc.Number("7")}, Missing: doc.Number("9.00000000005"), Of: "k / 100", Draw: drawDecimal},
				{Type: "NUMBER(10,2)", Values: []any{doc.Number("0"), doc.Number("-1.5"), doc.Number("1.1"), doc.Number("7")}, Missing: doc.Number("9.01"), Of: "k / 100"},
			},
			Marks: []sourcetest.Mark{
				{Type: "NUMBER(1)", Live: "1", Dead: "0", Values: []any{int64(0), int64(-1)}},
				{Type: "VARCHAR2(9)", Live: "'a'", Dead: "'it''s'", Values: []any{"x", "it's"}},
				{Type: "CHAR(3)", Live: "'n'", Dead: "'y'", Values: []any{"y"}},
				{Type: "NUMBER(5,2)", Live: "1", Dead: "0.50", Values: []any{0.5}},
			},
			Values: []sourcetest.Value{
				{Type: "NUMBER", SQL: "5", Want: int64(5)},
				{Type: "NUMBER", SQL: "-0.00", Want: int64(0)},
				{Type: "NUMBER", SQL: "1000000", Want: int64(1000000)},
				{Type: "NUMBER", SQL: "-12.50", Want: json.Number("-12.5")},
				{Type: "NUMBER(1)", SQL: "1", Want: int64(1)},
				{Type: "NUMBER(19)", SQL: "9223372036854775807", Want: int64(math.MaxInt64)},
				{Type: "NUMBER(20)", SQL: "9223372036854775808", Want: json.Number("9223372036854775808")},
				{Type: "INTEGER", SQL: "7", Want: int64(7)},
				{Type: "BINARY_DOUBLE", SQL: "1.7976931348623157e308", Want: math.MaxFloat64},
				{Type: "BINARY_DOUBLE", SQL: "-5", Want: -5.0},
				{Type: "VARCHAR2(9)", SQL: "' '", Want: " "},
				{Type: "VARCHAR2(9)", SQL: "'007'", Want: "007"},
				{Type: "VARCHAR2(9)", SQL: "'it''s'", Want: "it's"},
				{Type: "CHAR(3)", SQL: "'abc'", Want: "abc"},
				{Type: "BLOB", SQL: "HEXTORAW('c3')", Want: `\xc3`},
				{Type: "DATE", SQL: "TO_DATE('1999-12-31', 'YYYY-MM-DD')", Want: "1999-12-31T00:00:00.000000"},
				{Type: "TIMESTAMP(3)", SQL: "TIMESTAMP '2024-02-29 01:02:03.12'", Want: "2024-02-29T01:02:03.120000"},
				{Type: "TIMESTAMP(6) WITH TIME ZONE", SQL: "TIMESTAMP '2024-02-29 01:02:03 -11:30'", Want: "2024-02-29T12:32:03.000000Z"},
				{Type: "NUMBER", SQL: "0.1", Want: json.Number("0.1")},
				{Type: "NUMBER(10,4)", SQL: "-1.5", Want: json.Number("-1.5")},
				{Type: "NUMBER(38)", SQL: "12345678901234567890123456789012345678", Want: json.Number("12345678901234567890123456789012345678")},
				{Type: "NUMBER(19)", SQL: "-9223372036854775808", Want: int64(math.MinInt64)},
				{Type: "BINARY_DOUBLE", SQL: "0.1", Want: 0.1},
				{Type: "VARCHAR2(99)", SQL: `'a"ä" 漢字'`, Want: `a"ä" 漢字`},
				{Type: "VARCHAR2(9)", SQL: "''", Want: nil},
				{Type: "VARCHAR2(9)", SQL: "'ab '", Want: "ab "},
				{Type: "NVARCHAR2(9)", SQL: "'𝄞'", Want: "𝄞"},
				{Type: "CHAR(5)", SQL: "'ab '", Want: "ab"},
				{Type: "CLOB", SQL: "'text'", Want: "text"},
				{Type: "RAW(5)", SQL: "HEXTORAW('00ff')", Want: `\x00ff`},
				{Type: "RAW(16)", SQL: "HEXTORAW('a0eebc999c0b4ef8bb6d6bb9bd380a11')", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
				{Type: "DATE", SQL: "TO_DATE('2024-02-29 01:02:03', 'YYYY-MM-DD HH24:MI:SS')", Want: "2024-02-29T01:02:03.000000"},
				{Type: "TIMESTAMP(6)", SQL: "TIMESTAMP '2024-02-29 01:02:03.123456'", Want: "2024-02-29T01:02:03.123456"},
				{Type: "TIMESTAMP(6) WITH TIME ZONE", SQL: "TIMESTAMP '2024-02-29 01:02:03.123456 +05:00'", Want: "2024-02-28T20:02:03.123456Z"},
			},
			Wall: "TIMESTAMP(6)",
			Times: []sourcetest.Time{
				{Type: "TIMESTAMP(6) WITH TIME ZONE", SQL: "TIMESTAMP '2024-03-01 12:00:00.000001 +02:00'", Want: "2024-03-01T10:00:00.000001Z", Tick: time.Second},
				{Type: "TIMESTAMP(6)", SQL: "TIMESTAMP '2024-03-01 12:00:00.999999'", Zone: "UTC", Want: "2024-03-01T12:00:00.999999Z", Tick: time.Second},
				{Type: "TIMESTAMP(6)", SQL: "TIMESTAMP '2024-07-01 12:00:00.5'", Zone: "Europe/Berlin", Want: "2024-07-01T10:00:00.5Z", Tick: time.Second},
				{Type: "DATE", SQL: "TO_DATE('2024-07-01 12:00:00', 'YYYY-MM-DD HH24:MI:SS')", Zone: "America/St_Johns", Want: "2024-07-01T14:30:00Z", Tick: time.Second},
				{Type: "NUMBER(10)", SQL: "1709290800", Want: "2024-03-01T11:00:00Z", Tick: time.Second},
				{Type: "NUMBER(19)", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "NUMBER", SQL: "1709290800001", Want: "2024-03-01T11:00:00.001Z", Tick: time.Millisecond},
				{Type: "NUMBER(20,6)", SQL: "1709290800.000001", Want: "2024-03-01T11:00:00.000001Z", Tick: time.Second},
			},
			BadKeys: []sourcetest.Value{
				{Type: "NUMBER(9)", SQL: "NULL", Reason: "key column id is NULL"},
				{Type: "VARCHAR2(9)", SQL: "''", Reason: "key column id is NULL"},
			},
			Writes: []string{"INSERT INTO doc SELECT 9, u, v FROM doc", "UPDATE doc SET v = 1", "DELETE FROM doc", "TRUNCATE TABLE doc"},
		},
		Lacks: map[string]string{
			"a failing row of a key that differs in case leaves the other key alone":                noFolding,
			"keys that differ in case only are different rows":                                      noFolding,
			"sums of ranges of keys differ where a key came or went":                                "the dialect sums no keys: without hints no sweep is asked for between the ordinary ones",
			"a hint is not exact before the SQL is looked at again after a commit":                  noHints,
			"no hint is exact of an SQL whose result changes without a commit":                      noHints,
			"the version of a hint moves with every commit that writes, and stands still otherwise": noHints,
			"a table without a key has a key of each row, and equal rows are numbered":              noRowKeys,
			"a key of a row stays while the row does, and is another after any change":              noRowKeys,
			"a table without a key has a limit of rows":                                             noRowKeys,
			"a value that no document can have costs the value, and not the row":                    "the driver returns valid text",
			"a lock makes the table unavailable, and the next read works":                           "a read waits for no lock",
		},
	}
}

const (
	noFolding = "the sessions compare and order texts by bytes"
	noHints   = "the dialect reads no hints of changes: sweeps and comparisons find them"
	noRowKeys = "the dialect computes no digests of 128 bits: key: row is a fault of the configuration"
)

// onH2 is the dialect on H2.
var onH2 = h2test.Dialect{
	Vendor: h2, Open: func(c driver.Connector) dialect.Dialect { return openStand(c) },
	Record: func(c driver.Connector, r *dialecttest.Recording) dialect.Dialect { return recorder{openStand(c), r} },
	Value:  vendor{}.Value, SQL: h2test.InConditions,
	Write: func(sql string) (all []string) {
		for _, one := range inOracle(sql) {
			all = append(all, zoned.ReplaceAllString(one, "TIMESTAMP WITH TIME ZONE $1"))
		}
		return all
	},
}

func openStand(c driver.Connector) *DB {
	return open(address{host: "localhost", port: 1521, service: "test"}, c, 4)
}

// zoned finds a literal with an offset, which H2 names otherwise.
var zoned = regexp.MustCompile(`TIMESTAMP ('[^']*[+-]\d\d:\d\d')`)

// inOracle writes the suite's SQL for the server, which inserts one row at a time.
func inOracle(sql string) (all []string) {
	into, rows, ok := strings.Cut(sql, " VALUES (")
	if !ok || !strings.HasPrefix(sql, "INSERT ") {
		return []string{sql}
	}
	depth, quoted, from := 1, false, 0
	for i, r := range rows {
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
		case r == '(':
			if depth == 0 {
				from = i + 1
			}
			depth++
		case r == ')':
			if depth--; depth == 0 {
				all = append(all, into+" VALUES ("+rows[from:i]+")")
			}
		}
	}
	return all
}

// sqlLiteral writes a value in SQL.
func sqlLiteral(v any) string {
	switch v := v.(type) {
	case [16]byte:
		return "HEXTORAW('" + hex.EncodeToString(v[:]) + "')"
	case time.Time:
		return "TIMESTAMP '" + v.UTC().Format("2006-01-02 15:04:05.000000") + " +00:00'"
	}
	return dialecttest.Literal(v, "")
}

// TestCharKeys reads rows by keys of a padded type, which OIDs do not have the padding
// of.
func TestCharKeys(t *testing.T) {
	t.Parallel()
	s := onH2.New(t)
	if err := s.Exec("CREATE TABLE doc (id CHAR(5), u TIMESTAMP(6) WITH TIME ZONE)", "INSERT INTO doc VALUES ('ab', NULL)", "INSERT INTO doc VALUES ('b', NULL)", "INSERT INTO doc VALUES ('abcde', NULL)"); err != nil {
		t.Fatal(err)
	}
	table, err := s.Open(sourcetest.Config{SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u", Batch: 1, Page: 1})
	if err != nil {
		t.Fatal(err)
	}
	var asked []doc.OID
	for _, key := range []string{"ab", "abcde", "b"} {
		oid, err := doc.NewOID(key)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, oid)
	}
	stamps, err := table.StampsOf(t.Context(), asked)
	if err != nil || len(stamps) != 3 {
		t.Errorf("by key: got %v, %v, want three stamps", stamps, err)
	}
	var read []doc.OID
	for batch, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, doc.OIDs(batch.Docs)...)
	}
	if !slices.Equal(read, asked) {
		t.Errorf("in pages: got %v, want %v", read, asked)
	}
}

func drawDecimal(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return dialecttest.OneOf(r, "0", "-0.00", "1", "10", "1.0", "-1", "0.1")
	}
	return dialecttest.Decimal(r, []int{3, 3, 20}[r.IntN(3)], []int{3, 9}[r.IntN(2)])
}
