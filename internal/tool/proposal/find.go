package proposal

import (
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/nearest"
)

// Find returns the tables of a catalog that a person calls by these names, as SQL writes
// them. Case, underscores and quotes matter only where several names differ in nothing
// else. Its error names the table that is missing, and the most similar one.
func Find(c doc.Catalog, names []string) (sql []string, err error) {
	for _, name := range names {
		found := called(c, name)
		switch {
		case len(found) == 1:
			if !slices.Contains(sql, found[0]) {
				sql = append(sql, found[0])
			}
		case len(found) > 1:
			return nil, fmt.Errorf("table %s is one of several: write %s", name, strings.Join(found, " or "))
		default:
			return nil, fmt.Errorf("table %s does not exist%s", name, similar(c, name))
		}
	}
	return sql, nil
}

// called returns the tables with a name: with exactly this one, or else with one that
// differs in its marks.
func called(c doc.Catalog, name string) (found []string) {
	for _, same := range []func(string) bool{func(s string) bool { return s == name }, func(s string) bool { return nearest.Same(s, name) }} {
		for _, t := range c.Tables {
			if same(t.SQL) || same(t.Name) || same(t.Schema+"."+t.Name) || same(tableName(t)) {
				found = append(found, t.SQL)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// similar returns a question for the most similar name, or what has tables, if one is a view.
func similar(c doc.Catalog, name string) string {
	if slices.ContainsFunc(c.Views, func(v string) bool { return nearest.Same(v, name) }) {
		return ": it is a view, which the sql of a table may read, with its key or key: row"
	}
	var all []string
	for _, t := range c.Tables {
		all = append(all, t.Name)
	}
	if near := nearest.Name(name, all); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": write names of tables of this database, as indexerd init lists them"
}
