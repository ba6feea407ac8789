package sqlserver

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

func typed(text, collation string) *dialect.Column {
	c := newColumn("c", newNative(text, collation))
	return &c
}

// TestTypes: a type, its kind of key, a parameter that is compared with it, and the
// bytes that a digest has of it.
func TestTypes(t *testing.T) {
	t.Parallel()
	const cast = "CAST(@p1 AS "
	for _, c := range []struct {
		text, collation string
		kind            doc.Kind
		parameter       string
		selected, bytes string
	}{
		{"bigint", "", doc.Integer, "@p1", "c", "CAST(c AS varbinary(20))"},
		{"bit", "", doc.Boolean, "@p1", "c", "CAST(c AS varbinary(20))"},
		{"decimal(10,0)", "", doc.Integer, cast + "decimal(38,6))", "c", "CAST(c AS varbinary(20))"},
		{"decimal(38,0)", "", doc.Integer, cast + "decimal(38,0))", "c", "CAST(c AS varbinary(20))"},
		{"numeric(20,9)", "", doc.Decimal, cast + "decimal(38,9))", "c", "CAST(c AS varbinary(20))"},
		{"money", "", 0, "@p1", "c", "CAST(c AS varbinary(20))"},
		{"real", "", 0, "@p1", "c", "CAST(c AS varbinary(20))"},
		{"nvarchar(100)", "Latin1_General_CI_AS", doc.Text, "@p1", "c", "CAST(CAST(c AS nvarchar(max)) AS varbinary(max))"},
		{"varchar(20)", "Greek_CI_AS", doc.Text, "CAST(@p1 COLLATE Greek_CI_AS AS varchar(8000))", "c", "CAST(CAST(c AS varchar(max)) AS varbinary(max))"},
		{"varchar(max)", "Greek_CI_AS", doc.Text, "CAST(@p1 COLLATE Greek_CI_AS AS varchar(max))", "c", "CAST(CAST(c AS varchar(max)) AS varbinary(max))"},
		{"xml", "", 0, "@p1", "c", "CAST(CAST(c AS nvarchar(max)) AS varbinary(max))"},
		{"uniqueidentifier", "", doc.UUID, "@p1", "c", "CAST(c AS varbinary(20))"},
		{"binary(16)", "", doc.UUID, "@p1", "c", "CAST(c AS varbinary(max))"},
		{"binary(17)", "", 0, "@p1", "c", "CAST(c AS varbinary(max))"},
		{"datetime", "", 0, cast + "datetime)", "c", "CAST(c AS varbinary(20))"},
		{"datetime2(3)", "", 0, cast + "datetime2(3))", "c", "CAST(c AS varbinary(20))"},
		{"hierarchyid", "", 0, "@p1", "c.ToString()", "CAST(c AS varbinary(max))"},
		{"sql_variant", "", 0, "@p1", "CAST(c AS nvarchar(4000))", "CAST(CAST(SQL_VARIANT_PROPERTY(c, 'BaseType') AS nchar(128)) AS varbinary(256)) + CAST(c AS varbinary(8000))"},
		{"json", "", 0, "@p1", "CAST(c AS nvarchar(max))", "CAST(CAST(c AS nvarchar(max)) AS varbinary(max))"},
	} {
		column, d := typed(c.text, c.collation), &DB{}
		got := []any{column.Kind, d.Placeholder(1, column), d.Select(column, "c"), nativeOf(column).bytes("c")}
		for i, want := range []any{c.kind, c.parameter, c.selected, c.bytes} {
			if got[i] != want {
				t.Errorf("%s: got %v, want %v", c.text, got[i], want)
			}
		}
	}
	if !typed("uniqueidentifier", "").Apart || typed("bigint", "").Apart {
		t.Error("only a uniqueidentifier has an order of its own")
	}
}

// TestBounds: a bound is the first value of the column's type that is not before the
// time, within the type's range.
func TestBounds(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse("2006-01-02T15:04:05", s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ text, at, want string }{
		{"datetime", "2024-03-01T10:00:00", "2024-03-01T10:00:00.000"},
		{"datetime", "2024-03-01T10:00:00.000001", "2024-03-01T10:00:00.003"},
		{"datetime", "2024-03-01T10:00:00.003", "2024-03-01T10:00:00.003"},
		{"datetime", "2024-03-01T10:00:00.003334", "2024-03-01T10:00:00.007"},
		{"datetime", "2024-12-31T23:59:59.997001", "2025-01-01T00:00:00.000"},
		{"datetime", "0001-01-01T00:00:00", "1753-01-01T00:00:00.000"},
		{"datetime", "9999-12-31T23:59:59.999", "9999-12-31T23:59:59.997"},
		{"smalldatetime", "2024-03-01T10:00:00.1", "2024-03-01T10:01:00"},
		{"smalldatetime", "2500-03-01T10:00:00", "2079-06-06T23:59:00"},
		{"datetime2(0)", "2024-03-01T10:00:00.1", "2024-03-01T10:00:01.000000"},
		{"datetime2(3)", "2024-03-01T10:00:00.1001", "2024-03-01T10:00:00.101000"},
		{"datetime2(7)", "2024-03-01T10:00:00.000001", "2024-03-01T10:00:00.000001"},
		{"datetimeoffset(7)", "2024-03-01T10:00:00.000001", "2024-03-01T10:00:00.000001Z"},
		{"date", "2024-03-01T10:00:00", "2024-03-02"},
	} {
		if got := typed(c.text, "").Clock.Write(at(c.at)); got != c.want {
			t.Errorf("%s of %s: got %v, want %s", c.text, c.at, got, c.want)
		}
	}
	if got := typed("date", "").Clock.Write(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)); got != "9999-12-31" {
		t.Errorf("got %v, want the last day", got)
	}
}

