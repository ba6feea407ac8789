package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source"
)

const noon = "2024-05-06T12:00:00Z"

// A row with an odd updateTime among ordinary ones is read in every way, with the same
// time. One that is no time is as NULL is, also of a child.
func TestOddUpdateTimes(t *testing.T) {
	const seconds, text, day = "1700000000", "'2024-05-06 12:00:00'", "'2024-05-06'"
	const never = "never" // no window has the row
	for _, c := range []struct{ sound, odd, updated string }{
		{seconds, "NULL", never},
		{seconds, "'soon'", never},
		{seconds, "x'00'", never},
		{seconds, "''", never},
		{seconds, "9e999", never},
		{seconds, "-9e999", never},
		{seconds, "0", "1970-01-01T00:00:00Z"},
		{seconds, "-1", "1969-12-31T23:59:59Z"},
		{seconds, "1700000000.25", "2023-11-14T22:13:20.25Z"},
		{seconds, "253402300799", "9999-12-31T23:59:59Z"},
		{seconds, "253402300800", never},
		{seconds, "-62135596800", "0001-01-01T00:00:00Z"}, // the zero time
		{seconds, "1e300", never},
		{"1700000000000", "1700000000001", "2023-11-14T22:13:20.001Z"},
		{"1700000000000000", "1700000000000001", "2023-11-14T22:13:20.000001Z"},
		{"1700000000000000000", "1700000000000001999", "2023-11-14T22:13:20.000001Z"},
		{"2460437.0", "2460437.5", "2024-05-07T00:00:00Z"},
		{text, "'2024-05-06 12:00:01'", "2024-05-06T12:00:01Z"},
		{text, "'2024-05-06T12:00:01'", "2024-05-06T12:00:01Z"},
		{"'2024-05-06 12:00:00Z'", "'2024-05-06 12:00:01Z'", "2024-05-06T12:00:01Z"},
		{"'2024-05-06 12:00:00+14:00'", "'2024-05-06 12:00:01-12:00'", "2024-05-07T00:00:01Z"},
		{text, "'2024-05-06 12:00:01.123456789'", "2024-05-06T12:00:01.123456Z"},
		{text, "'2024-05-06 12:01'", "2024-05-06T12:01:00Z"},
		{text, "'2024-05-07'", "2024-05-07T00:00:00Z"},
		{text, "'0000-01-01 00:00:00'", "0000-01-01T00:00:00Z"},
		{text, "'9999-12-31 23:59:59'", "9999-12-31T23:59:59Z"},
		{day, "'2024-02-30'", never},
		{day, "'2024-05-06 25:00'", never},
		{day, "'0000-01-01 00:00+14:00'", never},
		{text, "'2016-12-31 23:59:60'", never},
		{day, "'05/06/2024'", never},
		{day, "1700000000", never},
	} {
		t.Run(c.odd, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)", "CREATE INDEX t_u ON t (u)", "INSERT INTO t VALUES (1, "+c.sound+"), (2, "+c.odd+"), (3, "+c.sound+")")
			table := db.table(source.TableConfig{})
			child := db.table(source.TableConfig{SQL: "SELECT id, NULL AS u FROM t", Children: []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM t", Key: []string{"id"}, Updated: "u"}}})
			want := time.Time{}
			if c.updated != never {
				want = instant(t, c.updated)
			}
			wantUpdated(t, table, want)
			if want.Year() > 0 { // no child is before the zero time
				wantUpdated(t, child, want)
			}
			in := " " + windowOf(t, table, want, want.Add(time.Microsecond)) + " "
			if strings.Contains(in, " 2 ") != (c.updated != never) {
				t.Errorf("got the rows%sin the window of %v, want 2 among them: %t", in, want, c.updated != never)
			}
		})
	}
}

// wantUpdated checks the updateTime of row 2 among three documents.
func wantUpdated(t *testing.T, table *source.Table, want time.Time) {
	t.Helper()
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 3 || len(rejects) != 0 {
		t.Fatalf("got %d documents and rejects %q, want 3 and none", len(docs), reasons(rejects))
	}
	if got := docs[1].Updated; !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("got updateTime %v, want %v", got, want)
	}
	if stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 2)}); err != nil || len(stamps) != 1 || !stamps[0].Same(docs[1].Stamp) {
		t.Errorf("got stamps %v, %v, want that of the document, %v", stamps, err, docs[1].Stamp)
	}
}

