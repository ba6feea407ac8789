package doc

import (
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"pgregory.net/rapid"
)

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia"}

func zone(t rapid.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// clock parses a local time, in UTC.
func clock(t rapid.TB, figures string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.999999", figures)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// figures returns the local time of loc, by formatting it.
func figures(t rapid.TB, at time.Time, loc *time.Location) time.Time {
	t.Helper()
	return clock(t, at.In(loc).Format("2006-01-02 15:04:05.000000"))
}

func TestWindowThatEndsBeforeItBeginsIsEmpty(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for w, want := range map[Window]bool{{at, at}: true, {at, at.Add(-time.Hour)}: true, {}: true, {at, at.Add(time.Microsecond)}: false} {
		if got := w.Empty(); got != want {
			t.Errorf("%v is empty: got %v, want %v", w, got, want)
		}
	}
}

// The bounds contain the local time of every instant of the window, and no more
// except local times that the clocks skip at its end. Zones change at quarters
// of an hour only, so the two ends of a quarter are checked for all of it.
func TestWallBoundsContainEveryInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		w := drawWindow(t, loc)
		from, to := w.Wall(loc)
		wantFrom, wantTo := figures(t, w.From, loc), figures(t, w.To, loc)
		for at := w.From; at.Before(w.To); at = at.Add(15 * time.Minute) {
			wantFrom = earlier(wantFrom, figures(t, at, loc))
			last := at.Add(15*time.Minute - time.Microsecond)
			wantTo = later(wantTo, figures(t, last, loc).Add(time.Microsecond))
		}
		if !from.Equal(wantFrom) || !to.Equal(wantTo) {
			t.Fatalf("%v to %v: got [%v, %v), want [%v, %v)", w.From, w.To, from, to, wantFrom, wantTo)
		}
	})
}

// drawWindow draws a window in whole quarters of an hour, up to three days
// long, often around a change of the clocks.
func drawWindow(t *rapid.T, loc *time.Location) Window {
	at := time.Unix(rapid.Int64Range(900_000_000, 2_000_000_000).Draw(t, "at"), 0).In(loc)
	if _, change := at.ZoneBounds(); !change.IsZero() && rapid.Bool().Draw(t, "near a change") {
		at = change.Add(time.Duration(rapid.IntRange(-12, 4).Draw(t, "off")) * 15 * time.Minute)
	}
	from := at.UTC().Truncate(15 * time.Minute)
	quarters := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 3*96)).Draw(t, "quarters")
	return Window{from, from.Add(time.Duration(quarters) * 15 * time.Minute)}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// A source computes stamps by FromWall and selects by Wall: a window that contains
// the stamp must select the row, even if its local time was skipped.
func TestWallBoundsContainFromWallTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		near := figures(t, drawWindow(t, loc).From, loc)
		value := near.Add(time.Duration(rapid.Int64Range(-3*3600e6, 3*3600e6).Draw(t, "µs")) * time.Microsecond)
		u := FromWall(value, loc)
		if u.Location() != time.UTC {
			t.Fatalf("%v: got %v, want it in UTC", value, u)
		}
		w := Window{u.Add(-drawMargin(t)), u.Add(drawMargin(t) + time.Microsecond)}
		if from, to := w.Wall(loc); value.Before(from) || !value.Before(to) {
			t.Fatalf("%v is stamped %v: the window %v to %v asks for %v to %v", value, u, w.From, w.To, from, to)
		}
	})
}

func drawMargin(t *rapid.T) time.Duration {
	µs := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 7200e6)).Draw(t, "margin")
	return time.Duration(µs) * time.Microsecond
}

func TestFromWallReturnsTheFirstInstantOfALocalTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		at := drawWindow(t, loc).From.Add(time.Duration(rapid.Int64Range(0, 3600e6).Draw(t, "µs")) * time.Microsecond)
		shown := figures(t, at, loc)
		got := FromWall(shown, loc)
		if got.After(at) || !figures(t, got, loc).Equal(shown) {
			t.Fatalf("%v, shown at %v: got %v, want that or an earlier instant with these figures", shown, at, got)
		}
		for _, back := range []time.Duration{30 * time.Minute, time.Hour} { // as far as these clocks are ever set back
			if first := at.Add(-back); figures(t, first, loc).Equal(shown) && !got.Equal(first) {
				t.Fatalf("%v, shown at %v and %v: got %v, want the first", shown, first, at, got)
			}
		}
	})
}

