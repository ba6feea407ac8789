package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// mostJoined is the number of references of a document whose names are joined.
const mostJoined = 8

// joinNames joins the names of the rows that the foreign keys of p reference, such as an
// album's artist. A foreign key references one row at most, so the joins add no rows. They go
// no further: the references of those rows are left out.
func (f *family) joinNames(p *proposal, taken names) {
	for _, r := range p.table.References {
		alias := fmt.Sprintf("r%d.", len(p.joins)+1)
		far, on := f.named(p.table, r, alias)
		named := namesOf(far, r)
		if on == "" || len(named) == 0 || len(p.joins) == mostJoined {
			continue
		}
		if f.bySQL[far.SQL].role == code && len(named) == 1 {
			p.drop(r, taken)
		}
		j := join{alias: alias, table: fmt.Sprintf("%s %s ON %s", far.SQL, strings.TrimSuffix(alias, "."), on)}
		name := parentName(r, far)
		for _, c := range named {
			as := name
			if len(named) > 1 || taken.has(as) {
				as += "_" + fieldName(c.Name)
			}
			one := selected{CatalogColumn: c, as: taken.take(as)}
			if j.columns = append(j.columns, one); c.Marked {
				p.json = append(p.json, one)
			}
		}
		if p.joins = append(p.joins, j); p.textless && p.keyless != "" {
			p.textless, p.content = false, nil
		}
		p.content = append(slices.Clone(p.content), j.columns...)
		if typ := childType(named); typ != "" && len(named) == 1 {
			p.metadata = append(p.metadata, meta{j.columns[0], typ})
		}
	}
}

// drop removes the column of a foreign key to a code, in whose place is the code's name.
func (p *proposal) drop(r doc.CatalogReference, taken names) {
	at := slices.IndexFunc(p.columns, func(s selected) bool { return len(r.Columns) == 1 && s.Name == r.Columns[0] })
	if at < 0 || p.keyless != "" || slices.Contains(p.keyed, r.Columns[0]) {
		return
	}
	as := p.columns[at].as
	delete(taken, strings.ToLower(as))
	p.columns = slices.Delete(p.columns, at, at+1)
	p.metadata = slices.DeleteFunc(p.metadata, func(m meta) bool { return m.as == as })
	p.content = slices.DeleteFunc(slices.Clone(p.content), func(s selected) bool { return s.as == as })
}

// named returns the table that a foreign key references, if its rows have names that a
// person would show, and the join condition, in which it has an alias, or "".
func (f *family) named(from doc.CatalogTable, r doc.CatalogReference, alias string) (far doc.CatalogTable, on string) {
	far, on = f.joined(from, r, alias)
	if on == "" || f.bySQL[far.SQL].role == record || slices.ContainsFunc(r.Columns, func(c string) bool { return ofChange.MatchString(spelled(c)) }) {
		return far, ""
	}
	return far, on
}

// ofChange matches names of foreign keys to who changed a row last, which says nothing of
// the row.
var ofChange = regexp.MustCompile(`^(last_)?(updated|modified|changed|edited|deleted|closed|locked)_by|^last_(editor|modifier|updater)|^(updater|modifier)(_|$)`)

// namesOf returns the columns that name a row that a foreign key references, or the first
// that holds text, and neither a code nor an identifier, without those that the key has
// itself.
func namesOf(t doc.CatalogTable, r doc.CatalogReference) []doc.CatalogColumn {
	own := func(c doc.CatalogColumn) bool { return slices.Contains(r.OtherColumns, c.Name) }
	if named := slices.DeleteFunc(nameOf(t), own); len(named) > 0 {
		return named
	}
	all := slices.DeleteFunc(texts(t), func(c doc.CatalogColumn) bool {
		return own(c) || coded.MatchString(c.Name) || identifier.MatchString(c.Name)
	})
	return all[:min(1, len(all))]
}

// ofReference matches the end of a column that holds a foreign key: artist_id,
// ArtistId, artist_code.
var ofReference = regexp.MustCompile(`(?:(?i:_(?:id|fk|key|code|no|uuid))|I[dD]|(?i:_?fk))$`)

// parentName returns the column of the foreign key without its end: artist of
// artist_id.
func parentName(r doc.CatalogReference, far doc.CatalogTable) string {
	if len(r.Columns) > 1 {
		return fieldName(far.Name)
	}
	name := ofReference.ReplaceAllString(r.Columns[0], "")
	if len(name) > 4 && name == strings.ToLower(name) {
		name = strings.TrimSuffix(name, "id") // hostid
	}
	return fieldName(name)
}
