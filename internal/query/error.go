package query

import (
	"fmt"
	"strings"

	"indexerd/internal/nearest"
)

// An Error is a search that can't be answered as it was asked. It says what is
// wrong in one line, and what to do about it.
type Error struct {
	Message string
	Hint    string
}

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

// NoField is the error of a name that is none of the fields.
func NoField(name string, fields []string) *Error {
	hint := "there are " + strings.Join(fields, ", ")
	if near := nearest.Name(name, fields); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Errorf(hint, "no field %s", Shorten(name))
}

// TooManyValues is the error of more values to filter by than MaxValues.
func TooManyValues(n int) *Error {
	return Errorf("filter by fewer, or by a range in the query", "%d values to filter by, more than %d", n, MaxValues)
}

// Shorten returns text as it can stand in a message: one line, quoted where it
// isn't plain, and cut where it is long.
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
