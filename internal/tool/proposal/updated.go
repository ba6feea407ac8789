package proposal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
)

// An updated is the column with the time of a row's last change.
type updated struct {
	selected
	others []string      // further candidates
	unit   timeunit.Unit // of a number, if its rows show it
}

// isUpdated matches names such as updated_at, last_update, lastModified, mtime,
// date_changed and film_updated, in lower case and without underscores. It does
// not match price_updated_at, which is the time of a change of the price only.
var isUpdated = regexp.MustCompile(`^(row|record|last|date|time|ts|dt)*(mtime|m?(upd|update|updated|modify|modified|modif|modification|mod|change|changed|edit|edited|touched)(at|on|time|timestamp|stamp|ts|date|datetime|dt|ms|utc|epoch|unix)*)$`)

// ofProducts matches the names that widely used applications give the column:
// Odoo, WordPress, ServiceNow and Salesforce, and what SQL Server's users write.
var ofProducts = regexp.MustCompile(`^(writedate|(post|comment)modified(gmt)?|sysupdatedon|systemmodstamp|rowversion)$`)

// namesTime matches what the name of a number or text must contain to be a time:
// a column updates might be a count.
var namesTime = regexp.MustCompile(`(at|on|time|stamp|ts|[^p]date|dt|ms|utc|gmt|epoch|unix)$|^(date|time|ts|dt|last)`)

// mayBeTime matches the names of numbers and texts that are a time or a mark. Only
// a trigger or a default proves that they are a time.
var mayBeTime = regexp.MustCompile(`^(updated|modified|changed|edited|touched)$`)

// updateTime returns the best candidate for updated. A trigger that sets the
// column counts most, then an index, then the type.
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
	u := updated{selected: selected{CatalogColumn: found[0], as: fieldName(found[0].Name)}}
	for _, c := range found[1:] {
		u.others = append(u.others, c.Name)
	}
	return u, true
}

// findUnit sets the unit of a numeric updated column.
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
	if !c.Time || unselectable(c) || !isUpdated.MatchString(name) && !isUpdated.MatchString(own) && !ofProducts.MatchString(name) {
		return false
	}
	return isTime(c) || namesTime.MatchString(name) && name != "rowversion" || mayBeTime.MatchString(name) && (c.Maintained || c.Now)
}

// doubtful returns the columns that updateTime leaves out because they may be
// something else than a time.
func doubtful(t doc.CatalogTable) (found []string) {
	for _, c := range t.Columns {
		if c.Time && !looksUpdated(t, c) && mayBeTime.MatchString(spoken(c.Name)) {
			found = append(found, c.Name)
		}
	}
	return found
}

// spoken returns a name in lower case and without underscores.
func spoken(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func isTime(c doc.CatalogColumn) bool {
	return c.Kind == doc.InstantColumn || c.Kind == doc.WallColumn || c.Kind == doc.DateColumn
}

// inUTC reports whether a column's name shows that its times are in UTC.
func inUTC(c doc.CatalogColumn) bool {
	name := spoken(c.Name)
	return strings.HasSuffix(name, "gmt") || strings.HasSuffix(name, "utc")
}

func worth(c doc.CatalogColumn) (n int) {
	for i, good := range []bool{
		inUTC(c), c.NotNull, c.Kind == doc.InstantColumn, c.Kind == doc.InstantColumn || c.Kind == doc.WallColumn,
		c.Now, c.Kind != doc.DateColumn, c.Indexed, c.Maintained,
	} {
		if good {
			n += 1 << i
		}
	}
	return n
}

// maintenance describes how the column is set, as far as the catalog shows it.
func (u updated) maintenance() string {
	switch {
	case u.Maintained:
		return "set on UPDATE by a trigger"
	case u.Now:
		return "set on INSERT by its default, on UPDATE by the application"
	}
	return "set by the application"
}
