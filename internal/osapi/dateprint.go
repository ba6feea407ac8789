package osapi

import (
	"strconv"
	"strings"
	"time"

	"indexerd/internal/query"
)

// A dateFormat prints dates, as a format of OpenSearch does.
type dateFormat struct {
	text   string
	layout string // of the package time; "" for a count
	unit   int64  // milliseconds of a count; 0: ISO 8601 with parts left out
}

// isoLayout is how dates are printed without a format.
const isoLayout = "2006-01-02T15:04:05.000Z07:00"

// namedLayouts are the formats with names, with and without strict_ before them.
var namedLayouts = map[string]dateFormat{
	"date_optional_time": {layout: isoLayout}, "dateOptionalTime": {layout: isoLayout}, "epoch_millis": {unit: 1}, "epoch_second": {unit: 1000},
	"date": {layout: "2006-01-02"}, "basic_date": {layout: "20060102"}, "year": {layout: "2006"}, "year_month": {layout: "2006-01"}, "year_month_day": {layout: "2006-01-02"},
	"date_time": {layout: isoLayout}, "date_time_no_millis": {layout: "2006-01-02T15:04:05Z07:00"}, "date_hour_minute_second": {layout: "2006-01-02T15:04:05"},
	"date_hour_minute": {layout: "2006-01-02T15:04"}, "date_hour": {layout: "2006-01-02T15"}, "basic_date_time": {layout: "20060102T150405.000Z07:00"}, "basic_date_time_no_millis": {layout: "20060102T150405Z07:00"},
}

// patternLayouts are the letters of patterns, the longest run first.
var patternLayouts = []struct{ pattern, layout string }{
	{"yyyy", "2006"}, {"uuuu", "2006"}, {"yy", "06"}, {"uu", "06"}, {"MMM", "Jan"}, {"MM", "01"}, {"M", "1"}, {"dd", "02"}, {"d", "2"},
	{"HH", "15"}, {"hh", "03"}, {"h", "3"}, {"mm", "04"}, {"m", "4"}, {"ss", "05"}, {"s", "5"}, {"SSS", "000"}, {"a", "PM"}, {"EEE", "Mon"}, {"E", "Mon"},
	{"XXX", "Z07:00"}, {"xxx", "-07:00"}, {"XX", "Z0700"}, {"xx", "-0700"}, {"Z", "-0700"}, {"z", "MST"},
}

// anyDate is the format of date fields: ISO 8601, or milliseconds.
var anyDate = []dateFormat{{text: "strict_date_optional_time", layout: isoLayout}, {text: "epoch_millis", unit: 1}}

// formatsOf reads formats separated by ||. The first one prints.
func formatsOf(text string) (all []dateFormat, err error) {
	for one := range strings.SplitSeq(text, "||") {
		f, known := namedLayouts[strings.TrimPrefix(one, "strict_")]
		if !known {
			if f.layout, err = patternLayout(one); err != nil {
				return nil, err
			}
		}
		f.text = one
		all = append(all, f)
	}
	return all, nil
}

// patternLayout returns the layout of a pattern of letters.
func patternLayout(pattern string) (string, error) {
	refused := parsing("date format [%s] is not supported", query.Shorten(pattern))
	var b strings.Builder
	for rest := pattern; rest != ""; {
		if quoted, ok := strings.CutPrefix(rest, "'"); ok {
			literal, after, ended := strings.Cut(quoted, "'")
			if !ended || strings.ContainsAny(literal, "0123456789_JMPZ") { // Go would read these as parts of a date
				return "", refused
			}
			b.WriteString(literal)
			rest = after
			continue
		}
		run := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
		letter := rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z'
		layout := layoutOf(rest[:run])
		switch {
		case !letter && !strings.ContainsAny(rest[:1], "0123456789_#{}[]") && rest[0] < 0x80:
			layout = rest[:run]
		case layout == "", layout == "000" && !strings.HasSuffix(b.String(), ".") && !strings.HasSuffix(b.String(), ","):
			return "", refused
		}
		b.WriteString(layout)
		rest = rest[run:]
	}
	if b.Len() == 0 {
		return "", refused
	}
	return b.String(), nil
}

func layoutOf(run string) string {
	for _, p := range patternLayouts {
		if p.pattern == run {
			return p.layout
		}
	}
	return ""
}

// print returns the text of milliseconds.
func (f dateFormat) print(ms int64, zone *time.Location) string {
	if f.unit > 0 {
		if f.unit > 1 && ms%f.unit != 0 {
			return strings.TrimRight(strconv.FormatFloat(float64(ms)/float64(f.unit), 'f', 3, 64), "0")
		}
		return strconv.FormatInt(ms/f.unit, 10)
	}
	t := time.UnixMilli(ms).In(zone)
	text := t.Format(f.layout)
	if t.Year() > 9999 && strings.HasPrefix(f.layout, "2006") {
		return "+" + text
	}
	return text
}
