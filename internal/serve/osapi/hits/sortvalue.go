package osapi

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// sortValues returns the values by which a hit is sorted, which search_after takes.
func sortValues(order []sortKey, hit search.Hit) []any {
	values, keys := make([]any, len(order)), hit.Keys
	for i, by := range order {
		if by.kind == byKey {
			values[i] = hit.OID
		}
		if by.kind == byNoType {
			values[i] = by.absent()
		}
		if by.kind == byKey || by.kind == byNoType {
			continue
		}
		if by.kind == byScore {
			values[i] = decimal(hit.Score)
		} else if len(keys) > 0 && keys[0].Type != "" {
			values[i] = by.value(keys[0].Text)
		} else {
			values[i] = by.absent()
		}
		keys = keys[min(1, len(keys)):]
	}
	return values
}

// valueOf returns a value in JSON. A date is its milliseconds, or text if it is not
// a whole number of them.
func valueOf(kind, text string) any {
	switch kind {
	case Double:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return decimal(n)
		}
	case Boolean:
		return text == "true"
	case Date:
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Nanosecond()%1e6 == 0 {
			return at.UnixMilli()
		}
	}
	return text
}

// parseAfter reads search_after: the values by which the last hit was sorted.
func parseAfter(v json.RawMessage, order []sortKey, t *scope) (*query.Place, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(v, &values); err != nil || len(values) != len(order) || len(values) == 0 {
		return nil, illegal("[search_after] needs a list with a value for each of [sort], %d", len(order))
	}
	if len(t.tables) != 1 {
		return nil, parsing("[search_after] in %d indices is not supported: page with from, or search one index", len(t.tables))
	}
	p := &query.Place{}
	for i, by := range order {
		if by.kind == byNoType || by.isAbsent(values[i]) {
			if by.kind != byNoType {
				p.Values = append(p.Values, query.Key{})
			}
			continue
		}
		text, err := scalar(values[i], "search_after")
		if err != nil {
			return nil, err
		}
		if _, err := strconv.ParseFloat(text, 64); by.kind == Double && err != nil {
			return nil, illegal("[search_after] %s is not a number", query.Shorten(text))
		}
		switch by.kind {
		case byScore:
			n, err := strconv.ParseFloat(text, 32)
			if err != nil {
				return nil, illegal("[search_after] %s is not a score", query.Shorten(text))
			}
			p.Values = append(p.Values, query.Key{Type: byScore, Text: strconv.FormatFloat(n, 'g', -1, 64)}) // a score has 32 bits, and a client may shorten it to them
		case byKey:
			if p.OID, err = t.oid(t.tables[0], text); err != nil {
				return nil, err
			}
		case Date:
			text = dateText(text)
			if _, err := parseDate(text, []string{"strict_date_optional_time"}, time.UTC, false); err != nil {
				return nil, err
			}
			p.Values = append(p.Values, query.Key{Type: Date, Text: text})
		case Boolean:
			p.Values = append(p.Values, query.Key{Type: Boolean, Text: booleanText(text)})
		default:
			p.Values = append(p.Values, query.Key{Type: by.kind, Text: text})
		}
	}
	if len(p.Values) == 0 {
		p.Values = []query.Key{{Type: byScore, Text: "1"}} // the score of every hit of an unscored query
	}
	return p, nil
}

// booleanText returns a boolean. Sort values of booleans are numbers.
func booleanText(text string) string {
	switch text {
	case "0":
		return "false"
	case "1":
		return "true"
	}
	return text
}

// value returns the sort value of a field's value.
func (k sortKey) value(text string) any {
	v := valueOf(k.kind, text)
	switch v {
	case true:
		return 1
	case false:
		return 0
	}
	return v
}

// absent returns the sort value of a document without one: the greatest or the least of
// the type, by where such documents are.
func (k sortKey) absent() any {
	greatest := k.First == k.Descending
	if k.kind != byNoType {
		return absentOf(k.kind, greatest)
	}
	return absentOf(map[string]string{
		"date": Date, "boolean": Boolean, "long": Date, "integer": Date, "short": Date, "byte": Date, "double": Double, "float": Double, "half_float": Double,
	}[k.as], greatest)
}

func absentOf(kind string, greatest bool) any {
	switch {
	case kind == Double && greatest:
		return "Infinity"
	case kind == Double:
		return "-Infinity"
	case kind == Boolean && greatest:
		return math.MaxInt32
	case kind == Boolean:
		return math.MinInt32
	case kind == Date && greatest:
		return math.MaxInt64
	case kind == Date:
		return math.MinInt64
	}
	return nil
}

// isAbsent reports whether a sort value is that of a document without one.
func (k sortKey) isAbsent(v json.RawMessage) bool {
	text, err := scalar(v, "search_after")
	if err != nil {
		return string(v) == "null"
	}
	absent := k.absent()
	return absent != nil && text == fmt.Sprint(absent)
}
