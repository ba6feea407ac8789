package hits

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// SortValues returns the values by which a hit is sorted, which search_after takes.
func SortValues(order []SortKey, hit search.Hit) []any {
	values, keys := make([]any, len(order)), hit.Keys
	for i, by := range order {
		switch {
		case by.Kind == ByKey:
			values[i] = hit.OID
			continue
		case by.Kind == ByNoType:
			values[i] = by.absent()
			continue
		case by.Kind == ByScore:
			values[i] = format.Decimal(hit.Score)
		case len(keys) > 0 && keys[0].Type != "":
			values[i] = by.value(keys[0].Text)
		default:
			values[i] = by.absent()
		}
		keys = keys[min(1, len(keys)):]
	}
	return values
}

// ParseAfter reads search_after: the values by which the last hit was sorted.
func ParseAfter(v json.RawMessage, order []SortKey, t *dsl.Scope) (*query.Place, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(v, &values); err != nil || len(values) != len(order) || len(values) == 0 {
		return nil, input.ArgumentError("[search_after] needs a list with a value for each of [sort], %d", len(order))
	}
	if len(t.Tables) != 1 {
		return nil, input.ParsingError("[search_after] in %d indices is not supported: page with from, or search one index", len(t.Tables))
	}
	p := &query.Place{}
	for i, by := range order {
		if by.Kind == ByNoType || by.isAbsent(values[i]) {
			if by.Kind != ByNoType {
				p.Values = append(p.Values, query.Key{})
			}
			continue
		}
		text, err := input.Scalar(values[i], "search_after")
		if err != nil {
			return nil, err
		}
		if _, err := strconv.ParseFloat(text, 64); by.Kind == mapping.Double && err != nil {
			return nil, input.ArgumentError("[search_after] %s is not a number", query.Shorten(text))
		}
		switch by.Kind {
		case ByScore:
			n, err := strconv.ParseFloat(text, 32)
			if err != nil {
				return nil, input.ArgumentError("[search_after] %s is not a score", query.Shorten(text))
			}
			p.Values = append(p.Values, query.Key{Type: ByScore, Text: strconv.FormatFloat(n, 'g', -1, 64)}) // a score has 32 bits, and a client may shorten it to them
		case ByKey:
			if p.OID, err = t.OID(t.Tables[0], text); err != nil {
				return nil, err
			}
		case mapping.Date:
			text = format.DateText(text)
			if _, err := format.ParseDate(text, []string{"strict_date_optional_time"}, time.UTC, false); err != nil {
				return nil, err
			}
			p.Values = append(p.Values, query.Key{Type: mapping.Date, Text: text})
		case mapping.Boolean:
			yes := map[string]string{"0": "false", "1": "true"}[text] // sort values of booleans are numbers
			p.Values = append(p.Values, query.Key{Type: mapping.Boolean, Text: cmp.Or(yes, text)})
		default:
			p.Values = append(p.Values, query.Key{Type: by.Kind, Text: text})
		}
	}
	if len(p.Values) == 0 {
		p.Values = []query.Key{{Type: ByScore, Text: "1"}} // the score of every hit of an unscored query
	}
	return p, nil
}

// value returns the sort value of a field's value in JSON. A boolean is 0 or 1, and a date
// its milliseconds, or text if it is not a whole number of them.
func (k SortKey) value(text string) any {
	switch k.Kind {
	case mapping.Double:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return format.Decimal(n)
		}
	case mapping.Boolean:
		return map[bool]int{true: 1}[text == "true"]
	case mapping.Date:
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Nanosecond()%1e6 == 0 {
			return at.UnixMilli()
		}
	}
	return text
}

// absent returns the sort value of a document without one: the greatest or the least of
// the type, by where such documents are.
func (k SortKey) absent() any {
	greatest := k.First == k.Descending
	if k.Kind != ByNoType {
		return absentOf(k.Kind, greatest)
	}
	return absentOf(map[string]string{
		"date": mapping.Date, "boolean": mapping.Boolean, "long": mapping.Date, "integer": mapping.Date, "short": mapping.Date, "byte": mapping.Date, "double": mapping.Double, "float": mapping.Double, "half_float": mapping.Double,
	}[k.as], greatest)
}

func absentOf(kind string, greatest bool) any {
	switch {
	case kind == mapping.Double && greatest:
		return "Infinity"
	case kind == mapping.Double:
		return "-Infinity"
	case kind == mapping.Boolean && greatest:
		return math.MaxInt32
	case kind == mapping.Boolean:
		return math.MinInt32
	case kind == mapping.Date && greatest:
		return math.MaxInt64
	case kind == mapping.Date:
		return math.MinInt64
	}
	return nil
}

// isAbsent reports whether a sort value is that of a document without one.
func (k SortKey) isAbsent(v json.RawMessage) bool {
	text, err := input.Scalar(v, "search_after")
	if err != nil {
		return string(v) == "null"
	}
	absent := k.absent()
	return absent != nil && text == fmt.Sprint(absent)
}
