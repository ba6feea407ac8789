// Package hits reads how the hits of a search are sorted and what each of them shows:
// _source, fields, highlights and explanations. It prints all but the highlights.
package hits

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A SortKey is one part of a sort: a field, the score, the key of a document, or a
// field that no index has.
type SortKey struct {
	query.Sort
	Kind string // the type of the field, or one of these
	as   string // the type of a field that no index has
}

const (
	ByScore  = "score"
	ByKey    = "key"
	ByNoType = "none"
)

// ParseSort reads sort: a field, or a list of fields and {field: order} or
// {field: {order: order}}.
func ParseSort(v json.RawMessage, ix mapping.Index) (order []SortKey, err error) {
	list := input.List(v)
	for i, one := range list {
		k, err := sortBy(one, ix)
		switch {
		case err != nil:
			return nil, err
		case k.Kind == ByKey && (k.Descending || i < len(list)-1):
			return nil, input.ParsingError("[sort] by [%s] is not supported, but ascending and as the last key", k.Field)
		}
		order = append(order, k)
	}
	return order, nil
}

// sortBy reads one part of a sort.
func sortBy(v json.RawMessage, ix mapping.Index) (k SortKey, err error) {
	name, m, err := sortOptions(v)
	if err != nil {
		return k, err
	}
	k.Field = name
	if err := k.set(m); err != nil {
		return k, err
	}
	switch name {
	case query.ByScore:
		k.Descending, k.Kind = m["order"] != "asc", ByScore
		return k, nil
	case "_id", "_doc", "_shard_doc":
		k.Kind = ByKey
		return k, nil
	}
	f, err := ix.Lookup(name)
	if err != nil {
		return k, err
	}
	k.Field, k.Kind = f.Name, f.Type
	switch {
	case f.Type == "" && m["unmapped_type"] != "":
		k.Kind, k.as = ByNoType, m["unmapped_type"]
	case f.Type == "":
		return k, input.Error(input.NotOfField, "no mapping found for [%s] in order to sort on", query.Shorten(name))
	case f.Type == mapping.Text:
		return k, input.ArgumentError("[sort] on text field [%s] is not supported: use a field of metadata", f.Name)
	}
	return k, k.readMissing()
}

// readMissing reads the value of documents without one, which is a number but for
// keywords: milliseconds of a date, and 0 or 1 of a boolean.
func (k *SortKey) readMissing() error {
	if k.Missing == "" || k.Kind == mapping.Keyword || k.Kind == ByNoType {
		return nil
	}
	n, err := input.Finite(k.Missing)
	switch {
	case err != nil:
		return input.Error(input.UnreadableNumber, "[sort] missing of [%s] is not a number: %q", k.Field, query.Shorten(k.Missing))
	case k.Kind == mapping.Boolean && n != 0 && n != 1:
		return input.ParsingError("[sort] missing of the boolean [%s] is not supported: write 0 or 1", k.Field)
	case k.Kind == mapping.Boolean:
		k.Missing = strconv.FormatBool(n == 1)
	case k.Kind == mapping.Date && math.Abs(n) > 1<<53:
		return input.ParsingError("[sort] missing of the date [%s] is not supported: write _first or _last", k.Field)
	case k.Kind == mapping.Date:
		k.Missing = time.UnixMilli(int64(n)).UTC().Format(time.RFC3339Nano)
	}
	return nil
}

// sortOptions reads a part of a sort: its field, and its options.
func sortOptions(v json.RawMessage) (name string, options map[string]string, err error) {
	options = map[string]string{}
	if json.Unmarshal(v, &name) == nil {
		return name, options, nil
	}
	if v[0] != '{' {
		return "", nil, input.Error(input.NotOfField, "no mapping found for [%s] in order to sort on", query.Shorten(string(v)))
	}
	name, value, err := input.Single(v, "sort")
	if err != nil {
		return "", nil, err
	}
	var order string
	if json.Unmarshal(value, &order) == nil {
		options["order"] = order
		return name, options, nil
	}
	m, err := input.Object(value, "sort")
	if err != nil {
		return "", nil, err
	}
	for key, text := range m {
		if !slices.Contains([]string{"order", "missing", "unmapped_type", "mode"}, key) {
			return "", nil, input.Error(input.UnknownKey, "[sort] does not support [%s]; supported are order, missing, unmapped_type, mode", query.Shorten(key))
		}
		if options[key], err = input.Scalar(text, "sort "+key); err != nil {
			return "", nil, err
		}
	}
	return name, options, nil
}

// set sets the order of a key, and what documents without a value and those with several
// have.
func (k *SortKey) set(options map[string]string) error {
	switch order := strings.ToLower(options["order"]); order {
	case "", "asc", "desc":
		k.Descending = order == "desc"
		options["order"] = order
	default:
		return input.ArgumentError("[sort] order is asc or desc")
	}
	switch missing := options["missing"]; missing {
	case "", "_last":
	case "_first":
		k.First = true
	default:
		k.Missing = missing
	}
	switch mode := options["mode"]; mode {
	case "", "min", "max":
		k.Pick = query.Pick(mode)
	default:
		return input.Error(input.NotOfField, "[sort] mode [%s] is not supported: write min or max", query.Shorten(mode))
	}
	return nil
}