// TestTicks: of the datetimes around a time, ceilTick returns the first that is not
// before it. The driver shows a tick rounded to milliseconds.
func TestTicks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	second := time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC)
	shown := func(tick int) time.Time {
		return second.Add(time.Duration(float64(tick)/0.3+0.5) * time.Millisecond)
	}
	for range 10_000 {
		at := second.Add(time.Duration(random.IntN(1_000_000)) * time.Microsecond)
		want := 0
		for shown(want).Before(at) {
			want++
		}
		if got := ceilTick(at); !got.Equal(shown(want)) {
			t.Fatalf("%v: got %v, want %v", at, got, shown(want))
		}
	}
}

// TestValues: what the driver returns, as a raw value and as a document's value.
func TestValues(t *testing.T) {
	t.Parallel()
	guid := []byte{0x99, 0xbc, 0xee, 0xa0, 0x0b, 0x9c, 0xf8, 0x4e, 0xbb, 0x6d, 0x6b, 0xb9, 0xbd, 0x38, 0x0a, 0x11}
	at := time.Date(2024, 2, 29, 1, 2, 3, 120_000_000, time.UTC)
	for _, c := range []struct {
		text, driver string
		value        any
		want         string
	}{
		{"int", "INT", int64(5), "5"},
		{"bit", "BIT", true, "true"},
		{"real", "REAL", float64(float32(0.1)), "0.1"},
		{"float", "FLOAT", 0.1, "0.1"},
		{"decimal(10,4)", "DECIMAL", []byte("1234.5000"), "1234.5000"},
		{"money", "MONEY", []byte("-0.0001"), "-0.0001"},
		{"smallmoney", "SMALLMONEY", []byte("5.0000"), "5.0000"},
		{"char(5)", "CHAR", "ab   ", "ab"},
		{"nchar(5)", "NCHAR", "é    ", "é"},
		{"varchar(5)", "VARCHAR", "ab ", "ab "},
		{"nvarchar(5)", "NVARCHAR", "\ufffd", "\ufffd"},
		{"xml", "XML", "<a b='c'>d</a>", "c d"},
		{"json", "NVARCHAR", `{"a": 1}`, `{"a": 1}`},
		{"varbinary(5)", "VARBINARY", []byte{0, 255}, `\x00ff`},
		{"timestamp", "BINARY", []byte{0, 0, 0, 0, 0, 0, 7, 209}, `\x00000000000007d1`},
		{"binary(16)", "BINARY", guid, "99bceea0-0b9c-f84e-bb6d-6bb9bd380a11"},
		{"uniqueidentifier", "UNIQUEIDENTIFIER", guid, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"date", "DATE", at, "2024-02-29"},
		{"time(3)", "TIME", at, "01:02:03.120000"},
		{"datetime", "DATETIME", at, "2024-02-29T01:02:03.120"},
		{"smalldatetime", "SMALLDATETIME", at, "2024-02-29T01:02:03"},
		{"datetime2(7)", "DATETIME2", at.Add(100), "2024-02-29T01:02:03.1200001"},
		{"datetime2(3)", "DATETIME2", at, "2024-02-29T01:02:03.120000"},
		{"datetimeoffset(7)", "DATETIMEOFFSET", at.In(time.FixedZone("", 7200)), "2024-02-29T01:02:03.120000Z"},
	} {
		var raw any
		if err := (scanner{&raw, c.driver}).Scan(c.value); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		column := typed(c.text, "")
		value, err := column.Value(raw)
		if err != nil || fmt.Sprint(value) != c.want {
			t.Errorf("%s: got %v, %v, want %s", c.text, value, err, c.want)
		}
		if column.Clock != nil {
			read, err := column.Clock.Parse(raw)
			if err != nil || column.Clock.Form != dialect.Day && !read.Equal(at.Truncate(time.Microsecond)) && c.text != "smalldatetime" {
				t.Errorf("%s: got the time %v of %v, %v", c.text, read, raw, err)
			}
		}
	}
}

// TestParameters: a text without a column is compared with Tie's bytes, and a UUID is
// sent in the order of its column.
func TestParameters(t *testing.T) {
	t.Parallel()
	uuid := [16]byte{1, 2, 3}
	for _, c := range []struct {
		arg  dialect.Arg
		want any
	}{
		{dialect.Arg{Value: "a𝄞"}, "a\x00\x34\xd8\x1e\xdd\x01"},
		{dialect.Arg{Value: ""}, "\x01"},
		{dialect.Arg{Value: "a", As: typed("nvarchar(5)", "")}, "a"},
		{dialect.Arg{Value: int64(5)}, int64(5)},
		{dialect.Arg{Value: uuid, As: typed("uniqueidentifier", "")}, mssql.UniqueIdentifier(uuid)},
		{dialect.Arg{Value: uuid[:], As: typed("uniqueidentifier", "")}, mssql.UniqueIdentifier(uuid)},
		{dialect.Arg{Value: uuid, As: typed("binary(16)", "")}, string(uuid[:])},
	} {
		got := vendor{}.Value(c.arg)
		if bytes, ok := got.([]byte); ok {
			got = string(bytes)
		}
		if got != c.want {
			t.Errorf("%v: got %v, want %v", c.arg, got, c.want)
		}
	}
}
