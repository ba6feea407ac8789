package proposal

import (
	"fmt"
	"strconv"
	"strings"
)

// A text is a configuration that is being written.
type text struct {
	strings.Builder
}

func (t *text) line(indent int, format string, args ...any) {
	fmt.Fprintf(t, "%*s%s\n", indent, "", fmt.Sprintf(format, args...))
}

// comment writes a comment. It replaces unprintable characters, such as a line
// break in a name from the database.
func (t *text) comment(indent int, format string, args ...any) {
	t.line(indent, "# %s", strings.Map(func(r rune) rune {
		if unprintable(string(r)) {
			return '?'
		}
		return r
	}, fmt.Sprintf(format, args...)))
}

func (s selected) yaml() string { return plain(s.as) }

func (m meta) yaml() string { return plain(m.as) + ": " + m.typ }

func oneOrList(names []string) string {
	if len(names) == 1 {
		return plain(names[0])
	}
	return "[" + list(names, plain) + "]"
}

// plain returns a name as YAML, with quotes if YAML would read it as another
// type.
func plain(name string) string {
	switch strings.ToLower(name) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(name)
	}
	return name
}

// width is the length of lines without indentation.
const width = 100

// folded returns a list on as many lines as it needs. A line break has no
// meaning in SQL and inside the brackets of YAML.
func folded[T any](indent int, all []T, format func(T) string) string {
	var b strings.Builder
	used := 0
	for i, one := range all {
		word := format(one)
		switch {
		case i == 0:
		case used+len(word) > width:
			fmt.Fprintf(&b, ",\n%*s", indent, "")
			used = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(word)
		used += len(word) + len(", ")
	}
	return b.String()
}

func list[T any](all []T, format func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = format(one)
	}
	return strings.Join(texts, ", ")
}
