package pgsource

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"indexerd/internal/doc"
	_ "indexerd/internal/nofailfile"
	"indexerd/internal/pgtest"
)

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// For each form of updateTime: the time of a value, and that a window includes
// its From and excludes its To.
func TestUpdateTimes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		typ, value, zone string
		want             string
	}{
		{"timestamptz", "'2024-03-01 12:00:00.000001+02'", "", "2024-03-01T10:00:00.000001Z"},
		{"timestamptz(0)", "'2024-03-01 12:00:00+00'", "", "2024-03-01T12:00:00Z"},
		{"timestamptz", "'0001-01-01 00:00:00+00'", "", "0001-01-01T00:00:00Z"},
		{"timestamptz", "'9999-12-31 23:59:59.999999+00'", "", "9999-12-31T23:59:59.999999Z"},
		{"timestamp", "'2024-03-01 12:00:00.999999'", "UTC", "2024-03-01T12:00:00.999999Z"},
		{"timestamp", "'2024-07-01 12:00:00.5'", "Europe/Berlin", "2024-07-01T10:00:00.5Z"},
		{"timestamp", "'2024-07-01 12:00:00'", "America/St_Johns", "2024-07-01T14:30:00Z"},
		{"date", "'2024-02-29'", "", "2024-02-29T00:00:00Z"},
		{"date", "'2024-07-01'", "Asia/Tokyo", "2024-06-30T15:00:00Z"},
		{"int", "1709290800", "", "2024-03-01T11:00:00Z"},
		{"bigint", "1709290800", "", "2024-03-01T11:00:00Z"},
		{"bigint", "1709290800001", "", "2024-03-01T11:00:00.001Z"},
		{"bigint", "1709290800000001", "", "2024-03-01T11:00:00.000001Z"},
		{"bigint", "1709290800000001999", "", "2024-03-01T11:00:00.000001Z"},
		{"numeric(20,0)", "1709290800001", "", "2024-03-01T11:00:00.001Z"},
		{"numeric", "1709290800.000001", "", "2024-03-01T11:00:00.000001Z"},
	} {
		t.Run(c.typ+" "+c.value+c.zone, func(t *testing.T) {
			var zone *time.Location
			if c.zone != "" {
				zone = location(t, c.zone)
			}
			setup := fmt.Sprintf("DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u %s); INSERT INTO doc VALUES (1, %s), (2, NULL)", c.typ, c.value)
			table := tableIn(t, dsn, setup, TableConfig{Zone: zone})
			want := at(t, c.want)
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			if got := docs["1"].Updated; !got.Equal(want) || len(rejects) != 0 {
				t.Errorf("got updateTime %v and rejects %v, want %v and none", got, rejects, want)
			}
			if got := docs["2"].Updated; !got.IsZero() {
				t.Errorf("got updateTime %v of a NULL, want the zero time", got)
			}

			for _, w := range []struct {
				window doc.Window
				want   int
			}{
				{doc.Window{From: want, To: want.Add(time.Microsecond)}, 1},
				{doc.Window{From: want.Add(-time.Microsecond), To: want}, 0},
				{doc.Window{From: want.Add(time.Microsecond), To: want.Add(time.Second)}, 0},
				{doc.Window{From: time.Time{}, To: want}, 0},
				{doc.Window{From: time.Time{}, To: want.Add(24 * time.Hour)}, 1},
			} {
				stamps := readStamps(t, table.Stamps(t.Context(), w.window))
				if len(stamps) != w.want {
					t.Errorf("got stamps %v in %v, want %d", stamps, w.window, w.want)
				}
				if len(stamps) == 1 && !stamps[0].Same(docs["1"].Stamp) {
					t.Errorf("got stamp %+v, want that of the document, %+v", stamps[0], docs["1"].Stamp)
				}
			}
		})
	}
}

// On 2024-10-27 the clocks of Berlin showed the hour from 02:00 twice, on
// 2024-03-31 never. Adjacent windows lose no row.
func TestWallClockChange(t *testing.T) {
	t.Parallel()
	berlin := location(t, "Europe/Berlin")
	table, _ := newTable(t, `CREATE TABLE doc (id int, u timestamp);
		INSERT INTO doc SELECT n, '2024-10-27 00:00'::timestamp + n * interval '10 min' FROM generate_series(0, 35) n;
		INSERT INTO doc SELECT 100 + n, '2024-03-31 00:00'::timestamp + n * interval '10 min' FROM generate_series(0, 35) n`, TableConfig{Zone: berlin})
	for _, begin := range []string{"2024-10-26T21:00:00Z", "2024-03-30T22:00:00Z"} {
		seen := map[doc.OID]bool{}
		from := at(t, begin)
		for range 70 {
			to := from.Add(7 * time.Minute)
			for _, s := range readStamps(t, table.Stamps(t.Context(), doc.Window{From: from, To: to})) {
				seen[s.OID] = true
			}
			from = to
		}
		if got, want := len(seen), 36; got != want {
			t.Errorf("got %d rows in windows from %s on, want %d", got, begin, want)
		}
	}

	// 02:30 was two times, so the windows of both include it.
	for _, instant := range []string{"2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"} {
		from := at(t, instant)
		stamps := readStamps(t, table.Stamps(t.Context(), doc.Window{From: from, To: from.Add(time.Second)}))
		if !slices.ContainsFunc(stamps, func(s doc.Stamp) bool { return s.OID == oid(t, int64(15)) }) {
			t.Errorf("got %v in the window from %s, want row 15, of 02:30", stamps, instant)
		}
	}
}

