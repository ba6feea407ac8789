package configs

import (
	"cmp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits are how much of a database its tables may ask for, all of them
// together. Zero means no limit.
type Limits struct {
	Connections         int // never zero
	StatementsPerSecond int
	Slow                time.Duration // a database is slow when statements take longer
	Quiet               Hours         // no table is read as a whole then
}

func limitKeys(l *Limits) []key {
	return []key{
		{
			"connections", false, "write how many connections may be open at once, 1 to 1000", "one more than the tables' workers, 10 at most",
			"How many connections may be open at once. Loads leave some of them to the tables that follow.", number{&l.Connections, 1, 1000},
		},
		{
			"statements_per_second", false, "write how many statements may be sent in a second, 1 to 100000", "",
			"How many statements may be sent in a second, on average. What has to wait takes turns. On SQLite a page of rows is a statement.",
			number{&l.StatementsPerSecond, 1, 100_000},
		},
		{
			"slow", false, "write a duration such as 500ms", "",
			"The database is slow when more than one statement in twenty takes longer than this. Then everything pauses nine times as long as a statement took, until it is fast again.",
			duration{to: &l.Slow},
		},
		{
			"quiet", false, "write when they begin and end, such as 08:00-18:00", "",
			"Hours of each day, by the clock of this machine, in which no table is read as a whole: loads and sweeps wait for their end, and those under way pause. What is new is followed, and tiers run.",
			hours{&l.Quiet},
		},
	}
}

// maxConnections is the most that a source opens unless told otherwise, or
// unless one of its tables has more workers.
const maxConnections = 10

// setDefaults gives each worker a connection, and one to what looks at the
// clock, as far as a database that has other clients can be expected to.
func (l *Limits) setDefaults(tables []Table, source string) {
	sum, most := 0, 0
	for _, t := range tables {
		if t.Source == source {
			sum, most = sum+t.Workers, max(most, t.Workers)
		}
	}
	l.Connections = cmp.Or(l.Connections, min(sum+1, max(maxConnections, most+1)))
}

// Hours are a span of each day, past midnight where it ends before it begins.
// The zero Hours are none.
type Hours struct {
	From, To time.Duration // since midnight
}

// Until is when the hours end that a time lies in; false where it lies in none.
func (h Hours) Until(at time.Time) (end time.Time, in bool) {
	year, month, day := at.Date()
	for d := -1; d <= 0; d++ {
		from := onClock(year, month, day+d, h.From, at.Location())
		to := onClock(year, month, day+d, h.To, at.Location())
		if h.To < h.From {
			to = onClock(year, month, day+d+1, h.To, at.Location())
		}
		if !at.Before(from) && at.Before(to) {
			return to, true
		}
	}
	return time.Time{}, false
}

// onClock is when clocks show it, in the nights too in which they are changed.
func onClock(year int, month time.Month, day int, since time.Duration, zone *time.Location) time.Time {
	return time.Date(year, month, day, 0, int(since/time.Minute), 0, 0, zone)
}

// hours is a span of the day.
type hours struct {
	to *Hours
}

func (v hours) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.text(at, n)
	if !ok {
		return
	}
	begin, end, _ := strings.Cut(s.text, "-")
	from, err := timeOfDay(begin)
	to, errTo := timeOfDay(end)
	switch {
	case err != nil || errTo != nil:
		r.fault(at, "not hours of the day")
	case from == to:
		r.fault(at, "no hours, or all of them")
	default:
		*v.to = Hours{from, to}
	}
}

// timeOfDay reads 00:00 to 24:00, which is midnight too.
func timeOfDay(s string) (time.Duration, error) {
	if strings.TrimSpace(s) == "24:00" {
		return 0, nil
	}
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}
