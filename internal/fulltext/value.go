package fulltext

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/numeric"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// terms returns the terms of a value: one for each element of a list, none for
// NULL or empty text. The byte order of terms is the order of values.
func (f Field) terms(v any) ([]string, error) {
	if list, ok := v.([]any); ok {
		var all []string
		for _, e := range list {
			terms, err := f.terms(e)
			if err != nil {
				return nil, err
			}
			all = append(all, terms...)
		}
		return all, nil
	}
	if v == nil || v == "" {
		return nil, nil
	}
	term, ok := f.term(v)
	if !ok {
		return nil, fmt.Errorf("%s is not a %s", query.Shorten(doc.FormatText(v)), f.Type)
	}
	return []string{term}, nil
}

// term returns the term of one value, or false if it does not fit the type.
func (f Field) term(v any) (string, bool) {
	switch f.Type {
	case Number:
		return numberTerm(v)
	case Date:
		text, ok := v.(string)
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
// bleve's numeric fields have sixteen.
func orderedTerm(n int64) string { return string(numeric.MustNewPrefixCodedInt64(n, 0)) }

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

// A termRange is the range [min, max) of terms. An empty bound is open.
type termRange struct{ min, max string }

// successor returns the first possible term after this one.
func successor(term string) string { return term + "\x00" }

// value returns the terms of a value in a query: one term, or for a date all
// terms within its precision.
func (f Field) value(text string) (termRange, error) {
	if f.Type == Date {
		from, to, err := parseDate(text)
		if err != nil {
			return termRange{}, f.mismatch(text, err.Error())
		}
		return termRange{instantTerm(from), instantTerm(to)}, nil
	}
	term, ok := f.term(text)
	if !ok {
		hint := "write a number as 5, -1.5 or 1e6"
		if f.Type == Boolean {
			hint = "write true or false"
		}
		return termRange{}, f.mismatch(text, hint)
	}
	return termRange{term, successor(term)}, nil
}

func (f Field) mismatch(text, hint string) error {
	return query.Errorf(hint, "field %s: %s is not a %s", query.Shorten(f.Name), query.Shorten(text), f.Type)
}

// between returns the terms of a range.
func (f Field) between(r query.Range) (t termRange, err error) {
	if r.Min.Text != "" {
		lowest, err := f.value(r.Min.Text)
		if err != nil {
			return termRange{}, err
		}
		t.min = lowest.min
		if r.Min.Exclusive {
			t.min = lowest.max
		}
	}
	if r.Max.Text != "" {
		highest, err := f.value(r.Max.Text)
		if err != nil {
			return termRange{}, err
		}
		t.max = highest.max
		if r.Max.Exclusive {
			t.max = highest.min
		}
	}
	return t, nil
}
