package configs

import (
	"fmt"
	"testing"
	"time"
)

func TestUntilReturnsTheEndOfTheHours(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hours, at, until string // until "": not within the hours
	}{
		{"08:00-18:00", "2026-11-22T07:59", ""},
		{"08:00-18:00", "2026-11-22T08:00", "2026-11-22T18:00"},
		{"08:00-18:00", "2026-11-22T17:59", "2026-11-22T18:00"},
		{"08:00-18:00", "2026-11-22T18:00", ""},
		{"22:00-06:30", "2026-11-22T21:59", ""},
		{"22:00-06:30", "2026-11-22T22:00", "2026-11-23T06:30"},
		{"22:00-06:30", "2026-12-31T23:00", "2027-01-01T06:30"},
		{"22:00-06:30", "2026-11-22T06:29", "2026-11-22T06:30"},
		{"22:00-06:30", "2026-11-22T12:00", ""},
		{"20:00-24:00", "2026-11-22T23:59", "2026-11-23T00:00"},
		{"00:00-05:00", "2026-11-22T00:00", "2026-11-22T05:00"},
		{" 8:00 - 9:00 ", "2026-11-22T08:30", "2026-11-22T09:00"},
		{"22:00-06:00", "2026-10-25T01:00", "2026-10-25T06:00"}, // a night of 9 hours
		{"22:00-06:00", "2026-03-29T01:00", "2026-03-29T06:00"}, // and one of 7
	} {
		cfg := mustParse(t, withLimits(fmt.Sprintf("{quiet: %q}", c.hours)))
		at, err := time.ParseInLocation("2006-01-02T15:04", c.at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if end, in := cfg.Sources[0].Limits.Quiet.Until(at); in {
			got = end.Format("2006-01-02T15:04")
		}
		if got != c.until {
			t.Errorf("%s at %s: got %q, want %q", c.hours, c.at, got, c.until)
		}
	}
	if end, in := (Hours{}).Until(time.Now()); in {
		t.Errorf("no hours: got end %v, want none", end)
	}
}

func TestDefaultConnectionsAreLimited(t *testing.T) {
	const table = "\n  t%d: {source: pagila, sql: SELECT 1, key: k, updated: u, content: {fields: [c]}, workers: %d}"
	for _, c := range []struct{ tables, workers, want int }{{1, 1, 2}, {1, 2, 3}, {3, 2, 7}, {30, 2, 10}, {1, 16, 17}, {30, 16, 17}} {
		text := "data: d\nsources: {pagila: {driver: postgres, dsn: '${DSN}'}, idle: {driver: sqlite, dsn: f}}\ntables:"
		for i := range c.tables {
			text += fmt.Sprintf(table, i, c.workers)
		}
		cfg := mustParse(t, text)
		if got := cfg.Sources[0].Limits.Connections; got != c.want {
			t.Errorf("%d tables of %d workers: got %d connections, want %d", c.tables, c.workers, got, c.want)
		}
		if got := cfg.Sources[1].Limits.Connections; got != 1 {
			t.Errorf("no table: got %d connections, want 1", got)
		}
	}
}

// withLimits returns minimal with limits of its source.
func withLimits(limits string) string {
	return "data: d\nsources:\n  pagila: {driver: postgres, dsn: '${DSN}', limits: " + limits + "}" + minimal[len("data: d\nsources:\n  pagila: {driver: postgres, dsn: \"${DSN}\"}"):]
}
