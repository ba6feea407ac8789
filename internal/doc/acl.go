package doc

import (
	"bytes"
	"slices"
)

// An ACL names the field that holds a document's groups: a column of the main
// SQL, or a child. The zero ACL is that of a table whose documents everyone
// may find.
type ACL struct{ Column, Child string }

// Of returns the field of a row as a row of its own; nil where the row does not
// have it.
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

// Value is the field of a row that has this value in the column.
func (a ACL) Value(v any) *Row { return &Row{Names: []string{a.Column}, Values: []any{v}} }

// Rows is the field of a row that has these rows in the child.
func (a ACL) Rows(rows []Row) *Row { return &Row{Children: []Child{{Name: a.Child, Rows: rows}}} }

// Field is the field of the rows that were read of one key. A child has as many
// as there are, in the order of their canonical JSON. The main SQL has one; of
// several that differ, none is the row's, and the field is not known.
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

// Replace returns a copy of a row with another field. Nil is a field without
// any group.
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
	// What the row did not have.
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

// A Visibility is who finds the last document of a row that can't become one any
// more. It is empty where there is no document, and in a table without an ACL.
type Visibility string

// What a document in a table with an ACL can be while its row is in quarantine.
const (
	Visible Visibility = "visible" // to the groups that the row has now
	Hidden  Visibility = "hidden"  // from all but admins: the groups of the row are not known
)