// Values of two types in a column are compared with those of most rows.
func TestMostRowsDecideBetweenTextAndNumbers(t *testing.T) {
	for _, c := range []struct {
		declared, bulk, odd string
		unit                timeunit.Unit
	}{
		{"", "1714996800", "2460437.0", timeunit.Seconds},
		{"", "1714996800", "'2024-05-06 12:00:00'", timeunit.Seconds},
		{"", "1714996800", "'9999-12-31'", timeunit.Seconds},
		{"REAL", "1714996800.0", "1e300", timeunit.Seconds},
		{"REAL", "2460437.0", "1714996800", timeunit.JulianDays},
		{"", "'2024-05-06 12:00:00'", "1714996800", timeunit.Text},
		{"", "'2024-05-06 12:00:00'", "'until further notice'", timeunit.Text},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u "+c.declared+")",
			"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 9) INSERT INTO t SELECT n, "+c.bulk+" FROM s", "INSERT INTO t VALUES (10, "+c.odd+")")
		table := db.table(source.TableConfig{})
		at := instant(t, noon)
		docs, _ := docsOf(t, table, oid(t, 1))
		if len(docs) != 1 || !docs[0].Updated.Equal(at) {
			t.Errorf("%s and %s: got documents %v, want one of %v", c.bulk, c.odd, docs, at)
		}
		if got, want := windowOf(t, table, at, at.Add(time.Millisecond)), "1 2 3 4 5 6 7 8 9"; got != want {
			t.Errorf("%s and %s: got %s in the window, want %s", c.bulk, c.odd, got, want)
		}
		n, err := table.OutOfRange(t.Context())
		if got := table.Units()["sql"]; n != 1 || err != nil || got != c.unit {
			t.Errorf("%s and %s: got %d rows out of range, %v, and unit %q, want 1 and %q", c.bulk, c.odd, n, err, got, c.unit)
		}
		if err := table.CheckUnits(t.Context()); err != nil {
			t.Errorf("%s and %s: CheckUnits: %v", c.bulk, c.odd, err)
		}
		if unit, err := db.source.UnitOf(t.Context(), "SELECT * FROM t", "u"); unit != c.unit || err != nil {
			t.Errorf("%s and %s: UnitOf: got %q, %v, want %q", c.bulk, c.odd, unit, err, c.unit)
		}
	}
}

// The greatest value that is a time shows the format, until a row has a plausible
// time.
func TestColumnWithoutPlausibleTimes(t *testing.T) {
	for _, c := range []struct{ rows, updated string }{ // of row 1
		{"(1, -1)", "1969-12-31T23:59:59Z"},
		{"(1, 7), (2, NULL), (3, x'00')", "1970-01-01T00:00:07Z"},
		{"(1, 253402300799), (2, 'later')", "9999-12-31T23:59:59Z"},
		{"(1, -100000000000000)", ""}, // milliseconds before the year 0
		{"(1, 300000000000000000)", "1979-07-05T05:20:00Z"},
		{"(1, 2086302.5)", "1000-01-01T00:00:00Z"}, // a Julian day
		{"(1, '1969-12-31 23:59'), (2, 5)", "1969-12-31T23:59:00Z"},
		{"(1, '0001-01-02'), (2, '9x'), (3, ''), (4, 'soon')", "0001-01-02T00:00:00Z"},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)", "INSERT INTO t VALUES "+c.rows)
		table := db.table(source.TableConfig{})
		if got, unit := table.Tick(), table.Units()["sql"]; got != 24*time.Hour || unit != timeunit.Unknown {
			t.Errorf("%s: got tick %v and unit %q, want a day and unknown", c.rows, got, unit)
		}
		want := time.Time{}
		if c.updated != "" {
			want = instant(t, c.updated)
			if got := windowOf(t, table, want, want.Add(time.Microsecond)); got != "1" {
				t.Errorf("%s: got %q in the window of %v, want 1", c.rows, got, want)
			}
		}
		if docs, _ := docsOf(t, table, oid(t, 1)); len(docs) != 1 || !docs[0].Updated.Equal(want) {
			t.Errorf("%s: got documents %v, want one of %v", c.rows, docs, want)
		}
		// Words sort after all times, and more of them than one statement reads hide none.
		db.exec("WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 250) INSERT INTO t SELECT i, 'soon' FROM n")
		if docs, _ := docsOf(t, db.table(source.TableConfig{}), oid(t, 1)); len(docs) != 1 || !docs[0].Updated.Equal(want) {
			t.Errorf("%s and many words: got documents %v, want one of %v", c.rows, docs, want)
		}
		db.exec("INSERT INTO t VALUES (50, '2024-05-06 12:00')")
		at := instant(t, noon)
		if got := windowOf(t, table, at, at.Add(time.Minute)); got != "50" {
			t.Errorf("%s and a text of 2024: got %q in its window, want 50", c.rows, got)
		}
		if got := table.Tick(); got != time.Minute {
			t.Errorf("%s and a text of 2024: got tick %v, want a minute", c.rows, got)
		}
	}
}

