package format

import (
	"slices"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// Zone reads a time zone: +01:00, Z or a name such as Europe/Paris.
func Zone(text string) (*time.Location, error) {
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if at, err := time.Parse(layout, text); err == nil {
			_, offset := at.Zone()
			return time.FixedZone("", offset), nil
		}
	}
	if text == "" || text == "Local" {
		return nil, input.ParsingError("unknown time zone [%s]", text)
	}
	return time.LoadLocation(text)
}

// ParseDate reads a date in the first format that it has.
func ParseDate(text string, formats []string, zone *time.Location, up bool) (time.Time, error) {
	for _, name := range formats {
		at, ok, err := inFormat(text, name, zone, up)
		if err != nil {
			return at, err
		}
		if ok {
			return at, nil
		}
	}
	return time.Time{}, input.Error(input.UnreadableDate, "failed to parse date field [%s] with format [%s]", query.Shorten(text), strings.Join(formats, "||"))
}

// dateUnits are those of date math.
var dateUnits = []rune("yMwdhHms")

// DateMath applies +1d, -2M and /d.
func DateMath(text string, at time.Time, up bool) (time.Time, error) {
	bad := func() (time.Time, error) {
		return at, input.Error(input.UnreadableDate, "date math [%s] is not supported: write it as +1M-2d/d", query.Shorten(text))
	}
	rest := []rune(text)
	for len(rest) > 0 {
		op := rest[0]
		n, digits := 0, 0
		for digits+1 < len(rest) && '0' <= rest[digits+1] && rest[digits+1] <= '9' && digits < 9 {
			n = n*10 + int(rest[digits+1]-'0')
			digits++
		}
		if digits+1 >= len(rest) || !slices.Contains(dateUnits, rest[digits+1]) || !slices.Contains([]rune("+-/"), op) || op == '/' && digits > 0 && n != 1 {
			return bad()
		}
		unit := rest[digits+1]
		if rest = rest[digits+2:]; digits == 0 {
			n = 1
		}
		switch op {
		case '-':
			at = addUnits(at, -n, unit)
		case '+':
			at = addUnits(at, n, unit)
		default:
			if at = beginningOf(at, unit); up {
				at = addUnits(at, 1, unit).Add(-time.Millisecond)
			}
		}
	}
	return at, nil
}

// addUnits adds to a time. The day of a month that has no such day is its last one.
func addUnits(at time.Time, n int, unit rune) time.Time {
	switch unit {
	case 'y':
		return addMonths(at, 12*n)
	case 'M':
		return addMonths(at, n)
	case 'w':
		return at.AddDate(0, 0, 7*n)
	case 'd':
		return at.AddDate(0, 0, n)
	case 'h', 'H':
		return at.Add(time.Duration(n) * time.Hour)
	case 'm':
		return at.Add(time.Duration(n) * time.Minute)
	}
	return at.Add(time.Duration(n) * time.Second)
}

func addMonths(at time.Time, n int) time.Time {
	moved := at.AddDate(0, n, 0)
	if moved.Day() != at.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// beginningOf returns the first instant of a unit. A week begins on Monday.
func beginningOf(at time.Time, unit rune) time.Time {
	y, m, d := at.Date()
	h, minute, s := at.Clock()
	switch unit {
	case 'y':
		m, d, h, minute, s = 1, 1, 0, 0, 0
	case 'M':
		d, h, minute, s = 1, 0, 0, 0
	case 'w':
		d, h, minute, s = d-(int(at.Weekday())+6)%7, 0, 0, 0
	case 'd':
		h, minute, s = 0, 0, 0
	case 'h', 'H':
		minute, s = 0, 0
	case 'm':
		s = 0
	}
	return time.Date(y, m, d, h, minute, s, 0, at.Location())
}
