package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// A child is a child of a proposed table.
type child struct {
	name    string
	sql     string
	key     []string
	updated string // may be empty
	wall    bool   // updated has no time zone
	content []string
	typ     string
	notes   []string // comments
	link    string   // the link table between the table and the child, if any
}

// A family is all tables.
type family struct {
	greatest string // the database's function for the greatest of its arguments
	all      []*proposal
}

// addChildren adds the tables that reference the key of p and have text and an
// updated column. Through a link table, it adds the table that this references.
func (f family) addChildren(p *proposal) {
	taken := names{"content": true}
	for _, s := range p.columns {
		taken.take(s.as)
	}
	for _, other := range f.all {
		t := other.table
		for i, r := range t.References {
			key := keyColumns(p, t, r)
			switch {
			case r.To != p.table.SQL || key == nil || t.Denied || unprintable(t.SQL):
			case links(t):
				p.addLinked(f, t, key, t.References[1-i], taken)
			case t.SQL != p.table.SQL: // rows of the same table are other documents
				p.addDirect(t, key, taken)
			}
		}
	}
}

// keyColumns returns the columns that reference the key of p, in the order of
// the key, or nil if the reference is to other columns.
func keyColumns(p *proposal, t doc.CatalogTable, r doc.CatalogReference) []doc.CatalogColumn {
	if len(r.Columns) != len(p.key) {
		return nil
	}
	var columns []doc.CatalogColumn
	for _, k := range p.key {
		i := slices.Index(r.OtherColumns, k.Name)
		if i < 0 {
			return nil
		}
		c, ok := find(t, r.Columns[i])
		if !ok || unprintable(c.Name) {
			return nil
		}
		columns = append(columns, c)
	}
	return columns
}

// links reports whether a table is a link table of an n:m relation.
func links(t doc.CatalogTable) bool { return len(t.References) == 2 && len(texts(t)) == 0 }

// texts returns the content columns of a child.
func texts(t doc.CatalogTable) (found []doc.CatalogColumn) {
	u, _ := updateTime(t)
	for _, c := range t.Columns {
		refers := slices.ContainsFunc(t.References, func(r doc.CatalogReference) bool { return slices.Contains(r.Columns, c.Name) })
		if c.Kind == doc.TextColumn && !refers && !hidden(c) && c.Name != u.Name {
			found = append(found, c)
		}
	}
	return found
}

// addDirect adds t, whose rows belong to one document each.
func (p *proposal) addDirect(t doc.CatalogTable, key []doc.CatalogColumn, taken names) {
	u, ok := updateTime(t)
	if !ok || len(texts(t)) == 0 {
		return
	}
	var s statement
	c := child{key: s.add("", key), updated: s.one("", u), wall: u.Kind == doc.WallColumn}
	c.content, c.typ = s.add("", texts(t)), childType(texts(t))
	c.sql = s.sql() + "\nFROM " + t.SQL
	if !u.Indexed {
		c.notes = append(c.notes, noIndex(t, u.CatalogColumn, "every window"))
	}
	p.add(c, t, t, key, taken)
}

// addLinked adds the table that a link table references.
func (p *proposal) addLinked(f family, link doc.CatalogTable, key []doc.CatalogColumn, on doc.CatalogReference, taken names) {
	i := slices.IndexFunc(f.all, func(o *proposal) bool { return o.table.SQL == on.To })
	if i < 0 {
		return
	}
	far := f.all[i].table
	join := joined(link, far, on)
	if far.Denied || unprintable(far.SQL) || len(texts(far)) == 0 || join == "" {
		return
	}
	var s statement
	c := child{key: s.add("l.", key), link: link.SQL}
	f.setUpdated(&c, &s, link, far)
	c.content, c.typ = s.add("r.", texts(far)), childType(texts(far))
	c.sql = fmt.Sprintf("%s\nFROM %s l JOIN %s r ON %s", s.sql(), link.SQL, far.SQL, join)
	p.add(c, link, far, key, taken)
}

