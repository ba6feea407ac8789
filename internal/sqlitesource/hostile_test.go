package sqlitesource

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A hostile row has an unusual value in one column, between two ordinary rows. It
// becomes a document with this key, updateTime and value, or a reject with this
// reason.
type hostile struct {
	name      string
	id, u, v  string // SQL; "": an ordinary value
	declared  string // type of the column under test, if not the usual one
	key       string // of the document, as printed, if the key is under test
	updated   string // "": that of the ordinary rows; "none": NULL
	value     any    // of v; nil: NULL
	reason    string // of the reject
	keyless   bool   // the reject has no key
	sound     string // updateTime of the ordinary rows
	documents int    // 0: 1
	noWindow  bool   // no window contains its updateTime
}

var hostileValues = []hostile{
	{name: "NULL", v: "NULL", value: nil},
	{name: "empty text", v: "''", value: ""},
	{name: "space", v: "' '", value: " "},
	{name: "tabs and newlines", v: "char(9, 10, 13)", value: "\t\n\r"},
	{name: "NUL in text", v: "'a' || char(0) || 'b'", value: "a\x00b"},
	{name: "NUL alone", v: "char(0)", value: "\x00"},
	{name: "control characters", v: "char(1, 7, 27, 31, 127)", value: "\x01\x07\x1b\x1f\x7f"},
	{name: "C1 control characters", v: "char(128, 133, 159)", value: "\u0080\u0085\u009f"},
	{name: "emoji", v: "'👍🏽👨‍👩‍👧'", value: "👍🏽👨‍👩‍👧"},
	{name: "last code point", v: "char(1114111)", value: "\U0010ffff"},
	{name: "private use", v: "char(57344)", value: "\ue000"},
	{name: "noncharacter", v: "char(65534, 65535)", value: "\ufffe\uffff"},
	{name: "replacement character", v: "char(65533)", value: "\ufffd"},
	{name: "byte order mark", v: "char(65279) || 'a'", value: "\ufeffa"},
	{name: "combining marks", v: "'e' || char(769, 770, 771, 772)", value: "e\u0301\u0302\u0303\u0304"},
	{name: "composed and decomposed", v: "'é' || 'e' || char(769)", value: "ée\u0301"},
	{name: "right to left", v: "char(8207, 8238) || 'עברית'", value: "\u200f\u202eעברית"},
	{name: "zero width", v: "'a' || char(8203, 8204, 8205, 8288) || 'b'", value: "a\u200b\u200c\u200d\u2060b"},
	{name: "line separators", v: "char(8232, 8233)", value: "\u2028\u2029"},
	{name: "unpaired surrogate", v: "CAST(x'eda080' AS TEXT)", reason: `column v: text "\xed\xa0\x80" is not valid UTF-8`},
	{name: "invalid UTF-8", v: "CAST(x'61ff62' AS TEXT)", reason: `column v: text "a\xffb" is not valid UTF-8`},
	{name: "cut UTF-8", v: "CAST(x'e282' AS TEXT)", reason: `column v: text "\xe2\x82" is not valid UTF-8`},
	{name: "overlong UTF-8", v: "CAST(x'c080' AS TEXT)", reason: `column v: text "\xc0\x80" is not valid UTF-8`},
	{name: "UTF-16", v: "CAST(x'fffe6100' AS TEXT)", reason: `column v: text "\xff\xfea\x00" is not valid UTF-8`},
	{name: "very long word", v: "hex(zeroblob(50000))", value: strings.Repeat("0", 100_000)},
	{name: "5 MB of text", v: "hex(zeroblob(2500000))", value: strings.Repeat("0", 5_000_000)},
	{name: "markup", v: "'<script>alert(1)</script>&amp;'", value: "<script>alert(1)</script>&amp;"},
	{name: "quotes", v: `'"''\'`, value: `"'\`},
	{name: "SQL", v: "''');DROP TABLE t;--'", value: "');DROP TABLE t;--"},
	{name: "percent and underscore", v: "'100%_?'", value: "100%_?"},
	{name: "malformed JSON as text", v: "'{\"a\": '", value: `{"a": `},
	{name: "deep JSON", v: "'" + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "'", value: strings.Repeat("[", 2000) + strings.Repeat("]", 2000)},
	{name: "infinity", v: "9e999", reason: "column v: real +Inf is no number that can be indexed"},
	{name: "negative infinity", v: "-9e999", reason: "column v: real -Inf is no number that can be indexed"},
	{name: "NaN", v: "9e999 - 9e999", value: nil}, // SQLite stores NULL for it
	{name: "division by zero", v: "1 / 0", value: nil},
	{name: "greatest integer", v: "9223372036854775807", value: int64(math.MaxInt64)},
	{name: "least integer", v: "-9223372036854775807 - 1", value: int64(math.MinInt64)},
	{name: "integer beyond 64 bits", v: "9223372036854775808", value: 9223372036854775808.0},
	{name: "integer without an exact real", v: "9007199254740993", value: int64(9007199254740993)},
	{name: "negative zero", v: "-0.0", value: 0.0}, // SQLite stores an integer 0 for it
	{name: "least real", v: "5e-324", value: 5e-324},
	{name: "greatest real", v: "1.7976931348623157e308", value: math.MaxFloat64},
	{name: "tiny real", v: "1e-400", value: 0.0},
	{name: "inexact real", v: "0.1 + 0.2", value: 0.30000000000000004},
	{name: "whole real", v: "1.0", value: 1.0},
	{name: "real in an integer column", declared: "INTEGER", v: "2.0", value: int64(2)},
	{name: "fraction in an integer column", declared: "INTEGER", v: "2.5", value: 2.5},
	{name: "text in an integer column", declared: "INTEGER", v: "'two'", value: "two"},
	{name: "digits in an integer column", declared: "INTEGER", v: "' 2 '", value: int64(2)},
	{name: "number in a text column", declared: "TEXT", v: "1e3", value: "1000.0"},
	{name: "number with leading zeros as text", declared: "TEXT", v: "'007'", value: "007"},
	{name: "long decimal", declared: "DECIMAL(40, 20)", v: "'12345678901234567890.12345678901234567890'", value: 12345678901234567890.12345678901234567890},
	{name: "hexadecimal text", declared: "NUMERIC", v: "'0x10'", value: "0x10"},
	{name: "blob", v: "x'00ff'", value: `\x00ff`},
	{name: "empty blob", v: "x''", value: `\x`},
	{name: "blob in a text column", declared: "TEXT", v: "x'6162'", value: `\x6162`},
	{name: "boolean 1", declared: "BOOLEAN", v: "1", value: true},
	{name: "boolean FALSE", declared: "BOOL", v: "FALSE", value: false},
	{name: "boolean 2", declared: "BOOLEAN", v: "2", value: int64(2)},
	{name: "boolean -1", declared: "BOOLEAN", v: "-1", value: int64(-1)},
	{name: "boolean as text", declared: "BOOLEAN", v: "'true'", value: "true"},
	{name: "boolean NULL", declared: "BOOLEAN", v: "NULL", value: nil},
	{name: "invalid date", declared: "DATE", v: "'2024-02-30'", value: "2024-02-30"},
	{name: "zero date", declared: "DATETIME", v: "'0000-00-00 00:00:00'", value: "0000-00-00 00:00:00"},
	{name: "time with an offset", declared: "TIMESTAMP", v: "'2024-05-06 12:00:00+14:00'", value: "2024-05-06 12:00:00+14:00"},
	{name: "number as a time", declared: "DATETIME", v: "1714996800", value: int64(1714996800)},
}

var hostileTimes = []hostile{
	{name: "no updateTime", u: "NULL", updated: "none", noWindow: true},
	{name: "words as updateTime", u: "'soon'", reason: `updated u: text "soon" can't be compared with the other rows' numbers`},
	{name: "blob as updateTime", u: "x'00'", reason: "updated u: a blob of 1 bytes can't be compared with the other rows' numbers"},
	{name: "empty updateTime", u: "''", reason: `updated u: text "" can't be compared with the other rows' numbers`},
	{name: "infinite updateTime", u: "9e999", reason: "updated u: real +Inf is not a time between the years 0 and 9999"},
	{name: "negative infinite updateTime", u: "-9e999", reason: "updated u: real -Inf is not a time between the years 0 and 9999"},
	{name: "updateTime of 0", u: "0", updated: "1970-01-01T00:00:00Z"},
	{name: "negative updateTime", u: "-1", updated: "1969-12-31T23:59:59Z"},
	{name: "fraction of a second", u: "1700000000.25", updated: "2023-11-14T22:13:20.25Z"},
	{name: "last second of 9999", u: "253402300799", updated: "9999-12-31T23:59:59Z"},
	{name: "first second of the year 1", u: "-62135596800", updated: "none"}, // which is Go's zero time,
	{name: "milliseconds", u: "1700000000001", sound: "1700000000000", updated: "2023-11-14T22:13:20.001Z"},
	{name: "microseconds", u: "1700000000000001", sound: "1700000000000000", updated: "2023-11-14T22:13:20.000001Z"},
	{name: "nanoseconds", u: "1700000000000001999", sound: "1700000000000000000", updated: "2023-11-14T22:13:20.000001Z"},
	{name: "julian day", u: "2460437.5", sound: "2460437.0", updated: "2024-05-07T00:00:00Z"},
	{name: "text", u: "'2024-05-06 12:00:01'", sound: "'2024-05-06 12:00:00'", updated: "2024-05-06T12:00:01Z"},
	{name: "text with T", u: "'2024-05-06T12:00:01'", sound: "'2024-05-06 12:00:00'", updated: "2024-05-06T12:00:01Z"},
	{name: "text with Z", u: "'2024-05-06 12:00:01Z'", sound: "'2024-05-06 12:00:00Z'", updated: "2024-05-06T12:00:01Z"},
	{name: "text with an offset", u: "'2024-05-06 12:00:01-12:00'", sound: "'2024-05-06 12:00:00+14:00'", updated: "2024-05-07T00:00:01Z"},
	{name: "text with a fraction", u: "'2024-05-06 12:00:01.123456789'", sound: "'2024-05-06 12:00:00'", updated: "2024-05-06T12:00:01.123456Z"},
	{name: "text without seconds", u: "'2024-05-06 12:01'", sound: "'2024-05-06 12:00:00'", updated: "2024-05-06T12:01:00Z"},
	{name: "date", u: "'2024-05-07'", sound: "'2024-05-06'", updated: "2024-05-07T00:00:00Z"},
	{name: "year 0", u: "'0000-01-01 00:00:00'", sound: "'2024-05-06 12:00:00'", updated: "0000-01-01T00:00:00Z"},
	{name: "year 9999", u: "'9999-12-31 23:59:59'", sound: "'2024-05-06 12:00:00'", updated: "9999-12-31T23:59:59Z"},
	{name: "invalid day", u: "'2024-02-30'", sound: "'2024-05-06'", reason: `updated u: text "2024-02-30" is not a time`},
	{name: "invalid hour", u: "'2024-05-06 25:00'", sound: "'2024-05-06'", reason: `updated u: text "2024-05-06 25:00" is not a time`},
	{name: "text before the year 0", u: "'0000-01-01 00:00+14:00'", sound: "'2024-05-06'", reason: `updated u: text "0000-01-01 00:00+14:00" is not a time between the years 0 and 9999`},
	{name: "leap second", u: "'2016-12-31 23:59:60'", sound: "'2024-05-06 12:00:00'", reason: `updated u: text "2016-12-31 23:59:60" is not a time`},
	{name: "American date", u: "'05/06/2024'", sound: "'2024-05-06'", reason: `updated u: text "05/06/2024" is not a time`},
	{name: "number among text", u: "1700000000", sound: "'2024-05-06'", reason: "updated u: integer 1700000000 can't be compared with the other rows' text"},
}

var hostileKeys = []hostile{
	{name: "NULL key", id: "NULL", keyless: true, reason: "key column id is NULL"},
	{name: "text key among integers", id: "'x'", keyless: true, reason: `key id is text "x": this table's key is integer`},
	{name: "real key", id: "2.5", keyless: true, reason: "key id is real 2.5: this table's key is integer"},
	{name: "blob key", id: "x'02'", keyless: true, reason: "key id is a blob of 1 bytes: this table's key is integer"},
	{name: "key 0", id: "0", key: "0"},
	{name: "negative key", id: "-7", key: "-7"},
	{name: "greatest key", id: "9223372036854775807", key: "9223372036854775807"},
	{name: "least key", id: "-9223372036854775807 - 1", key: "-9223372036854775808"},
	{name: "digits as key", id: "'0002'", key: "2"},
	{name: "duplicate key", id: "2), (2", key: "2", documents: 2},
	{name: "empty key", declared: "TEXT", id: "''", key: ""},
	{name: "key of a NUL", declared: "TEXT", id: "char(0)", key: "\x00"},
	{name: "key with escaped characters", declared: "TEXT", id: "'50%,a/b'", key: "50%25%2Ca%2Fb"},
	{name: "key of emoji", declared: "TEXT", id: "'👍🏽'", key: "👍🏽"},
	{name: "key of invalid UTF-8", declared: "TEXT", id: "CAST(x'ff' AS TEXT)", keyless: true, reason: "key part 1 is not valid UTF-8"},
	{name: "blob key among text", declared: "TEXT", id: "x'31'", keyless: true, reason: "key id is a blob of 1 bytes: this table's key is text"},
	{name: "number key among text", declared: "TEXT", id: "2.0", key: "2.0"},
}

// A hostile row gives the same result each time, and its neighbours are read.
func TestHostileRows(t *testing.T) {
	if n := len(hostileValues) + len(hostileTimes) + len(hostileKeys); n < 75 {
		t.Errorf("%d hostile rows, want at least 75", n)
	}
	for column, rows := range map[string][]hostile{"v": hostileValues, "u": hostileTimes, "id": hostileKeys} {
		for _, h := range rows {
			t.Run(h.name, func(t *testing.T) { h.check(t, column) })
		}
	}
}

// table returns a table with the hostile row between two ordinary ones with the
// keys 1 and 3.
func (h hostile) table(t *testing.T, column string) *Table {
	declared := map[string]string{"id": "INTEGER", "u": "", "v": ""}
	if h.declared != "" {
		declared[column] = h.declared
	}
	or := func(text, sound string) string {
		if text == "" {
			return sound
		}
		return text
	}
	sound := or(h.sound, "1700000000")
	db := newDB(t, "CREATE TABLE k (id "+declared["id"]+")", "CREATE TABLE t (id "+declared["id"]+", u "+declared["u"]+", v "+declared["v"]+")",
		"INSERT INTO k VALUES ("+or(h.id, "2")+")",
		"INSERT INTO t VALUES (1, "+sound+", 'sound')",
		"INSERT INTO t SELECT id, "+or(h.u, sound)+", "+or(h.v, "'sound'")+" FROM k",
		"INSERT INTO t VALUES (3, "+sound+", 'sound')")
	return db.table(TableConfig{})
}

func (h hostile) check(t *testing.T, column string) {
	table := h.table(t, column)
	docs, rejects := rangeOf(t, table, doc.Range{})
	var mine []doc.Doc
	sound := 0
	for _, d := range docs {
		if key := d.OID.String(); key == "1" || key == "3" {
			sound++
		} else {
			mine = append(mine, d)
		}
	}
	if sound != 2 {
		t.Errorf("%d neighbours were read, want 2", sound)
	}
	if h.reason != "" {
		h.checkReject(t, table, mine, rejects)
		return
	}
	if want := max(h.documents, 1); len(mine) != want || len(rejects) != 0 {
		t.Fatalf("%d documents, rejects %v, want %d", len(mine), rejects, want)
	}
	h.checkDocument(t, table, column, mine[0])
}

func (h hostile) checkReject(t *testing.T, table *Table, mine []doc.Doc, rejects []doc.Reject) {
	if len(mine) != 0 || len(rejects) != 1 || rejects[0].Reason != h.reason || (rejects[0].OID == "") != h.keyless {
		t.Fatalf("documents %v, rejects %+v, want one: %s", mine, rejects, h.reason)
	}
	if h.keyless {
		if b, err := table.Keyless(t.Context()); err != nil || len(b.Rejects) != 1 || b.Rejects[0].Reason != h.reason {
			t.Errorf("Keyless = %v, %v, want %s", b.Rejects, err, h.reason)
		}
		return
	}
	if _, again := docsOf(t, table, oid(t, 1), rejects[0].OID, oid(t, 3)); !reflect.DeepEqual(again, rejects) {
		t.Errorf("by key: rejects %+v, want %+v", again, rejects)
	}
	if stamps, err := table.StampsOf(t.Context(), []doc.OID{rejects[0].OID}); err != nil || len(stamps) != 1 {
		t.Errorf("stamps = %v, %v, want one, so that the row does not count as deleted", stamps, err)
	}
}

func (h hostile) checkDocument(t *testing.T, table *Table, column string, d doc.Doc) {
	key := "2"
	if column == "id" {
		key = h.key
	}
	if got := d.OID.String(); got != key {
		t.Errorf("key = %q, want %q", got, key)
	}
	want := time.Unix(1700000000, 0)
	switch h.updated {
	case "":
	case "none":
		want = time.Time{}
	default:
		want = instant(t, h.updated)
	}
	if !d.Updated.Equal(want) {
		t.Errorf("updateTime = %v, want %v", d.Updated, want)
	}
	if got, _ := d.Row.Get("v"); column == "v" && !reflect.DeepEqual(got, h.value) {
		t.Errorf("value = %s, want %s", brief(got), brief(h.value))
	}
	body, err := d.Row.AppendJSON(nil)
	if err == nil {
		_, err = doc.ParseRow(body)
	}
	if err != nil {
		t.Errorf("the page of it: %v", err)
	}
	known := d.Stamp
	if h.documents > 1 { // the key has several rows
		known.Token.Digest = 0
	}
	again, _ := docsOf(t, table, d.OID)
	stamps, err := table.StampsOf(t.Context(), []doc.OID{d.OID})
	if err != nil || len(again) == 0 || len(stamps) != 1 || !again[0].Same(d.Stamp) || !stamps[0].Same(known) {
		t.Errorf("by key: %d documents, stamps %v, %v, want the stamp %v", len(again), stamps, err, known)
	}
	window := stampsOf(t, table, d.Updated, d.Updated.Add(time.Second))
	found := false
	for _, s := range window {
		found = found || s.Same(known)
	}
	if found == h.noWindow {
		t.Errorf("its window holds it: %v, want %v", found, !h.noWindow)
	}
}

// brief shows a value, shortened.
func brief(v any) string {
	if text, ok := v.(string); ok {
		if len(text) > 60 {
			return strconv.Itoa(len(text)) + " bytes of text"
		}
		return strconv.Quote(text)
	}
	return showValue(v)
}
