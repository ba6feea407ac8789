package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/numeric"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// appendTerms appends the terms of a value: one for each element of a list and each value
// in a JSON, none for NULL, empty text and what does not fit the type. The reason is that of
// the first which does not fit. The byte order of terms is the order of values.
func (f Field) appendTerms(dst []string, v any) (_ []string, reason string) {
	switch v := v.(type) {
	case nil:
		return dst, ""
	case []any, doc.JSON:
		return f.appendElements(dst, v)
	case doc.BadValue:
		return dst, v.Reason
	}
	if v == "" {
		return dst, ""
	}
	term, ok := f.term(v)
	if !ok {
		return dst, fmt.Sprintf("%s is not a %s", query.Shorten(doc.FormatText(v)), f.Type)
	}
	return append(dst, term), ""
}

// appendElements is appendTerms for a value with elements.
func (f Field) appendElements(dst []string, v any) (_ []string, reason string) {
	for e := range elements(v) {
		var one string
		dst, one = f.appendTerms(dst, e)
		reason = cmp.Or(reason, one)
	}
	return dst, reason
}

// Fits reports whether a value, or each element of a list, fits the type of the field.
func (f Field) Fits(v any) bool {
	_, reason := f.appendTerms(nil, v)
	return reason == ""
}

// elements returns what a value consists of; nothing for one that has no parts.
func elements(v any) iter.Seq[any] {
	switch v := v.(type) {
	case []any:
		return slices.Values(v)
	case doc.JSON:
		return v.Leaves
	}
	return func(func(any) bool) {}
}

// term returns the term of one value, or false if it does not fit the type.
func (f Field) term(v any) (string, bool) {
	switch f.Type {
	case Number:
		return numberTerm(v)
	case Date:
		text, ok := v.(string)
		if us, canonical := parseMicros(text); canonical {
			return orderedTerm(us), ok
		}
		from, _, err := parseDate(text)
		return instantTerm(from), ok && err == nil
	case Boolean:
		return booleanTerm(v)
	default:
		text := doc.FormatText(v)
		return text, utf8.ValidString(text) // docvalues separate terms by a byte that does not occur in UTF-8
	}
}

func numberTerm(v any) (string, bool) {
	var n float64
	var err error
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	case json.Number:
		n, err = v.Float64()
	case string:
		n, err = strconv.ParseFloat(v, 64)
	default:
		return "", false
	}
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return "", false
	}
	if n == 0 {
		n = 0 // not -0, which has another term
	}
	return orderedTerm(numeric.Float64ToInt64(n)), true
}

func booleanTerm(v any) (string, bool) {
	switch doc.FormatText(v) {
	case "true", "t", "1":
		return "true", true
	case "false", "f", "0":
		return "false", true
	}
	return "", false
}

func instantTerm(t time.Time) string { return orderedTerm(t.UnixMicro()) }

// orderedTerm returns bleve's prefix coding in full precision: one term, where
// bleve's numeric fields have sixteen. It is the shift of precision, 0, and the number
// with the sign inverted, seven bits in each byte.
func orderedTerm(n int64) string {
	const shift, digits = 0x20, 10
	term := [1 + digits]byte{shift}
	for i, bits := digits, uint64(n)^1<<63; i > 0; i-- {
		term[i] = byte(bits & 0x7f)
		bits >>= 7
	}
	return string(term[:])
}

// parseMicros returns the microseconds since 1970 of a time in the form of rows that
// is in UTC or without a zone: 2006-01-02T15:04:05.000000Z. It is parseDate for the
// form in which sources write times, in a tenth of the time.
func parseMicros(text string) (us int64, ok bool) {
	const form = "0000-00-00T00:00:00.000000"
	if len(text) != len(form) && (len(text) != len(form)+1 || text[len(form)] != 'Z') {
		return 0, false
	}
	var parts [7]int
	part := 0
	for i := range len(form) {
		c := text[i]
		if form[i] != '0' {
			if c != form[i] {
				return 0, false
			}
			part++
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		parts[part] = 10*parts[part] + int(c-'0')
	}
	year, month, day, hour, minute, second := parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return 0, false // perhaps the end of a month
	}
	days := daysBefore(year, month) + int64(day-1)
	return ((days*24+int64(hour))*60+int64(minute))*60e6 + int64(second)*1e6 + int64(parts[6]), true
}

// daysBefore returns the number of days from 1970-01-01 to the first of a month.
func daysBefore(year, month int) int64 {
	if year += 400; month < 3 { // a year that begins in March has its leap day at the end
		year, month = year-1, month+12
	}
	const since = 719468 + 146097 // days from March of the year 0, and of 400 years
	return int64(365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 - since)
}

