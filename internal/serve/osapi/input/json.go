package input

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
)

// Object reads a JSON object. Its numbers stay as they are written.
func Object(text json.RawMessage, what string) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(text, &m)
	bad := (*json.SyntaxError)(nil)
	switch {
	case err == nil && m != nil:
		return m, nil
	case !errors.As(err, &bad) || strings.Contains(bad.Error(), "after top-level value"):
		return nil, ParsingError("[%s] is not a JSON object", what)
	case strings.Contains(bad.Error(), "unexpected end"):
		return nil, Error("unexpected_end_of_input_exception", "[%s] is not a JSON object: it has no end", what)
	}
	return nil, Error("json_parse_exception", "[%s] is not a JSON object: %v", what, bad)
}

// ObjectOf reads a JSON object that has keys of some names only.
func ObjectOf(text json.RawMessage, what string, names ...string) (map[string]json.RawMessage, error) {
	m, err := Object(text, what)
	if err != nil {
		return nil, err
	}
	return m, Only(m, what, names...)
}

// Single reads an object with one key.
func Single(text json.RawMessage, what string) (key string, value json.RawMessage, err error) {
	m, err := Object(text, what)
	if err != nil {
		return "", nil, err
	}
	if len(m) == 0 && what == "query" {
		return "", nil, ArgumentError("query malformed, empty clause found")
	}
	if len(m) != 1 {
		return "", nil, ParsingError("[%s] has %d keys, not one", what, len(m))
	}
	for key, value = range m {
	}
	return key, value, nil
}

// Only rejects keys that are not supported. what names the object in the error.
func Only(m map[string]json.RawMessage, what string, names ...string) error {
	kind := notSupported
	if what == "bool" || what == "highlight" {
		kind = UnknownKey
	}
	return only(kind, m, what, names)
}

// OnlyIn is Only for an object whose unknown keys are those of its content, such as an
// aggregation.
func OnlyIn(m map[string]json.RawMessage, what string, names ...string) error {
	return only(UnknownKey, m, what, names)
}

func only(kind string, m map[string]json.RawMessage, what string, names []string) error {
	for name := range m {
		if !slices.Contains(names, name) {
			return Error(kind, "[%s] does not support [%s]; supported are %s", what, query.Shorten(name), strings.Join(names, ", "))
		}
	}
	return nil
}

// Scalar reads text, a number, true or false.
func Scalar(text json.RawMessage, what string) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err == nil {
		switch v.(type) {
		case string, json.Number, bool:
			return doc.FormatText(v), nil
		}
	}
	return "", ParsingError("[%s] is not text, a number, true or false", what)
}

// Whole reads a whole number from 0, also as text.
func Whole(v json.RawMessage, name string, to *int) error {
	text, err := Scalar(v, name)
	if err != nil {
		return ArgumentError("[%s] is not a whole number from 0", name)
	}
	if *to, err = strconv.Atoi(text); err != nil {
		return Error(UnreadableNumber, "[%s] is not a whole number from 0", name)
	}
	if *to < 0 {
		return ArgumentError("[%s] is not a whole number from 0", name)
	}
	return nil
}

// Flag reads true or false, also as text.
func Flag(v json.RawMessage, name string, to *bool) error {
	switch string(v) {
	case "true", `"true"`, `""`:
		*to = true
	case "false", `"false"`:
		*to = false
	default:
		return ParsingError("[%s] is true or false", name)
	}
	return nil
}

// Strings reads a text or a list of texts, which the error calls ids.
func Strings(v json.RawMessage, name string) ([]string, error) {
	var one string
	var list []string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}
	if json.Unmarshal(v, &list) != nil {
		return nil, ParsingError("[%s] is an id, or a list of ids", name)
	}
	return list, nil
}

// Finite reads a number that is not NaN or infinite.
func Finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

// List reads one value, or a list of values. v is valid JSON.
func List(v json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if v[0] != '[' || json.Unmarshal(v, &list) != nil {
		return []json.RawMessage{v}
	}
	return list
}

// WholeNumbers reads those whole numbers from 0 that an object has.
func WholeNumbers(m map[string]json.RawMessage, to map[string]*int) error {
	for name, to := range to {
		if m[name] == nil {
			continue
		}
		if err := Whole(m[name], name, to); err != nil {
			return err
		}
	}
	return nil
}
