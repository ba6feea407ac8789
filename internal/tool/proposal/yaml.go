package proposal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/base/timeunit"
)

// A text is a configuration that is being written.
type text struct {
	strings.Builder
}

func (t *text) line(indent int, format string, args ...any) {
	fmt.Fprintf(t, "%*s%s\n", indent, "", fmt.Sprintf(format, args...))
}

// comment writes a comment. It replaces unprintable characters, such as a line
// break in a name from the database.
func (t *text) comment(indent int, format string, args ...any) {
	t.line(indent, "# %s", strings.Map(func(r rune) rune {
		if unprintable(string(r)) {
			return '?'
		}
		return r
	}, fmt.Sprintf(format, args...)))
}

// write writes the whole configuration.
func write(c doc.Catalog, s Source, all []*proposal) string {
	var t text
	name := sourceName(c.Name)
	t.comment(0, "A configuration for %s, written by indexerd init.", s.Address)
	t.line(0, "#")
	t.comment(0, "Save it as indexerd.yaml, change it as you like, and run:")
	t.line(0, "#")
	t.comment(0, "  indexerd check -c indexerd.yaml    reports what could be better")
	t.comment(0, "  indexerd run -c indexerd.yaml      indexes the tables, and answers at http://127.0.0.1:7700")
	t.line(0, "#")
	t.comment(0, "docs/configuration.md describes all keys.")
	t.line(0, "")
	t.comment(0, "The data directory. Each configuration needs a separate one.")
	t.line(0, "data: ./data")
	t.line(0, "http: {listen: 127.0.0.1:7700}")
	t.line(0, "")
	t.line(0, "sources:")
	t.line(2, "%s: {driver: %s, dsn: %s}", plain(name), s.Driver, strconv.Quote(s.DSN))
	t.line(0, "")
	t.line(0, "tables:")
	for _, p := range all {
		if p.why == "" && p.unsearched == "" {
			t.table(p, plain(name), c)
		}
	}
	t.unsearched(c, all, plain(name))
	t.omissions(c, all)
	return t.String()
}

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
	if p.unique {
		t.comment(4, "not the primary key, but unique and NOT NULL")
	}
	switch {
	case p.keyless != "":
		t.rowKey(p)
	case p.comparison():
		t.line(4, "key: %s", oneOrList(p.keyNames()))
		t.comparison(p)
	default:
		t.line(4, "key: %s", oneOrList(p.keyNames()))
		t.updated(p)
	}
	switch {
	case p.hasWall() && inUTC(p.updated.CatalogColumn):
		t.line(4, "timezone: UTC  # as its name says")
	case p.hasWall():
		t.zone(of)
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
	if len(p.children) > 0 {
		t.line(4, "children:")
	}
	for _, c := range p.children {
		t.child(c)
	}
	t.line(0, "")
}

// unsearched writes the tables that no person searches as comments.
func (t *text) unsearched(c doc.Catalog, all []*proposal, source string) {
	for _, p := range all {
		if p.why != "" || p.unsearched == "" {
			continue
		}
		var own text
		own.table(p, source, c)
		t.comment(2, "%s, which no one searches:", p.unsearched)
		for line := range strings.SplitSeq(strings.TrimRight(own.String(), "\n"), "\n") {
			t.line(0, "  #%s", strings.TrimPrefix(line, "  "))
		}
		t.line(0, "")
	}
}

// title describes the title of hits, and the boosts of its columns.
func (t *text) title(p *proposal) {
	if p.title.Columns() == nil {
		return
	}
	written := p.title.String()
	if strings.Contains(written, "{") {
		written = strconv.Quote(written)
	}
	means := "hits show it in place of the key"
	if p.boosts() != "" {
		means += fmt.Sprintf(", and it counts %d times in their order", namingBoost)
	}
	t.line(4, "title: %s  # %s", plain(written), means)
}

func (t *text) updated(p *proposal) {
	u := p.updated
	if len(u.others) > 0 {
		t.comment(4, "or: %s", strings.Join(u.others, ", "))
	}
	if u.Kind == doc.DateColumn {
		t.comment(4, "a date: every window reads the rows of a whole day")
	}
	if !u.Indexed {
		t.comment(4, "%s", noIndex(p.table, u.CatalogColumn, "every window"))
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

// comparison describes how the changes of a table without updated are found, and
// what that costs.
func (t *text) comparison(p *proposal) {
	t.comment(4, "followed by comparison: %s", p.noUpdated())
	t.comment(4, "a comparison reads the digest of each row, here %s; one is made when something changed, and check reports what it takes", terminal.Count(p.table.Rows, "row"))
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

// zone writes the time zone of an updated column that has none. now() uses the
// server's, unless the application sets another.
func (t *text) zone(of doc.Catalog) {
	switch {
	case of.Zone != "":
		t.comment(4, "updated has no time zone; this one is the server's")
	case of.ForeignZone != "":
		t.comment(4, "updated has no time zone, and the server's, %s, is no region's: replace UTC by that of the times, such as Asia/Kolkata", of.ForeignZone)
	default:
		t.comment(4, "updated has no time zone; this one is assumed")
	}
	t.line(4, "timezone: %s", plain(cmp.Or(of.Zone, "UTC")))
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

func (t *text) sql(indent int, sql string) {
	t.line(indent, "sql: |")
	for _, line := range strings.Split(sql, "\n") {
		t.line(indent+2, "%s", line)
	}
}

// omissions lists the omitted tables and views with the reasons.
func (t *text) omissions(c doc.Catalog, all []*proposal) {
	some := false
	for _, p := range all {
		if p.why == "" {
			continue
		}
		if !some {
			t.comment(0, "Omitted:")
			t.line(0, "#")
			some = true
		}
		t.comment(0, "%s: %s: %s", p.table.SQL, p.why, p.do)
	}
	if len(c.Views) > 0 {
		if some {
			t.line(0, "#")
		}
		t.comment(0, "Views are omitted, since the database does not show what identifies their rows. The sql of a table may read them, with its key or key: row: %s.", strings.Join(c.Views, ", "))
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

func (s selected) yaml() string { return plain(s.as) }

func (m meta) yaml() string { return plain(m.as) + ": " + m.typ }

func oneOrList(names []string) string {
	if len(names) == 1 {
		return plain(names[0])
	}
	return "[" + list(names, plain) + "]"
}

// plain returns a name as YAML, with quotes if YAML would read it as another
// type.
func plain(name string) string {
	switch strings.ToLower(name) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(name)
	}
	return name
}

// width is the length of lines without indentation.
const width = 100

// folded returns a list on as many lines as it needs. A line break has no
// meaning in SQL and inside the brackets of YAML.
func folded[T any](indent int, all []T, format func(T) string) string {
	var b strings.Builder
	used := 0
	for i, one := range all {
		word := format(one)
		switch {
		case i == 0:
		case used+len(word) > width:
			fmt.Fprintf(&b, ",\n%*s", indent, "")
			used = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(word)
		used += len(word) + len(", ")
	}
	return b.String()
}

func list[T any](all []T, format func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = format(one)
	}
	return strings.Join(texts, ", ")
}