// dateForms are the accepted forms of a date, each with the step to the next date
// of the same precision.
var dateForms = []struct {
	layout              string
	years, months, days int
	duration            time.Duration
}{
	{layout: "2006-01-02T15:04:05Z07:00", duration: time.Second},
	{layout: "2006-01-02 15:04:05Z07:00", duration: time.Second},
	{layout: "2006-01-02T15:04:05", duration: time.Second},
	{layout: "2006-01-02 15:04:05", duration: time.Second},
	{layout: "2006-01-02", days: 1},
	{layout: "2006-01", months: 1},
	{layout: "2006", years: 1},
}

// parseDate parses a date of any precision. It returns the first instant of the
// date and the first instant after it. It truncates to microseconds.
func parseDate(text string) (from, to time.Time, err error) {
	for _, f := range dateForms {
		t, err := time.Parse(f.layout, text) // accepts fractions of a second too
		if err != nil {
			continue
		}
		from = t.Truncate(time.Microsecond).UTC()
		return from, from.AddDate(f.years, f.months, f.days).Add(fractionStep(text, f.duration)), nil
	}
	return from, to, fmt.Errorf("write it as 2006, 2006-01, 2006-01-02 or 2006-01-02T15:04:05Z")
}

// fractionStep returns the precision of the seconds in a text.
func fractionStep(text string, step time.Duration) time.Duration {
	_, fraction, ok := strings.Cut(text, ".")
	for i := 0; ok && i < len(fraction) && '0' <= fraction[i] && fraction[i] <= '9'; i++ {
		step = max(step/10, time.Microsecond)
	}
	return step
}

// A Range is the range [min, max) of terms. An empty bound is open.
type Range struct{ Min, Max string }

// Only is the range of one term: the next possible term is after it.
func Only(term string) Range { return Range{term, term + "\x00"} }

// One reports whether the range has one term only.
func (r Range) One() bool { return r == Only(r.Min) }

// Value returns the terms of a value in a query: one term, or for a date all
// terms within its precision.
func (f Field) Value(text string) (Range, error) {
	if f.Type == Date {
		from, to, err := parseDate(text)
		if err != nil {
			return Range{}, f.Mismatch(text, err.Error())
		}
		return Range{instantTerm(from), instantTerm(to)}, nil
	}
	term, ok := f.term(text)
	if !ok {
		hint := "write a number as 5, -1.5 or 1e6"
		if f.Type == Boolean {
			hint = "write true or false"
		}
		return Range{}, f.Mismatch(text, hint)
	}
	return Only(term), nil
}

// Mismatch is the fault of a query whose text is no value of the field.
func (f Field) Mismatch(text, hint string) error {
	return query.Errorf(hint, "field %s: %s is not a %s", query.Shorten(f.Name), query.Shorten(text), f.Type)
}

// Between returns the terms of a range.
func (f Field) Between(r query.Range) (t Range, err error) {
	if r.Min.Text != "" {
		lowest, err := f.Value(r.Min.Text)
		if err != nil {
			return Range{}, err
		}
		t.Min = lowest.Min
		if r.Min.Exclusive {
			t.Min = lowest.Max
		}
	}
	if r.Max.Text != "" {
		highest, err := f.Value(r.Max.Text)
		if err != nil {
			return Range{}, err
		}
		t.Max = highest.Max
		if r.Max.Exclusive {
			t.Max = highest.Min
		}
	}
	return t, nil
}

// Text returns the value of a term: the text that Field.value reads as this term.
func (t Type) Text(term []byte) string {
	if t != Number && t != Date {
		return string(term)
	}
	n, err := numeric.PrefixCoded(term).Int64()
	switch {
	case err != nil:
		return string(term)
	case t == Date:
		return time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
	return strconv.FormatFloat(numeric.Int64ToFloat64(n), 'g', -1, 64)
}

// Float returns the number that stands for a term in aggregations: milliseconds of a date,
// 1 for true.
func (t Type) Float(term []byte) (float64, error) {
	if t == Boolean {
		if string(term) == "true" {
			return 1, nil
		}
		return 0, nil
	}
	n, err := numeric.PrefixCoded(term).Int64()
	if err != nil {
		return 0, err
	}
	return t.float(n), nil
}

// OfNumber is Float for a number or date whose term is that of a number: orderedTerm has it
// with the sign inverted.
func (t Type) OfNumber(n uint64) float64 { return t.float(int64(n ^ 1<<63)) }

func (t Type) float(n int64) float64 {
	if t == Date {
		return float64(floorMilli(n))
	}
	return numeric.Int64ToFloat64(n)
}

// floorMilli returns the millisecond that a microsecond is in.
func floorMilli(micro int64) int64 {
	if micro < 0 {
		micro -= 999
	}
	return micro / 1000
}
