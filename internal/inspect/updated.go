package inspect

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// An updated is the column that says when a row last changed, and those that
// might have said it too.
type updated struct {
	selected
	others []string
	unit   timeunit.Unit // of a number, if its rows tell it
}

// isUpdated finds names such as updated_at, last_update, lastModified, mtime,
// date_changed and film_updated, in lower case and without underscores. One
// that says what was updated, as price_updated_at, says nothing of the row.
var isUpdated = regexp.MustCompile(`^(row|record|last|date|time|ts|dt)*(mtime|m?(upd|update|updated|modify|modified|modif|modification|mod|change|changed|edit|edited|touched)(at|on|time|timestamp|stamp|ts|date|datetime|dt|ms|utc|epoch|unix)*)$`)

// saysWhen finds the words that a number or a text needs to be taken for a
// time: updated alone might be a count, or by whom.
var saysWhen = regexp.MustCompile(`(at|on|time|stamp|ts|[^p]date|dt|ms|utc|epoch|unix)$|^(date|time|ts|dt|last)|^updated$|^modified$`)

// updateTime chooses the column of updateTime. One that somebody keeps is worth
// more than one that is found fast, and that more than a finer one.
func updateTime(t doc.CatalogTable) (updated, bool) {
	var found []doc.CatalogColumn
	for _, c := range t.Columns {
		if looksUpdated(t, c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return updated{}, false
	}
	slices.SortStableFunc(found, func(a, b doc.CatalogColumn) int { return cmp.Compare(worth(b), worth(a)) })
	u := updated{selected: selected{found[0], fieldName(found[0].Name)}}
	for _, c := range found[1:] {
		u.others = append(u.others, c.Name)
	}
	return u, true
}

// findUnit asks the rows in which unit an updateTime that is a number counts.
func (p *proposal) findUnit(s Source) {
	if p.updated.Kind != doc.NumberColumn || s.Unit == nil {
		return
	}
	if unit := s.Unit(p.sql(), p.updated.as); unit.Declarable() {
		p.updated.unit = unit
	}
}

func looksUpdated(t doc.CatalogTable, c doc.CatalogColumn) bool {
	name := spoken(c.Name)
	own := strings.TrimPrefix(name, spoken(t.Name))
	if !c.Time || unprintable(c.Name) || !isUpdated.MatchString(name) && !isUpdated.MatchString(own) {
		return false
	}
	return isTime(c) || saysWhen.MatchString(name)
}

// spoken is a name as it is spoken.
func spoken(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func isTime(c doc.CatalogColumn) bool {
	return c.Kind == doc.InstantColumn || c.Kind == doc.WallColumn || c.Kind == doc.DateColumn
}

func worth(c doc.CatalogColumn) (n int) {
	for i, good := range []bool{
		c.NotNull, c.Kind == doc.InstantColumn, c.Kind == doc.InstantColumn || c.Kind == doc.WallColumn,
		c.Now, c.Kind != doc.DateColumn, c.Indexed, c.Maintained,
	} {
		if good {
			n += 1 << i
		}
	}
	return n
}

// kept says whether anybody keeps the column, as far as the catalog shows it.
func (u updated) kept() string {
	switch {
	case u.Maintained:
		return "a trigger sets it on UPDATE"
	case u.Now:
		return "set on INSERT; on UPDATE the application must set it, or only the sweep finds the change"
	}
	return "the application must set it, or only the sweep finds a change"
}
