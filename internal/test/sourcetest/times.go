package sourcetest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
)

var timeBehaviours = []behaviour{
	{"updateTimes of every form are one instant in every way, and in its window", true, timeForms},
	{"local times of the hour that clocks show twice, or never, are in a window", true, wallClocks},
	{"most rows decide the unit of numbers", true, unitOfMost},
	{"a unit is kept when it is found, and not used if it can't be kept", true, unitFoundLater},
	{"units that contradict each other are a fault of the configuration", true, unitConflicts},
	{"each SQL has its own unit", true, unitOfEach},
	{"the greatest number of a child's rows counts if it is a time", true, greatestOfChild},
	{"a table is quiet since a time if windows from then on are empty", true, quietTables},
}

func location(r *run, name string) *time.Location {
	r.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		r.Fatal(err)
	}
	return loc
}

func instant(r *run, text string) time.Time {
	r.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		r.Fatal(err)
	}
	return at
}

func timeForms(r *run) {
	for _, form := range facts(r, r.h.Facts.Times) {
		other := r.fresh()
		other.exec("CREATE TABLE doc (id {int}, u "+form.Type+")", "INSERT INTO doc VALUES (1, "+form.SQL+"), (2, NULL)", "CREATE TABLE parent (id {int}, u {time})", "INSERT INTO parent VALUES (1, NULL)")
		var zone *time.Location
		if form.Zone != "" {
			zone = location(r, form.Zone)
		}
		table, want := other.open(Config{Zone: zone}), instant(r, form.Want)
		stamps := other.agree(table, oid(1), oid(2))
		child := other.open(Config{SQL: "SELECT * FROM parent", Zone: zone, Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u"}}})
		for name, got := range map[string]time.Time{"its own": stamps[oid(1)].Updated, "a child's": other.agree(child, oid(1))[oid(1)].Updated} {
			if !got.Equal(want) || got.Location() != time.UTC {
				r.Errorf("%s of %s: got %v, %s, want %v", form.SQL, form.Type, got, name, want)
			}
		}
		if got := table.Tick(); got != form.Tick {
			r.Errorf("%s of %s: got tick %v, want %v", form.SQL, form.Type, got, form.Tick)
		}
		tick := time.Microsecond
		for _, w := range []struct {
			from, to time.Time
			want     string
		}{
			{want, want.Add(tick), "1"}, {want.Add(-tick), want, ""}, {want.Add(tick), want.Add(time.Second), ""}, {want.Add(tick), want.Add(48 * time.Hour), ""},
			{time.Time{}, want, ""}, {time.Time{}, want.Add(tick), "1"}, {want, want.Add(24 * time.Hour), "1"},
		} {
			if w.want == "" && form.Wide {
				continue
			}
			for name, table := range map[string]Table{"its own": table, "a child's": child} {
				if got := other.inWindow(table, w.from, w.to); got != w.want {
					r.Errorf("%s of %s, %s: got %q in [%v, %v), want %q", form.SQL, form.Type, name, got, w.from, w.to, w.want)
				}
			}
		}
	}
}

// On 2024-10-27 the clocks of Berlin showed the hour from 02:00 twice, on
// 2024-03-31 never.
func wallClocks(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u " + r.h.Facts.Wall + ")")
	var inserts []string
	var want []doc.OID
	for i, night := range []time.Time{time.Date(2024, 10, 27, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC)} {
		for n := range 36 {
			inserts = append(inserts, fmt.Sprintf("INSERT INTO doc VALUES (%d, '%s')", 100*i+n, night.Add(time.Duration(n)*10*time.Minute).Format("2006-01-02 15:04:05")))
			want = append(want, oid(100*i+n))
		}
	}
	r.exec(inserts...)
	table := r.open(Config{Zone: location(r, "Europe/Berlin"), Page: 7})
	r.agree(table, want...)
	for i, begin := range []string{"2024-10-26T21:00:00Z", "2024-03-30T22:00:00Z"} {
		seen, from := map[doc.OID]bool{}, instant(r, begin)
		for range 70 {
			to := from.Add(7 * time.Minute)
			for _, s := range readStamps("", table.Stamps(r.Context(), doc.Window{From: from, To: to})).stamps {
				seen[s.OID] = true
			}
			from = to
		}
		for _, o := range want[36*i : 36*i+36] {
			if !seen[o] {
				r.Errorf("got no row %v in the windows from %s on, want it", o, begin)
			}
		}
		if len(seen) != 36 {
			r.Errorf("got %d rows in the windows from %s on, want 36", len(seen), begin)
		}
	}
	for _, second := range []string{"2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"} {
		found := map[doc.OID]bool{}
		for _, s := range readStamps("", table.Stamps(r.Context(), doc.Window{From: instant(r, second), To: instant(r, second).Add(time.Second)})).stamps {
			found[s.OID] = true
		}
		if !found[oid(15)] {
			r.Errorf("got rows %v at %s, want 15, of 02:30", found, second)
		}
	}
}

const noonSeconds = 1714996800 // at(0)

func (r *run) numbersTable(rows int, expression string) {
	r.Helper()
	inserts := []string{"CREATE TABLE doc (id {int}, u {int})", "CREATE INDEX doc_u ON doc (u)"}
	for i := range rows {
		inserts = append(inserts, fmt.Sprintf("INSERT INTO doc SELECT n, %s FROM (SELECT %d AS n) x", expression, i+1))
	}
	r.exec(inserts...)
}

func unitOfMost(r *run) {
	for _, c := range []struct {
		unit timeunit.Unit
		odd  string
	}{
		{timeunit.Seconds, "253402300799"}, {timeunit.Seconds, "1714996800000"}, {timeunit.Milliseconds, "7"}, {timeunit.Milliseconds, "0"}, {timeunit.Milliseconds, "-1"},
		{timeunit.Milliseconds, "9223372036854775807"}, {timeunit.Microseconds, "1714996800"}, {timeunit.Nanoseconds, "9223372036854775807"},
	} {
		other := r.fresh()
		other.numbersTable(9, fmt.Sprint(int64(noonSeconds)*int64(time.Second/c.unit.Duration())))
		other.exec("INSERT INTO doc VALUES (10, " + c.odd + "), (11, NULL)")
		table := other.open(Config{})
		read := other.rangeOf(table)
		if len(read.docs) != 11 || len(read.rejects) != 0 {
			r.Errorf("%s and %s: got %d documents and rejects %q, want 11 and none", c.unit, c.odd, len(read.docs), read.reasons())
		}
		if got, want := other.inWindow(table, at(0), at(1)), "1 2 3 4 5 6 7 8 9"; got != want {
			r.Errorf("%s and %s: got %s in the window, want %s", c.unit, c.odd, got, want)
		}
		n, err := table.OutOfRange(r.Context())
		if got := table.Units()["sql"]; got != c.unit || n != 1 || err != nil {
			r.Errorf("%s and %s: got unit %q and %d rows out of range, %v, want the unit and 1", c.unit, c.odd, got, n, err)
		}
		if err := table.CheckUnits(r.Context()); err != nil {
			r.Errorf("%s and %s: CheckUnits: %v", c.unit, c.odd, err)
		}
	}
}

func unitFoundLater(r *run) {
	kept := map[string]string{}
	var broken error
	r.exec("CREATE TABLE doc (id {int}, u {int})", "INSERT INTO doc VALUES (1, 253402300799), (2, 0), (3, 9223372036854775807)")
	table := r.open(Config{Keep: func(path, unit string) error { kept[path] = unit; return broken }})
	window := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(time.Now())}
	if got := r.inWindow(table, window.From, window.To); got != "" || len(kept) > 0 || table.Units()["sql"] != timeunit.Unknown {
		r.Errorf("got %q in the window, kept %v and units %v, want none", got, kept, table.Units())
	}
	broken = errors.New("disk full")
	r.exec("INSERT INTO doc VALUES (4, 1714996800123)")
	if read := readStamps("", table.Stamps(r.Context(), window)); !errors.Is(read.err, broken) || errors.Is(read.err, doc.ErrUnavailable) || len(read.stamps) > 0 {
		r.Errorf("got %v, %v, want %v", read.stamps, read.err, broken)
	}
	broken = nil
	if got := r.inWindow(table, window.From, window.To); got != "4" || !maps.Equal(kept, map[string]string{"sql": "ms"}) {
		r.Errorf("got %q in the window and kept %v, want 4 and milliseconds", got, kept)
	}
	if got := r.rangeOf(table).keys(); got != "1 2 3 4" {
		r.Errorf("got rows %s, want all", got)
	}
}

