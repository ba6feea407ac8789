package osapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/httpapi"
)

// object reads a JSON object. Its numbers stay as they are written.
func object(text json.RawMessage, what string) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(text, &m)
	bad := (*json.SyntaxError)(nil)
	switch {
	case err == nil && m != nil:
		return m, nil
	case !errors.As(err, &bad) || strings.Contains(bad.Error(), "after top-level value"):
		return nil, parsing("[%s] is not a JSON object", what)
	case strings.Contains(bad.Error(), "unexpected end"):
		return nil, fault("unexpected_end_of_input_exception", "[%s] is not a JSON object: it has no end", what)
	}
	return nil, fault("json_parse_exception", "[%s] is not a JSON object: %v", what, bad)
}

// single reads an object with one key.
func single(text json.RawMessage, what string) (key string, value json.RawMessage, err error) {
	m, err := object(text, what)
	if err != nil {
		return "", nil, err
	}
	if len(m) == 0 && what == "query" {
		return "", nil, illegal("query malformed, empty clause found")
	}
	if len(m) != 1 {
		return "", nil, parsing("[%s] has %d keys, not one", what, len(m))
	}
	for key, value = range m {
	}
	return key, value, nil
}

// onlyIn is only for an aggregation.
func onlyIn(m map[string]json.RawMessage, what string, names ...string) error {
	err := only(m, what, names...)
	if e := (*httpapi.Error)(nil); errors.As(err, &e) {
		e.Code = unknownKey
	}
	return err
}

// only rejects keys that are not supported.
func only(m map[string]json.RawMessage, what string, names ...string) error {
	for name := range m {
		if !slices.Contains(names, name) {
			kind := "parsing_exception"
			if what == "bool" || what == "highlight" {
				kind = unknownKey
			}
			return fault(kind, "[%s] does not support [%s]; supported are %s", what, query.Shorten(name), strings.Join(names, ", "))
		}
	}
	return nil
}

// scalar reads text, a number, true or false.
func scalar(text json.RawMessage, what string) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err == nil {
		switch v.(type) {
		case string, json.Number, bool:
			return doc.FormatText(v), nil
		}
	}
	return "", parsing("[%s] is not text, a number, true or false", what)
}

// number reads a whole number from 0, also as text.
func number(v json.RawMessage, name string, to *int) error {
	text, err := scalar(v, name)
	if err != nil {
		return illegal("[%s] is not a whole number from 0", name)
	}
	if *to, err = strconv.Atoi(text); err != nil {
		return fault(unreadableNumber, "[%s] is not a whole number from 0", name)
	}
	if *to < 0 {
		return illegal("[%s] is not a whole number from 0", name)
	}
	return nil
}

// flag reads true or false, also as text.
func flag(v json.RawMessage, name string, to *bool) error {
	switch string(v) {
	case "true", `"true"`, `""`:
		*to = true
	case "false", `"false"`:
		*to = false
	default:
		return parsing("[%s] is true or false", name)
	}
	return nil
}

// idsIn reads an id or a list of ids.
func idsIn(v json.RawMessage, name string) ([]string, error) {
	var one string
	var list []string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}
	if json.Unmarshal(v, &list) != nil {
		return nil, parsing("[%s] is an id, or a list of ids", name)
	}
	return list, nil
}

func finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}