func TestRowsWithoutUpdateTimeShowNoFormat(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)", "INSERT INTO t VALUES (1, NULL)")
	table := db.table(source.TableConfig{})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 1 || len(rejects) != 0 || !docs[0].Updated.IsZero() || table.Tick() != 24*time.Hour {
		t.Errorf("got documents %v, rejects %q and tick %v, want one document without updateTime and a day", docs, reasons(rejects), table.Tick())
	}
	if got := windowOf(t, table, time.Time{}, time.Now()); got != "" {
		t.Errorf("got %q in a window, want none", got)
	}
}

// A child counts for the tick once a row of it has shown its format.
func TestTickIsTheCoarsestOfAllSQLs(t *testing.T) {
	for value, want := range map[string]time.Duration{"'2024-05-06'": 24 * time.Hour, "'2024-05-06 12:00'": time.Minute, "1714996800123": time.Second, "2460437.0": time.Second} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE part (id INTEGER, u)", "INSERT INTO t VALUES (1, 1714996800), (2, NULL)")
		table := db.table(source.TableConfig{Children: part("u")})
		if got := table.Tick(); got != time.Second {
			t.Errorf("without children: got tick %v, want a second", got)
		}
		db.exec("INSERT INTO part VALUES (1, " + value + "), (2, " + value + ")")
		if got := windowOf(t, table, instant(t, "2024-05-06T00:00:00Z"), instant(t, "2024-05-06T12:00:01Z")); !strings.HasSuffix(got, "1 2") {
			t.Errorf("%s: got %q in the window, want 1 2", value, got)
		}
		if got := table.Tick(); got != want {
			t.Errorf("%s: got tick %v, want %v", value, got, want)
		}
	}
}

func TestUnitOfTextConflictsWithNumbers(t *testing.T) {
	for _, c := range []struct{ value, kept, declared, want string }{
		{"'2024-05-06'", "text", "", ""},
		{"'2024-05-06'", "", "s", "updated.unit: column u: unit s is declared, and no row counts in seconds (3 in text): correct or remove unit"},
		{"1714996800", "text", "", "updated: column u: its unit was found to be text, but most rows now have another (3 in seconds)"},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)", fmt.Sprintf("INSERT INTO t VALUES (1, %[1]s), (2, %[1]s), (3, %[1]s)", c.value))
		_, err := describe(t, db.source, source.TableConfig{Unit: c.declared, Units: map[string]string{"sql": c.kept}})
		if (err == nil) != (c.want == "") || errors.As(err, new(*source.ConfigError)) != (c.want != "") || c.want != "" && !strings.HasPrefix(fmt.Sprint(err), c.want) {
			t.Errorf("%s, kept %q, declared %q: got %v, want %q", c.value, c.kept, c.declared, err, c.want)
		}
	}
}

