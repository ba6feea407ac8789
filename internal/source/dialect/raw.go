package dialect

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// Integer returns a raw value that is an integer in one of the drivers' forms.
func Integer(raw any) (int64, error) {
	if n, ok := raw.(int64); ok {
		return n, nil
	}
	if text, ok := Text(raw); ok {
		return strconv.ParseInt(text, 10, 64)
	}
	return 0, fmt.Errorf("%s is not an integer", Show(raw))
}

// Text returns a raw value that is text in one of the drivers' forms.
func Text(raw any) (string, bool) {
	switch v := raw.(type) {
	case *string:
		return *v, true
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// DocumentText returns the text form of a raw value, for a document that can't have the
// value.
func DocumentText(raw any) string {
	switch v := raw.(type) {
	case []byte:
		return `\x` + hex.EncodeToString(v)
	case float64:
		return doc.PartText(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	if text, ok := Text(raw); ok {
		return text
	}
	return fmt.Sprint(raw)
}

// ParsedJSON returns a conversion whose texts are parsed as JSON. A text that is none
// stays a text, or is a doc.BadValue if the column has values.
func ParsedJSON(value func(raw any) (any, error), values bool) func(raw any) (any, error) {
	return func(raw any) (any, error) {
		v, err := value(raw)
		text, ok := v.(string)
		if !ok || err != nil || text == "" {
			return v, err
		}
		parsed, wrong := doc.ParseJSON(text)
		switch {
		case wrong == nil:
			return parsed, nil
		case values:
			return doc.NewBadValue(text, "the text is not JSON: "+wrong.Error()), nil
		}
		return v, nil
	}
}

// Show returns a raw value for an error, shortened.
func Show(raw any) string {
	const most = 40
	short := func(s string) string {
		if len(s) > most {
			return s[:most] + "..."
		}
		return s
	}
	switch v := raw.(type) {
	case nil:
		return "NULL"
	case int64:
		return "integer " + strconv.FormatInt(v, 10)
	case float64:
		return "real " + strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return "text " + strconv.Quote(short(v))
	case *string:
		return short(*v)
	case []byte:
		return fmt.Sprintf("a blob of %d bytes", len(v))
	}
	return fmt.Sprintf("%v", raw)
}

// SumOf returns a sum of digests, an integer of any size modulo 2^64.
func SumOf(raw any) (sum uint64, err error) {
	if n, ok := raw.(int64); ok {
		return uint64(n), nil
	}
	text, _ := Text(raw)
	digits := strings.TrimPrefix(text, "-")
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			digits = ""
			break
		}
		sum = 10*sum + uint64(c-'0')
	}
	if digits == "" {
		return 0, fmt.Errorf("%s is not a sum of digests", Show(raw))
	}
	if digits != text {
		sum = -sum
	}
	return sum, nil
}
