package inspect

import (
	"fmt"
	"regexp"
	"strings"

	"indexerd/internal/doc"
)

// names are those that are taken.
type names map[string]bool

// take returns the name, or the next one like it that is free. Case does not
// tell columns apart in every database.
func (n names) take(name string) string {
	free := name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[strings.ToLower(free)] = true
	return free
}

var (
	noTable  = regexp.MustCompile(`[^a-z0-9]+`)
	noField  = regexp.MustCompile(`[^\p{L}\p{N}]+`)
	noSource = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
)

// tableName is the table's name as a directory can have it.
func tableName(t doc.CatalogTable) string {
	name := t.Name
	if t.Schema != "" {
		name = t.Schema + "_" + name
	}
	return beginning("t", strings.Trim(noTable.ReplaceAllString(strings.ToLower(name), "_"), "_"), `^[a-z]`)
}

// fieldName is a column's name as a query can say it.
func fieldName(column string) string {
	if regexp.MustCompile(`^\p{L}[\p{L}\p{N}_]*$`).MatchString(column) {
		return column
	}
	return beginning("c", strings.Trim(noField.ReplaceAllString(column, "_"), "_"), `^\p{L}`)
}

func sourceName(database string) string {
	return beginning("db", strings.Trim(noSource.ReplaceAllString(database, "_"), "_-"), `^[A-Za-z]`)
}

// beginning puts a prefix before a name that does not begin as it must.
func beginning(prefix, name, pattern string) string {
	switch {
	case name == "":
		return prefix
	case !regexp.MustCompile(pattern).MatchString(name):
		return prefix + "_" + name
	}
	return name
}

// plural is what several rows of a table are called. English has more rules;
// a name is easily changed.
func plural(name string) string {
	lower := strings.ToLower(name)
	switch {
	case regexp.MustCompile(`(ss|x|ch|sh)$`).MatchString(lower):
		return name + "es"
	case strings.HasSuffix(lower, "s"):
		return name
	case regexp.MustCompile(`[^aeiou]y$`).MatchString(lower):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}
