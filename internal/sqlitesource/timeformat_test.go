package sqlitesource

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	_ "indexerd/internal/nofailfile"
)

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

func berlin(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// For every format in which applications store a time: its value, its tick, the
// window that contains it and windows that do not.
func TestTimesOfEveryFormat(t *testing.T) {
	const noon = "2024-05-06T12:00:00Z"
	for _, c := range []struct {
		name, declared string
		value          any
		zone           *time.Location
		want           string
		tick           time.Duration
	}{
		{"seconds", "INTEGER", 1714996800, nil, noon, time.Second},
		{"milliseconds", "INTEGER", 1714996800123, nil, "2024-05-06T12:00:00.123Z", time.Millisecond},
		{"microseconds", "INTEGER", 1714996800123456, nil, "2024-05-06T12:00:00.123456Z", time.Microsecond},
		{"nanoseconds", "INTEGER", 1714996800123456789, nil, "2024-05-06T12:00:00.123456Z", time.Microsecond},
		{"before 1970", "INTEGER", -1, nil, "1969-12-31T23:59:59Z", 24 * time.Hour}, // too old to show a unit
		{"seconds as real", "REAL", 1714996800.25, nil, "2024-05-06T12:00:00.25Z", time.Microsecond},
		{"julian day", "REAL", 2460437.0, nil, noon, time.Millisecond},
		{"julian day in a numeric column", "NUMERIC", 2460437.0, nil, noon, time.Microsecond * 1000},
		{"text", "TEXT", "2024-05-06 12:00:00", nil, noon, time.Second},
		{"text in a column the driver would convert", "DATETIME", "2024-05-06 12:00:00", nil, noon, time.Second},
		{"strftime %f", "TEXT", "2024-05-06 12:00:00.123", nil, "2024-05-06T12:00:00.123Z", time.Millisecond},
		{"ISO", "TEXT", "2024-05-06T12:00:00.123456Z", nil, "2024-05-06T12:00:00.123456Z", time.Microsecond},
		{"UTC as offset", "TEXT", "2024-05-06T12:00:00+00:00", nil, noon, time.Second},
		{"offset", "TEXT", "2024-05-06 14:00:00+02:00", nil, noon, time.Second},
		{"minutes", "TEXT", "2024-05-06 12:00", nil, noon, time.Minute},
		{"date", "DATE", "2024-05-06", nil, "2024-05-06T00:00:00Z", 24 * time.Hour},
		{"local", "TEXT", "2024-05-06 14:00:00", berlin(t), noon, time.Second},
		{"local date", "TEXT", "2024-05-06", berlin(t), "2024-05-05T22:00:00Z", 24 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u "+c.declared+")")
			db.exec("INSERT INTO t VALUES (1, ?)", c.value)
			table := db.table(TableConfig{Zone: c.zone})
			docs, rejects := rangeOf(t, table, doc.Range{})
			if len(docs) != 1 || len(rejects) != 0 {
				t.Fatalf("docs = %v, rejects = %v, want one document", docs, rejects)
			}
			want := instant(t, c.want)
			if got := docs[0].Updated; !got.Equal(want) || got.Location() != time.UTC {
				t.Errorf("Updated = %v, want %v", got, want)
			}
			if got := table.Tick(); got != c.tick {
				t.Errorf("Tick = %v, want %v", got, c.tick)
			}
			if got := stampsOf(t, table, want, want.Add(time.Microsecond)); len(got) != 1 || !got[0].Same(docs[0].Stamp) {
				t.Errorf("stamps of its microsecond = %v, want %v", got, docs[0].Stamp)
			}
			if c.name == "offset" {
				return // its windows are wider
			}
			after := want.Add(time.Microsecond)
			if got := stampsOf(t, table, after, after.Add(48*time.Hour)); len(got) != 0 {
				t.Errorf("stamps after it = %v, want none", got)
			}
			if got := stampsOf(t, table, want.Add(-48*time.Hour), want.Truncate(time.Minute)); len(got) != 0 {
				t.Errorf("stamps before its minute = %v, want none", got)
			}
		})
	}
}

