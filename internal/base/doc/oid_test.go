package doc

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// compareNumbers compares decimals with the library's arithmetic.
func compareNumbers(a, b Number) int {
	rank := map[Number]int{"-Infinity": -1, "Infinity": 1, "NaN": 2}
	if rank[a] != 0 || rank[b] != 0 {
		return cmp.Compare(rank[a], rank[b])
	}
	x, _ := new(big.Rat).SetString(string(a))
	y, _ := new(big.Rat).SetString(string(b))
	return x.Cmp(y)
}

// compareParts compares keys in the order that the encoding must have.
func compareParts(a, b []any) int {
	for i := range a {
		var order int
		switch x := a[i].(type) {
		case int64:
			order = cmp.Compare(x, b[i].(int64))
		case string:
			order = cmp.Compare(x, b[i].(string))
		case [16]byte:
			y := b[i].([16]byte)
			order = bytes.Compare(x[:], y[:])
		case Number:
			order = compareNumbers(x, b[i].(Number))
		case float64:
			order = cmp.Compare(x, b[i].(float64))
		case bool:
			order = map[bool]int{true: 1}[x] - map[bool]int{true: 1}[b[i].(bool)]
		case Blob:
			order = cmp.Compare(x, b[i].(Blob))
		case Day:
			order = cmp.Compare(x, b[i].(Day))
		case UTC:
			order = cmp.Compare(x, b[i].(UTC))
		case Local:
			order = cmp.Compare(x, b[i].(Local))
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func mustOID(t rapid.TB, parts ...any) OID {
	t.Helper()
	oid, err := NewOID(parts...)
	if err != nil {
		t.Fatalf("key of %v: %v", parts, err)
	}
	return oid
}

func TestOIDOrderIsKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := drawKinds(t)
		a, b := drawParts(t, kinds), drawParts(t, kinds)
		got := cmp.Compare(mustOID(t, a...), mustOID(t, b...))
		if want := compareParts(a, b); got != want {
			t.Fatalf("%v against %v: got order %d, want %d", a, b, got, want)
		}
	})
}

func TestOIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := drawKinds(t)
		want := drawParts(t, kinds)
		oid := mustOID(t, want...)
		got, err := oid.Parts()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("parts: got %v, want %v", got, want)
		}
		printed := oid.String()
		parsed, err := ParseOID(printed, kinds)
		if err != nil {
			t.Fatal(err)
		}
		if parsed != oid {
			t.Fatalf("%q: got key %x, want %x", printed, string(parsed), string(oid))
		}
		if i := strings.IndexByte(printed, '/'); i >= 0 {
			t.Fatalf("%q has a slash: it could not stand in a path", printed)
		}
	})
}

