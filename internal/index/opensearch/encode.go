package opensearch

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"indexerd/internal/base/doc"
)

// appendJSON writes a value as JSON. It takes the types of which documents consist, and
// leaves all others to encoding/json, which takes several times as long. Keys have no
// order.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return appendText(dst, v)
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case []string:
		return appendList(dst, v, appendText)
	case []any:
		return appendList(dst, v, appendJSON)
	case map[string]any:
		return appendObject(dst, v, appendJSON)
	case map[string][]string:
		return appendObject(dst, v, func(dst []byte, list []string) ([]byte, error) { return appendList(dst, list, appendText) })
	case map[string][]any:
		return appendObject(dst, v, func(dst []byte, list []any) ([]byte, error) { return appendList(dst, list, appendJSON) })
	}
	return appendOther(dst, v)
}

func appendOther(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(dst, b...), err
}

func appendList[T any](dst []byte, list []T, add func([]byte, T) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = add(dst, v); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject[T any](dst []byte, fields map[string]T, add func([]byte, T) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, '{')
	first := true
	for name, v := range fields {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if dst, err = appendText(dst, name); err != nil {
			return nil, err
		}
		if dst, err = add(append(dst, ':'), v); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendText writes a text. Of one that is no UTF-8 encoding/json replaces what is not.
func appendText(dst []byte, text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return appendOther(dst, text)
	}
	return doc.AppendString(dst, text)
}
