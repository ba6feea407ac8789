// Package proposal writes a first configuration for a database (indexerd init).
//
// Config proposes documents as a person would write them. Each table has a role, which
// follows from its columns and from the foreign keys of all tables: rows that are called by
// a name or a text are documents, the most referred to first; rows that belong to one of
// another table are its children, if they are few, and so are the names at the other end of
// a link; the names of referenced rows are joined. Every other table is one line, a comment
// that is a table of the configuration without its mark.
//
// For each document Config chooses key, updated column, content and metadata. The same
// catalog always results in the same text, and the text is a valid configuration whatever
// names the database has. Columns that look like secrets, by name or by value, are omitted.
// Config reads two samples of a table's rows: texts, for the analyzer, the language, secrets
// and prose, and values of a numeric updated column, for its unit.
package proposal

import (
	"cmp"
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
	// Only are the tables to propose, as Find returns them; nil: those that a person would.
	Only []string
	// All proposes every table that can be searched.
	All bool
}

// A Result is a configuration. Without tables, the text is not a valid one and only lists
// the reasons.
type Result struct {
	YAML   string
	Tables int // that it proposes
	Others int // that it lists, as comments
}

// Config proposes a configuration.
func Config(c doc.Catalog, s Source) Result {
	samples := sampleOf(c, s)
	markSecrets(c, samples)
	f := propose(c, samples)
	chosen, others := f.choose(s)
	for _, p := range chosen {
		f.complete(p)
		p.findUnit(s)
		p.findLanguage(s, samples[p.table.SQL])
		p.findTitle()
	}
	return Result{write(c, s, chosen, others, f.all), len(chosen), len(others)}
}

// A proposal is the configuration of a table, or the reason to omit it.
type proposal struct {
	table   doc.CatalogTable
	why, do string // why the table is omitted, and what would change that

	role       role
	unsearched string // what it holds that no person searches

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
	joins    []join             // of referenced rows
	crowds   []doc.CatalogTable // too many rows of them belong to one of p
	surplus  []string           // tables that would be more children than a document has
	indexes  []string           // statements that create what it lacks

	languageWhy string // how the language was chosen; "" if it is not written
}

// A selected column is in the result of the SQL, under a name that is valid in
// queries.
type selected struct {
	doc.CatalogColumn
	as   string
	form string // the expression that is selected, in which the column is %s; empty: the column
}

// A join adds the names of referenced rows to the SQL of a table.
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

// propose returns a proposal for each table, without what it has of other tables.
func propose(c doc.Catalog, samples map[string]sample) *family {
	f := &family{greatest: c.Greatest, samples: samples}
	tables := names{"lock": true} // the lock file is in the same directory
	for _, t := range c.Tables {
		p := proposeTable(t, c.RowKeys)
		if p.why == "" {
			p.name, p.unsearched = tables.take(tableName(t)), unsearched(t)
		}
		f.all = append(f.all, p)
	}
	f.findRoles()
	return f
}

// choose returns the proposals that are written, and those that are listed as comments.
// Where no table has a name or a text, all that can be searched are written.
func (f *family) choose(s Source) (chosen, others []*proposal) {
	documents := slices.ContainsFunc(f.all, func(p *proposal) bool { return p.usable() && p.role == document })
	for _, p := range f.all {
		switch {
		case p.why != "":
		case s.Only != nil:
			if slices.Contains(s.Only, p.table.SQL) {
				chosen = append(chosen, p)
			}
		case p.usable() && (s.All || p.role == document || !documents):
			chosen = append(chosen, p)
		default:
			others = append(others, p)
		}
	}
	if !s.All && s.Only == nil {
		slices.SortStableFunc(chosen, func(a, b *proposal) int {
			return cmp.Or(cmp.Compare(f.weight(b), f.weight(a)), cmp.Compare(b.table.Rows, a.table.Rows))
		})
	}
	return chosen, others
}

// weight is the number of tables that refer to p, by which documents are sorted before the
// number of their rows.
func (f *family) weight(p *proposal) int {
	n := len(f.referring(p.table))
	if accounts.MatchString(spelled(p.table.Name)) {
		return n / 4
	}
	return n
}

// usable reports whether a table is proposed unless a person asks for it by name.
func (p *proposal) usable() bool { return p.why == "" && p.unsearched == "" }

// complete adds to p what its documents have of other tables.
func (f *family) complete(p *proposal) {
	f.decide(p)
	if !p.comparison() && !p.updated.Indexed {
		p.lacks(p.table, p.updated.CatalogColumn)
	}
	taken := p.fields()
	f.joinNames(p, taken)
	if p.keyless == "" {
		f.addChildren(p, taken)
	}
}

// find returns the column with this name.
func find(t doc.CatalogTable, name string) (doc.CatalogColumn, bool) {
	i := slices.IndexFunc(t.Columns, func(c doc.CatalogColumn) bool { return c.Name == name })
	if i < 0 {
		return doc.CatalogColumn{}, false
	}
	return t.Columns[i], true
}
