package proposal

import (
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
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

// fields returns the names that children of p can't have.
func (p *proposal) fields() names {
	taken := names{"content": true}
	for _, s := range p.columns {
		taken.take(s.as)
	}
	return taken
}

// A kin is a table whose rows become a part of the documents of another one.
type kin struct {
	table doc.CatalogTable
	key   []doc.CatalogColumn   // that reference the document's key
	on    *doc.CatalogReference // of a link: to the table with the names
	far   doc.CatalogTable      // that table
	names []doc.CatalogColumn   // of far
}

// crowd is the greatest number of rows of a child in one document, on average: each change
// of one of them writes the whole document, and a person does not read more.
const crowd = 50

// crowded reports whether documents would have too many rows of t.
func crowded(owner, t doc.CatalogTable) bool { return t.Rows > crowd*max(owner.Rows, 1) }

// A document has so many children at most, and each of them so many columns.
const (
	mostChildren = 8
	mostTexts    = 12
)

// addChildren adds the tables whose rows belong to those of p, and the names at the other
// ends of links.
func (f *family) addChildren(p *proposal, taken names) {
	for _, k := range f.kinOf(p) {
		switch {
		case crowded(p.table, k.table):
			p.crowds = append(p.crowds, k.table)
		case len(p.children) == mostChildren:
			p.surplus = append(p.surplus, k.table.SQL)
		case k.on != nil:
			f.addLinked(p, k, taken)
		default:
			p.addDirect(k, taken)
		}
	}
}

// kinOf returns the tables that p's documents have rows of, in the order of the catalog.
func (f *family) kinOf(p *proposal) (all []kin) {
	for _, t := range f.referring(p.table) {
		other := f.bySQL[t.SQL]
		switch other.role {
		case part:
			if k, ok := f.belonging(p, t); ok {
				all = append(all, k)
			}
		case link:
			if k, ok := f.linked(p, t); ok {
				all = append(all, k)
			}
		}
	}
	return all
}

// belonging returns what p's documents have of a table whose rows belong to one of p: its
// texts, with the name of the one row that it refers to beside p.
func (f *family) belonging(p *proposal, t doc.CatalogTable) (kin, bool) {
	if owner, _ := f.owner(t); owner.SQL != p.table.SQL || len(texts(t)) == 0 {
		return kin{}, false
	}
	k := kin{table: t}
	var others []doc.CatalogReference
	for _, r := range t.References {
		switch key := keyColumns(p, t, r); {
		case k.key == nil && r.To == p.table.SQL && key != nil:
			k.key = key
		case !f.secondary(r):
			others = append(others, r)
		}
	}
	if len(others) == 1 {
		far, on := f.named(t, others[0], "r.")
		if named := namesOf(far, others[0]); on != "" && len(named) > 0 {
			k.on, k.far, k.names = &others[0], far, named
		}
	}
	return k, k.key != nil
}

// linked returns what p's documents have of a link: the names at its other end.
func (f *family) linked(p *proposal, t doc.CatalogTable) (kin, bool) {
	ends := slices.Clone(t.References)
	if f.entity(t) {
		return kin{}, false
	}
	if len(ends) > 2 {
		ends = slices.DeleteFunc(ends, func(r doc.CatalogReference) bool {
			to, ok := f.bySQL[r.To]
			return !ok || to.role == code
		})
	}
	if len(ends) != 2 {
		return kin{}, false
	}
	at := f.nearEnd(t, ends)
	key := keyColumns(p, t, ends[at])
	far, on := f.named(t, ends[1-at], "r.")
	named := namesOf(far, ends[1-at])
	if ends[at].To != p.table.SQL || key == nil || on == "" || len(named) == 0 {
		return kin{}, false
	}
	return kin{t, key, &ends[1-at], far, named}, true
}

// nearEnd returns the end of a link whose rows have the names of the other: that to which
// the link belongs, or else the first that is neither a person nor a code. Where a row of it
// would have too many, it is the other end.
func (f *family) nearEnd(t doc.CatalogTable, ends []doc.CatalogReference) int {
	at := 0
	owner, ok := f.owner(t)
	switch {
	case ok && ends[0].To != owner.SQL && ends[1].To == owner.SQL:
		at = 1
	case !ok && f.secondary(ends[0]) && !f.secondary(ends[1]):
		at = 1
	}
	near, ok1 := f.table(ends[at].To)
	other, ok2 := f.table(ends[1-at].To)
	if ok1 && ok2 && crowded(near, t) && !crowded(other, t) {
		return 1 - at
	}
	return at
}

func (f *family) secondary(r doc.CatalogReference) bool {
	to, ok := f.bySQL[r.To]
	return !ok || to.role == code || isPerson(to.table)
}

// keyColumns returns the columns that reference the key of p, in the order of
// the key, or nil if the reference is to other columns.
func keyColumns(p *proposal, t doc.CatalogTable, r doc.CatalogReference) []doc.CatalogColumn {
	if len(r.Columns) != len(p.keyed) {
		return nil
	}
	var columns []doc.CatalogColumn
	for _, name := range p.keyed {
		i := slices.Index(r.OtherColumns, name)
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

// texts returns the columns of a table that hold texts, without those that refer to rows.
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

// addDirect adds a table whose rows belong to one document each.
func (p *proposal) addDirect(k kin, taken names) {
	t, s := k.table, statement{}
	c := child{key: s.add("", k.key)}
	p.setUpdated(&c, &s, "", t)
	columns := texts(t)
	if more := len(columns) - mostTexts; more > 0 {
		columns = columns[:mostTexts]
		c.notes = append(c.notes, "omitted: "+terminal.Count(more, "more column")+" of texts")
	}
	c.setContent(s.add("", columns), columns)
	c.sql = s.sql() + "\nFROM " + t.SQL
	p.addChild(c, k, ownName(t, p.table), taken)
}

// ownName returns the name of a table without the words that it has from another one: alias
// of artist_alias.
func ownName(t, after doc.CatalogTable) string {
	if !calledAfter(t, after) {
		return fieldName(t.Name)
	}
	return fieldName(strings.Join(wordsOf(t.Name)[len(wordsOf(after.Name)):], "_"))
}

// addLinked adds the names at the other end of a link, with up to two texts of the link, such
// as the character that an actor plays.
func (f *family) addLinked(p *proposal, k kin, taken names) {
	s := statement{}
	c := child{key: s.add("l.", k.key)}
	if !p.comparison() {
		f.setLater(&c, &s, k.table, k.far)
	}
	own := texts(k.table)
	if len(own) > 2 {
		own = nil
	}
	columns := append(slices.Clone(k.names), own...)
	c.setContent(append(s.add("r.", k.names), s.add("l.", own)...), columns)
	c.sql = s.join(k.table, k.far, condition(k.table, k.far, *k.on, "r."))
	name := fieldName(k.far.Name)
	switch {
	case calledAfter(k.table, p.table):
		name = ownName(k.table, p.table)
	case k.far.SQL == p.table.SQL:
		name = parentName(*k.on, k.far)
	}
	p.addChild(c, k, name, taken)
}

// addChild adds a child under the plural of a name, or the name of its table if that is in
// use.
func (p *proposal) addChild(c child, k kin, name string, taken names) {
	if !k.key[0].Indexed {
		p.lacks(k.table, k.key[0])
	}
	if c.name = plural(name); taken.has(c.name) {
		c.name = fieldName(k.table.Name)
	}
	c.name = taken.take(c.name)
	p.children = append(p.children, c)
}

// noticed is the number of rows up to which a missing index is not.
const noticed = 1000

// lacks notes that no index begins with a column by which rows are read. If a database does
// not know how many rows a table has, it may have many.
func (p *proposal) lacks(t doc.CatalogTable, c doc.CatalogColumn) {
	if t.Rows == 0 || t.Rows > noticed {
		name := strings.Trim(noTable.ReplaceAllString(strings.ToLower(t.Name+"_"+c.Name), "_"), "_") + "_idx"
		p.indexes = append(p.indexes, "CREATE INDEX "+name+" ON "+t.SQL+" ("+c.SQL+")")
	}
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

// joined returns the table that a foreign key references, and the join condition,
// in which it has an alias, or "" if a part of it can't be selected.
func (f *family) joined(from doc.CatalogTable, on doc.CatalogReference, alias string) (far doc.CatalogTable, join string) {
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
		p.lacks(t, u.CatalogColumn)
	}
}

// setLater sets updated to the later of the two tables' times: a change of
// either row changes the document.
func (f *family) setLater(c *child, s *statement, link, far doc.CatalogTable) {
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
func (f *family) later(l, r updated) string {
	a, b := "l."+l.SQL, "r."+r.SQL
	if !l.NotNull || !r.NotNull {
		a, b = "coalesce("+a+", "+b+")", "coalesce("+b+", "+a+")"
	}
	if f.greatest == "" {
		return "CASE WHEN " + a + " > " + b + " THEN " + a + " ELSE " + b + " END"
	}
	return f.greatest + "(" + a + ", " + b + ")"
}

// nameLike matches columns with the name of a row. They become metadata too.
var nameLike = regexp.MustCompile(`(?i)(^|_)(name|firstname|lastname|title|label|code|tag|symbol)$`)

// childType returns keyword if the content is the name of a row, or "".
func childType(content []doc.CatalogColumn) string {
	for _, c := range content {
		if !nameLike.MatchString(c.Name) && (c.Length == 0 || c.Length > short) {
			return ""
		}
	}
	return "keyword"
}