func TestInfiniteUpdateTimesAreRejected(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct{ typ, value, reason string }{
		{"timestamptz", "infinity", `column u: "infinity" is not a time of the years 1 to 9999`},
		{"timestamp", "-infinity", `column u: "-infinity" is not a time of the years 1 to 9999`},
		{"date", "0044-03-15 BC", `column u: "0044-03-15 BC" is not a time of the years 1 to 9999`},
		{"timestamptz", "10000-01-01", `column u: "10000-01-01 00:00:00+00" is not a time of the years 1 to 9999`},
		{"numeric", "NaN", "column u: NaN is not a number"},
	} {
		setup := fmt.Sprintf("DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u %s); INSERT INTO doc VALUES (1, '%s')", c.typ, c.value)
		table := tableIn(t, dsn, setup, TableConfig{Zone: time.UTC})
		docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
		want := doc.Reject{OID: oid(t, int64(1)), Reason: c.reason}
		if len(docs) != 0 || len(rejects) != 1 || rejects[0] != want {
			t.Errorf("%s %s: got documents %v and rejects %+v, want none and %+v", c.typ, c.value, docs, rejects, want)
		}
		window := doc.Window{From: minTime.AddDate(-1, 0, 0), To: maxTime.AddDate(1, 0, 0)}
		if stamps := readStamps(t, table.Stamps(t.Context(), window)); len(stamps) != 0 {
			t.Errorf("%s %s: got stamps %v, want none", c.typ, c.value, stamps)
		}
	}
}

// The unit of an empty table is found when it has rows.
func TestEpochUnitIsFoundLater(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u bigint)", TableConfig{})
	if got, want := table.Tick(), time.Second; got != want {
		t.Errorf("got tick %v of an empty table, want %v", got, want)
	}
	pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (1, 1709290800001)")
	want := at(t, "2024-03-01T11:00:00.001Z")
	stamps := readStamps(t, table.Stamps(t.Context(), doc.Window{From: want, To: want.Add(time.Microsecond)}))
	if len(stamps) != 1 || !stamps[0].Updated.Equal(want) {
		t.Errorf("got stamps %v, want one of %v", stamps, want)
	}
	if got, want := table.Tick(), time.Millisecond; got != want {
		t.Errorf("got tick %v, want %v", got, want)
	}
}

// Pages may end among rows with the same updateTime: an import gives all rows
// one.
func TestStampsPageWithinOneUpdateTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, columns, values string
		key                   []string
	}{
		{"integer", "id int", "n", nil},
		{"composite", `tenant text COLLATE "en-x-icu", id uuid`, "CASE n % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'B' ELSE '' END, gen_random_uuid()", []string{"tenant", "id"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, _ := newTable(t, fmt.Sprintf(`CREATE TABLE doc (%s, u timestamptz(3));
				INSERT INTO doc SELECT %s, '2024-01-01Z' FROM generate_series(1, 1000) n;
				INSERT INTO doc SELECT %[2]s, '2024-01-01Z'::timestamptz + n %% 4 * interval '1 ms' FROM generate_series(1001, 1100) n`, c.columns, c.values),
				TableConfig{Key: c.key})
			window := doc.Window{From: at(t, "2024-01-01T00:00:00Z"), To: at(t, "2024-01-01T00:00:00.003Z")}
			for _, size := range []int{7, 999, 1000, 1075, 5000} {
				table.stampPage = size
				stamps := readStamps(t, table.Stamps(t.Context(), window))
				seen := map[doc.OID]bool{}
				for _, s := range stamps {
					seen[s.OID] = true
				}
				if len(stamps) != 1075 || len(seen) != 1075 {
					t.Errorf("page of %d: got %d stamps of %d rows, want each of 1075 rows once", size, len(stamps), len(seen))
				}
			}
		})
	}
}

// A window's bounds in the column's form select the values whose times are in
// the window.
func TestBoundsDivideAsTheWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}).Draw(t, "unit")
		u := &updated{form: epoch, typ: pgtype.Int8OID}
		value := rapid.Int64Range(-1e18/int64(unit), 1e18/int64(unit)).Draw(t, "value")
		means, err := u.parse(strconv.FormatInt(value, 10), unit)
		if err != nil {
			t.Fatal(err)
		}
		near := rapid.Int64Range(-3_000_000, 3_000_000)
		w := doc.Window{
			From: means.Add(time.Duration(near.Draw(t, "from"))),
			To:   means.Add(time.Duration(near.Draw(t, "to"))),
		}
		from, to := u.bounds(w, unit)
		got := parseInt(t, from) <= value && value < parseInt(t, to)
		if want := !means.Before(w.From) && means.Before(w.To); got != want {
			t.Errorf("value %d in [%s, %s): got %v, want %v, as %v in %v", value, from, to, got, want, means, w)
		}
	})
}

func parseInt(t *rapid.T, s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEpochBoundsAreCutAtTheColumnsRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		time  time.Time
		whole bool
		want  string
	}{
		{time.Time{}, true, "-9223372036854775808"},
		{maxTime, true, "9223372036854775807"},
		{time.Time{}, false, "-62135596800000000000.000000"},
	} {
		if got := epochBound(c.time, time.Nanosecond, c.whole); got != c.want {
			t.Errorf("got %s for %v, want %s", got, c.time, c.want)
		}
	}
}
