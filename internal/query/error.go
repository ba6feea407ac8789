package query

import (
	"fmt"
	"strings"
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
	if near := Nearest(name, fields); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Errorf(hint, "no field %s", Shorten(name))
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

// Nearest returns the name that was probably meant, or "" where none is near.
func Nearest(name string, names []string) string {
	best, at := "", 1+max(1, (len(name)+2)/3)
	for _, n := range names {
		if d := distance(name, n); d < at {
			best, at = n, d
		}
	}
	return best
}

// distance is the number of characters to insert, remove or change to make b
// of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			change := diagonal
			if s[i] != t[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(t)]
}
