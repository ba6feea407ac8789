package search

import (
	"slices"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// A Child is rows of another SQL that belong to a document. They are shown as
// one field, a list with the value of each row: that of its column, or the
// texts of several columns joined by spaces.
type Child struct {
	Name     string
	Columns  []string // none: the one column that is not in Skip
	Skip     []string // key and updateTime
	Searched bool     // its text is searched, so that matches in it are shown
}

// values returns what the rows say, without those that say nothing, and false
// where the page is older than the child. What an older SQL did not return is
// left out, as a column is.
func (c Child) values(row doc.Row) ([]any, bool) {
	i := slices.IndexFunc(row.Children, func(d doc.Child) bool { return d.Name == c.Name })
	if i < 0 {
		return nil, false
	}
	values := []any{}
	for _, r := range row.Children[i].Rows {
		if v, err := query.ChildValue(r, c.Columns, c.Skip); err == nil && v != nil {
			values = append(values, v)
		}
	}
	return values, true
}