func unitConflicts(r *run) {
	for _, c := range []struct{ bulk, kept, declared, field string }{
		{"1714996800", "s", "", ""}, {"1714996800", "unknown", "", ""}, {"1714996800", "s", "s", ""}, {"1714996800", "", "s", ""}, {"0", "ms", "", ""},
		{"CASE n WHEN 1 THEN 1714996800 ELSE 1714996800000 END", "", "s", ""}, {"1714996800", "ms", "", "updated"}, {"1714996800", "s", "ms", "updated.unit"}, {"1714996800", "", "ms", "updated.unit"},
		{"CASE WHEN n > 2 THEN 1714996800 ELSE 1714996800000 END", "", "", "updated"},
	} {
		other := r.fresh()
		other.numbersTable(4, c.bulk)
		_, err := other.describe(Config{Unit: c.declared, Units: map[string]string{"sql": c.kept}})
		field, _, ok := configFault(err)
		if (err == nil) != (c.field == "") || ok != (c.field != "") || field != c.field {
			r.Errorf("%s, kept %q, declared %q: got %v, want a fault of %q", c.bulk, c.kept, c.declared, err, c.field)
		}
	}
	other := r.fresh()
	other.numbersTable(3, "1714996800")
	table := other.open(Config{})
	other.exec("UPDATE doc SET u = u * 1000")
	if field, _, ok := configFault(table.CheckUnits(r.Context())); !ok || field != "updated" {
		r.Errorf("got a fault of %q after the rows have changed their unit, want one of updated", field)
	}
}

