package dialect

import (
	"fmt"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// A Form is what a time type stores.
type Form int

// The forms.
const (
	Instant Form = iota // an instant
	Wall                // what the wall clock of a zone showed
	Day                 // a date: its midnight
)

// A Clock is how a column with a time type stores updateTimes.
type Clock struct {
	Form      Form
	Precision time.Duration                       // of Instant and Wall
	Parse     func(raw any) (time.Time, error)    // the figures, as UTC
	Write     func(figures time.Time) (bound any) // the parameter for figures of a whole Precision
}

// clockTimes is the Times of a Clock.
type clockTimes struct {
	*Clock
	zone *time.Location // of Wall and Day
}

// Times returns the conversion of a column in a zone.
func (c *Clock) Times(zone *time.Location) Times { return clockTimes{c, zone} }

func (c clockTimes) Tick() time.Duration {
	if c.Form == Day {
		return 24 * time.Hour
	}
	return c.Precision
}

func (c clockTimes) Time(raw any) (time.Time, error) {
	t, err := c.Parse(raw)
	if err != nil || c.Form == Instant || c.zone == time.UTC {
		return t, err
	}
	return doc.FromWall(t, c.zone), nil
}

// Bounds rounds up to microseconds, or to days: each bound is the first value that
// is not before it.
func (c clockTimes) Bounds(w doc.Window) (from, to any) {
	f, t, unit := w.From, w.To, time.Microsecond
	if c.Form != Instant {
		f, t = w.Wall(c.zone)
	}
	if c.Form == Day {
		unit = 24 * time.Hour
	}
	return c.Write(ceil(f, unit)), c.Write(ceil(t, unit))
}

// Max implements Maxer.
func (clockTimes) Max(q *Query, expr string, _ *Column) bool {
	q.Write("max(", expr, ")")
	return true
}

// Zone implements Waller.
func (c clockTimes) Zone() *time.Location {
	if c.Form != Wall {
		return nil
	}
	return c.zone
}

// ShownIn implements Waller.
func (c clockTimes) ShownIn(q *Query, expr string, as *Column, figures doc.Window) {
	Field{expr, as}.Between(c.Write(ceil(figures.From, time.Microsecond)), c.Write(ceil(figures.To, time.Microsecond)))(q)
}

// The first and the last time of a bound. No updateTime is outside, so a larger
// window is cut there.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// ceil rounds up to a multiple of d, between minTime and maxTime.
func ceil(t time.Time, d time.Duration) time.Time {
	t = t.UTC()
	switch {
	case t.Before(minTime):
		return minTime
	case !t.Before(maxTime):
		return maxTime
	}
	return t.Add(d - 1).Truncate(d)
}

// ParseTime reads the text of a time or date as UTC: 2006-01-02 15:04:05.999999, which
// may end in +00, or 2006-01-02. Other forms are an error: infinity, a zero date, years
// before 1 or after 9999.
func ParseTime(text string) (time.Time, error) {
	if at := strings.TrimSuffix(text, "+00"); isTime(at) {
		return time.Date(digits(at[0:4]), time.Month(digits(at[5:7])), digits(at[8:10]),
			digits(at[11:13]), digits(at[14:16]), digits(at[17:19]), nanoseconds(at[19:]), time.UTC), nil
	}
	layout := time.DateOnly
	if len(text) > len(layout) {
		layout = time.DateTime
	}
	t, err := time.Parse(layout, strings.TrimSuffix(text, "+00"))
	if err != nil || t.Year() < 1 {
		return t, fmt.Errorf("%q is not a time of the years 1 to 9999", text)
	}
	return t, nil
}

// TimeText converts the text of a time to RFC 3339 with microseconds, in a zone: Z or
// none. A text that ParseTime refuses stays as it is. Most texts need no more than
// another character and zeros at the end.
func TimeText(text, zone string) string {
	if at := strings.TrimSuffix(text, "+00"); isTime(at) {
		const fraction = ".000000"
		if len(at) == len(time.DateTime) {
			return at[:len(time.DateOnly)] + "T" + at[len(time.DateOnly)+1:] + fraction + zone
		}
		zeros := fraction[len(at)-len(time.DateTime):]
		return at[:len(time.DateOnly)] + "T" + at[len(time.DateOnly)+1:] + zeros + zone
	}
	t, err := ParseTime(text)
	if err != nil {
		return text
	}
	return t.Format("2006-01-02T15:04:05.000000") + zone
}

// isTime reports whether a text is a time of a usual form, with up to six digits behind
// the point. It reports false for some times, such as the last days of a month.
func isTime(text string) bool {
	const form = "0000-00-00 00:00:00.000000"
	if len(text) < len(time.DateTime) || len(text) > len(form) || len(text) == len(time.DateTime)+1 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != form[i] && (form[i] != '0' || c < '0' || c > '9') {
			return false
		}
	}
	month, day := digits(text[5:7]), digits(text[8:10])
	return text[:4] != "0000" && 1 <= month && month <= 12 && 1 <= day && day <= 28 &&
		digits(text[11:13]) < 24 && digits(text[14:16]) < 60 && digits(text[17:19]) < 60
}

// digits returns a number of digits.
func digits(text string) (n int) {
	for i := range len(text) {
		n = 10*n + int(text[i]-'0')
	}
	return n
}

// nanoseconds returns a fraction of a second: nothing, or a point and up to nine digits.
func nanoseconds(fraction string) int {
	if fraction == "" {
		return 0
	}
	n := digits(fraction[1:])
	for range 10 - len(fraction) {
		n *= 10
	}
	return n
}
