package proposal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
)

// write writes the whole configuration: the chosen tables, and each of the others on a line.
func write(c doc.Catalog, s Source, chosen, others, all []*proposal) string {
	var t text
	name := sourceName(c.Name)
	t.comment(0, "A configuration for %s, written by indexerd init.", s.Address)
	t.line(0, "#")
	t.comment(0, "Save it as indexerd.yaml, change it as you like, and run:")
	t.line(0, "#")
	t.comment(0, "  indexerd check -c indexerd.yaml    reports what could be better")
	t.comment(0, "  indexerd run -c indexerd.yaml      indexes the tables, and answers at http://127.0.0.1:7700")
	t.line(0, "#")
	t.comment(0, "docs/configuration.md describes all keys. The title of a row is shown in place of its key, and counts")
	t.comment(0, "%d times in the order of hits. r1, r2 and so on are the rows that a row refers to, whose names are joined.", namingBoost)
	t.line(0, "")
	t.comment(0, "The data directory. Each configuration needs a separate one.")
	t.line(0, "data: ./data")
	t.line(0, "http: {listen: 127.0.0.1:7700}")
	t.line(0, "")
	t.line(0, "sources:")
	t.line(2, "%s: {driver: %s, dsn: %s}", plain(name), s.Driver, strconv.Quote(s.DSN))
	t.line(0, "")
	t.line(0, "tables:")
	for _, p := range chosen {
		t.table(p, plain(name), c)
	}
	t.others(others, plain(name), c)
	t.omissions(c, all, s.Only)
	t.indexes(chosen)
	return t.String()
}

// headings say why tables are not proposed.
var headings = [roles]string{
	part:   "Parts of other rows, or too many of them:",
	link:   "Links between rows:",
	code:   "Codes, whose names are in the rows that refer to them:",
	record: "Logs, histories, counts and settings:",
	bare:   "Without a name or a text:",
}

// others lists tables as comments, each on a line that is an entry of tables without its
// mark, under the reason why it is not proposed.
func (t *text) others(others []*proposal, source string, c doc.Catalog) {
	if len(others) == 0 {
		return
	}
	t.comment(2, "More tables. Without its # a line indexes one; indexerd init --tables NAME writes all of it.")
	for r := document; r < roles; r++ {
		t.listed(headings[r], others, source, c, func(p *proposal) bool { return p.role == r && p.unsearched == "" })
	}
	var uses []string
	for _, p := range others {
		if p.unsearched != "" && !slices.Contains(uses, p.unsearched) {
			uses = append(uses, p.unsearched)
		}
	}
	for _, use := range uses {
		t.listed(strings.ToUpper(use[:1])+use[1:]+", which no one searches:", others, source, c, func(p *proposal) bool { return p.unsearched == use })
	}
	t.line(0, "")
}

func (t *text) listed(heading string, others []*proposal, source string, c doc.Catalog, is func(*proposal) bool) {
	for i, p := range slices.DeleteFunc(slices.Clone(others), func(p *proposal) bool { return !is(p) }) {
		if i == 0 {
			t.line(0, "")
			t.comment(2, "%s", heading)
		}
		t.line(2, "# %s", p.short(source, c))
	}
}

// short returns an entry of a table on one line: key, updated and texts.
func (p *proposal) short(source string, c doc.Catalog) string {
	shown := func(s selected) bool {
		return slices.ContainsFunc(p.key, func(k selected) bool { return k.as == s.as }) ||
			slices.ContainsFunc(p.content, func(k selected) bool { return k.as == s.as }) || !p.comparison() && s.as == p.updated.as
	}
	var columns []string
	for _, s := range p.columns {
		if shown(s) {
			columns = append(columns, s.of(""))
		}
	}
	var filters []meta // of a table without texts
	for _, m := range p.metadata {
		if p.textless && !shown(m.selected) {
			filters, columns = append(filters, m), append(columns, m.of(""))
		}
	}
	more := "key: row"
	if p.keyless == "" {
		more = "key: " + oneOrList(p.keyNames())
	}
	if !p.comparison() && p.keyless == "" {
		more += ", updated: " + plain(p.updated.as)
		if p.hasWall() {
			more += ", timezone: " + plain(p.zone(c))
		}
	}
	if len(p.json) > 0 {
		more += ", json: [" + list(p.json, selected.yaml) + "]"
	}
	sql := strconv.Quote(fmt.Sprintf("SELECT %s FROM %s", strings.Join(columns, ", "), p.table.SQL))
	if len(filters) > 0 {
		more += ", metadata: {" + list(filters, meta.yaml) + "}"
	}
	return fmt.Sprintf("%s: {source: %s, sql: %s, %s, content: {fields: [%s]}}", plain(p.name), source, sql, more, list(p.content, selected.yaml))
}

// omissions lists the omitted tables and views with the reasons, if only is nil or has them.
func (t *text) omissions(c doc.Catalog, all []*proposal, only []string) {
	some := false
	for _, p := range all {
		if p.why == "" || only != nil && !slices.Contains(only, p.table.SQL) {
			continue
		}
		if !some {
			t.comment(0, "Omitted:")
			t.line(0, "#")
			some = true
		}
		t.comment(0, "%s: %s: %s", p.table.SQL, p.why, p.do)
	}
	if len(c.Views) > 0 && only == nil {
		if some {
			t.line(0, "#")
		}
		t.comment(0, "Views are omitted, since the database does not show what identifies their rows. The sql of a table may read them, with its key or key: row: %s.", strings.Join(c.Views, ", "))
	}
}

// indexes lists the indexes that the chosen tables lack.
func (t *text) indexes(chosen []*proposal) {
	var all []string
	for _, p := range chosen {
		for _, s := range p.indexes {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	t.line(0, "")
	t.comment(0, "Without these indexes each window of updates, or batch of children, reads a whole table:")
	t.line(0, "#")
	for _, s := range all {
		t.comment(0, "%s;", s)
	}
}