func unitOfEach(r *run) {
	r.numbersTable(2, "1714996800")
	r.exec("CREATE TABLE part (id {int}, u {int}, name {text})",
		"INSERT INTO part VALUES (1, 1714996800123, 'a'), (2, 1714996800123, 'b'), (2, 1714996800123000000, 'c'), (2, 5, 'd')")
	table := r.open(Config{Children: parts("id"), Changes: "SELECT id, u * 1000000 AS u FROM doc"})
	want := map[string]timeunit.Unit{"sql": timeunit.Seconds, "children.parts": timeunit.Milliseconds, "changes": timeunit.Microseconds}
	if got := table.Units(); !maps.Equal(got, want) {
		r.Errorf("got units %v, want %v", got, want)
	}
	stamps := r.agree(table, oid(1), oid(2))
	if got, want := stamps[oid(2)].Updated, at(0).Add(123*time.Millisecond); !got.Equal(want) {
		r.Errorf("got updateTime %v, want %v", got, want)
	}
	r.checkLeft(table, doc.Window{From: at(0), To: at(1)}, "1 2")
}

func greatestOfChild(r *run) {
	for _, unit := range timeunit.Numbers {
		perSecond := int64(time.Second / unit.Duration())
		other := r.fresh()
		other.twoTables(1)
		other.exec("CREATE TABLE numbers (id {int}, u {int})", fmt.Sprintf("INSERT INTO numbers VALUES (1, %d), (1, %d), (1, NULL)", noonSeconds*perSecond, (noonSeconds+3)*perSecond))
		table := other.open(Config{Children: []Child{{Name: "numbers", Path: "children.numbers", SQL: "SELECT * FROM numbers", Key: []string{"id"}, Updated: "u"}}})
		for _, odd := range []int64{0, math.MinInt64, math.MaxInt64} {
			other.exec(fmt.Sprintf("INSERT INTO numbers VALUES (1, %d)", odd))
			got, want := other.agree(table, oid(1))[oid(1)].Updated, at(3)
			if odd == math.MaxInt64 && unit == timeunit.Nanoseconds {
				want = time.Unix(0, odd).UTC().Truncate(time.Microsecond)
			}
			if !got.Equal(want) {
				r.Errorf("%s and %d: got updateTime %v, want %v", unit, odd, got, want)
			}
		}
	}
}

// quietTables compares Quiet with what windows return, own rows, a child's and
// those that may have left the result alike.
func quietTables(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time}, gone {int})", "CREATE TABLE part (id {int}, u {time}, word {text})",
		"INSERT INTO doc VALUES (1, {@1}, 0), (2, NULL, 0), (3, {@7}, 1)", "INSERT INTO part VALUES (1, {@3}, 'word'), (2, {@5}, 'word')")
	main := "SELECT id, u FROM doc WHERE gone = 0"
	child := []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT id, u, word FROM part", Key: []string{"id"}, Updated: "u", Columns: []string{"word"}}}
	for _, c := range []struct {
		name   string
		config Config
		last   int // second of the last row
	}{
		{"own rows", Config{SQL: main}, 1},
		{"a child's rows", Config{SQL: main, Children: child}, 5},
		{"rows that may have left", Config{SQL: main, Children: child, Changes: "SELECT id, u FROM doc"}, 7},
		{"rows that are marked", Config{SQL: "SELECT id, u, gone FROM doc", Deleted: Deleted{Column: "gone", Values: []any{int64(1)}}}, 7},
	} {
		table := r.open(c.config)
		for _, since := range []int{c.last - 1, c.last, c.last + 1} {
			quiet, err := table.Quiet(r.Context(), at(since))
			if err != nil {
				r.Fatal(err)
			}
			if want := since > c.last; quiet != want {
				r.Errorf("%s: quiet since second %d: got %v, want %v", c.name, since, quiet, want)
			}
			if !quiet {
				continue
			}
			w := doc.Window{From: at(since), To: at(1000)}
			for _, err := range table.Left(r.Context(), w) {
				r.Errorf("%s: a quiet table has rows that may have left, %v", c.name, err)
			}
			for stamps, err := range table.Stamps(r.Context(), w) {
				if len(stamps) > 0 || err != nil {
					r.Errorf("%s: a quiet table has stamps %v, %v", c.name, stamps, err)
				}
			}
		}
	}
}
