package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// A Date prints dates, as a format of OpenSearch does.
type Date struct {
	Name string // as the request has it
	runs []string
	unit int64 // milliseconds of a count; 0: the format is a pattern
}

// isoPattern is how dates are printed without a format.
const isoPattern = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"

// printedPatterns are the patterns by which the formats with names print, with and
// without strict_ before them.
var printedPatterns = map[string]string{
	"date_optional_time": isoPattern, "dateOptionalTime": isoPattern, "date_optional_time_nanos": isoPattern, "date_time": isoPattern,
	"date": "yyyy-MM-dd", "basic_date": "yyyyMMdd", "year": "yyyy", "year_month": "yyyy-MM", "year_month_day": "yyyy-MM-dd",
	"date_time_no_millis": "yyyy-MM-dd'T'HH:mm:ssXXX", "date_hour_minute_second": "yyyy-MM-dd'T'HH:mm:ss",
	"date_hour_minute": "yyyy-MM-dd'T'HH:mm", "date_hour": "yyyy-MM-dd'T'HH", "basic_date_time": "yyyyMMdd'T'HHmmss.SSSXXX", "basic_date_time_no_millis": "yyyyMMdd'T'HHmmssXXX",
}

// AnyDate is the format of date fields: ISO 8601, or milliseconds.
var AnyDate = []Date{{Name: "strict_date_optional_time", runs: runsOf(isoPattern)}, {Name: "epoch_millis", unit: 1}}

// Dates reads formats separated by ||. The first one prints.
func Dates(text string) (all []Date, err error) {
	for one := range strings.SplitSeq(text, "||") {
		f := Date{Name: one}
		pattern, named := printedPatterns[strings.TrimPrefix(one, "strict_")]
		switch {
		case one == "epoch_millis":
			f.unit = 1
		case one == "epoch_second":
			f.unit = 1000
		case named:
			f.runs = runsOf(pattern)
		default:
			if f.runs = runsOf(one); f.runs == nil {
				return nil, input.ArgumentError("Invalid format: [%s] is not supported", query.Shorten(one))
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// runsOf splits a pattern into runs of one letter and into text, which begins with a
// quote. It returns nil for a pattern that is not supported.
func runsOf(pattern string) (runs []string) {
	for rest := pattern; rest != ""; {
		run := rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
		switch letter := rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z'; {
		case rest[0] == '\'':
			text, _, ended := strings.Cut(rest[1:], "'")
			if !ended {
				return nil
			}
			runs, rest = append(runs, "'"+text), rest[len(text)+2:]
			continue
		case letter:
			if _, ok := printRun(run, time.Time{}); !ok {
				return nil
			}
			runs = append(runs, run)
		case strings.ContainsAny(run, "#{}[]") || rest[0] >= 0x80:
			return nil
		default:
			runs = append(runs, "'"+run)
		}
		rest = rest[len(run):]
	}
	return runs
}

// Print returns the text of milliseconds.
func (f Date) Print(ms int64, zone *time.Location) string {
	if f.unit > 0 {
		if f.unit > 1 && ms%f.unit != 0 {
			return strings.TrimRight(strconv.FormatFloat(float64(ms)/float64(f.unit), 'f', 3, 64), "0")
		}
		return strconv.FormatInt(ms/f.unit, 10)
	}
	at := time.UnixMilli(ms).In(zone)
	var b strings.Builder
	for _, run := range f.runs {
		if text, literal := strings.CutPrefix(run, "'"); literal {
			b.WriteString(text)
			continue
		}
		text, _ := printRun(run, at)
		b.WriteString(text)
	}
	return b.String()
}

// zoneLayouts are those of zones, by the letter of a pattern and its number.
var zoneLayouts = map[string]string{"X": "Z07", "XX": "Z0700", "XXX": "Z07:00", "x": "-07", "xx": "-0700", "xxx": "-07:00", "Z": "-0700", "ZZ": "-0700", "ZZZ": "-0700", "z": "MST"}

// printRun prints one run of a letter. It reports false if there is no such run.
func printRun(run string, at time.Time) (string, bool) {
	n := len(run)
	switch run[0] {
	case 'y', 'u':
		year := at.Year()
		if n == 2 {
			return fmt.Sprintf("%02d", (year%100+100)%100), true
		}
		if n >= 4 && year > 9999 {
			return fmt.Sprintf("+%d", year), true
		}
		return padded(year, n), true
	case 'M':
		if n > 2 {
			return at.Format("Jan"), n < 5
		}
		return padded(int(at.Month()), n), true
	case 'd':
		return padded(at.Day(), n), n < 3
	case 'D':
		return padded(at.YearDay(), n), n < 4
	case 'H':
		return padded(at.Hour(), n), n < 3
	case 'h':
		return padded((at.Hour()+11)%12+1, n), n < 3
	case 'm':
		return padded(at.Minute(), n), n < 3
	case 's':
		return padded(at.Second(), n), n < 3
	case 'S':
		return fmt.Sprintf("%09d", at.Nanosecond())[:min(n, 9)], n < 10
	case 'a':
		return at.Format("PM"), n == 1
	case 'E':
		return at.Format("Mon"), n < 5
	}
	return at.Format(zoneLayouts[run]), zoneLayouts[run] != ""
}

// padded returns a number of at least so many digits.
func padded(n, digits int) string {
	if n < 0 {
		return "-" + padded(-n, digits)
	}
	text := strconv.Itoa(n)
	return strings.Repeat("0", max(0, digits-len(text))) + text
}