// Pages, indexes and logs store this layout, so it must not change.
func TestOIDLayout(t *testing.T) {
	uuid := [16]byte{0x55, 0x0e, 0x84, 0x00, 0xe2, 0x9b, 0x41, 0xd4, 0xa7, 0x16, 0x44, 0x66, 0x55, 0x44, 0x00, 0x00}
	tests := []struct {
		parts   []any
		layout  string
		printed string
	}{
		{[]any{int64(0)}, "118000000000000000", "0"},
		{[]any{int64(7)}, "118000000000000007", "7"},
		{[]any{int64(-1)}, "117fffffffffffffff", "-1"},
		{[]any{int64(math.MinInt64)}, "110000000000000000", "-9223372036854775808"},
		{[]any{int64(math.MaxInt64)}, "11ffffffffffffffff", "9223372036854775807"},
		{[]any{""}, "2100", ""},
		{[]any{"a"}, "216100", "a"},
		{[]any{"\x00"}, "2100ff00", "\x00"},
		{[]any{"50%,a/b"}, "213530252c612f6200", "50%25%2Ca%2Fb"},
		{[]any{uuid}, "31550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{[]any{"", ""}, "21002100", ","},
		{[]any{true, false}, "17011700", "true,false"},
		{[]any{Blob("\x00\xff")}, "2300ffff00", "00ff"},
		{[]any{1.5}, "15bff8000000000000", "1.5"},
		{[]any{-1.5}, "154007ffffffffffff", "-1.5"},
		{[]any{math.Copysign(0, -1)}, "158000000000000000", "0"},
		{[]any{math.Float64frombits(0xfff8000000000123)}, "15ffffffffffffffff", "NaN"},
		{[]any{math.Inf(-1), 1e300, 1e6}, "15000fffffffffffff15fe37e43c8800759c15c12e848000000000", "-Infinity,1e+300,1000000"},
		{[]any{Number("-0.00")}, "1303", "0"},
		{[]any{Number("+01.50")}, "1304800000011000", "1.5"},
		{[]any{Number("-123.4")}, "13027ffffffcf2dcff", "-123.4"},
		{[]any{Number("1200")}, "1304800000040d00", "1200"},
		{[]any{Number(".00012")}, "13047ffffffd0d00", "0.00012"},
		{[]any{Number("NaN"), Number("Infinity"), Number("-Infinity")}, "130613051301", "NaN,Infinity,-Infinity"},
		{[]any{Day(0)}, "418000000000000000", "2000-01-01"},
		{[]any{Day(9542)}, "418000000000002546", "2026-02-15"},
		{[]any{Day(-746117)}, "417ffffffffff49d7b", "0044-03-15 BC"},
		{[]any{Day(math.MaxInt64), Day(math.MinInt64)}, "41ffffffffffffffff410000000000000000", "infinity,-infinity"},
		{[]any{UTC(-1)}, "437fffffffffffffff", "1999-12-31T23:59:59.999999Z"},
		{[]any{Local(86400e6)}, "45800000141dd76000", "2000-01-02T00:00:00.000000"},
		{[]any{int64(1), "x", uuid}, "11800000000000000121780031550e8400e29b41d4a716446655440000", "1,x,550e8400-e29b-41d4-a716-446655440000"},
	}
	for _, tt := range tests {
		oid := mustOID(t, tt.parts...)
		if got := fmt.Sprintf("%x", string(oid)); got != tt.layout {
			t.Errorf("%v: got layout %s, want %s", tt.parts, got, tt.layout)
		}
		if got := oid.String(); got != tt.printed {
			t.Errorf("%v: got %q, want %q", tt.parts, got, tt.printed)
		}
	}
}

func TestInvalidPartsAreErrors(t *testing.T) {
	tests := []struct {
		parts []any
		want  string
	}{
		{nil, "a key needs at least one part"},
		{[]any{int64(1), nil}, "key part 2 is NULL"},
		{[]any{7}, "key part 1 has type int, which no key has"},
		{[]any{Number("1e3")}, `key part 1 can't be encoded: "1e3" is not a decimal`},
		{[]any{Number("")}, `key part 1 can't be encoded: "" is not a decimal`},
		{[]any{endDay}, "key part 1 is a date out of range: day 2145031949"},
		{[]any{UTC(endMicrosecond)}, "key part 1 is a time out of range: microsecond 9223371331200000000"},
		{[]any{Local(firstMicrosecond) - 1}, "key part 1 is a time out of range: microsecond -211813488000000001"},
		{[]any{"a", "\xff"}, "key part 2 is not valid UTF-8"},
	}
	for _, tt := range tests {
		oid, err := NewOID(tt.parts...)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v: got error %v, want %s", tt.parts, err, tt.want)
		}
		if oid != "" {
			t.Errorf("%v: got key %x beside the error, want none", tt.parts, string(oid))
		}
	}
}

