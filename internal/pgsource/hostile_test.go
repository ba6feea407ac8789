package pgsource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// A hostile is a row between two harmless ones, and what becomes of it: the
// column v as the document holds it, or the reason of the reject. sql stands
// for the column's expression where it is not the column alone.
type hostile struct {
	name, typ, value string
	want             any
	reject           string
	id, u, sql       string // of the row and of v; "": 2, a usable time, v
}

// digitsOf is a number of so many digits.
func digitsOf(n int) string { return strings.Repeat("1234567890", n/10) }

var hostileTexts = []hostile{
	{name: "NULL", typ: "text", value: "NULL", want: nil},
	{name: "empty text", typ: "text", value: "''", want: ""},
	{name: "blanks", typ: "text", value: "'   '", want: "   "},
	{name: "line breaks and tab", typ: "text", value: `E'\r\n\t\f'`, want: "\r\n\t\f"},
	{name: "control characters", typ: "text", value: "chr(1) || chr(27) || chr(31) || chr(127)", want: "\x01\x1b\x1f\x7f"},
	{name: "C1 controls", typ: "text", value: "chr(128) || chr(159)", want: "\u0080\u009f"},
	{name: "U+FFFE", typ: "text", value: "chr(65534)", want: "\ufffe"},
	{name: "U+FFFF", typ: "text", value: "chr(65535)", want: "\uffff"},
	{name: "replacement character", typ: "text", value: "chr(65533)", want: "\ufffd"},
	{name: "private use", typ: "text", value: "chr(57344)", want: "\ue000"},
	{name: "last code point", typ: "text", value: "chr(1114111)", want: "\U0010ffff"},
	{name: "emoji", typ: "text", value: "chr(128512)", want: "😀"},
	{name: "emoji joined by ZWJ", typ: "text", value: "chr(128104) || chr(8205) || chr(128105)", want: "👨\u200d👩"},
	{name: "combining mark", typ: "text", value: "'e' || chr(769)", want: "e\u0301"},
	{name: "combining mark alone", typ: "text", value: "chr(769)", want: "\u0301"},
	{name: "right-to-left marks", typ: "text", value: "chr(8207) || 'a' || chr(8238)", want: "\u200fa\u202e"},
	{name: "byte order mark", typ: "text", value: "chr(65279) || 'a'", want: "\ufeffa"},
	{name: "odd blanks", typ: "text", value: "chr(160) || chr(8203) || chr(12288)", want: "\u00a0\u200b\u3000"},
	{name: "line separator", typ: "text", value: "chr(8232)", want: "\u2028"},
	{name: "quotes and backslashes", typ: "text", value: `$$"'\"\\u0000$$`, want: `"'\"\\u0000`},
	{name: "the word NULL", typ: "text", value: "'NULL'", want: "NULL"},
	{name: "markup", typ: "text", value: "'<script>&amp;</script>'", want: "<script>&amp;</script>"},
	{name: "a statement", typ: "text", value: "'''; DROP TABLE doc; --'", want: "'; DROP TABLE doc; --"},
	{name: "very long word", typ: "text", value: "repeat('w', 1000000)", want: strings.Repeat("w", 1000000)},
	{name: "20 MB of text", typ: "text", value: "repeat('word ', 4 << 20)", want: strings.Repeat("word ", 4<<20)},
	{name: "padded char", typ: "char(5)", value: "'a b'", want: "a b"},
	{name: "char of blanks", typ: "char(5)", value: "'  '", want: ""},
	{name: "varchar with blanks", typ: "varchar(5)", value: "'a  '", want: "a  "},
	{name: "single byte char", typ: `"char"`, value: "'x'", want: "x"},
	{name: "empty bytea", typ: "bytea", value: `'\x'`, want: `\x`},
	{name: "bytea with NUL", typ: "bytea", value: `'\x0001ff'`, want: `\x0001ff`},
	{name: "deep json", typ: "json", value: "(repeat('[', 1000) || repeat(']', 1000))::json", want: strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
	{name: "json as written", typ: "json", value: `'{"a" :1,"a":2}'`, want: `{"a" :1,"a":2}`},
	{name: "json with an escaped NUL", typ: "json", value: `'"\u0000"'`, want: `"\u0000"`},
	{name: "jsonb", typ: "jsonb", value: `'{"b":1,"a":[null]}'`, want: `{"a": [null], "b": 1}`},
	{name: "jsonb null", typ: "jsonb", value: "'null'", want: "null"},
	{name: "xml", typ: "xml", value: "'<a>&lt;</a>'", want: "<a>&lt;</a>"},
	{name: "tsvector", typ: "tsvector", value: `$$'it''s':1A 'a'$$`, want: "'a' 'it''s':1A"},
	{name: "tsquery", typ: "tsquery", value: "'a & !b'", want: "'a' & !'b'"},
}

var hostileNumbers = []hostile{
	{name: "greatest bigint", typ: "bigint", value: "9223372036854775807", want: int64(9223372036854775807)},
	{name: "least bigint", typ: "bigint", value: "-9223372036854775808", want: int64(-9223372036854775808)},
	{name: "least smallint", typ: "smallint", value: "-32768", want: int64(-32768)},
	{name: "zero", typ: "int", value: "0", want: int64(0)},
	{name: "NaN", typ: "float8", value: "'NaN'", reject: "column v: NaN is no number that can be indexed"},
	{name: "infinity", typ: "float8", value: "'Infinity'", reject: "column v: Infinity is no number that can be indexed"},
	{name: "real -infinity", typ: "real", value: "'-Infinity'", reject: "column v: -Infinity is no number that can be indexed"},
	{name: "-0", typ: "float8", value: "'-0'", want: 0.0},
	{name: "1e-300", typ: "float8", value: "1e-300", want: 1e-300},
	{name: "least float", typ: "float8", value: "5e-324", want: 5e-324},
	{name: "greatest float", typ: "float8", value: "1.7976931348623157e308", want: 1.7976931348623157e308},
	{name: "greatest real", typ: "real", value: "3.4028235e38", want: 3.4028235e38},
	{name: "numeric of 1000 digits", typ: "numeric", value: digitsOf(1000), want: json.Number(digitsOf(1000))},
	{name: "numeric of 1000 decimals", typ: "numeric", value: "0." + digitsOf(1000), want: json.Number("0." + digitsOf(1000))},
	{name: "numeric with zeros", typ: "numeric(10,4)", value: "1.5", want: json.Number("1.5000")},
	{name: "numeric with an exponent", typ: "numeric", value: "1e30", want: json.Number("1" + strings.Repeat("0", 30))},
	{name: "numeric NaN", typ: "numeric", value: "'NaN'", reject: "column v: NaN is no number that can be indexed"},
	{name: "numeric infinity", typ: "numeric", value: "'-Infinity'", reject: "column v: -Infinity is no number that can be indexed"},
	{name: "money", typ: "money", value: "-12345.67", want: "-$12,345.67"},
	{name: "bool", typ: "bool", value: "false", want: false},
	{name: "oid", typ: "oid", value: "4294967295", want: "4294967295"},
	{name: "bit", typ: "bit(4)", value: "B'0101'", want: "0101"},
	{name: "empty varbit", typ: "varbit", value: "B''", want: ""},
}

var hostileTimes = []hostile{
	{name: "infinity", typ: "timestamptz", value: "'infinity'", want: "infinity"},
	{name: "-infinity", typ: "timestamp", value: "'-infinity'", want: "-infinity"},
	{name: "BC", typ: "timestamptz", value: "'0044-03-15 12:00:00Z BC'", want: "0044-03-15 12:00:00+00 BC"},
	{name: "BC without zone", typ: "timestamp", value: "'0044-03-15 12:00:00 BC'", want: "0044-03-15 12:00:00 BC"},
	{name: "BC with a fraction", typ: "timestamp", value: "'0044-03-15 12:00:00.5 BC'", want: "0044-03-15 12:00:00.5 BC"},
	{name: "year 294276", typ: "timestamptz", value: "'294276-12-31 23:59:59.999999Z'", want: "294276-12-31 23:59:59.999999+00"},
	{name: "year 1", typ: "timestamptz", value: "'0001-01-01 00:00:00Z'", want: "0001-01-01T00:00:00.000000Z"},
	{name: "last instant of RFC 3339", typ: "timestamptz", value: "'9999-12-31 23:59:59.999999Z'", want: "9999-12-31T23:59:59.999999Z"},
	{name: "24:00", typ: "timestamp", value: "'2024-02-29 24:00:00'", want: "2024-03-01T00:00:00.000000"},
	{name: "date infinity", typ: "date", value: "'infinity'", want: "infinity"},
	{name: "date BC", typ: "date", value: "'4713-01-01 BC'", want: "4713-01-01 BC"},
	{name: "last date", typ: "date", value: "'5874897-12-31'", want: "5874897-12-31"},
	{name: "time 24:00", typ: "time", value: "'24:00:00'", want: "24:00:00"},
	{name: "time with zone", typ: "timetz", value: "'01:02:03.000001+15:59'", want: "01:02:03.000001+15:59"},
	{name: "interval", typ: "interval", value: "'-1 year 2 days -00:00:00.000001'", want: "-1 years +2 days -00:00:00.000001"},
	{name: "updateTime NULL", typ: "int", value: "1", u: "NULL", want: int64(1)},
	{name: "updateTime infinity", typ: "int", value: "1", u: "'infinity'", reject: `column u: "infinity" is not a time of the years 1 to 9999`},
	{name: "updateTime -infinity", typ: "int", value: "1", u: "'-infinity'", reject: `column u: "-infinity" is not a time of the years 1 to 9999`},
	{name: "updateTime BC", typ: "int", value: "1", u: "'0001-01-01Z BC'", reject: `column u: "0001-01-01 00:00:00+00 BC" is not a time of the years 1 to 9999`},
	{name: "updateTime in 294276", typ: "int", value: "1", u: "'294276-01-01Z'", reject: `column u: "294276-01-01 00:00:00+00" is not a time of the years 1 to 9999`},
	{name: "updateTime in 2099", typ: "int", value: "1", u: "'2099-01-01Z'", want: int64(1)},
}

var hostileTypes = []hostile{
	{name: "empty array", typ: "text[]", value: "'{}'", want: []any{}},
	{name: "array with NULL", typ: "int[]", value: "ARRAY[1, NULL]", want: []any{int64(1), nil}},
	{name: "array of NULL", typ: "text[]", value: "ARRAY[NULL, 'NULL', '']", want: []any{nil, "NULL", ""}},
	{name: "nested array", typ: "int[]", value: "ARRAY[[[1], [2]]]", want: []any{[]any{[]any{int64(1)}, []any{int64(2)}}}},
	{name: "array with bounds", typ: "int[]", value: "'[-5:-4]={1,2}'", want: []any{int64(1), int64(2)}},
	{name: "array of odd texts", typ: "text[]", value: `ARRAY['{', '"', ',', '\', ' ']`, want: []any{"{", `"`, ",", `\`, " "}},
	{name: "array with NaN", typ: "float8[]", value: "'{1,NaN}'", reject: "column v: NaN is no number that can be indexed"},
	{name: "array of json", typ: "json[]", value: `ARRAY['{"a": [1, 2]}'::json]`, want: []any{`{"a": [1, 2]}`}},
	{name: "array of bytea", typ: "bytea[]", value: `ARRAY['\x00'::bytea]`, want: []any{`\x00`}},
	{name: "array of composites", typ: "pair[]", value: `ARRAY[ROW(1, 'a,"b"')::pair]`, want: []any{`(1,"a,""b""")`}},
	{name: "composite", typ: "pair", value: "ROW(NULL, '')", want: `(,"")`},
	{name: "enum", typ: "mood", value: "'not so happy'", want: "not so happy"},
	{name: "domain", typ: "positive", value: "5", want: int64(5)},
	{name: "nil uuid", typ: "uuid", value: "'00000000-0000-0000-0000-000000000000'", want: "00000000-0000-0000-0000-000000000000"},
	{name: "inet", typ: "inet", value: "'2001:db8::1/64'", want: "2001:db8::1/64"},
	{name: "cidr", typ: "cidr", value: "'10.0.0.0/8'", want: "10.0.0.0/8"},
	{name: "macaddr", typ: "macaddr", value: "'08002b:010203'", want: "08:00:2b:01:02:03"},
	{name: "empty range", typ: "int4range", value: "'empty'", want: "empty"},
	{name: "unbounded range", typ: "tstzrange", value: "'[2024-01-01Z,)'", want: `["2024-01-01 00:00:00+00",)`},
	{name: "multirange", typ: "int4multirange", value: "'{[1,2),[5,9)}'", want: "{[1,2),[5,9)}"},
	{name: "point", typ: "point", value: "'(1e300,NaN)'", want: "(1e+300,NaN)"},
	{name: "pg_lsn", typ: "pg_lsn", value: "'16/B374D848'", want: "16/B374D848"},
	{name: "regclass", typ: "regclass", value: "'doc'", want: "doc"},
}

var hostileRows = []hostile{
	{name: "key NULL", typ: "int", value: "1", id: "NULL", reject: "key column id is NULL"},
	{name: "key 0", typ: "int", value: "1", id: "0", want: int64(1)},
	{name: "key negative", typ: "int", value: "1", id: "-1", want: int64(1)},
	{name: "key greatest", typ: "int", value: "1", id: "9223372036854775807", want: int64(1)},
	{name: "key least", typ: "int", value: "1", id: "-9223372036854775808", want: int64(1)},
	{name: "division by zero", typ: "int", value: "0", sql: "1 / coalesce(v, 1)", reject: "division by zero (SQLSTATE 22012)"},
	{name: "invalid cast", typ: "text", value: "'x'", sql: "v::int", reject: `invalid input syntax for type integer: "x" (SQLSTATE 22P02)`},
	{name: "invalid date", typ: "text", value: "'2024-02-30'", sql: "v::date", reject: `date/time field value out of range: "2024-02-30" (SQLSTATE 22008)`},
	{name: "invalid json", typ: "text", value: "'{'", sql: "v::json ->> 'a'", reject: "invalid input syntax for type json (SQLSTATE 22P02)"},
	{name: "NUL out of json", typ: "json", value: `'{"a": "\u0000"}'`, sql: "v ->> 'a'", reject: "unsupported Unicode escape sequence (SQLSTATE 22P05)"},
	{name: "invalid pattern", typ: "text", value: "'('", sql: "'a' ~ v", reject: "invalid regular expression: parentheses () not balanced (SQLSTATE 2201B)"},
	{name: "overflow", typ: "int", value: "2147483647", sql: "v + 1", reject: "integer out of range (SQLSTATE 22003)"},
	{name: "bytes that are no text", typ: "bytea", value: `'\xff'`, sql: "convert_from(v, 'UTF8')", reject: `invalid byte sequence for encoding "UTF8": 0xff (SQLSTATE 22021)`},
	{name: "text of 2 GB", typ: "int", value: "2000000000", sql: "repeat('x', v)", reject: "requested length too large (SQLSTATE 54000)"},
	{name: "subquery of two rows", typ: "int", value: "2", sql: "(SELECT 1 FROM generate_series(1, v))", reject: "more than one row returned by a subquery used as an expression (SQLSTATE 21000)"},
}

// No value crashes a read or keeps the rows beside it out, and what becomes of
// each is what is stated.
func TestHostileValues(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TYPE mood AS ENUM ('happy', 'not so happy'); CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE TYPE pair AS (a int, b text)`)
	for _, group := range [][]hostile{hostileTexts, hostileNumbers, hostileTimes, hostileTypes, hostileRows} {
		for _, h := range group {
			t.Run(h.typ+" "+h.name, func(t *testing.T) { checkHostile(t, dsn, h) })
		}
	}
}

func checkHostile(t *testing.T, dsn string, h hostile) {
	id := cmp.Or(h.id, "2")
	table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (id bigint, u timestamptz, v %s);
		INSERT INTO doc VALUES (1, '2024-01-01Z', NULL), (%s, %s, %s), (3, '2024-01-01Z', NULL)`, h.typ, id, cmp.Or(h.u, "'2024-01-01Z'"), h.value),
		TableConfig{SQL: "SELECT id, u, " + cmp.Or(h.sql, "v") + " AS v FROM doc", Numbers: &numbers{}})
	docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
	for _, neighbour := range []string{"1", "3"} {
		if _, ok := docs[neighbour]; !ok && id != neighbour {
			t.Errorf("got no row %s, want it beside the hostile one", neighbour)
		}
	}
	d, ok := docs[id]
	switch {
	case h.reject != "" && (ok || len(rejects) != 1 || rejects[0].Reason != h.reject):
		t.Errorf("got %v, rejects %v, want one for: %s", d.Row.Values, rejects, h.reject)
	case h.reject == "" && (!ok || len(rejects) != 0):
		t.Fatalf("got rejects %v, want a document", rejects)
	case h.reject == "":
		got, _ := d.Row.Get("v")
		if !reflect.DeepEqual(got, h.want) {
			t.Errorf("got %.200v, want %.200v", got, h.want)
		}
		if _, err := doc.ParseRow([]byte(body(t, d))); err != nil {
			t.Errorf("got %v, want a page that can be read", err)
		}
	}
	stamps := readStamps(t, table.StampsInRange(t.Context(), doc.Range{}))
	if want := 3; len(stamps) != want && h.id != "NULL" {
		t.Errorf("got %d stamps, want %d", len(stamps), want)
	}
}

// Of the rows that a join doubles both come: which of them is the document is
// not for a source to say.
func TestDuplicateKeysComeBoth(t *testing.T) {
	for _, children := range [][]ChildConfig{nil, parts("SELECT id, u, 'x' AS v FROM doc", "id")} {
		table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, now()), (2, now()), (3, now())",
			TableConfig{SQL: "SELECT doc.*, n FROM doc JOIN (VALUES (1, 1), (2, 1), (2, 2), (3, 1)) j(id, n) USING (id)", Children: children, Batch: 2})
		var got []string
		for b, err := range table.Range(t.Context(), doc.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range b.Docs {
				got = append(got, d.OID.String())
			}
		}
		if want := 4; len(got) != want {
			t.Errorf("got documents %v, want %d, row 2 twice", got, want)
		}
	}
}
