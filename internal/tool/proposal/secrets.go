package proposal

import (
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/tool/secret"
)

// A sample has some texts of each column of a table, by the column's name.
type sample map[string][]string

// sampleOf reads a sample of each table that a configuration may have. It has no column
// that is a secret by its name.
func sampleOf(c doc.Catalog, s Source) map[string]sample {
	all := map[string]sample{}
	if s.Texts == nil {
		return all
	}
	for _, t := range c.Tables {
		if unjoinable(t) {
			continue
		}
		var sql, names []string
		for _, column := range t.Columns {
			if column.Kind == doc.TextColumn && !unselectable(column) && secret.OfName(t.Name, column.Name, secret.Text) == "" {
				sql, names = append(sql, column.SQL), append(names, column.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		texts := s.Texts("SELECT "+strings.Join(sql, ", ")+" FROM "+t.SQL, names)
		of := sample{}
		for i, values := range texts {
			of[names[i]] = values
		}
		all[t.SQL] = of
	}
	return all
}

// markSecrets notes which columns are taken for secrets, by their names and samples.
func markSecrets(c doc.Catalog, samples map[string]sample) {
	for _, t := range c.Tables {
		for i := range t.Columns {
			column := &t.Columns[i]
			if column.Secret = secret.OfName(t.Name, column.Name, kindOf(*column)); column.Secret == "" {
				column.Secret = secret.OfValues(samples[t.SQL][column.Name], identifies(t, column.Name))
			}
		}
	}
}

// Secrets returns the columns, TABLE.COLUMN, that Config took for secrets.
func Secrets(c doc.Catalog) (names []string) {
	for _, t := range c.Tables {
		for _, column := range t.Columns {
			if column.Secret != "" {
				names = append(names, t.SQL+"."+column.SQL)
			}
		}
	}
	return names
}

func kindOf(c doc.CatalogColumn) secret.Kind {
	switch c.Kind {
	case doc.NumberColumn:
		return secret.Number
	case doc.BooleanColumn, doc.DateColumn, doc.InstantColumn, doc.WallColumn:
		return secret.Other
	}
	return secret.Text
}

// identifier matches names of columns that identify rows.
var identifier = regexp.MustCompile(`(?i:(^|_)(id|uuid|guid|uid))$|[a-z](I[dD]|Uuid|UUID|Guid)$`)

// identifies reports whether a column identifies rows: a part of a key, or of a reference
// to one.
func identifies(t doc.CatalogTable, name string) bool {
	in := func(names []string) bool { return slices.Contains(names, name) }
	return slices.ContainsFunc(t.Keys, in) || slices.ContainsFunc(t.References, func(r doc.CatalogReference) bool { return in(r.Columns) }) || identifier.MatchString(name)
}
