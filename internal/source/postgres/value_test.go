package postgres

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	_ "indexerd/internal/test/nofailfile"
	"indexerd/internal/test/pgtest"
)

// digitsOf returns a number of n digits.
func digitsOf(n int) string { return strings.Repeat("1234567890", n/10) }

// lists returns n empty lists, each in the next.
func lists(n int) any {
	list := []any{}
	for range n - 1 {
		list = []any{list}
	}
	return list
}

func TestValues(t *testing.T) {
	t.Parallel()
	table := []struct {
		sql  string
		want any
	}{
		{"true", true}, {"false", false}, {"NULL::int", nil}, {"32767::smallint", int64(32767)}, {"-5", int64(-5)},
		{"9223372036854775807::bigint", int64(9223372036854775807)}, {"0.1::real", 0.1}, {"1e-300::float8", 1e-300},
		{"'-0'::float8", 0.0}, // equal to -0
		{"12345678901234567890.10::numeric", json.Number("12345678901234567890.10")}, {"-0.5::numeric", json.Number("-0.5")}, {"''", ""},
		{"'a\nb \"ä\" 漢字'", "a\nb \"ä\" 漢字"}, {"'ab '::char(5)", "ab"}, {"'ab '::varchar(5)", "ab "}, {"'\\x00ff'::bytea", `\x00ff`},
		{"'2024-02-29'::date", "2024-02-29"}, {"'0044-03-15 BC'::date", "0044-03-15 BC"},
		{"'2024-02-29 01:02:03'::timestamp", "2024-02-29T01:02:03.000000"},
		{"'2024-02-29 01:02:03.12'::timestamp", "2024-02-29T01:02:03.120000"},
		{"'2024-02-29 01:02:03.123456+05:30'::timestamptz", "2024-02-28T19:32:03.123456Z"}, {"'infinity'::timestamptz", "infinity"},
		{"'12345-01-01'::timestamptz", "12345-01-01 00:00:00+00"}, {"'01:02:03.5'::time", "01:02:03.5"},
		{"'1 year 2 days 03:04:05'::interval", "1 year 2 days 03:04:05"},
		{"'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"'10.0.0.1/8'::inet", "10.0.0.1/8"},
		{`'{"a": 1}'::json`, doc.JSON(`{"a": 1}`)}, {`'{"b":2, "a": 1}'::jsonb`, doc.JSON(`{"a": 1, "b": 2}`)}, {`'<a b="c">d</a>'::xml`, "c d"},
		{"to_tsvector('simple', 'b a')", "'a':2 'b':1"}, {"12.5::money", "$12.50"}, {"'happy'::mood", "happy"}, {"5::positive", int64(5)},
		{"ROW(1, 'a b')", `(1,"a b")`}, {"'[1,5)'::int4range", "[1,5)"}, {"'1 2'::oidvector", "1 2"},
		{"ARRAY[1, NULL, 3]", []any{int64(1), nil, int64(3)}}, {"ARRAY[]::text[]", []any{}},
		{`ARRAY['a,b', 'NULL', '', '"', '\', '{}', ' x ']`, []any{"a,b", "NULL", "", `"`, `\`, "{}", " x "}},
		{"ARRAY[[1,2],[3,4]]", []any{[]any{int64(1), int64(2)}, []any{int64(3), int64(4)}}},
		{"'[0:1]={7,8}'::int[]", []any{int64(7), int64(8)}}, {"ARRAY[1.50, 2]::numeric[]", []any{json.Number("1.50"), json.Number("2")}},
		{"ARRAY['2024-01-01Z']::timestamptz[]", []any{"2024-01-01T00:00:00.000000Z"}}, {"ARRAY['happy']::mood[]", []any{"happy"}},
		{"ARRAY[5]::positive[]", []any{int64(5)}}, {"ARRAY[true, false]", []any{true, false}},
		{"ARRAY['(1,2),(3,4)']::box[]", "{(3,4),(1,2)}"}, {"'   '::text", "   "}, {`E'\r\n\t\f'::text`, "\r\n\t\f"},
		{"(chr(1) || chr(27) || chr(31) || chr(127))", "\x01\x1b\x1f\x7f"}, {"(chr(128) || chr(159))", "\u0080\u009f"},
		{"(chr(65534))", "\ufffe"}, {"(chr(65535))", "\uffff"}, {"(chr(65533))", "\ufffd"}, {"(chr(57344))", "\ue000"},
		{"(chr(1114111))", "\U0010ffff"}, {"(chr(128512))", "😀"}, {"(chr(128104) || chr(8205) || chr(128105))", "👨\u200d👩"},
		{"('e' || chr(769))", "e\u0301"}, {"(chr(769))", "\u0301"}, {"(chr(8207) || 'a' || chr(8238))", "\u200fa\u202e"},
		{"(chr(65279) || 'a')", "\ufeffa"}, {"(chr(160) || chr(8203) || chr(12288))", "\u00a0\u200b\u3000"},
		{"(chr(8232))", "\u2028"}, {`$$"'\"\\u0000$$::text`, `"'\"\\u0000`}, {"'NULL'::text", "NULL"},
		{"'<script>&amp;</script>'::text", "<script>&amp;</script>"}, {"('''; DROP TABLE doc; --')::text", "'; DROP TABLE doc; --"},
		{"(repeat('w', 1000000))::text", strings.Repeat("w", 1000000)}, {"'  '::char(5)", ""}, {`'x'::"char"`, "x"},
		{`'\x'::bytea`, `\x`}, {`'\x0001ff'::bytea`, `\x0001ff`},
		{"((repeat('[', 1000) || repeat(']', 1000))::json)", lists(1000)},
		{`'{"a" :1,"a":2}'::json`, doc.JSON(`{"a" :1,"a":2}`)}, {`'"\u0000"'::json`, "\x00"}, {"'null'::jsonb", nil}, {"'[1, 2]'::jsonb", []any{int64(1), int64(2)}},
		{`$$'it''s':1A 'a'$$::tsvector`, "'a' 'it''s':1A"}, {"'a & !b'::tsquery", "'a' & !'b'"},
		{"(-9223372036854775808)::bigint", int64(-9223372036854775808)}, {"(-32768)::smallint", int64(-32768)},
		{"0::int", int64(0)}, {"5e-324::float8", 5e-324}, {"1.7976931348623157e308::float8", 1.7976931348623157e308},
		{"3.4028235e38::real", 3.4028235e38}, {digitsOf(1000) + "::numeric", json.Number(digitsOf(1000))},
		{"0." + digitsOf(1000) + "::numeric", json.Number("0." + digitsOf(1000))},
		{"1.5::numeric(10,4)", json.Number("1.5000")}, {"1e30::numeric", json.Number("1" + strings.Repeat("0", 30))},
		{"(-12345.67)::money", "-$12,345.67"}, {"4294967295::oid", "4294967295"}, {"B'0101'::bit(4)", "0101"},
		{"B''::varbit", ""}, {"'-infinity'::timestamp", "-infinity"},
		{"'0044-03-15 12:00:00Z BC'::timestamptz", "0044-03-15 12:00:00+00 BC"},
		{"'0044-03-15 12:00:00 BC'::timestamp", "0044-03-15 12:00:00 BC"},
		{"'0044-03-15 12:00:00.5 BC'::timestamp", "0044-03-15 12:00:00.5 BC"},
		{"'294276-12-31 23:59:59.999999Z'::timestamptz", "294276-12-31 23:59:59.999999+00"},
		{"'9999-12-31 23:59:59.999999Z'::timestamptz", "9999-12-31T23:59:59.999999Z"},
		{"'2024-02-29 24:00:00'::timestamp", "2024-03-01T00:00:00.000000"}, {"'infinity'::date", "infinity"},
		{"'4713-01-01 BC'::date", "4713-01-01 BC"}, {"'5874897-12-31'::date", "5874897-12-31"},
		{"'24:00:00'::time", "24:00:00"}, {"'01:02:03.000001+15:59'::timetz", "01:02:03.000001+15:59"},
		{"'-1 year 2 days -00:00:00.000001'::interval", "-1 years +2 days -00:00:00.000001"},
		{"ARRAY[[[1], [2]]]::int[]", []any{[]any{[]any{int64(1)}, []any{int64(2)}}}},
		{`ARRAY['{"a": [1, 2]}'::json]::json[]`, []any{doc.JSON(`{"a": [1, 2]}`)}}, {`ARRAY['\x00'::bytea]::bytea[]`, []any{`\x00`}},
		{`ARRAY[ROW(1, 'a,"b"')::pair]::pair[]`, []any{`(1,"a,""b""")`}}, {"ROW(NULL, '')::pair", `(,"")`},
		{"'00000000-0000-0000-0000-000000000000'::uuid", "00000000-0000-0000-0000-000000000000"},
		{"'10.0.0.0/8'::cidr", "10.0.0.0/8"}, {"'08002b:010203'::macaddr", "08:00:2b:01:02:03"},
		{"'empty'::int4range", "empty"}, {"'[2024-01-01Z,)'::tstzrange", `["2024-01-01 00:00:00+00",)`},
		{"'{[1,2),[5,9)}'::int4multirange", "{[1,2),[5,9)}"}, {"'(1e300,NaN)'::point", "(1e+300,NaN)"},
		{"'16/B374D848'::pg_lsn", "16/B374D848"},
	}
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE TYPE pair AS (a int, b text)")
	var columns []string
	for i, c := range table {
		columns = append(columns, fmt.Sprintf("%s AS c%d", c.sql, i))
	}
	x := begun(t, openDB(t, dsn))
	d := describe(t, x, "SELECT "+strings.Join(columns, ", "))
	got := values(t, x, d)[0]
	for i, c := range table {
		if !reflect.DeepEqual(got[i], c.want) {
			t.Errorf("%s: got %#v, want %#v", c.sql, got[i], c.want)
		}
	}
	row := doc.Row{Names: make([]string, len(got)), Values: got}
	if _, err := row.AppendJSON(nil); err != nil {
		t.Errorf("got %v, want a row that can be stored", err)
	}
}

// values returns the converted values of all rows of an SQL. A value that can't be
// converted is its error.
func values(t *testing.T, x *session, d *dialect.Described) (rows [][]any) {
	t.Helper()
	_, err := x.Query(t.Context(), dialect.Statement{SQL: everything(d.Wrapped), Reads: []*dialect.Described{d}}, func(raw []any) bool {
		row := make([]any, len(raw))
		for i, v := range raw {
			if v == nil {
				continue
			}
			var err error
			if row[i], err = d.Columns[i].Value(v); err != nil {
				row[i] = err
			}
		}
		rows = append(rows, row)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestUnusableValues(t *testing.T) {
	t.Parallel()
	x := begun(t, openDB(t, pgtest.DB(t)))
	for value, want := range map[string]string{
		"'NaN'::float8":       "NaN is no number that can be indexed",
		"'-Infinity'::real":   "-Infinity is no number that can be indexed",
		"'NaN'::numeric":      "NaN is no number that can be indexed",
		"'Infinity'::numeric": "Infinity is no number that can be indexed",
		"'{1,NaN}'::float8[]": "[1 NaN]",
	} {
		d := describe(t, x, "SELECT "+value+" AS v")
		if got := values(t, x, d)[0][0]; fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", value, got, want)
		}
	}
}

func TestArrayIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.String()).Draw(t, "items")
		got, err := arrayDecoder(decodeText)(arrayOf(items))
		if err != nil {
			t.Fatal(err)
		}
		want := []any{}
		for _, item := range items {
			want = append(want, item)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func FuzzArray(f *testing.F) {
	for _, s := range []string{"{}", "{1,NULL}", `{"a\"b",c}`, "{{1},{2}}", "[0:1]={7,8}", "{", `{"`, `{"\`, "{,}", "{1}x", "[", "{{{{{{{1}}}}}}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := arrayDecoder(decodeText)(s)
		if err != nil {
			return
		}
		if _, ok := v.([]any); !ok {
			t.Errorf("got %#v for %q, want a list", v, s)
		}
		row := doc.Row{Names: []string{"v"}, Values: []any{v}}
		if _, err := row.AppendJSON(nil); err != nil {
			t.Errorf("got %v for %q, want a value that can be stored", err, s)
		}
	})
}
