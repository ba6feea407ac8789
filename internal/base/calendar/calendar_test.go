package calendar

import (
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile" // a failure leaves no file
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		iv       Interval
		zone     string
		at, want string
	}{
		{Interval{Unit: Second}, "UTC", "2006-02-15T04:34:33.5Z", "2006-02-15T04:34:33Z"},
		{Interval{Unit: Minute}, "UTC", "2006-02-15T04:34:33Z", "2006-02-15T04:34:00Z"},
		{Interval{Unit: Hour}, "UTC", "1969-12-31T23:59:59Z", "1969-12-31T23:00:00Z"},
		{Interval{Unit: Day}, "UTC", "1969-12-31T23:59:59Z", "1969-12-31T00:00:00Z"},
		{Interval{Unit: Week}, "UTC", "2006-02-19T04:00:00Z", "2006-02-13T00:00:00Z"},
		{Interval{Unit: Week}, "UTC", "2006-02-13T00:00:00Z", "2006-02-13T00:00:00Z"},
		{Interval{Unit: Month}, "UTC", "2006-03-31T04:00:00Z", "2006-03-01T00:00:00Z"},
		{Interval{Unit: Quarter}, "UTC", "2006-12-31T04:00:00Z", "2006-10-01T00:00:00Z"},
		{Interval{Unit: Quarter}, "UTC", "2006-05-31T04:00:00Z", "2006-04-01T00:00:00Z"},
		{Interval{Unit: Year}, "UTC", "2006-12-31T04:00:00Z", "2006-01-01T00:00:00Z"},
		{Interval{Length: 7 * time.Hour}, "UTC", "1970-01-01T08:00:00Z", "1970-01-01T07:00:00Z"},
		{Interval{Unit: Day, Offset: 6 * time.Hour}, "UTC", "2006-02-15T04:00:00Z", "2006-02-14T06:00:00Z"},
		{Interval{Unit: Day, Offset: -6 * time.Hour}, "UTC", "2006-02-15T19:00:00Z", "2006-02-15T18:00:00Z"},
		{Interval{Unit: Day}, "Europe/Berlin", "2006-02-15T23:30:00Z", "2006-02-15T23:00:00Z"},
		{Interval{Unit: Day}, "Europe/Berlin", "2006-03-26T12:00:00Z", "2006-03-25T23:00:00Z"}, // 23 hours
		{Interval{Unit: Day}, "Europe/Berlin", "2006-03-26T22:30:00Z", "2006-03-26T22:00:00Z"},
		{Interval{Unit: Month}, "America/New_York", "2006-04-30T23:00:00Z", "2006-04-01T05:00:00Z"},
		{Interval{Unit: Hour}, "Europe/Berlin", "2006-10-29T00:30:00Z", "2006-10-29T00:00:00Z"}, // 02:30, the first one
		{Interval{Unit: Hour}, "Europe/Berlin", "2006-10-29T01:30:00Z", "2006-10-29T01:00:00Z"}, // 02:30, the second one
		{Interval{Length: 6 * time.Hour}, "Europe/Berlin", "2006-10-29T04:30:00Z", "2006-10-28T22:00:00Z"},
		{Interval{Length: 2 * time.Hour}, "Europe/Berlin", "2006-03-26T01:30:00Z", "2006-03-26T01:00:00Z"}, // 02:00 does not exist
		{Interval{Unit: Day}, "America/Sao_Paulo", "2006-11-05T12:00:00Z", "2006-11-05T03:00:00Z"},         // midnight does not exist
		{Interval{Unit: Day}, "America/Havana", "2006-10-29T12:00:00Z", "2006-10-29T04:00:00Z"},            // two midnights
		{Interval{Unit: Hour}, "Australia/Lord_Howe", "2006-10-28T15:45:00Z", "2006-10-28T14:30:00Z"},      // half an hour is missing
		{Interval{Unit: Day}, "Asia/Kolkata", "2006-02-15T18:29:59Z", "2006-02-14T18:30:00Z"},
		{Interval{Unit: Hour}, "Asia/Kolkata", "2006-02-15T18:29:59Z", "2006-02-15T17:30:00Z"},
	} {
		iv := c.iv
		iv.Zone = zone(t, c.zone)
		at, err := time.Parse(time.RFC3339Nano, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.UnixMilli(iv.Start(at.UnixMilli())).UTC().Format(time.RFC3339Nano); got != c.want {
			t.Errorf("%+v in %s, %s: got %s, want %s", c.iv, c.zone, c.at, got, c.want)
		}
	}
}

// The next interval is not passed over if one is longer by the hour when clocks change.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		iv             Interval
		zone, at, want string
	}{
		{Interval{Length: 1000 * 24 * time.Hour}, "America/New_York", "2008-05-01T04:00:00Z", "2011-01-26T05:00:00Z"},
		{Interval{Length: 1000 * 24 * time.Hour}, "America/New_York", "2011-01-26T05:00:00Z", "2013-10-22T04:00:00Z"},
		{Interval{Length: 10 * time.Minute}, "Europe/Berlin", "2006-10-29T00:50:00Z", "2006-10-29T01:00:00Z"},
		{Interval{Unit: Month}, "America/New_York", "2006-10-01T04:00:00Z", "2006-11-01T05:00:00Z"},
	} {
		iv := c.iv
		iv.Zone = zone(t, c.zone)
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.UnixMilli(iv.Next(at.UnixMilli())).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%+v in %s, next of %s: got %s, want %s", c.iv, c.zone, c.at, got, c.want)
		}
	}
}

func TestValid(t *testing.T) {
	for _, c := range []struct {
		iv   Interval
		want bool
	}{
		{Interval{}, false}, {Interval{Unit: "fortnight"}, false}, {Interval{Unit: Day}, true}, {Interval{Unit: Day, Length: time.Hour}, false},
		{Interval{Length: time.Millisecond}, true}, {Interval{Length: time.Microsecond}, false}, {Interval{Length: -time.Hour}, false},
	} {
		if got := c.iv.Valid(); got != c.want {
			t.Errorf("%+v: got %t, want %t", c.iv, got, c.want)
		}
	}
}

// Intervals have no gaps and do not overlap: an instant is in the interval that starts
// last before it, and Next is the start of what comes next.
func TestIntervals(t *testing.T) {
	zones := []*time.Location{nil}
	for _, name := range []string{"Europe/Berlin", "America/Havana", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"} {
		zones = append(zones, zone(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		iv := Interval{Zone: rapid.SampledFrom(zones).Draw(t, "zone"), Offset: time.Duration(rapid.IntRange(-30, 30).Draw(t, "offset")) * time.Hour}
		if rapid.Bool().Draw(t, "fixed") {
			iv.Length = rapid.SampledFrom([]time.Duration{5 * time.Minute, time.Hour, 5 * time.Hour, 30 * time.Hour, 24_000 * time.Hour}).Draw(t, "length")
		} else {
			iv.Unit = rapid.SampledFrom([]string{Hour, Day, Week, Month, Quarter, Year}).Draw(t, "unit")
		}
		at := rapid.Int64Range(-2e12, 2e12).Draw(t, "at")
		start := iv.Start(at)
		next := iv.Next(start)
		if start > at || next <= at {
			t.Fatalf("%+v: %d is not in [%d, %d)", iv, at, start, next)
		}
		for _, one := range []int64{start, next - 1} {
			if got := iv.Start(one); got != start {
				t.Fatalf("%+v: the start of %d: got %d, want %d", iv, one, got, start)
			}
		}
		if got := iv.Start(next); got != next {
			t.Fatalf("%+v: the start of %d: got %d, want itself", iv, next, got)
		}
	})
}
