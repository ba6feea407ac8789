package proposal

import (
	"fmt"
	"regexp"
	"strings"

	"indexerd/internal/base/doc"
)

// names are the names in use, in lower case: some databases ignore the case of
// column names.
type names map[string]bool

// take returns the name, or the name with a number if it is in use, and adds it.
func (n names) take(name string) string {
	free := name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[strings.ToLower(free)] = true
	return free
}

func (n names) has(name string) bool { return n[strings.ToLower(name)] }

var (
	noTable  = regexp.MustCompile(`[^a-z0-9]+`)
	noField  = regexp.MustCompile(`[^\p{L}\p{N}]+`)
	noSource = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

	validField = regexp.MustCompile(`^\p{L}[\p{L}\p{N}_]*$`)
)

// inner matches where a word of a name in mixed case begins: the L of InvoiceLine.
var inner = regexp.MustCompile(`(\p{Ll}|\d)(\p{Lu})`)

// tableName returns a name of the table that is also valid for a directory:
// invoice_line for InvoiceLine.
func tableName(t doc.CatalogTable) string {
	name := t.Name
	if t.Schema != "" {
		name = t.Schema + "_" + name
	}
	return beginning("t", strings.Trim(noTable.ReplaceAllString(strings.ToLower(inner.ReplaceAllString(name, "${1}_$2")), "_"), "_"), `^[a-z]`)
}

// fieldName returns a name of the column that is valid in queries.
func fieldName(column string) string {
	if validField.MatchString(column) {
		return column
	}
	return beginning("c", strings.Trim(noField.ReplaceAllString(column, "_"), "_"), `^\p{L}`)
}

func sourceName(database string) string {
	return beginning("db", strings.Trim(noSource.ReplaceAllString(database, "_"), "_-"), `^[A-Za-z]`)
}

// beginning adds a prefix to a name that does not match pattern.
func beginning(prefix, name, pattern string) string {
	switch {
	case name == "":
		return prefix
	case !regexp.MustCompile(pattern).MatchString(name):
		return prefix + "_" + name
	}
	return name
}

// wordsOf returns the words of a name in lower case: invoice, line of InvoiceLine.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(inner.ReplaceAllString(name, "${1}_$2")), func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
}

// spelled returns a name in lower case, with underscores between its words.
func spelled(name string) string { return strings.Join(wordsOf(name), "_") }

// singular returns a word without the end of a plural.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// plural returns the plural of a table's name, by the common rules of English.
func plural(name string) string {
	lower := strings.ToLower(name)
	switch {
	case regexp.MustCompile(`(ss|as|us|x|ch|sh)$`).MatchString(lower):
		return name + "es"
	case strings.HasSuffix(lower, "s"):
		return name
	case regexp.MustCompile(`[^aeiou]y$`).MatchString(lower):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}
