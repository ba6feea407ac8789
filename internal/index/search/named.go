package search

import "slices"

// A Named is a field as a caller may use it: in its words, in its values, or in both.
type Named struct {
	Name  string  `json:"name"`
	Words bool    `json:"words"` // its words are searched and highlighted
	Type  *string `json:"type"`  // keyword, number, date or boolean: of the values, by which documents are filtered, sorted and counted; null: they are not
}

// Describe lists the fields that a caller may see, in the order of hits.
func (s *Searcher) Describe(c Caller) []Named {
	visible, _ := s.forCaller(c)
	names := visible.fields()
	all := make([]Named, len(names))
	for i, name := range names {
		all[i] = Named{Name: name, Words: slices.Contains(visible.Content, name) || slices.ContainsFunc(visible.Children, func(c Child) bool { return c.Name == name && c.Searched })}
		if t := visible.typeOf(name); t != "" {
			all[i].Type = &t
		}
	}
	return all
}
