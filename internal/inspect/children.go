package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// A child is an SQL of rows that belong to a document.
type child struct {
	name    string
	sql     string
	key     []string
	updated string // empty where there is none
	wall    bool   // updated needs a zone
	content []string
	typ     string
	notes   []string
	link    string // the table that leads to its rows; empty where they are found by themselves
}

// A family is all tables, and what a link between two of them needs.
type family struct {
	greatest string
	all      []*proposal
}

// addChildren finds the tables that refer to the key of p: those with text and
// a time of their own, and through those that only link, what they link to.
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
			case t.SQL != p.table.SQL: // rows of one table are documents of their own
				p.addDirect(t, key, taken)
			}
		}
	}
}

// keyColumns are the columns that hold the key of p, in its order; nil where
// the reference is to something else.
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

// links reports whether a table only says which rows of two others belong
// together.
func links(t doc.CatalogTable) bool { return len(t.References) == 2 && len(texts(t)) == 0 }

// texts are the columns that a child is searched by.
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

// addDirect adds the rows of t, each of which belongs to one document.
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
		c.notes = append(c.notes, noIndex(t, u.CatalogColumn, "every look"))
	}
	p.add(c, t, t, key, taken)
}

// addLinked adds the rows that the link leads on to.
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

// joined is the condition on which the rows of a link and of the other table
// belong together; empty where a column can't be written.
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

// setUpdated takes the later of the link's time and of the row's that it leads
// to: a change of either is a change of the document.
func (f family) setUpdated(c *child, s *statement, link, far doc.CatalogTable) {
	l, ok1 := updateTime(link)
	r, ok2 := updateTime(far)
	switch {
	case ok1 && ok2 && l.Kind == r.Kind:
		c.updated, c.wall = s.later(f.later(l, r), l), l.Kind == doc.WallColumn
		c.notes = append(c.notes, "every look reads the whole join; docs/recipes.md, Joined tables, has a faster way for large ones")
	case ok1:
		c.updated, c.wall = s.one("l.", l), l.Kind == doc.WallColumn
		c.notes = append(c.notes, "of "+link.SQL+"; a change of "+far.SQL+" is found by the sweep")
	case ok2:
		c.updated, c.wall = s.one("r.", r), r.Kind == doc.WallColumn
		c.notes = append(c.notes, "of "+far.SQL+"; a change of "+link.SQL+" is found by the sweep")
	default:
		c.notes = append(c.notes, "neither "+link.SQL+" nor "+far.SQL+" says when it changed: the sweep finds it")
	}
}

// later is the expression of the later of two times. SQLite's is NULL where
// one of them is.
func (f family) later(l, r updated) string {
	a, b := "l."+l.SQL, "r."+r.SQL
	if !l.NotNull || !r.NotNull {
		a, b = "coalesce("+a+", "+b+")", "coalesce("+b+", "+a+")"
	}
	return f.greatest + "(" + a + ", " + b + ")"
}

// add names the child after what its rows are, and where that name is taken,
// after what they are found by.
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

// noIndex says when a missing index costs, and how to get it.
func noIndex(t doc.CatalogTable, c doc.CatalogColumn, when string) string {
	index := strings.Trim(noTable.ReplaceAllString(strings.ToLower(t.Name+"_"+c.Name), "_"), "_") + "_idx"
	return fmt.Sprintf("%s reads the whole table, until there is an index: CREATE INDEX %s ON %s (%s)", when, index, t.SQL, c.SQL)
}

// called finds columns that say what a row is called: its values can be listed.
var called = regexp.MustCompile(`(?i)(^|_)(name|firstname|lastname|title|label|code|tag|symbol)$`)

// childType makes children values as well as words where they are names.
func childType(content []doc.CatalogColumn) string {
	for _, c := range content {
		if !called.MatchString(c.Name) && (c.Length == 0 || c.Length > short) {
			return ""
		}
	}
	return "keyword"
}

// A statement is a SELECT of a child's columns, each under a name of its own.
type statement struct {
	taken   names
	columns []string
}

// add selects columns and returns their names.
func (s *statement) add(alias string, columns []doc.CatalogColumn) (as []string) {
	for _, c := range columns {
		one := selected{c, s.take(fieldName(c.Name))}
		as = append(as, one.as)
		s.columns = append(s.columns, one.of(alias))
	}
	return as
}

// one selects an updateTime.
func (s *statement) one(alias string, u updated) string {
	return s.add(alias, []doc.CatalogColumn{u.CatalogColumn})[0]
}

// later selects the later of two updateTimes under the name of u.
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