func TestFromWallAtClockChanges(t *testing.T) {
	tests := []struct {
		name, zone, figures, want string
	}{
		{"no change near", "Europe/Berlin", "2025-07-01 12:00:00.000001", "2025-07-01 10:00:00.000001"},
		{"UTC", "UTC", "2025-10-26 02:30:00", "2025-10-26 02:30:00"},
		{"written twice, east", "Europe/Berlin", "2025-10-26 02:30:00", "2025-10-26 00:30:00"},
		{"the last before it is written twice", "Europe/Berlin", "2025-10-26 01:59:59.999999", "2025-10-25 23:59:59.999999"},
		{"the first after it was written twice", "Europe/Berlin", "2025-10-26 03:00:00", "2025-10-26 02:00:00"},
		{"written twice, west", "America/New_York", "2025-11-02 01:30:00", "2025-11-02 05:30:00"},
		{"half an hour written twice", "Australia/Lord_Howe", "2025-04-06 01:45:00", "2025-04-05 14:45:00"},
		{"skipped, east", "Europe/Berlin", "2025-03-30 02:30:00", "2025-03-30 00:59:59.999999"},
		{"the first skipped", "Europe/Berlin", "2025-03-30 02:00:00", "2025-03-30 00:59:59.999999"},
		{"the first after the skipped", "Europe/Berlin", "2025-03-30 03:00:00", "2025-03-30 01:00:00"},
		{"skipped, west", "America/New_York", "2025-03-09 02:30:00", "2025-03-09 06:59:59.999999"},
		{"half an hour skipped", "Australia/Lord_Howe", "2025-10-05 02:15:00", "2025-10-04 15:29:59.999999"},
		{"a date whose midnight was skipped", "America/Sao_Paulo", "2018-11-04 00:00:00", "2018-11-04 02:59:59.999999"},
		{"a day that was skipped", "Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 09:59:59.999999"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FromWall(clock(t, tt.figures), zone(t, tt.zone))
			if want := clock(t, tt.want); !got.Equal(want) {
				t.Errorf("%s in %s: got %v, want %v", tt.figures, tt.zone, got, want)
			}
		})
	}
}

func TestWallAtClockChanges(t *testing.T) {
	tests := []struct {
		name, zone, from, to, wantFrom, wantTo string
	}{
		{"no change near", "Europe/Berlin", "2025-07-01 10:00:00", "2025-07-01 11:00:00", "2025-07-01 12:00:00", "2025-07-01 13:00:00"},
		{"set back inside", "Europe/Berlin", "2025-10-26 00:50:00", "2025-10-26 01:10:00", "2025-10-26 02:00:00", "2025-10-26 03:00:00"},
		{"set back at its end", "Europe/Berlin", "2025-10-26 00:50:00", "2025-10-26 01:00:00", "2025-10-26 02:50:00", "2025-10-26 03:00:00"},
		{"set back at its beginning", "Europe/Berlin", "2025-10-26 01:00:00", "2025-10-26 01:10:00", "2025-10-26 02:00:00", "2025-10-26 02:10:00"},
		{"half an hour back", "Australia/Lord_Howe", "2025-04-05 14:55:00", "2025-04-05 15:05:00", "2025-04-06 01:30:00", "2025-04-06 02:00:00"},
		{"set forward inside", "America/New_York", "2025-03-09 06:50:00", "2025-03-09 07:10:00", "2025-03-09 01:50:00", "2025-03-09 03:10:00"},
		{"years long", "Europe/Berlin", "2020-01-01 00:00:00", "2025-10-26 01:10:00", "2020-01-01 01:00:00", "2025-10-26 03:00:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := Window{clock(t, tt.from), clock(t, tt.to)}
			from, to := w.Wall(zone(t, tt.zone))
			if wantFrom, wantTo := clock(t, tt.wantFrom), clock(t, tt.wantTo); !from.Equal(wantFrom) || !to.Equal(wantTo) {
				t.Errorf("got [%v, %v), want [%v, %v)", from, to, wantFrom, wantTo)
			}
		})
	}
}

// The end of the window is after the last change that a zone's data lists.
func TestWallOfWindowsThatEndIn9999(t *testing.T) {
	for _, name := range zones {
		w := Window{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
		from, to := w.Wall(zone(t, name))
		if from.Sub(w.From).Abs() > 14*time.Hour || to.Sub(w.To).Abs() > 14*time.Hour {
			t.Errorf("%s: got [%v, %v), want the window's figures there", name, from, to)
		}
	}
}
