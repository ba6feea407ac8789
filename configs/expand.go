package configs

import (
	"regexp"
	"strings"
)

// expand replaces ${NAME} by the environment variable NAME, ${NAME:-x} by the
// variable or, if it is unset or empty, by x, and $$ by $. Any other $ stays.
func (r *reader) expand(at place, text string) (scalar, bool) {
	var out strings.Builder
	s, ok := scalar{}, true
	for {
		before, after, found := strings.Cut(text, "$")
		out.WriteString(before)
		switch {
		case !found:
			s.text = out.String()
			return s, ok
		case strings.HasPrefix(after, "$"):
			out.WriteByte('$')
			text = after[1:]
		case strings.HasPrefix(after, "{"):
			inner, rest, closed := strings.Cut(after[1:], "}")
			if !closed {
				at.do = "add }, or write $$ for a $"
				r.fault(at, "${ without }")
				return s, false
			}
			value, set := r.variable(at, inner)
			out.WriteString(value)
			s.expanded, ok, text = true, ok && set, rest
		default:
			out.WriteByte('$')
			text = after
		}
	}
}

// variable returns the value of what stands between ${ and }.
func (r *reader) variable(at place, inner string) (string, bool) {
	name, fallback, hasFallback := strings.Cut(inner, ":-")
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) {
		at.do = "write ${NAME} with letters, digits and _, or $$ for a $"
		r.fault(at, "invalid name between ${ and }")
		return "", false
	}
	value, set := r.getenv(name)
	switch {
	case hasFallback && value == "":
		return fallback, true
	case !set:
		at.do = "set it, or write ${" + name + ":-x} for a default x"
		r.fault(at, "environment variable "+name+" is not set")
		return "", false
	}
	return value, true
}
