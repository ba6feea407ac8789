// Package inspect looks at a source and says what is so. It makes a first
// configuration of what a database says of its tables: which can be documents,
// by what key and updateTime, what of them is searched and filtered, and which
// rows of other tables belong to them. And it checks a configuration that there
// is against its databases, and says what to do.
//
// Invariants of the configuration. The same catalog makes the same text. What
// is written is a configuration that runs, whatever names the database has; each
// choice that could have been another one has its reason beside it, and each
// table that was left out has what would bring it in. Columns that look like
// secrets are never written. It costs nothing but the catalog: no row is read,
// but for a sample of those whose updateTime is a number.
//
// Invariants of a check. Each finding has a code of the table in codes.go, of
// which docs/check.md is made, and says what to do. What a database is asked
// that may read a whole table has three seconds, and is left if they are not
// enough; a table has fifteen. It costs a plan for each question of the daemon,
// a thousand rows read two or three times, and about six queries of all rows.
//
// Layout: updated.go chooses the updateTime, table.go what a table becomes,
// children.go what belongs to it, names.go names, yaml.go writes. check.go is
// the check, findings.go its answer; server.go, disk.go, changes.go, plans.go,
// rows.go, zone.go, sample.go and settled.go judge what their names say.
package inspect

import (
	"slices"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// A Source is the database as the configuration will name it.
type Source struct {
	Driver  string
	DSN     string // as a configuration takes it: with ${NAME} for the environment's
	Address string // as users see it
	// Unit returns the unit in which a column of an SQL counts, empty where its
	// rows do not tell. nil: nothing is asked.
	Unit func(sql, column string) timeunit.Unit
}

// Config writes a configuration, and returns how many tables it has. With none
// it only says why, and does not run.
func Config(c doc.Catalog, s Source) (yaml string, tables int) {
	all := propose(c)
	for _, p := range all {
		if p.why == "" {
			tables++
			p.findUnit(s)
		}
	}
	return write(c, s, all), tables
}

// A proposal is what a table becomes, or why it becomes nothing.
type proposal struct {
	table   doc.CatalogTable
	why, do string // why it is left out, and what would bring it in

	name     string // in the configuration
	columns  []selected
	key      []selected
	unique   bool // the key is not the primary key
	updated  updated
	content  []selected
	metadata []meta
	omitted  []doc.CatalogColumn
	children []child
}

// A selected column is one that SQL returns, under a name that queries can say.
type selected struct {
	doc.CatalogColumn
	as string
}

// A meta is a column that is filtered and sorted by.
type meta struct {
	selected
	typ string
}

// propose looks at every table by itself, and then at what refers to it.
func propose(c doc.Catalog) []*proposal {
	var all []*proposal
	tables := names{"lock": true} // the daemon's file in the same directory
	for _, t := range c.Tables {
		p := proposeTable(t)
		if p.why == "" {
			p.name = tables.take(tableName(t))
		}
		all = append(all, p)
	}
	f := family{greatest: c.Greatest, all: all}
	for _, p := range all {
		if p.why == "" {
			f.addChildren(p)
		}
	}
	return all
}

// find is the column of this name.
func find(t doc.CatalogTable, name string) (doc.CatalogColumn, bool) {
	i := slices.IndexFunc(t.Columns, func(c doc.CatalogColumn) bool { return c.Name == name })
	if i < 0 {
		return doc.CatalogColumn{}, false
	}
	return t.Columns[i], true
}