func TestRowsWithoutUpdateTime(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u)")
	table := db.table(TableConfig{})
	if got, want := table.Tick(), 24*time.Hour; got != want {
		t.Errorf("Tick of an empty table = %v, want %v", got, want)
	}
	db.exec("INSERT INTO t VALUES (1, NULL)")
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 1 || len(rejects) != 0 || !docs[0].Updated.IsZero() {
		t.Errorf("docs = %v, rejects = %v, want one document without updateTime", docs, rejects)
	}
	if got := stampsOf(t, table, time.Time{}, time.Now()); len(got) != 0 {
		t.Errorf("stamps = %v, want none", got)
	}
	// The first row with an updateTime shows the format.
	db.exec("INSERT INTO t VALUES (2, '2024-05-06 12:00')")
	if got, want := stampKeys(stampsOf(t, table, time.Time{}, time.Now())), "2"; got != want {
		t.Errorf("stamps = %s, want %s", got, want)
	}
	if got, want := table.Tick(), time.Minute; got != want {
		t.Errorf("Tick = %v, want %v", got, want)
	}
}

// When clocks are set back, one hour of local times repeats. Windows of both
// hours contain its rows.
func TestWindowsOfTheRepeatedHour(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT)",
		"INSERT INTO t VALUES (1, '2025-10-26 01:59:59'), (2, '2025-10-26 02:30:00'), (3, '2025-10-26 03:00:00')")
	table := db.table(TableConfig{Zone: berlin(t)})
	for _, c := range []struct{ from, to, want string }{
		{"2025-10-25T23:59:59Z", "2025-10-26T00:00:00Z", "1"},
		{"2025-10-26T00:30:00Z", "2025-10-26T00:31:00Z", "2"}, // 02:30 the first time
		{"2025-10-26T01:30:00Z", "2025-10-26T01:31:00Z", "2"}, // 02:30 the second time
		{"2025-10-26T02:00:00Z", "2025-10-26T02:01:00Z", "3"},
	} {
		got := stampKeys(stampsOf(t, table, instant(t, c.from), instant(t, c.to)))
		if !strings.Contains(" "+got+" ", " "+c.want+" ") {
			t.Errorf("stamps in [%s, %s) = %q, want %s among them", c.from, c.to, got, c.want)
		}
	}
}

// spellings returns all spellings of an instant in full precision.
func spellings(at time.Time, offset time.Duration) []string {
	sign, away := '+', offset
	if offset < 0 {
		sign, away = '-', -offset
	}
	zone := fmt.Sprintf("%c%02d:%02d", sign, int(away.Hours()), int(away.Minutes())%60)
	layouts := []string{"2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.000000"}
	if at.Second() == 0 && at.Nanosecond() == 0 {
		layouts = append(layouts, "2006-01-02 15:04", "2006-01-02T15:04")
	}
	var texts []string
	for _, l := range layouts {
		texts = append(texts, at.Format(l), at.Format(l)+"Z", at.Format(l)+"+00:00", at.Add(offset).Format(l)+zone)
	}
	if at.Truncate(24 * time.Hour).Equal(at) {
		texts = append(texts, at.Format("2006-01-02"))
	}
	return texts
}

// For any mix of spellings in a column, the bounds of a window contain the text of
// every instant of the window.
func TestTextBoundsCoverTheWindow(t *testing.T) {
	start := instant(t, "2024-05-05T23:58:00Z")
	// Whole minutes, seconds and fractions around midnight, which spellings and
	// bounds often share.
	instants := rapid.Custom(func(r *rapid.T) time.Time {
		at := start.Add(time.Duration(rapid.IntRange(0, 4).Draw(r, "minute")) * time.Minute)
		at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 5, 59}).Draw(r, "second")) * time.Second)
		return at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 400_000, 999_999}).Draw(r, "micro")) * time.Microsecond)
	})
	rapid.Check(t, func(r *rapid.T) {
		c := &timeFormat{zone: time.UTC}
		type value struct {
			text string
			at   time.Time
		}
		var values []value
		// A column with up to three spellings.
		ways := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 3).Draw(r, "ways")
		offset := time.Duration(rapid.IntRange(-12*4, 14*4).Draw(r, "offset")) * 15 * time.Minute
		for range rapid.IntRange(1, 8).Draw(r, "rows") {
			at := instants.Draw(r, "at")
			texts := spellings(at, offset)
			text := texts[rapid.SampledFrom(ways).Draw(r, "way")%len(texts)]
			got, err := c.time(text)
			if err != nil || !got.Equal(at) {
				r.Fatalf("time(%q) = %v, %v, want %v", text, got, err, at)
			}
			values = append(values, value{text, at})
		}
		w := doc.Window{From: instants.Draw(r, "from"), To: instants.Draw(r, "to")}
		from, to := c.bounds(w)
		for _, v := range values {
			in := !v.at.Before(w.From) && v.at.Before(w.To)
			if in && (v.text < from.(string) || v.text >= to.(string)) {
				r.Errorf("%q lies outside of [%q, %q), the bounds of %v", v.text, from, to, w)
			}
		}
	})
}

