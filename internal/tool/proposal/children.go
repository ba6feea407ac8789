package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// A child is a child of a proposed table.
type child struct {
	name    string
	sql     string
	key     []string
	updated string   // may be empty
	wall    bool     // updated has no time zone
	json    []string // text columns that hold JSON
	content []string
	typ     string
	notes   []string // comments
}

// A family is all tables.
type family struct {
	greatest string // the database's function for the greatest of its arguments
	all      []*proposal
}

// fields returns the names that children of p can't have.
func (p *proposal) fields() names {
	taken := names{"content": true}
	for _, s := range p.columns {
		taken.take(s.as)
	}
	return taken
}

// table returns the table that SQL calls by this name.
func (f family) table(sql string) (doc.CatalogTable, bool) {
	i := slices.IndexFunc(f.all, func(o *proposal) bool { return o.table.SQL == sql })
	if i < 0 {
		return doc.CatalogTable{}, false
	}
	return f.all[i].table, true
}

// addChildren adds the tables that reference the key of p and have text. Through
// a link table, it adds the table that this references.
func (f family) addChildren(p *proposal, taken names) {
	for _, other := range f.all {
		t := other.table
		for i, r := range t.References {
			key := keyColumns(p, t, r)
			switch {
			case r.To != p.table.SQL || key == nil || unjoinable(t):
			case p.crowded(t) && (links(t) || len(texts(t)) > 0):
				p.crowds = append(p.crowds, t)
			case links(t):
				p.addLinked(f, t, key, t.References[1-i], taken)
			case t.SQL != p.table.SQL: // rows of the same table are other documents
				p.addDirect(t, key, taken)
			}
		}
	}
}

// joinedTo returns the tables whose rows become a part of p's documents.
func (f family) joinedTo(p *proposal) (all []doc.CatalogTable) {
	for _, r := range p.table.References {
		if far, join := f.joined(p.table, r, "r."); join != "" && len(namesOf(far, r)) > 0 {
			all = append(all, far)
		}
	}
	for _, other := range f.all {
		t := other.table
		for i, r := range t.References {
			if r.To != p.table.SQL || t.SQL == p.table.SQL || keyColumns(p, t, r) == nil || unjoinable(t) || p.crowded(t) {
				continue
			}
			if !links(t) && len(texts(t)) > 0 {
				all = append(all, t)
			}
			if !links(t) {
				continue
			}
			if far, join := f.joined(t, t.References[1-i], "r."); join != "" && len(texts(far)) > 0 {
				all = append(all, t, far)
			}
		}
	}
	return all
}

// crowd is the greatest number of rows of a child in one document, on average.
const crowd = 1000

// crowded reports whether documents would have too many rows of t: each change of
// one of them writes the whole document.
func (p *proposal) crowded(t doc.CatalogTable) bool { return t.Rows > crowd*max(p.table.Rows, 1) }

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
		if !ok || unselectable(c) {
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
		text := c.Kind == doc.TextColumn || c.Kind == doc.JSONColumn
		if text && !refers && !hidden(c) && c.Name != u.Name {
			found = append(found, c)
		}
	}
	return found
}

// addDirect adds t, whose rows belong to one document each.
func (p *proposal) addDirect(t doc.CatalogTable, key []doc.CatalogColumn, taken names) {
	if len(texts(t)) == 0 {
		return
	}
	var s statement
	c := child{key: s.add("", key)}
	p.setUpdated(&c, &s, "", t)
	c.setContent(s.add("", texts(t)), texts(t))
	c.sql = s.sql() + "\nFROM " + t.SQL
	p.addIndexed(c, t, t, key, taken)
}

// addLinked adds the table that a link table references.
func (p *proposal) addLinked(f family, link doc.CatalogTable, key []doc.CatalogColumn, on doc.CatalogReference, taken names) {
	far, join := f.joined(link, on, "r.")
	if join == "" || len(texts(far)) == 0 {
		return
	}
	var s statement
	c := child{key: s.add("l.", key)}
	if !p.comparison() {
		f.setLater(&c, &s, link, far)
	}
	c.setContent(s.add("r.", texts(far)), texts(far))
	c.sql = s.join(link, far, join)
	p.addIndexed(c, link, far, key, taken)
}

// setContent sets the content to columns, which the SQL returns under names.
func (c *child) setContent(names []string, columns []doc.CatalogColumn) {
	c.content, c.typ = names, childType(columns)
	for i, column := range columns {
		if column.Marked {
			c.json = append(c.json, names[i])
		}
	}
}

// join returns the SELECT of the rows of a table that have a row of another one.
func (s *statement) join(l, r doc.CatalogTable, on string) string {
	return fmt.Sprintf("%s\nFROM %s l JOIN %s r ON %s", s.sql(), l.SQL, r.SQL, on)
}

// joined returns the table that a foreign key references, and the join condition,
// in which it has an alias, or "" if a part of it can't be selected.
func (f family) joined(from doc.CatalogTable, on doc.CatalogReference, alias string) (far doc.CatalogTable, join string) {
	far, ok := f.table(on.To)
	if !ok || unjoinable(far) {
		return far, ""
	}
	return far, condition(from, far, on, alias)
}

// condition returns the join condition of two tables, or "" if a part of it can't be
// selected.
func condition(link, far doc.CatalogTable, on doc.CatalogReference, alias string) string {
	var terms []string
	for i := range on.Columns {
		from, ok1 := find(link, on.Columns[i])
		to, ok2 := find(far, on.OtherColumns[i])
		if !ok1 || !ok2 || unselectable(from) || unselectable(to) {
			return ""
		}
		terms = append(terms, alias+compared(to)+" = l."+compared(from))
	}
	return strings.Join(terms, " AND ")
}

// setUpdated sets updated to the column of t, which has this alias. A table that
// is followed by comparison needs none.
func (p *proposal) setUpdated(c *child, s *statement, alias string, t doc.CatalogTable) {
	if p.comparison() {
		return
	}
	u, ok := updateTime(t)
	if !ok {
		c.notes = append(c.notes, t.SQL+" has no time of the last change: the sweep finds changes")
		return
	}
	c.updated, c.wall = s.one(alias, u), u.Kind == doc.WallColumn
	if !u.Indexed {
		c.notes = append(c.notes, noIndex(t, u.CatalogColumn, "every window"))
	}
}

// setLater sets updated to the later of the two tables' times: a change of
// either row changes the document.
func (f family) setLater(c *child, s *statement, link, far doc.CatalogTable) {
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
	if f.greatest == "" {
		return "CASE WHEN " + a + " > " + b + " THEN " + a + " ELSE " + b + " END"
	}
	return f.greatest + "(" + a + ", " + b + ")"
}

// addIndexed adds a child under the plural of the table's name, followed by the
// key column if that name is in use.
func (p *proposal) addIndexed(c child, t, named doc.CatalogTable, key []doc.CatalogColumn, taken names) {
	if !key[0].Indexed {
		c.notes = append(c.notes, noIndex(t, key[0], "every batch"))
	}
	c.name = plural(fieldName(named.Name))
	if taken.has(c.name) {
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
