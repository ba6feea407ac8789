package proposal

import (
	"fmt"

	"indexerd/internal/base/doc"
)

// A statement is the SELECT of a child. Its columns have different names.
type statement struct {
	taken   names
	columns []string
}

// add adds columns and returns their names.
func (s *statement) add(alias string, columns []doc.CatalogColumn) (as []string) {
	for _, c := range columns {
		one := selected{CatalogColumn: c, as: s.take(fieldName(c.Name))}
		as = append(as, one.as)
		s.columns = append(s.columns, one.of(alias))
	}
	return as
}

// one adds an updated column and returns its name.
func (s *statement) one(alias string, u updated) string {
	return s.add(alias, []doc.CatalogColumn{u.CatalogColumn})[0]
}

// later adds an expression under the name of u and returns the name.
func (s *statement) later(expression string, u updated) string {
	as := s.take(u.as)
	name := `"` + as + `"`
	if as == u.Name {
		name = u.SQL
	}
	s.columns = append(s.columns, expression+" AS "+name)
	return as
}

func (s *statement) take(name string) string {
	if s.taken == nil {
		s.taken = names{}
	}
	return s.taken.take(name)
}

func (s *statement) sql() string {
	return "SELECT " + folded(len("SELECT "), s.columns, func(c string) string { return c })
}

// join returns the SELECT of the rows of a table that have a row of another one.
func (s *statement) join(l, r doc.CatalogTable, on string) string {
	return fmt.Sprintf("%s\nFROM %s l JOIN %s r ON %s", s.sql(), l.SQL, r.SQL, on)
}
