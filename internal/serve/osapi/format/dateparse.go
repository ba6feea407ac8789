// Package format reads and prints dates, numbers and lengths of text as OpenSearch does.
package format

import (
	"strconv"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// dateFormats are OpenSearch's names of formats, as patterns. Brackets are optional
// parts. f is 1 to 9 digits of a second, and X a zone.
var dateFormats = map[string]string{
	"date_optional_time": "y[-M[-d['T'[H[:m[:s[.f]]][X]]]]]", "strict_date_optional_time": "yyyy[-MM[-dd['T'[HH[:mm[:ss[.f]]][X]]]]]",
	"strict_date_optional_time_nanos": "yyyy[-MM[-dd['T'[HH[:mm[:ss[.f]]][X]]]]]",
	"basic_date":                      "yyyyMMdd", "basic_date_time": "yyyyMMdd'T'HHmmss.fX", "basic_date_time_no_millis": "yyyyMMdd'T'HHmmssX",
	"date": "y-M-d", "strict_date": "yyyy-MM-dd", "date_time": "y-M-d'T'H:m:s[.f]X", "strict_date_time": "yyyy-MM-dd'T'HH:mm:ss[.f]X",
	"date_time_no_millis": "y-M-d'T'H:m:sX", "strict_date_time_no_millis": "yyyy-MM-dd'T'HH:mm:ssX",
	"date_hour_minute_second": "y-M-d'T'H:m:s", "strict_date_hour_minute_second": "yyyy-MM-dd'T'HH:mm:ss",
	"year": "y", "strict_year": "yyyy", "year_month": "y-M", "strict_year_month": "yyyy-MM", "year_month_day": "y-M-d", "strict_year_month_day": "yyyy-MM-dd",
}

// inFormat reads a date in one format, and reports false if it has another one. A
// format that is not supported is an error.
func inFormat(text, format string, zone *time.Location, up bool) (at time.Time, ok bool, err error) {
	if format == "epoch_millis" || format == "epoch_second" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > 1<<53 || n < -1<<53 {
			return at, false, nil
		}
		if format == "epoch_second" {
			return time.Unix(min(max(n, -1<<40), 1<<40), 0), true, nil
		}
		return time.UnixMilli(n), true, nil
	}
	pattern, named := dateFormats[format]
	if !named {
		pattern = format
		if strings.Contains(pattern, "_") {
			return at, false, input.ParsingError("date format [%s] is not supported", query.Shorten(format))
		}
	}
	p := dateParser{text: text, found: map[byte]int{}, zone: zone, name: format}
	if ok = p.read(pattern) && p.text == ""; p.err != nil || !ok {
		return at, false, p.err
	}
	return p.date(up)
}

// A dateParser reads a text from its beginning.
type dateParser struct {
	text, name string
	found      map[byte]int // by the letter of a part
	zone       *time.Location
	err        error
}

// read reads the parts of a pattern, and reports whether the text has them.
func (p *dateParser) read(pattern string) bool {
	for len(pattern) > 0 && p.err == nil {
		c := pattern[0]
		size := len(pattern) - len(strings.TrimLeft(pattern, string(c)))
		switch {
		case c == '[':
			inner, rest := optional(pattern)
			saved, zone := p.text, p.zone
			if !p.read(inner) {
				p.text, p.zone = saved, zone
			}
			pattern = rest
			continue
		case c == '\'':
			quoted, rest, _ := strings.Cut(pattern[1:], "'")
			if !p.take(quoted) {
				return false
			}
			pattern = rest
			continue
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			if !p.part(c, size) {
				return false
			}
		default:
			if size = 1; !p.take(pattern[:1]) {
				return false
			}
		}
		pattern = pattern[size:]
	}
	return p.err == nil
}

// optional splits a pattern at the end of its optional part.
func optional(pattern string) (inner, rest string) {
	depth := 0
	for i, c := range pattern {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return pattern[1:i], pattern[i+1:]
			}
		}
	}
	return pattern[1:], ""
}

func (p *dateParser) take(text string) (ok bool) {
	p.text, ok = strings.CutPrefix(p.text, text)
	return ok
}

// part reads one part, of so many letters in the pattern.
func (p *dateParser) part(c byte, letters int) bool {
	least, most := letters, letters
	switch {
	case c == 'X' || c == 'Z' || c == 'z':
		return p.zoned()
	case c == 'u' || c == 'y':
		if c = 'y'; letters == 1 {
			most = 9
		}
	case c == 'f':
		least, most = 1, 9
	case c == 'S' && letters <= 9:
		c = 'f'
	case strings.ContainsRune("MdHms", rune(c)) && letters <= 2:
		most = 2
	default:
		p.err = input.ParsingError("date format [%s] is not supported", query.Shorten(p.name))
		return false
	}
	sign := 1
	if c == 'y' && letters == 4 && p.take("-") { // the year of a negative number is long past
		sign, most = -1, 9
	}
	digits := len(p.text) - len(strings.TrimLeft(p.text, "0123456789"))
	if digits < least {
		return false
	}
	digits = min(digits, most)
	number := p.text[:digits]
	p.text = p.text[digits:]
	if c == 'f' {
		number = (number + "00000000")[:9]
	}
	n, err := strconv.Atoi(number)
	if c == 'y' && letters == 2 {
		n += 2000
	}
	p.found[c] = sign * n
	return err == nil
}

// zoned reads Z or a zone such as +01:00, +0100 or +01.
func (p *dateParser) zoned() bool {
	for _, n := range []int{6, 5, 3, 1} {
		if len(p.text) < n || n > 1 && p.text[0] != '+' && p.text[0] != '-' {
			continue
		}
		if zone, err := Zone(p.text[:n]); err == nil && (n > 1 || p.text[0] == 'Z') {
			p.text, p.zone = p.text[n:], zone
			return true
		}
	}
	return false
}

// date returns the date. up returns the last millisecond of what is not written: of a
// month that is its first day, as OpenSearch has it.
func (p *dateParser) date(up bool) (at time.Time, ok bool, err error) {
	value := func(c byte, without, last int) int {
		switch n, there := p.found[c]; {
		case there:
			return n
		case up:
			return last
		default:
			return without
		}
	}
	y, m, d := value('y', 1970, 1970), value('M', 1, 1), value('d', 1, 1)
	h, minute, s, f := value('H', 0, 23), value('m', 0, 59), value('s', 0, 59), value('f', 0, 999_999_999)
	if h > 23 || minute > 59 || s > 59 || m < 1 || m > 12 || d < 1 || d > time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return at, false, nil
	}
	return time.Date(y, time.Month(m), d, h, minute, s, f, p.zone).Truncate(time.Millisecond), true, nil
}

// DateText returns a date. A number is its milliseconds, unless it has the four digits
// of a year.
func DateText(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(strings.TrimPrefix(text, "-")) == 4 {
		return text
	}
	return time.UnixMilli(n).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
