// Package proposal writes a first configuration for a database (indexerd init).
//
// Config proposes tables from a database's catalog. It chooses each table's key,
// updated column, content, metadata and children. The same catalog always results
// in the same text, and the text is a valid configuration whatever names the
// database has. A comment gives the reason of each choice, and for each omitted
// table what is missing. Columns that look like secrets, by name or by value, are
// omitted, and tables that no person searches are comments. Config reads two samples of a
// table's rows: texts, for the analyzer, the language and secrets, and values of a numeric
// updated column, for its unit.
package proposal

import (
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/index/title"
)

// A Source is a database as the configuration describes it.
type Source struct {
	Driver  string
	DSN     string // as written to the configuration, possibly with ${NAME}
	Address string // without secrets
	// Unit returns the unit of a numeric column of an SQL, or Unknown if the rows
	// do not show it. If Unit is nil, no unit is declared.
	Unit func(sql, column string) timeunit.Unit
	// Texts returns some texts of each column of an SQL, none if the database does not
	// return them in time. If Texts is nil, tables have the default analyzer, and only
	// names tell secrets.
	Texts func(sql string, columns []string) [][]string
	// Language is that of all tables; AutoLanguage or "" detects each table's by Texts.
	Language string
}

// Config returns a configuration and the number of its tables. Without tables,
// the text is not a valid configuration and only lists the reasons.
func Config(c doc.Catalog, s Source) (yaml string, tables int) {
	samples := sampleOf(c, s)
	markSecrets(c, samples)
	all := propose(c)
	for _, p := range all {
		if p.why == "" {
			if p.unsearched == "" {
				tables++
			}
			p.findUnit(s)
			p.findLanguage(s, samples[p.table.SQL])
			p.findTitle()
		}
	}
	return write(c, s, all), tables
}

// A proposal is the configuration of a table, or the reason to omit it.
type proposal struct {
	table   doc.CatalogTable
	why, do string // why the table is omitted, and what would change that

	unsearched string // what it holds that no person searches: it is written as a comment

	name     string // in the configuration
	columns  []selected
	keyed    []string // the names of the key's columns
	keyless  string   // why no columns are a key: then a digest of the row is
	key      []selected
	unique   bool   // the key is not the primary key
	timeless string // a table without updateTime, for which p is followed by comparison
	updated  updated
	content  []selected
	textless bool // no column holds text: content is the key
	eastern  bool // the sampled texts are Chinese, Japanese or Korean
	language string
	title    title.Template
	metadata []meta
	json     []selected          // text columns that hold JSON
	formed   []doc.CatalogColumn // that are selected in another form
	omitted  []doc.CatalogColumn
	children []child
	joins    []join             // without a key
	crowds   []doc.CatalogTable // too many rows of them belong to one of p

	languageWhy string // how the language was chosen; "" if it is not written
}

// A selected column is in the result of the SQL, under a name that is valid in
// queries.
type selected struct {
	doc.CatalogColumn
	as   string
	form string // the expression that is selected, in which the column is %s; empty: the column
}

// A join adds the names of referenced rows to the SQL of a table without a key, which
// has no children.
type join struct {
	alias   string // with a dot
	table   string // with the condition
	columns []selected
}

// A meta is a metadata field.
type meta struct {
	selected
	typ string
}

// propose returns a proposal for each table, with its children.
func propose(c doc.Catalog) []*proposal {
	var all []*proposal
	tables := names{"lock": true} // the lock file is in the same directory
	for _, t := range c.Tables {
		p := proposeTable(t, c.RowKeys)
		if p.why == "" {
			p.name, p.unsearched = tables.take(tableName(t)), unsearched(t)
		}
		all = append(all, p)
	}
	f := family{greatest: c.Greatest, all: all}
	for _, p := range all {
		if p.why == "" {
			f.decide(p)
			taken := p.fields()
			if p.keyless != "" {
				f.joinParents(p, taken)
				continue
			}
			f.addParents(p, taken)
			f.addChildren(p, taken)
		}
	}
	return all
}

// find returns the column with this name.
func find(t doc.CatalogTable, name string) (doc.CatalogColumn, bool) {
	i := slices.IndexFunc(t.Columns, func(c doc.CatalogColumn) bool { return c.Name == name })
	if i < 0 {
		return doc.CatalogColumn{}, false
	}
	return t.Columns[i], true
}
