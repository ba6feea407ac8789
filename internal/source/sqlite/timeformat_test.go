package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

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
			got, err := c.Time(text)
			if err != nil || !got.Equal(at) {
				r.Fatalf("time(%q) = %v, %v, want %v", text, got, err, at)
			}
			values = append(values, value{text, at})
		}
		w := doc.Window{From: instants.Draw(r, "from"), To: instants.Draw(r, "to")}
		from, to := c.Bounds(w)
		for _, v := range values {
			in := !v.at.Before(w.From) && v.at.Before(w.To)
			if in && (v.text < from.(string) || v.text >= to.(string)) {
				r.Errorf("%q lies outside of [%q, %q), the bounds of %v", v.text, from, to, w)
			}
		}
	})
}

// Windows in which the order of texts is not that of times.
func TestTextBoundsOfOddSpellings(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		zone     *time.Location
		text     string
		from, to string
	}{
		{time.UTC, "2024-05-06 10:00Z", "2024-05-06T10:00:00Z", "2024-05-06T10:00:05Z"}, // Z sorts after a colon
		{time.UTC, "2024-05-06T10:00:00Z", "2024-05-06T10:00:00Z", "2024-05-06T10:00:00.4Z"},
		{berlin, "2024-05-06 10:00:00Z", "2024-05-06T10:00:00Z", "2024-05-06T10:00:01Z"}, // Berlin shows 12:00
		{time.UTC, "0000-01-01 12:00:00", "0000-01-01T00:00:00Z", "0000-01-02T00:00:00Z"},
		{time.UTC, "0000-01-01 12:00-12:00", "0000-01-01T12:00:00Z", "0000-01-03T00:00:00Z"},
		{time.UTC, "9999-12-31 23:59:59-00:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.9Z"},
		{time.UTC, "9999-12-31 23:00:00+12:00", "9999-12-31T11:00:00Z", "9999-12-31T23:59:59Z"},
	} {
		f := &timeFormat{zone: c.zone}
		w := doc.Window{From: instant(t, c.from), To: instant(t, c.to)}
		at, err := f.Time(c.text)
		if err != nil || at.Before(w.From) || !at.Before(w.To) {
			t.Errorf("%s: got %v, %v, want a time in %v", c.text, at, err, w)
		}
		from, to := f.Bounds(w)
		if c.text < from.(string) || c.text >= to.(string) {
			t.Errorf("%s: got [%q, %q) for %v, want the text in it", c.text, from, to, w)
		}
	}
	f := &timeFormat{zone: time.UTC}
	f.seen.Store(seenOffset)
	if from, to := f.Bounds(doc.Window{From: instant(t, "0000-01-01T00:00:00Z"), To: instant(t, "9999-12-31T23:00:00Z")}); from != "" || to != ":" {
		t.Errorf("got [%q, %q) for all times, want bounds before and after all of them", from, to)
	}
}

func TestTextBoundsOfOneSpellingAreExact(t *testing.T) {
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04:05.000000", "2006-01-02 15:04:05+00:00"} {
		rapid.Check(t, func(r *rapid.T) {
			at := time.Unix(rapid.Int64Range(0, 2e9).Draw(r, "seconds"), 0).UTC()
			c := &timeFormat{zone: time.UTC}
			if _, err := c.Time(at.Format(layout)); err != nil {
				r.Fatal(err)
			}
			near := func(name string) time.Time {
				return at.Add(time.Duration(rapid.Int64Range(-3e6, 3e6).Draw(r, name)) * time.Microsecond)
			}
			w := doc.Window{From: near("from"), To: near("to")}
			from, to := c.Bounds(w)
			text := at.Format(layout)
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
	const second, never = 1714996800, 253402300799 // never: the last second of 9999
	for _, c := range []struct {
		name  string
		value any
		off   float64 // a few units, or smallest steps
	}{
		{"seconds", int64(second), 3000}, {"milliseconds", int64(second * 1e3), 3000}, {"microseconds", int64(second * 1e6), 3000}, {"nanoseconds", int64(second * 1e9), 3000},
		{"real seconds", float64(second), 1e-3}, {"real milliseconds", second * 1e3, 3}, {"real microseconds", second * 1e6, 3000}, {"real nanoseconds", second * 1e9, 3e6},
		{"julian days", 2460437.0, 1e-3}, {"the last second", int64(never), 0}, {"the last real second", float64(never), 1e-2}, {"the first julian days", 2086303.0, 1e-3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := newTimeFormat(c.value, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			db := newDB(t)
			rapid.Check(t, func(r *rapid.T) {
				v := c.value
				switch n := v.(type) {
				case int64:
					v = n + rapid.Int64Range(-int64(c.off), int64(c.off)).Draw(r, "off")
				case float64:
					v = n + rapid.Float64Range(-c.off, c.off).Draw(r, "off")
				}
				at, err := f.Time(v)
				if err != nil {
					r.Fatal(err)
				}
				near := func(name string) time.Time {
					return at.Add(time.Duration(rapid.Int64Range(-3000, 3000).Draw(r, name)) * time.Microsecond)
				}
				w := doc.Window{From: near("from"), To: near("to")}
				from, to := f.Bounds(w)
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
