package doc

import (
	"bytes"
	"slices"
)

// An ACL names the field that holds a document's groups: a column of the main
// SQL, or a child. In a table with the zero ACL everyone may find every document.
//
// Field and Value, Rows and Of return the groups as a Row that has only that
// field. A nil Row means that the groups are unknown.
type ACL struct{ Column, Child string }

// Of returns the groups of a row; nil if the row does not have the field.
func (a ACL) Of(r Row) *Row {
	if a.Column != "" {
		if v, ok := r.Get(a.Column); ok {
			return a.Value(v)
		}
		return nil
	}
	for _, c := range r.Children {
		if a.Child != "" && c.Name == a.Child {
			return a.Rows(c.Rows)
		}
	}
	return nil
}

// Value returns the groups of a row that has this value in the ACL's column.
func (a ACL) Value(v any) *Row { return &Row{Names: []string{a.Column}, Values: []any{v}} }

// Rows returns the groups of a row that has these rows in the ACL's child.
func (a ACL) Rows(rows []Row) *Row { return &Row{Children: []Child{{Name: a.Child, Rows: rows}}} }

// Field returns the groups of one key, from all rows that were read for it. Rows
// of a child are sorted by their canonical JSON. Rows of the main SQL must all
// have the same value; otherwise the groups are unknown, and Field returns nil.
func (a ACL) Field(rows []Row) *Row {
	if a.Child != "" {
		slices.SortFunc(rows, func(a, b Row) int {
			left, _ := a.AppendJSON(nil)
			right, _ := b.AppendJSON(nil)
			return bytes.Compare(left, right)
		})
		return a.Rows(rows)
	}
	var field *Row
	for i, row := range rows {
		next := a.Value(row.Values[0])
		if i > 0 && !SameGroups(field, next) {
			return nil
		}
		field = next
	}
	return field
}

// Replace returns a copy of a row with other groups. With nil the copy has no
// group, so only admins find it.
func (a ACL) Replace(r Row, groups *Row) Row {
	switch {
	case a == ACL{}:
		return r
	case groups == nil && a.Column != "":
		groups = a.Value(nil)
	case groups == nil:
		groups = a.Rows(nil)
	}
	replaced := Row{Children: append([]Child(nil), r.Children...)}
	for i, name := range r.Names {
		if name != a.Column {
			replaced.Names, replaced.Values = append(replaced.Names, name), append(replaced.Values, r.Values[i])
			continue
		}
		replaced.Names, replaced.Values = append(replaced.Names, name), append(replaced.Values, groups.Values...)
		groups = &Row{}
	}
	for i, c := range r.Children {
		if a.Child != "" && c.Name == a.Child {
			replaced.Children[i], groups = groups.Children[0], &Row{}
		}
	}
	// The row did not have the field: append it.
	replaced.Names, replaced.Values = append(replaced.Names, groups.Names...), append(replaced.Values, groups.Values...)
	replaced.Children = append(replaced.Children, groups.Children...)
	return replaced
}

// SameGroups reports whether two fields are known and equal.
func SameGroups(a, b *Row) bool {
	if a == nil || b == nil {
		return false
	}
	left, err := a.AppendJSON(nil)
	if err != nil {
		return false
	}
	right, err := b.AppendJSON(nil)
	return err == nil && bytes.Equal(left, right)
}

// A Visibility is the audience of the last document of a row in quarantine. It
// is empty if there is no document, and in a table without an ACL.
type Visibility string

// Visibilities of a document whose row is in quarantine.
const (
	Visible Visibility = "visible" // the row's present groups find it
	Hidden  Visibility = "hidden"  // only admins find it: the row's groups are unknown
)
