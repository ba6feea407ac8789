package hits

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// The limits of highlight.
const (
	maxHighlighted = 64        // fields
	maxFragments   = 100       // of a field
	maxFragment    = 256 << 10 // characters
)

// ofField are the options of highlight that a field may have too, and ofHighlight
// those that it may not.
var (
	ofField     = []string{"pre_tags", "post_tags", "fragment_size", "number_of_fragments", "order", "no_match_size", "require_field_match", "highlight_query", "type", "boundary_scanner"}
	ofHighlight = append([]string{"fields", "encoder", "tags_schema"}, ofField...)
)

// A highlighting is the options of one field, or the defaults of all.
type highlighting struct {
	search.Marking
	anywhere bool // matches of other fields are marked too
}

// ParseHighlight reads highlight. Fields that are not text have no highlights. n is the
// query of the search.
func ParseHighlight(v json.RawMessage, t *dsl.Scope, n query.Node) (marks []search.Marking, err error) {
	m, err := input.ObjectOf(v, "highlight", ofHighlight...)
	if err != nil {
		return nil, err
	}
	h := highlighting{Marking: search.Marking{Pre: "<em>", Post: "</em>", Fragments: 5, Runes: 100, InOrder: true, Words: true}}
	if err := h.ofAll(m); err != nil {
		return nil, err
	}
	if err := h.set(m, t); err != nil {
		return nil, err
	}
	if m["fields"] == nil {
		return nil, nil
	}
	fields, err := highlightedFields(m["fields"])
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		one := h
		if err := one.set(f.options, t); err != nil {
			return nil, err
		}
		for _, name := range textFields(t.Index, f.name) {
			marks = mark(marks, one, name, n)
		}
	}
	if len(marks) > maxHighlighted {
		return nil, input.ParsingError("[highlight] names more than %d fields", maxHighlighted)
	}
	return marks, nil
}

// mark adds a field to the highlights. Of two options for a field the later ones count.
func mark(marks []search.Marking, h highlighting, name string, n query.Node) []search.Marking {
	h.Field = name
	if h.anywhere && h.Query == nil {
		h.Query = n
	}
	if h.anywhere {
		h.Query = inField(h.Query, name)
	}
	return append(slices.DeleteFunc(marks, func(m search.Marking) bool { return m.Field == name }), h.Marking)
}

// inField returns a query whose words are those of another one, in one field.
func inField(n query.Node, field string) query.Node {
	return query.Map(n, func(n query.Node) query.Node {
		switch n := n.(type) {
		case query.Word:
			n.Field = field
			return n
		case query.Phrase:
			n.Field = field
			return n
		case query.Prefix:
			n.Field = field
			return n
		case query.Pattern:
			n.Field = field
			return n
		case query.AnyTerm:
			n.Field = field
			return n
		case query.Similar:
			n.Field = field
			return n
		case query.PhrasePrefix:
			n.Field = field
			return n
		}
		return n
	})
}

// A highlightedField is a field or a pattern with its options.
type highlightedField struct {
	name    string
	options map[string]json.RawMessage
}

// highlightedFields reads fields: an object, or a list of objects.
func highlightedFields(v json.RawMessage) (list []highlightedField, err error) {
	for _, text := range input.List(v) {
		fields, err := input.Object(text, "highlight.fields")
		if err != nil {
			return nil, err
		}
		for name, options := range fields {
			f := highlightedField{name: name}
			if f.options, err = input.Object(options, "highlight.fields"); err != nil {
				return nil, err
			}
			if err := input.Only(f.options, "highlight.fields", ofField...); err != nil {
				return nil, err
			}
			list = append(list, f)
		}
	}
	// Patterns first, so that the options of a name count.
	slices.SortStableFunc(list, func(a, b highlightedField) int {
		return strings.Count(b.name, "*") - strings.Count(a.name, "*")
	})
	return list, nil
}

// textFields returns the text fields whose names match a pattern.
func textFields(ix mapping.Index, pattern string) (names []string) {
	for _, f := range ix {
		if ok, err := path.Match(pattern, f.Name); err == nil && ok && (f.Type == mapping.Text || f.Type == mapping.Mixed) {
			names = append(names, f.Name)
		}
	}
	return names
}

// ofAll reads the options that only highlight has.
func (h *highlighting) ofAll(m map[string]json.RawMessage) error {
	for name, known := range map[string]map[string]func(){
		"encoder":     {"default": func() {}, "html": func() { h.Escape = true }},
		"tags_schema": {"default": func() {}, "styled": func() { h.Pre = `<em class="hlt1">` }},
	} {
		if m[name] == nil {
			continue
		}
		text, err := input.Scalar(m[name], name)
		if err != nil {
			return err
		}
		if known[text] == nil {
			return input.ParsingError("[highlight] %s [%s] is not supported", name, query.Shorten(text))
		}
		known[text]()
	}
	return nil
}

// set reads the options of a field.
func (h *highlighting) set(m map[string]json.RawMessage, t *dsl.Scope) (err error) {
	for name, to := range map[string]*string{"pre_tags": &h.Pre, "post_tags": &h.Post} {
		if m[name] == nil {
			continue
		}
		tags, err := input.Strings(m[name], name)
		if err != nil || len(tags) == 0 {
			return input.ParsingError("[highlight] %s is a list of tags", name)
		}
		*to = tags[0]
	}
	if err := input.WholeNumbers(m, map[string]*int{"number_of_fragments": &h.Fragments, "fragment_size": &h.Runes, "no_match_size": &h.NoMatch}); err != nil {
		return err
	}
	if h.Runes == 0 {
		h.Runes = maxFragment
	}
	if h.Fragments > maxFragments || h.Runes > maxFragment || h.NoMatch > maxFragment {
		return input.ParsingError("[highlight] has more than %d fragments, or one of more than %d characters", maxFragments, maxFragment)
	}
	if m["require_field_match"] != nil {
		var required bool
		if json.Unmarshal(m["require_field_match"], &required) != nil {
			return input.ParsingError("[highlight] require_field_match is true or false")
		}
		h.anywhere = !required
	}
	if m["highlight_query"] != nil {
		if h.Query, err = dsl.New(t).Node(m["highlight_query"]); err != nil {
			return err
		}
	}
	return h.choose(m)
}

// choose reads the options that are one of some words.
func (h *highlighting) choose(m map[string]json.RawMessage) error {
	for name, known := range map[string][]string{"order": {"none", "score"}, "type": {"unified", "plain", "fvh"}, "boundary_scanner": {"sentence"}} {
		if m[name] == nil {
			continue
		}
		text, err := input.Scalar(m[name], name)
		if err != nil {
			return err
		}
		if !slices.Contains(known, text) {
			return input.ParsingError("[highlight] %s [%s] is not supported: write %s", name, query.Shorten(text), strings.Join(known, " or "))
		}
		if name == "order" {
			h.InOrder = text == "none"
		}
	}
	return nil
}
