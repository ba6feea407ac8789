package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/tool/secret"
)

// proposeTable returns the proposal of a table without its children. rowKeys reports
// that a table may have key: row.
func proposeTable(t doc.CatalogTable, rowKeys bool) *proposal {
	p := &proposal{table: t}
	if unprintable(t.SQL) {
		return p.omit("its name has characters that can't be printed", "read it through a view with another name")
	}
	if t.Unreadable != "" {
		return p.omit(t.Unreadable, t.Remedy)
	}
	key, ok := keyOf(t)
	switch name, why := secretKey(t); {
	case !ok && name != "":
		return p.omit(fmt.Sprintf("its key %s looks like a secret (%s)", name, why), "read it with another key, or with this one, by a table of your own")
	case !ok:
		return p.noKey(rowKeys)
	}
	p.updated, _ = updateTime(t)
	p.unique = !t.Primary || !slices.Equal(key, t.Keys[0])
	p.keyed = key
	p.arrange()
	return p
}

// arrange assigns the columns. Without text, the key is the content, or all columns
// if there is none.
func (p *proposal) arrange() {
	p.sort(p.keyed)
	p.textless = len(p.content) == 0
	if p.textless && p.keyless != "" {
		p.content = p.columns
	}
	if p.keyless != "" {
		return
	}
	if !slices.ContainsFunc(p.content, func(s selected) bool { return !slices.Contains(p.keyed, s.Name) }) {
		p.content = p.key // all of it, also where a part holds text
	}
}

// comparable is the number of rows up to which a table with updated is followed by
// comparison if a child has none.
const comparable = 100_000

// decide follows p by comparison, which finds the changes of all its tables within
// seconds, if updated would leave those of a child to the sweep and p is not large.
func (f *family) decide(p *proposal) {
	if p.comparison() || p.table.Rows > comparable || p.keyless != "" {
		return
	}
	for _, k := range f.kinOf(p) {
		for _, t := range []doc.CatalogTable{k.table, k.far} {
			if _, ok := updateTime(t); !ok && t.SQL != "" && !crowded(p.table, k.table) {
				p.timeless, p.updated = t.SQL, updated{}
				p.columns, p.content, p.metadata, p.json, p.formed, p.omitted = nil, nil, nil, nil, nil, nil
				p.arrange()
				return
			}
		}
	}
}

// comparison reports whether no column has the time of the last change.
func (p *proposal) comparison() bool { return p.updated.Name == "" }

func (p *proposal) omit(why, do string) *proposal {
	p.why, p.do = why, do
	return p
}

// noKey gives p the key that is computed from each row, if the database can and p is
// not large.
func (p *proposal) noKey(rowKeys bool) *proposal {
	p.keyless = "no primary key, and no unique index on columns that are NOT NULL"
	if len(p.table.Keys) > 0 {
		p.keyless = "no key of columns that can be compared (" + strings.Join(p.table.Keys[0], ", ") + ")"
	}
	switch {
	case !rowKeys:
		return p.omit(p.keyless, "add a primary key")
	case p.table.Rows > configs.RowKeyRows:
		return p.omit(fmt.Sprintf("%s, and %s, which each comparison would sort", p.keyless, terminal.Count(p.table.Rows, "row")), "add a primary key, or see key: row and limits.rows in docs/configuration.md")
	}
	p.arrange()
	if len(p.columns) == 0 {
		return p.omit("no column that can be indexed", "cast a column to text in a view")
	}
	return p
}

// maxKey is the number of key columns that all sources support.
const maxKey = 8

// keyOf returns the first valid key, the primary key if possible.
func keyOf(t doc.CatalogTable) ([]string, bool) {
	for _, key := range t.Keys {
		usable := len(key) <= maxKey
		for _, name := range key {
			c, ok := find(t, name)
			usable = usable && ok && c.Key && !hidden(c)
		}
		if usable {
			return key, true
		}
	}
	return nil, false
}

// secretKey returns a column of a key that is taken for a secret, and why.
func secretKey(t doc.CatalogTable) (name, why string) {
	for _, key := range t.Keys {
		for _, name := range key {
			if c, ok := find(t, name); ok && c.Key && c.Secret != "" {
				return name, c.Secret
			}
		}
	}
	return "", ""
}

// hidden reports whether a column is omitted whatever its type.
func hidden(c doc.CatalogColumn) bool { return c.Secret != "" || unselectable(c) }

// unselectable reports whether no SQL of a configuration can have a column.
func unselectable(c doc.CatalogColumn) bool { return c.Unreadable != "" || unprintable(c.Name) }

