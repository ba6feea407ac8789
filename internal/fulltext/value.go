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
// NULL and for empty text. Their byte order is the order of values.
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
		return nil, fmt.Errorf("%s is no %s", query.Shorten(doc.FormatText(v)), f.Type)
	}
	return []string{term}, nil
}

// term returns the term of one value, or false if it is none of the type.
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
		return text, utf8.ValidString(text) // docvalues separate terms by a byte that UTF-8 never has
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
		n = 0 // and not -0, which would be another term
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

// orderedTerm is bleve's prefix coding in full precision: one term where its
// own fields write sixteen.
func orderedTerm(n int64) string { return string(numeric.MustNewPrefixCodedInt64(n, 0)) }

// dateForms are the ways to write a date, with the step to the next one of the
// same precision.
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

// parseDate reads a date in any precision, and returns the first instant of it
// and the first after it. What is finer than a microsecond is cut off.
func parseDate(text string) (from, to time.Time, err error) {
	for _, f := range dateForms {
		t, err := time.Parse(f.layout, text) // accepts a fraction of the second, too
		if err != nil {
			continue
		}
		from = t.Truncate(time.Microsecond).UTC()
		return from, from.AddDate(f.years, f.months, f.days).Add(fractionStep(text, f.duration)), nil
	}
	return from, to, fmt.Errorf("write it as 2006, 2006-01, 2006-01-02 or 2006-01-02T15:04:05Z")
}

// fractionStep is the precision of the seconds as they are written.
func fractionStep(text string, step time.Duration) time.Duration {
	_, fraction, ok := strings.Cut(text, ".")
	for i := 0; ok && i < len(fraction) && '0' <= fraction[i] && fraction[i] <= '9'; i++ {
		step = max(step/10, time.Microsecond)
	}
	return step
}

// A span is the terms of a field in [min, max); an empty end is open.
type span struct{ min, max string }

// successor is the first term after this one.
func successor(term string) string { return term + "\x00" }

// value returns the terms that a value as written in a query stands for: one,
// or all of a date's precision.
func (f Field) value(text string) (span, error) {
	if f.Type == Date {
		from, to, err := parseDate(text)
		if err != nil {
			return span{}, f.mismatch(text, err.Error())
		}
		return span{instantTerm(from), instantTerm(to)}, nil
	}
	term, ok := f.term(text)
	if !ok {
		hint := "write a number as 5, -1.5 or 1e6"
		if f.Type == Boolean {
			hint = "write true or false"
		}
		return span{}, f.mismatch(text, hint)
	}
	return span{term, successor(term)}, nil
}

func (f Field) mismatch(text, hint string) error {
	return query.Errorf(hint, "field %s: %s is no %s", query.Shorten(f.Name), query.Shorten(text), f.Type)
}

// between returns the terms of a range.
func (f Field) between(r query.Range) (s span, err error) {
	if r.Min.Text != "" {
		lowest, err := f.value(r.Min.Text)
		if err != nil {
			return span{}, err
		}
		s.min = lowest.min
		if r.Min.Exclusive {
			s.min = lowest.max
		}
	}
	if r.Max.Text != "" {
		highest, err := f.value(r.Max.Text)
		if err != nil {
			return span{}, err
		}
		s.max = highest.max
		if r.Max.Exclusive {
			s.max = highest.min
		}
	}
	return s, nil
}