// hostileKeys are bytes that NewOID never returns.
var hostileKeys = []OID{
	"",
	"7",
	"\x00",
	"\x11",
	"\x11\x80\x00\x00\x00\x00\x00\x00",
	"\x11\x80\x00\x00\x00\x00\x00\x00\x07\x11",
	"\x21",
	"\x21a",
	"\x21\x00\xff",
	"\x21\xff\x00",
	"\x21a\x00b",
	"\x31\x55\x0e",
	"\x41a\x00",
	"\x17\x02",
	"\x15\xff\xf8\x00\x00\x00\x00\x00\x00", // another NaN
	"\x15\x7f\xff\xff\xff\xff\xff\xff\xff", // -0
	"\x13",
	"\x13\x07",
	"\x13\x04\x80\x00\x00\x01\x00",         // no digits
	"\x13\x04\x80\x00\x00\x01\x02\x00",     // 01
	"\x13\x04\x80\x00\x00\x01\x0b\x01\x00", // 10 00
	"\x13\x04\x80\x00\x00\x01\x66\x00",     // 101
	"\x13\x04\xff\x00\x00\x01\x0b\x00",     // a huge exponent
	"\x13\x02\x7f\xff\xff\xfe\xf4\x00",     // no end
	"\x41\x70\x00\x00\x00\x00\x00\x00\x00",
	"\x43\xff\xff\xff\xff\xff\xff\xff\xfe",
}

func TestInvalidKeysHaveNoPartsAndPrintAsHex(t *testing.T) {
	for _, oid := range hostileKeys {
		if parts, err := oid.Parts(); err == nil {
			t.Errorf("%x: got parts %v, want an error", string(oid), parts)
		}
		if got, want := oid.String(), fmt.Sprintf("0x%x", string(oid)); got != want {
			t.Errorf("%x: got %q, want %q", string(oid), got, want)
		}
	}
}

func TestUnparsableKeysAreErrors(t *testing.T) {
	tests := []struct {
		text  string
		kinds []Kind
		want  string // in the error
	}{
		{"", []Kind{Integer}, `"" is not an integer of 64 bits`},
		{"7x", []Kind{Integer}, `"7x" is not an integer of 64 bits`},
		{"9223372036854775808", []Kind{Integer}, "is not an integer of 64 bits"},
		{"7,8", []Kind{Integer}, `"7,8" is not an integer of 64 bits`},
		{"7", []Kind{Integer, Text}, "has 1 parts: this table's key has 2, joined by commas"},
		{"7,a,b", []Kind{Integer, Text}, "has 3 parts: this table's key has 2, joined by commas"},
		{"7", nil, "has 1 parts: this table's key has 0"},
		{"50%", []Kind{Text}, "a '%' is written %25"},
		{"50%2", []Kind{Text}, "a '%' is written %25"},
		{"50%zz", []Kind{Text}, "a '%' is written %25"},
		{"%FF", []Kind{Text}, "not valid UTF-8"},
		{"550e8400-e29b-41d4-a716-44665544000", []Kind{UUID}, "is not a UUID"},
		{"550e8400-e29b-41d4-a716-44665544000000", []Kind{UUID}, "is not a UUID"},
		{"ggge8400-e29b-41d4-a716-446655440000", []Kind{UUID}, "is not a UUID"},
		{"7", []Kind{0x55}, "unknown kind 0x55"},
		{"1e3", []Kind{Decimal}, "is not a decimal"},
		{".", []Kind{Decimal}, "is not a decimal"},
		{"--1", []Kind{Decimal}, "is not a decimal"},
		{"x", []Kind{Real}, "is not a number of 64 bits"},
		{"1", []Kind{Boolean}, "is neither true nor false"},
		{"0", []Kind{Bytes}, "is not bytes in hex"},
		{"2026-02-29", []Kind{Date}, "is not a date like"},
		{"2026-2-9", []Kind{Date}, "is not a date like"},
		{"0000-01-01", []Kind{Date}, "is not a date like"},
		{"2026-01-01T00:00:00", []Kind{Date}, "is not a date like"},
		{"5874898-01-01", []Kind{Date}, "is not a date like"},
		{"2026-01-01T00:00:00", []Kind{Instant}, "is not a time like"},
		{"2026-01-01T24:00:00Z", []Kind{Instant}, "is not a time like"},
		{"294277-01-01T00:00:00Z", []Kind{Instant}, "is not a time like"},
		{"2026-01-01T00:00:00.Z", []Kind{Instant}, "is not a time like"},
		{"2026-01-01T00:00:00Z", []Kind{Wall}, "is not a time like"},
	}
	for _, tt := range tests {
		oid, err := ParseOID(tt.text, tt.kinds)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q as %v: got key %x and error %v, want error %q", tt.text, tt.kinds, string(oid), err, tt.want)
		}
	}
}