// joined returns the join condition of a link table and the table that it
// references, or "" if a name is unprintable.
func joined(link, far doc.CatalogTable, on doc.CatalogReference) string {
	var terms []string
	for i := range on.Columns {
		from, ok1 := find(link, on.Columns[i])
		to, ok2 := find(far, on.OtherColumns[i])
		if !ok1 || !ok2 || unprintable(from.Name+to.Name) {
			return ""
		}
		terms = append(terms, "r."+to.SQL+" = l."+from.SQL)
	}
	return strings.Join(terms, " AND ")
}

// setUpdated sets updated to the later of the two tables' times: a change of
// either row changes the document.
func (f family) setUpdated(c *child, s *statement, link, far doc.CatalogTable) {
	l, ok1 := updateTime(link)
	r, ok2 := updateTime(far)
	switch {
	case ok1 && ok2 && l.Kind == r.Kind:
		c.updated, c.wall = s.later(f.later(l, r), l), l.Kind == doc.WallColumn
		c.notes = append(c.notes, "every window reads the whole join; for large tables see docs/recipes.md, Joined tables")
	case ok1:
		c.updated, c.wall = s.one("l.", l), l.Kind == doc.WallColumn
		c.notes = append(c.notes, "of "+link.SQL+"; a change of "+far.SQL+" is found by the sweep")
	case ok2:
		c.updated, c.wall = s.one("r.", r), r.Kind == doc.WallColumn
		c.notes = append(c.notes, "of "+far.SQL+"; a change of "+link.SQL+" is found by the sweep")
	default:
		c.notes = append(c.notes, "neither "+link.SQL+" nor "+far.SQL+" has the time of the last change: the sweep finds changes")
	}
}

// later returns an expression of the later of two times. If one of them can be
// NULL, the expression uses coalesce: SQLite's function returns NULL if an
// argument is NULL.
func (f family) later(l, r updated) string {
	a, b := "l."+l.SQL, "r."+r.SQL
	if !l.NotNull || !r.NotNull {
		a, b = "coalesce("+a+", "+b+")", "coalesce("+b+", "+a+")"
	}
	return f.greatest + "(" + a + ", " + b + ")"
}

// add adds a child under the plural of the table's name, followed by the key
// column if that name is in use.
func (p *proposal) add(c child, t, named doc.CatalogTable, key []doc.CatalogColumn, taken names) {
	if !key[0].Indexed {
		c.notes = append(c.notes, noIndex(t, key[0], "every batch"))
	}
	c.name = plural(fieldName(named.Name))
	if taken[strings.ToLower(c.name)] {
		c.name += "_by_" + fieldName(key[0].Name)
	}
	c.name = taken.take(c.name)
	p.children = append(p.children, c)
}

// noIndex describes the cost of a missing index, and how to create it.
func noIndex(t doc.CatalogTable, c doc.CatalogColumn, when string) string {
	index := strings.Trim(noTable.ReplaceAllString(strings.ToLower(t.Name+"_"+c.Name), "_"), "_") + "_idx"
	return fmt.Sprintf("%s reads the whole table without this index: CREATE INDEX %s ON %s (%s)", when, index, t.SQL, c.SQL)
}

// called matches columns with the name of a row. They become metadata too.
var called = regexp.MustCompile(`(?i)(^|_)(name|firstname|lastname|title|label|code|tag|symbol)$`)

// childType returns keyword if the content is the name of a row, or "".
func childType(content []doc.CatalogColumn) string {
	for _, c := range content {
		if !called.MatchString(c.Name) && (c.Length == 0 || c.Length > short) {
			return ""
		}
	}
	return "keyword"
}

// A statement is the SELECT of a child. Its columns have different names.
type statement struct {
	taken   names
	columns []string
}

// add adds columns and returns their names.
func (s *statement) add(alias string, columns []doc.CatalogColumn) (as []string) {
	for _, c := range columns {
		one := selected{c, s.take(fieldName(c.Name))}
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
