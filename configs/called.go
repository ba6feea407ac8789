package configs

import (
	"slices"
	"strings"
	"unicode"
)

// Called returns the name of the table that a person calls so, such as invoice_line for
// InvoiceLine, or the name itself if no table or several are called so.
func (c *Config) Called(name string) string {
	found := ""
	for _, t := range c.Tables {
		switch {
		case t.Name == name:
			return name
		case !SameName(t.Name, name):
		case found != "":
			return name
		default:
			found = t.Name
		}
	}
	if found == "" {
		return name
	}
	return found
}

// SameName reports whether names differ in nothing but case, underscores and quotes. A
// name without letters and digits is the same as none.
func SameName(a, b string) bool {
	x, y := letters(a), letters(b)
	return len(x) > 0 && slices.Equal(x, y)
}

func letters(name string) (all []rune) {
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			all = append(all, r)
		}
	}
	return all
}