func TestParseOIDForgives(t *testing.T) {
	tests := []struct {
		text string
		kind Kind
		want string
	}{
		{"a,b", Text, "a%2Cb"}, // one part needs no escaped comma
		{"%2c", Text, "%2C"},
		{"007", Integer, "7"},
		{"+007.50", Decimal, "7.5"},
		{"1.", Decimal, "1"},
		{"-0", Real, "0"},
		{"00FF", Bytes, "00ff"},
		{"2026-02-15 01:00:00.5+02:00", Instant, "2026-02-14T23:00:00.500000Z"},
		{"0044-03-15 01:02:03+00 BC", Instant, "0044-03-15T01:02:03.000000Z BC"},
		{"2026-02-15 01:00:00", Wall, "2026-02-15T01:00:00.000000"},
		{"12026-02-15", Date, "12026-02-15"},
		{"550E8400E29B41D4A716446655440000", UUID, "550e8400-e29b-41d4-a716-446655440000"},
	}
	for _, tt := range tests {
		oid, err := ParseOID(tt.text, []Kind{tt.kind})
		if err != nil || oid.String() != tt.want {
			t.Errorf("%q: got %v, error %v, want %s", tt.text, oid, err, tt.want)
		}
	}
}

// FuzzParts checks that bytes are either a key, which has one encoding, or an error.
func FuzzParts(f *testing.F) {
	for _, oid := range hostileKeys {
		f.Add(string(oid))
	}
	f.Add("\x11\x80\x00\x00\x00\x00\x00\x00\x07")
	f.Add("\x13\x02\x7f\xff\xff\xfc\xf2\xdd\xff\x17\x01\x23\x00\xff\x00\x41\x80\x00\x00\x00\x00\x00\x25\x46")
	f.Add("\x21a\x00\xffb\x00\x31\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00")
	f.Fuzz(func(t *testing.T, key string) {
		parts, err := OID(key).Parts()
		if err != nil {
			if len(parts) != 0 {
				t.Fatalf("got parts %v beside error %v, want none", parts, err)
			}
			return
		}
		if got := mustOID(t, parts...); string(got) != key {
			t.Fatalf("%v: got key %x, want %x", parts, string(got), key)
		}
	})
}

// FuzzParseOID checks that a text is either one key, which prints one way, or an error.
func FuzzParseOID(f *testing.F) {
	for _, text := range []string{"7", "-0", "1.50", "-1e300", "true", "00ff", "2026-02-15", "0044-03-15 BC", "2026-02-15T01:02:03.5Z", "-infinity", "a,b", "50%25", "%", "550e8400-e29b-41d4-a716-446655440000", ",,"} {
		f.Add(text, []byte{0})
		f.Add(text, []byte{1, 0})
		for kind := range byte(10) {
			f.Add(text, []byte{kind})
		}
	}
	all := slices.Sorted(maps.Keys(kindNames))
	f.Fuzz(func(t *testing.T, text string, shape []byte) {
		kinds := make([]Kind, len(shape))
		for i, s := range shape {
			kinds[i] = all[int(s)%len(all)]
		}
		oid, err := ParseOID(text, kinds)
		if err != nil {
			return
		}
		again, err := ParseOID(oid.String(), kinds)
		if err != nil || again != oid {
			t.Fatalf("%q prints as %q: got key %x, error %v, want %x", text, oid, string(again), err, string(oid))
		}
	})
}