func TestTextBoundsOfOneSpellingAreExact(t *testing.T) {
	for _, spelled := range []struct{ layout, newest string }{
		{"2006-01-02 15:04:05", ""},
		{"2006-01-02T15:04:05", ""},
		{"2006-01-02 15:04:05.000000", ""},
		{"2006-01-02 15:04:05+00:00", ""},
	} {
		rapid.Check(t, func(r *rapid.T) {
			at := time.Unix(rapid.Int64Range(0, 2e9).Draw(r, "seconds"), 0).UTC()
			c := &timeFormat{zone: time.UTC}
			if _, err := c.time(at.Format(spelled.layout)); err != nil {
				r.Fatal(err)
			}
			near := func(name string) time.Time {
				return at.Add(time.Duration(rapid.Int64Range(-3e6, 3e6).Draw(r, name)) * time.Microsecond)
			}
			w := doc.Window{From: near("from"), To: near("to")}
			from, to := c.bounds(w)
			text := at.Format(spelled.layout)
			got := text >= from.(string) && text < to.(string)
			want := !at.Before(w.From) && at.Before(w.To)
			if got != want {
				r.Errorf("%q in [%q, %q) = %v, want %v", text, from, to, got, want)
			}
		})
	}
}

// The bounds contain exactly the numbers that convert to times of the window.
func TestBoundsInNumbers(t *testing.T) {
	const second = 1714996800
	for name, newest := range map[string]any{
		"seconds": int64(second), "milliseconds": int64(second * 1e3), "microseconds": int64(second * 1e6), "nanoseconds": int64(second * 1e9),
		"real seconds": float64(second), "julian days": 2460437.0,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := newTimeFormat(newest, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			db := newDB(t)
			rapid.Check(t, func(r *rapid.T) {
				// A number a few units, or smallest steps, away.
				var v any
				switch n := newest.(type) {
				case int64:
					v = n + rapid.Int64Range(-3000, 3000).Draw(r, "off")
				case float64:
					v = n + rapid.Float64Range(-1e-3, 1e-3).Draw(r, "off")
				}
				at, err := c.time(v)
				if err != nil {
					r.Fatal(err)
				}
				near := func(name string) time.Time {
					return at.Add(time.Duration(rapid.Int64Range(-3000, 3000).Draw(r, name)) * time.Microsecond)
				}
				w := doc.Window{From: near("from"), To: near("to")}
				from, to := c.bounds(w)
				var got bool
				if err := db.writer.QueryRow("SELECT ?1 >= ?2 AND ?1 < ?3", v, from, to).Scan(&got); err != nil {
					r.Fatal(err)
				}
				if want := !at.Before(w.From) && at.Before(w.To); got != want {
					r.Errorf("%v, read as %v, in [%v, %v), the bounds of %v: %v, want %v", v, at, from, to, w, got, want)
				}
			})
		})
	}
}

func FuzzSpelling(f *testing.F) {
	for _, s := range []string{"2024-05-06", "2024-05-06 12:00", "2024-05-06T12:00:00.123456789Z", "2024-05-06 12:00:00-11:30", "2024-05-06 12:00:00.", "9999-12-31 23:59:60", "2024-05-06\u00a012:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSpelling(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error takes more than a line: %q", err)
			}
			return
		}
		// A text that parses begins with its shortest spelling.
		sep := s.sep
		if sep == 0 {
			sep = ' '
		}
		if short := shortest(s.wall, sep); !strings.HasPrefix(text, short) {
			t.Errorf("%q is read as %v, which is %q", text, s.wall, short)
		}
	})
}
