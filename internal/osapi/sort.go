package osapi

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/query"
	"indexerd/internal/search"
)

// A sortKey is one part of a sort: a field, the score, the key of a document, or a
// field that no index has.
type sortKey struct {
	query.Sort
	kind string // the type of the field, or one of these
}

const (
	byScore  = "score"
	byKey    = "key"
	byNoType = "none"
)

// sort reads sort: a field, or a list of fields and {field: order} or
// {field: {order: order}}.
func (r *request) sort(v json.RawMessage, t *target) error {
	list := []json.RawMessage{v}
	if v[0] == '[' {
		if err := json.Unmarshal(v, &list); err != nil {
			return parsing("[sort] is not a list")
		}
	}
	r.scored = len(list) == 0
	for i, one := range list {
		k, err := sortBy(one, t.Index)
		if err != nil {
			return err
		}
		switch k.kind {
		case byKey:
			if k.Descending || i < len(list)-1 {
				return parsing("[sort] by [%s] is not supported, but ascending and as the last key", k.Field)
			}
		case byNoType:
		default:
			r.Sort = append(r.Sort, k.Sort)
			r.scored = r.scored || k.kind == byScore
		}
		r.order = append(r.order, k)
	}
	if len(r.Sort) == 0 && len(list) > 0 { // equal hits are in the order of their keys
		r.Node, r.Sort = unscored(r.Node), []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	return nil
}

func sortBy(v json.RawMessage, ix Index) (k sortKey, err error) {
	var name, order string
	m := map[string]json.RawMessage{}
	if json.Unmarshal(v, &name) != nil {
		field, value, err := single(v, "sort")
		if err != nil {
			return k, err
		}
		if name = field; json.Unmarshal(value, &order) != nil {
			if m, err = object(value, "sort"); err != nil {
				return k, err
			}
			if err := only(m, "sort", "order", "missing", "unmapped_type", "mode"); err != nil {
				return k, err
			}
		}
	}
	if m["order"] != nil && json.Unmarshal(m["order"], &order) != nil || order != "" && order != "asc" && order != "desc" {
		return k, parsing("[sort] order is asc or desc")
	}
	if m["missing"] != nil && string(m["missing"]) != `"_last"` {
		return k, parsing("[sort] missing is _last")
	}
	k = sortKey{Sort: query.Sort{Field: name, Descending: order == "desc"}}
	if mode := string(m["mode"]); mode != "" && mode != `"min"` && mode != `"max"` || (mode == `"max"`) != k.Descending && mode != "" {
		return k, parsing("[sort] mode is min of asc and max of desc")
	}
	switch name {
	case query.ByScore:
		k.Descending, k.kind = order != "asc", byScore
		return k, nil
	case "_id", "_doc", "_shard_doc":
		k.kind = byKey
		return k, nil
	}
	f, err := ix.lookup(name)
	if err != nil {
		return k, err
	}
	k.Field, k.kind = f.Name, f.Type
	switch {
	case f.Type == "" && m["unmapped_type"] != nil:
		k.kind = byNoType
	case f.Type == "":
		return k, parsing("no mapping found for [%s] in order to sort on", query.Shorten(name))
	case f.Type == Text:
		return k, parsing("[sort] on text field [%s] is not supported: use a field of metadata", f.Name)
	}
	return k, nil
}

// sortValues returns the values by which a hit is sorted, which search_after takes.
func (r request) sortValues(hit search.Hit) []any {
	values, keys := make([]any, len(r.order)), hit.Keys
	for i, by := range r.order {
		if by.kind == byKey {
			values[i] = hit.OID
		}
		if by.kind == byKey || by.kind == byNoType {
			continue
		}
		if by.kind == byScore {
			values[i] = decimal(hit.Score)
		} else if len(keys) > 0 && keys[0].Type != "" {
			values[i] = valueOf(by.kind, keys[0].Text)
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

// behind reads search_after: the values by which the last hit was sorted.
func (r *request) behind(v json.RawMessage, t *target) error {
	var values []json.RawMessage
	if err := json.Unmarshal(v, &values); err != nil || len(values) != len(r.order) || len(values) == 0 {
		return parsing("[search_after] needs a list with a value for each of [sort], %d", len(r.order))
	}
	if len(t.tables) != 1 {
		return parsing("[search_after] in %d indices is not supported: page with from, or search one index", len(t.tables))
	}
	p := &query.Place{}
	for i, by := range r.order {
		if by.kind == byNoType || string(values[i]) == "null" {
			if by.kind != byNoType {
				p.Values = append(p.Values, query.Key{})
			}
			continue
		}
		text, err := scalar(values[i], "search_after")
		if err != nil {
			return err
		}
		switch by.kind {
		case byKey:
			if p.OID, err = t.engine.OID(t.tables[0], text); err != nil {
				return err
			}
		case Date:
			p.Values = append(p.Values, query.Key{Type: Date, Text: dateText(text)})
		default:
			p.Values = append(p.Values, query.Key{Type: by.kind, Text: text})
		}
	}
	if len(p.Values) == 0 {
		p.Values = []query.Key{{Type: byScore, Text: "1"}} // the score of every hit of an unscored query
	}
	r.Behind = p
	return nil
}

// dateText returns a date. A number is its milliseconds, unless it has the four digits
// of a year.
func dateText(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(strings.TrimPrefix(text, "-")) == 4 {
		return text
	}
	return time.UnixMilli(n).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
