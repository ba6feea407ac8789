package proposal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/base/timeunit"
)

// table writes the entry of a table.
func (t *text) table(p *proposal, source string, of doc.Catalog) {
	t.line(2, "%s:", plain(p.name))
	t.line(4, "source: %s", source)
	t.sql(4, p.sql())
	if len(p.formed) > 0 {
		t.comment(4, "%s", list(p.formed, formed))
	}
	if len(p.omitted) > 0 {
		t.comment(4, "omitted: %s", list(p.omitted, omission))
	}
	if own := p.collations(); len(own) > 0 {
		t.comment(4, "COLLATE BINARY, since only the application has the collation %s: no index has this order, and a page of rows reads and sorts all", strings.Join(own, ", "))
	}
	switch {
	case p.keyless != "":
		t.rowKey(p)
	case p.comparison():
		t.key(p, "followed by comparison: "+p.noUpdated())
		if p.table.Rows > comparable {
			t.comment(4, "a comparison reads the digests of %s; check reports what it takes", terminal.Count(p.table.Rows, "row"))
		}
	default:
		t.key(p, "")
		t.updated(p)
	}
	if p.hasWall() {
		t.zone(p, of)
	}
	if p.textless {
		words := "the key is"
		if p.keyless != "" {
			words = "all columns are"
		}
		t.comment(4, "no column holds text: %s searched as words", words)
	}
	with := ""
	if p.eastern {
		t.comment(4, "cjk: many of the sampled characters are Chinese, Japanese or Korean")
		with = ", analyzer: cjk"
	}
	if len(p.json) > 0 {
		t.line(4, "json: [%s]  # of JSON, the strings and numbers are searched; see paths in docs/configuration.md", folded(6, p.json, selected.yaml))
	}
	t.line(4, "content: {fields: [%s]%s%s}", folded(6, p.content, selected.yaml), with, p.boosts())
	if p.language != "" {
		t.line(4, "language: %s  # %s", plain(p.language), p.languageWhy)
	}
	t.title(p)
	if len(p.metadata) > 0 {
		t.line(4, "metadata: {%s}", folded(6, p.metadata, meta.yaml))
	}
	for _, c := range p.crowds {
		t.comment(4, "omitted: a child of the rows of %s, about %s in each document", c.SQL, terminal.Count(c.Rows/max(p.table.Rows, 1), "row"))
	}
	if len(p.surplus) > 0 {
		t.comment(4, "omitted: children of the rows of %s", strings.Join(p.surplus, ", "))
	}
	if len(p.children) > 0 {
		t.line(4, "children:")
	}
	for _, c := range p.children {
		t.child(c)
	}
	t.line(0, "")
}

// key writes the key, and what a reader should know of it.
func (t *text) key(p *proposal, why string) {
	if p.unique {
		why = strings.TrimPrefix(why+"; not the primary key, but unique and NOT NULL", "; ")
	}
	key := "key: " + oneOrList(p.keyNames())
	if why == "" {
		t.line(4, "%s", key)
		return
	}
	t.comment(4, "%s", why)
	t.line(4, "%s", key)
}

// title describes the title of hits.
func (t *text) title(p *proposal) {
	if p.title.Columns() == nil {
		return
	}
	written := p.title.String()
	if strings.Contains(written, "{") {
		written = strconv.Quote(written)
	}
	t.line(4, "title: %s", plain(written))
}

func (t *text) updated(p *proposal) {
	u := p.updated
	if len(u.others) > 0 {
		t.comment(4, "or: %s", strings.Join(u.others, ", "))
	}
	if u.Kind == doc.DateColumn {
		t.comment(4, "a date: every window reads the rows of a whole day")
	}
	switch {
	case u.unit != timeunit.Unknown:
		t.comment(4, "most rows count %s; without unit, it is detected from the rows", u.unit.Noun())
		t.line(4, "updated: {column: %s, unit: %s}  # %s", plain(u.as), u.unit, u.maintenance())
		return
	case u.Kind == doc.NumberColumn:
		t.comment(4, "its unit is detected from the rows; to declare it: {column: %s, unit: ms}", plain(u.as))
	}
	t.line(4, "updated: %s  # %s", plain(u.as), u.maintenance())
}

