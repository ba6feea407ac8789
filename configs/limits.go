package configs

import (
	"cmp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits bound the load on one database, for all its tables together. Zero
// means no limit.
type Limits struct {
	Connections         int // never zero
	StatementsPerSecond int
	Slow                time.Duration // the database counts as slow if statements take longer
	Quiet               Hours         // time of day without loads and sweeps
	ComparisonShare     float64       // fraction of the time that comparisons of tables without updated take
}

func limitKeys(l *Limits) []key {
	return []key{
		{
			"connections", false, "write how many connections may be open at once, 1 to 1000", "one more than the tables' workers, 10 at most",
			"How many connections may be open at once. Loads leave some of them to loaded tables.", number{&l.Connections, 1, 1000},
		},
		{
			"statements_per_second", false, "write how many statements may be sent in a second, 1 to 100000", "",
			"How many statements may be sent in a second, on average. Further ones wait in order. The begin of a transaction counts.",
			number{&l.StatementsPerSecond, 1, 100_000},
		},
		{
			"slow", false, "write a duration such as 500ms", "",
			"If more than one statement in twenty takes longer, indexerd pauses after each for nine times its duration.",
			duration{to: &l.Slow},
		},
		{
			"quiet", false, "write a time range such as 08:00-18:00", "",
			"A range of each day, by this machine's clock, in which loads and sweeps wait or pause. Other passes run.",
			hours{&l.Quiet},
		},
		{
			"comparison_share", false, "write a number above 0, up to 1", "0.1",
			"The fraction of the time in which statements compare tables, for changes that no window shows. A table without `updated` is compared every second, or as often as this allows.",
			decimal{&l.ComparisonShare, 1},
		},
	}
}

// maxConnections is the highest default of connections, unless one table has
// more workers.
const maxConnections = 10

// setDefaults gives each worker a connection, plus one for other statements, up
// to maxConnections.
func (l *Limits) setDefaults(tables []Table, source string) {
	sum, most := 0, 0
	for _, t := range tables {
		if t.Source == source {
			sum, most = sum+t.Workers, max(most, t.Workers)
		}
	}
	l.ComparisonShare = cmp.Or(l.ComparisonShare, 0.1)
	l.Connections = cmp.Or(l.Connections, min(sum+1, max(maxConnections, most+1)))
}

// Hours are a range of each day. It goes past midnight if To is before From. The
// zero Hours are empty.
type Hours struct {
	From, To time.Duration // since midnight
}

// Until reports whether a time is within the hours, and when they end.
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

// onClock returns the time at which a clock shows since, also on days on which
// the clock changes for daylight saving.
func onClock(year int, month time.Month, day int, since time.Duration, zone *time.Location) time.Time {
	return time.Date(year, month, day, 0, int(since/time.Minute), 0, 0, zone)
}

// hours is a value such as 08:00-18:00.
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
		r.fault(at, "not a time range")
	case from == to:
		r.fault(at, "begin and end are the same")
	default:
		*v.to = Hours{from, to}
	}
}

// timeOfDay parses 00:00 to 24:00. It returns 0 for 24:00.
func timeOfDay(s string) (time.Duration, error) {
	if strings.TrimSpace(s) == "24:00" {
		return 0, nil
	}
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}
