package fulltext

import (
	"slices"

	"indexerd/internal/doc"
)

// Pad adds to a row what the mapping names and the row lacks, since an older
// SQL read it: NULL for a column, no rows for a child. The row itself stays as
// it is.
func (ix *Index) Pad(row doc.Row) doc.Row {
	names := slices.Clone(ix.schema.Content)
	for _, f := range ix.schema.Metadata {
		names = append(names, f.Name)
	}
	padded := padColumns(row, names)
	padded.Children = slices.Clone(row.Children)
	for _, c := range ix.schema.Children {
		i := slices.IndexFunc(padded.Children, func(d doc.Child) bool { return d.Name == c.Name })
		if i < 0 {
			padded.Children = append(padded.Children, doc.Child{Name: c.Name})
			continue
		}
		rows := make([]doc.Row, len(padded.Children[i].Rows))
		for k, r := range padded.Children[i].Rows {
			rows[k] = padColumns(r, c.Columns)
		}
		padded.Children[i].Rows = rows
	}
	return padded
}

// padColumns gives a row the columns that it lacks.
func padColumns(row doc.Row, names []string) doc.Row {
	padded := doc.Row{Names: slices.Clone(row.Names), Values: slices.Clone(row.Values)}
	for _, name := range names {
		if !slices.Contains(padded.Names, name) {
			padded.Names, padded.Values = append(padded.Names, name), append(padded.Values, nil)
		}
	}
	return padded
}