// One row in the declared unit suffices, also behind many in another unit. The precision is
// that of most rows, not of the first ones.
func TestDeclaredUnitOfFewRows(t *testing.T) {
	for _, c := range []struct {
		unit, most, other string
		tick              time.Duration // 0: the unit conflicts with the rows
	}{
		{"us", "1714996800000", "1714996800000000", time.Microsecond},
		{"us", "1714996800", "1714996800000", 0},
		{"us", "1714996800000000", "1714996800", time.Microsecond},
		{"s", "1714996800000", "1714996800", time.Second},
		{"s", "1714996800.25", "1714996800", time.Microsecond},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)", fmt.Sprintf("INSERT INTO t VALUES (0, %s)", c.other))
		if c.unit == "s" {
			db.exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO t SELECT i, %s FROM n", c.other))
		}
		db.exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i < 13000) INSERT INTO t SELECT i, %s FROM n", c.most))
		if c.unit == "us" { // the row is the last one too
			db.exec(fmt.Sprintf("INSERT INTO t VALUES (20000, %s)", c.other), "DELETE FROM t WHERE id = 0")
		}
		table, err := describe(t, db.source, source.TableConfig{Unit: c.unit})
		if (err == nil) != (c.tick != 0) || err != nil && !errors.As(err, new(*source.ConfigError)) {
			t.Errorf("%s, most %s, another %s: got %v", c.unit, c.most, c.other, err)
			continue
		}
		if err != nil {
			continue
		}
		if got := table.Tick(); got != c.tick {
			t.Errorf("%s, most %s, another %s: got tick %v, want %v", c.unit, c.most, c.other, got, c.tick)
		}
		if err := table.CheckUnits(t.Context()); err != nil {
			t.Errorf("%s, most %s, another %s: again: %v", c.unit, c.most, c.other, err)
		}
	}
}

// ShownIn compares what a wall clock showed: of text without an offset.
func TestShownIn(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u, n INTEGER)",
		"INSERT INTO t VALUES (1, '2024-10-27 02:30:00', 1), (2, '2024-10-27T02:30:00', 1), (3, '2024-10-27 02:30:00.5', 1), (4, '2024-10-27 02:30:00Z', 1), (5, '2024-10-27 02:30+01:00', 1), (6, '2024-10-27 03:00:00', 1), (7, '2024-10-27 01:59:59', 1)")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	hour := doc.Window{From: instant(t, "2024-10-27T02:00:00Z"), To: instant(t, "2024-10-27T03:00:00Z")}
	table := db.table(source.TableConfig{Zone: berlin})
	if n, err := table.ShownIn(t.Context(), hour, 10); n != 3 || err != nil {
		t.Errorf("got %d rows, %v, want 3: 1, 2 and 3", n, err)
	}
	if got := table.Wall(); got != berlin {
		t.Errorf("Wall: got %v, want %v", got, berlin)
	}
	db.exec("UPDATE t SET n = 1714996800")
	if got := db.table(source.TableConfig{Updated: "n", Zone: berlin}).Wall(); got != nil {
		t.Errorf("Wall of numbers: got %v, want none", got)
	}
}

func TestSampleOfTextsShowsTheTickOfMost(t *testing.T) {
	for want, sample := range map[time.Duration][]any{
		0:                {int64(1), "soon", nil},
		time.Second:      {"2024-05-06 12:00:00", "2024-05-06 12:00:01", "2024-05-06"},
		24 * time.Hour:   {"2024-05-06 12:00:00", "2024-05-06"}, // the coarser one on a tie
		time.Microsecond: {"2024-05-06 12:00:00.000001", 1.5},
	} {
		f := &timeFormat{zone: time.UTC}
		if got := f.noteTexts(sample); got != want {
			t.Errorf("%v: got tick %v, want %v", sample, got, want)
		}
	}
	sample := []any{1.5, int64(1), 2.5}
	for _, c := range []struct {
		unit timeunit.Unit
		want time.Duration
	}{{timeunit.Seconds, time.Microsecond}, {timeunit.Nanoseconds, time.Microsecond}, {timeunit.JulianDays, time.Millisecond}} {
		if got := (anyTimes{}).Times(c.unit, sample, time.UTC).Tick(); got != c.want {
			t.Errorf("reals in %s: got tick %v, want %v", c.unit, got, c.want)
		}
	}
	if got := (anyTimes{}).Times(timeunit.Seconds, slices.Repeat([]any{int64(1), 1.5}, 2), time.UTC).Tick(); got != time.Second {
		t.Errorf("half of the numbers are reals: got tick %v, want a second", got)
	}
}