// rowKey describes the key of a table without one, and what it costs.
func (t *text) rowKey(p *proposal) {
	t.comment(4, "%s: the key is a digest of the row, and an UPDATE is a new document", p.keyless)
	t.line(4, "key: row")
	t.comment(4, "followed by comparison, which reads and sorts all rows, here %s, when something changed; a primary key makes that cheap", terminal.Count(p.table.Rows, "row"))
}

// noUpdated returns why no column is updated.
func (p *proposal) noUpdated() string {
	if p.timeless != "" {
		return p.timeless + ", which belongs to its documents, has no time of the last change"
	}
	if columns := doubtful(p.table); len(columns) > 0 {
		return "no trigger or default shows that " + strings.Join(columns, ", ") + " is the time of a row's last change"
	}
	return "no column looks like the time of a row's last change"
}

// zone returns the time zone of updated columns that have none. now() uses the server's,
// unless the application sets another.
func (p *proposal) zone(of doc.Catalog) string {
	if inUTC(p.updated.CatalogColumn) {
		return "UTC"
	}
	return cmp.Or(of.Zone, "UTC")
}

func (t *text) zone(p *proposal, of doc.Catalog) {
	why := "assumed, as updated has none"
	switch {
	case inUTC(p.updated.CatalogColumn):
		why = "as its name says"
	case of.Zone != "":
		why = "the server's, as updated has none"
	case of.ForeignZone != "":
		why = "the server's, " + of.ForeignZone + ", is no region's: replace UTC by that of the times, such as Asia/Kolkata"
	}
	t.line(4, "timezone: %s  # %s", plain(p.zone(of)), why)
}

func (t *text) child(c child) {
	t.line(6, "%s:", plain(c.name))
	t.sql(8, c.sql)
	t.line(8, "key: %s", oneOrList(c.key))
	for _, note := range c.notes {
		t.comment(8, "%s", note)
	}
	if c.updated != "" {
		t.line(8, "updated: %s", plain(c.updated))
	}
	if len(c.json) > 0 {
		t.line(8, "json: [%s]", folded(10, c.json, plain))
	}
	t.line(8, "content: [%s]", folded(10, c.content, plain))
	if c.typ != "" {
		t.line(8, "type: %s", c.typ)
	}
}

// oneLine matches SQL that is a plain scalar of YAML.
func oneLine(sql string) bool {
	return len(sql) <= width && !strings.Contains(sql, ": ") && !strings.Contains(sql, " #") && !strings.HasSuffix(sql, ":") && !unprintable(sql)
}

func (t *text) sql(indent int, sql string) {
	if one := strings.Join(strings.Fields(sql), " "); one == strings.ReplaceAll(sql, "\n", " ") && oneLine(one) {
		t.line(indent, "sql: %s", one)
		return
	}
	t.line(indent, "sql: |")
	for _, line := range strings.Split(sql, "\n") {
		t.line(indent+2, "%s", line)
	}
}

// collations returns the application's collations of the key.
func (p *proposal) collations() (names []string) {
	for _, k := range p.key {
		if k.Foreign != "" && !slices.Contains(names, k.Foreign) {
			names = append(names, k.Foreign)
		}
	}
	return names
}

func (p *proposal) hasWall() bool {
	return p.updated.Kind == doc.WallColumn || slices.ContainsFunc(p.children, func(c child) bool { return c.wall })
}

func (p *proposal) keyNames() []string {
	var names []string
	for _, k := range p.key {
		names = append(names, k.as)
	}
	return names
}

func omission(c doc.CatalogColumn) string {
	if c.Secret != "" {
		return c.Name + " (looks like a secret: " + c.Secret + ")"
	}
	if c.Unreadable != "" {
		return c.Name + " (" + c.Unreadable + ")"
	}
	if c.Reason != "" {
		return c.Name + " (" + c.Type + ": " + c.Reason + ")"
	}
	return c.Name + " (" + c.Type + ")"
}

// formed describes the form in which a column is selected: during (tstzrange): its bounds.
func formed(c doc.CatalogColumn) string { return c.Name + " (" + c.Type + "): " + c.Reason }
