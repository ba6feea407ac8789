package query

import (
	"fmt"
	"strings"

	"indexerd/internal/base/nearest"
)

// An Error is a fault of a request. Message is what is wrong and Hint what to do,
// together one line.
type Error struct {
	Message string
	Hint    string
	Code    string // "" or CodeBuckets
}

// CodeBuckets is the code of the error of an aggregation with too many buckets.
const CodeBuckets = "too_many_buckets"

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// Errorf returns an Error with a formatted message.
func Errorf(hint, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Hint: hint}
}

// NoField returns the error of an unknown field.
func NoField(name string, fields []string) *Error {
	hint := "there are " + strings.Join(fields, ", ")
	if near := nearest.Name(name, fields); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Errorf(hint, "no field %s", Shorten(name))
}

// TooManyBuckets returns the error of aggregations with more than MaxBuckets buckets.
func TooManyBuckets() *Error {
	e := Errorf("narrow the search, or ask for fewer or larger buckets", "the aggregations have more than %d buckets", MaxBuckets)
	e.Code = CodeBuckets
	return e
}

// TooMuchToCount returns the error of aggregations that need more than MaxValueBytes.
func TooMuchToCount() *Error {
	e := Errorf("narrow the search, or aggregate a field with fewer values", "the matches have too many different values to count")
	e.Code = CodeBuckets
	return e
}

// TooManyValues returns the error of filters with more than MaxValues values.
func TooManyValues(n int) *Error {
	return Errorf("filter by fewer, or by a range in the query", "%d values to filter by, more than %d", n, MaxValues)
}

// Shorten returns text for a message: on one line, quoted if it has special
// characters, and cut after 60 characters.
func Shorten(text string) string {
	const limit = 60
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "..."
	}
	if text == "" {
		return `""`
	}
	for _, r := range text {
		if r <= ' ' || r == '"' || r == 0x7f || r == 0xfffd {
			return fmt.Sprintf("%q", text)
		}
	}
	return text
}
