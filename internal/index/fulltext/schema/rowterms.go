package schema

import (
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// An engine that stores documents elsewhere gets them as a Document, and requests as a
// Compiled. Both have the same fields: "words.NAME" has the words of a content column or
// of a child's rows, "values.NAME" the terms of a metadata column or of a child's values,
// and "numbers.NAME" what aggregations compute with. So it finds and counts what an Index
// does.

// A Document is what an index stores of a row.
type Document struct {
	// Words are the texts of each field with words: one of a column, one for each row
	// of a child. A text is its terms in the order of their positions, "" where a
	// position has none, and several with | between them. No phrase spans two texts.
	Words map[string][][]string

	// Values are the terms of each field with values. The byte order of terms is the
	// order of values. Terms are valid UTF-8.
	Values map[string][]string

	// Numbers are the values of each field with values but those of keywords, as
	// aggregations have them.
	Numbers map[string][]float64
}

// Document returns what an index stores of a row, but for the words of the columns that
// skip accepts. It lacks values that do not fit their types.
func (s *Schema) Document(row doc.Row, skip func(field string) bool) (Document, error) {
	b, err := s.Build(row, new(Lists))
	if err != nil {
		return Document{}, err
	}
	d := Document{Words: map[string][][]string{}, Values: map[string][]string{}, Numbers: map[string][]float64{}}
	for i, texts := range b.Texts {
		if skip(wordsField(s.Texts[i])) {
			continue
		}
		for _, text := range texts {
			if terms := s.Terms(text); terms != nil {
				d.Words[wordsField(s.Texts[i])] = append(d.Words[wordsField(s.Texts[i])], terms)
			}
		}
	}
	for i, f := range s.Values {
		if len(b.Values[i]) > 0 {
			d.Values[valuesField(f.Name)] = b.Values[i]
		}
		if f.Type == Keyword || len(b.Values[i]) == 0 {
			continue
		}
		if d.Numbers[numbersField(f.Name)], err = f.numbers(b.Values[i]); err != nil {
			return Document{}, err
		}
	}
	return d, nil
}

// Terms returns the terms of a text by position, "" where a position has none, and several
// with | between them, which is in no term.
func (s *Schema) Terms(text string) (terms []string) {
	for _, t := range s.Analysis.Tokens(nil, text) {
		if t.Pos == len(terms) {
			terms[t.Pos-1] += "|" + t.Term
			continue
		}
		terms = append(terms, make([]string, t.Pos-1-len(terms))...)
		terms = append(terms, t.Term)
	}
	return terms
}

// WordsFields lists the fields with words, and ValuesFields those with values.
func (s *Schema) WordsFields() []string { return mapped(s.Texts, wordsField) }

// ValuesFields lists the fields with values.
func (s *Schema) ValuesFields() []string {
	return mapped(s.Values, func(f Field) string { return valuesField(f.Name) })
}

// NumbersFields lists the fields with numbers, and the type of their values.
func (s *Schema) NumbersFields() map[string]Type {
	all := map[string]Type{}
	for _, f := range s.Values {
		if f.Type != Keyword {
			all[numbersField(f.Name)] = f.Type
		}
	}
	return all
}

// numbers returns the numbers of terms of a field, each once.
func (f Field) numbers(terms []string) (all []float64, err error) {
	for _, term := range terms {
		n, err := f.Type.Float([]byte(term))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all, nil
}

func mapped[T any](all []T, f func(T) string) []string {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = f(a)
	}
	return names
}

func wordsField(name string) string   { return "words." + name }
func valuesField(name string) string  { return "values." + name }
func numbersField(name string) string { return "numbers." + name }

// Exported returns the name of the field that has what aggregations of other engines read:
// values, if it has keywords, and else numbers. A field without a name has none.
func (f Field) Exported() string {
	switch {
	case f.Name == "":
		return ""
	case f.Type == Keyword:
		return valuesField(f.Name)
	}
	return numbersField(f.Name)
}

// Exported returns the name of an index field as other engines know it.
func Exported(field string) string {
	if strings.HasPrefix(field, ContentField("")) {
		return wordsField(ColumnOf(field))
	}
	return valuesField(strings.TrimPrefix(field, MetadataField("")))
}