// unjoinable reports whether no SQL of a configuration can have a table.
func unjoinable(t doc.CatalogTable) bool {
	return t.Unreadable != "" || unprintable(t.SQL) || unsearched(t) != ""
}

// unsearched returns what a table holds that no person searches, "": it may be searched.
func unsearched(t doc.CatalogTable) string {
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	return secret.OfTable(t.Name, columns)
}

// unprintable reports whether a name has characters that YAML or a terminal does
// not show.
func unprintable(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// coded matches names of text columns with few values, which become metadata
// too.
var coded = regexp.MustCompile(`(?i)(^|_)(status|state|type|kind|category|lang|language|locale|country|currency|gender|role|level|priority|severity|color|colour|unit)$`)

// short is the maximum length of text columns that become metadata too.
const short = 32

// sort assigns every column to key, updated, content, metadata or omitted.
func (p *proposal) sort(key []string) {
	taken := names{}
	p.key = nil
	for _, c := range p.table.Columns {
		isKey := slices.Contains(key, c.Name)
		isUpdated := !p.comparison() && c.Name == p.updated.Name
		forms := formsOf(c, taken)
		switch {
		case isKey, isUpdated, c.Forms == nil:
			forms = []selected{{CatalogColumn: c, as: taken.take(fieldName(c.Name))}}
		case !hidden(c):
			p.formed = append(p.formed, c)
		}
		if !isKey && !isUpdated && (forms[0].Kind == doc.OtherColumn || hidden(c)) {
			p.omitted = append(p.omitted, c)
			continue
		}
		p.columns = append(p.columns, forms...)
		for _, s := range forms {
			p.assign(s, isKey, isUpdated)
		}
	}
	for _, name := range key {
		i := slices.IndexFunc(p.columns, func(s selected) bool { return s.CatalogColumn.Name == name })
		p.key = append(p.key, p.columns[i])
	}
}

// formsOf returns the forms under which a column is selected.
func formsOf(c doc.CatalogColumn, taken names) (forms []selected) {
	for _, f := range c.Forms {
		one := selected{CatalogColumn: c, as: taken.take(fieldName(c.Name) + f.Suffix), form: f.SQL}
		one.Kind, one.Length = f.Kind, 0
		forms = append(forms, one)
	}
	return forms
}

// assign makes a selected column updated, content or metadata.
func (p *proposal) assign(s selected, isKey, isUpdated bool) {
	if isUpdated {
		p.updated.as = s.as
		return
	}
	if s.Kind == doc.TextColumn || s.Kind == doc.JSONColumn {
		p.content = append(p.content, s)
	}
	if s.Kind == doc.JSONColumn && s.Marked {
		p.json = append(p.json, s)
	}
	if typ := metadataType(s.CatalogColumn); typ != "" && !isKey && s.as != "content" {
		p.metadata = append(p.metadata, meta{s, typ})
	}
}

// metadataType returns the metadata type of a column, or "" for text.
func metadataType(c doc.CatalogColumn) string {
	switch c.Kind {
	case doc.TextColumn:
		if c.Length > 0 && c.Length <= short || coded.MatchString(c.Name) {
			return "keyword"
		}
		return ""
	case doc.JSONColumn:
		return ""
	case doc.WordColumn:
		return "keyword"
	case doc.NumberColumn:
		return "number"
	case doc.BooleanColumn:
		return "boolean"
	}
	return "date"
}

// sql returns the SELECT of the table's rows.
func (p *proposal) sql() string {
	table, alias := p.table.SQL, ""
	if len(p.joins) > 0 {
		table, alias = table+" l", "l."
	}
	var columns []string
	for _, s := range p.columns {
		columns = append(columns, s.of(alias))
	}
	for _, j := range p.joins {
		table += "\nLEFT JOIN " + j.table
		for _, s := range j.columns {
			columns = append(columns, s.of(j.alias))
		}
	}
	return fmt.Sprintf("SELECT %s\nFROM %s", folded(len("SELECT "), columns, func(c string) string { return c }), table)
}

// of returns the column in a SELECT from a table with this alias.
func (s selected) of(alias string) string {
	sql := alias + compared(s.CatalogColumn)
	if s.form != "" {
		sql = fmt.Sprintf(s.form, alias+s.SQL)
	}
	switch {
	case s.as != s.CatalogColumn.Name:
		return sql + ` AS "` + s.as + `"`
	case s.Foreign != "", s.form != "":
		return sql + " AS " + s.SQL
	}
	return sql
}

// compared returns a column as it is compared. The collation of an application is known
// to the application only.
func compared(c doc.CatalogColumn) string {
	if c.Foreign != "" {
		return c.SQL + " COLLATE BINARY"
	}
	return c.SQL
}
