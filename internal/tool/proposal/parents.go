package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// addParents adds the names of the rows that the foreign keys of p reference,
// such as an album's artist: a row has at most one of each. It goes no further:
// the references of those rows are left out.
func (f family) addParents(p *proposal, taken names) {
	for _, r := range p.table.References {
		far, join := f.joined(p.table, r, "r.")
		named := namesOf(far, r)
		if join == "" || len(named) == 0 {
			continue
		}
		var s statement
		c := child{name: taken.take(parentName(r, far, taken)), key: s.add("l.", p.keyColumns())}
		p.setUpdated(&c, &s, "r.", far)
		c.setContent(s.add("r.", named), named)
		c.sql = s.join(p.table, far, join)
		p.children = append(p.children, c)
	}
}

// joinParents does the same for a table without a key: a foreign key references one
// row at most, so the joins add no rows.
func (f family) joinParents(p *proposal, taken names) {
	for i, r := range p.table.References {
		alias := fmt.Sprintf("r%d.", i+1)
		far, on := f.joined(p.table, r, alias)
		named := namesOf(far, r)
		if on == "" || len(named) == 0 {
			continue
		}
		j := join{alias: alias, table: fmt.Sprintf("%s %s ON %s", far.SQL, strings.TrimSuffix(alias, "."), on)}
		name := parentName(r, far, taken)
		for _, c := range named {
			as := name
			if len(named) > 1 {
				as += "_" + fieldName(c.Name)
			}
			one := selected{CatalogColumn: c, as: taken.take(as)}
			if j.columns = append(j.columns, one); c.Marked {
				p.json = append(p.json, one)
			}
		}
		if p.joins = append(p.joins, j); p.textless {
			p.textless, p.content = false, nil
		}
		p.content = append(p.content, j.columns...)
		if typ := childType(named); typ != "" && len(named) == 1 {
			p.metadata = append(p.metadata, meta{j.columns[0], typ})
		}
	}
}

func (p *proposal) keyColumns() (columns []doc.CatalogColumn) {
	for _, k := range p.key {
		columns = append(columns, k.CatalogColumn)
	}
	return columns
}

// calling matches columns by which people call a row.
var calling = regexp.MustCompile(`(?i)(^|_)(name|firstname|lastname|title|label)$`)

// namesOf returns the columns by which people call a row that a foreign key
// references, or the first that holds text, without those that the key has itself.
func namesOf(t doc.CatalogTable, r doc.CatalogReference) (found []doc.CatalogColumn) {
	all := slices.DeleteFunc(texts(t), func(c doc.CatalogColumn) bool { return slices.Contains(r.OtherColumns, c.Name) })
	for _, c := range all {
		if calling.MatchString(c.Name) {
			found = append(found, c)
		}
	}
	if found == nil && len(all) > 0 {
		return all[:1]
	}
	return found
}

// ofReference matches the end of a column that holds a foreign key: artist_id,
// ArtistId, artist_code.
var ofReference = regexp.MustCompile(`(?:(?i:_(?:id|fk|key|code|no|uuid))|I[dD]|(?i:_?fk))$`)

// parentName returns the column of the foreign key without its end: artist of
// artist_id. Where that is no other name than the column's, the table's follows.
func parentName(r doc.CatalogReference, far doc.CatalogTable, taken names) string {
	table := fieldName(far.Name)
	if len(r.Columns) > 1 {
		return table
	}
	name := fieldName(ofReference.ReplaceAllString(r.Columns[0], ""))
	if taken.has(name) {
		return name + "_" + table
	}
	return name
}
