package fulltext

import (
	"fmt"
	"slices"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// A Child says what of a row's children of one kind goes into the index. Each
// of its rows has one value: that of its column, or the texts of several
// columns joined by spaces.
type Child struct {
	Name     string   `json:"name"`
	Columns  []string `json:"columns"`  // none: the one column that is not in Skip
	Skip     []string `json:"skip"`     // key and updateTime
	Searched bool     `json:"searched"` // its words are searched, as those of a content column
	Type     Type     `json:"type"`     // its values are a metadata field of this type; "" for none
}

// build takes from a child's rows their texts and their terms. The order in
// which a database returns them says nothing, and one value says no more in two
// rows than in one: texts are sorted, terms are sorted and each is there once,
// so that what is the same to a search has the same hash.
func (c Child) build(row doc.Row) (texts, terms []string, err error) {
	i := slices.IndexFunc(row.Children, func(d doc.Child) bool { return d.Name == c.Name })
	if i < 0 {
		return nil, nil, fmt.Errorf("child %s is not in the row: the source must return it", c.Name)
	}
	for _, r := range row.Children[i].Rows {
		v, err := query.ChildValue(r, c.Columns, c.Skip)
		if err != nil {
			return nil, nil, fmt.Errorf("child %s: %w", c.Name, err)
		}
		if text := doc.FormatText(v); c.Searched && text != "" {
			texts = append(texts, text)
		}
		if c.Type == "" {
			continue
		}
		more, err := c.field().terms(v)
		if err != nil {
			return nil, nil, fmt.Errorf("child %s: %w", c.Name, err)
		}
		terms = append(terms, more...)
	}
	slices.Sort(texts)
	slices.Sort(terms)
	return texts, slices.Compact(terms), nil
}

// field is the metadata field of a child's values.
func (c Child) field() Field { return Field{c.Name, c.Type} }
