package suggest

import (
	"encoding/json"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// Parse reads suggest. ix are the fields that are searched.
func Parse(v json.RawMessage, ix mapping.Index) (list []Suggestion, err error) {
	m, err := input.Object(v, "suggest")
	if err != nil {
		return nil, err
	}
	words := 0
	for name, text := range m {
		if name == "text" {
			continue
		}
		s, err := parseSuggestion(name, text, m["text"], ix)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		words += len(wordsOf(s.text))
	}
	if len(list) > maxSuggestions || words > maxSuggested {
		return nil, input.ParsingError("[suggest] has more than %d suggestions, or more than %d words", maxSuggestions, maxSuggested)
	}
	return list, nil
}

func parseSuggestion(name string, v, text json.RawMessage, ix mapping.Index) (s Suggestion, err error) {
	m, err := input.Object(v, "suggest")
	if err != nil {
		return s, err
	}
	if m["completion"] != nil {
		return s, input.ParsingError("[suggest] completion is not supported: use match_phrase_prefix or match_bool_prefix of a query")
	}
	if input.Only(m, "suggest", "text", "term", "phrase") != nil {
		return s, input.Error("named_object_not_found_exception", "[suggest] has text, term and phrase")
	}
	s = Suggestion{name: name, size: 5, mode: "missing", edits: 2, prefix: 1, minLength: 4, errors: 1}
	if m["text"] != nil {
		text = m["text"]
	}
	if text == nil {
		return s, input.ParsingError("[suggest] needs [text]")
	}
	if s.text, err = input.Scalar(text, "suggest.text"); err != nil {
		return s, err
	}
	switch {
	case m["term"] != nil && m["phrase"] == nil:
		s.kind = "term"
		return s, s.word(m["term"], ix)
	case m["phrase"] != nil && m["term"] == nil:
		s.kind = "phrase"
		return s, s.phrase(m["phrase"], ix)
	}
	return s, input.ParsingError("[suggest] needs one of term and phrase")
}

// word reads the options of a term suggestion.
func (s *Suggestion) word(v json.RawMessage, ix mapping.Index) error {
	m, err := input.ObjectOf(v, "term", "field", "size", "shard_size", "sort", "suggest_mode", "max_edits", "prefix_length", "min_word_length", "text")
	if err != nil {
		return err
	}
	if err := input.WholeNumbers(m, map[string]*int{"size": &s.size, "max_edits": &s.edits, "prefix_length": &s.prefix, "min_word_length": &s.minLength}); err != nil {
		return err
	}
	for name, known := range map[string][]string{"sort": {"score", "frequency"}, "suggest_mode": {"missing", "popular", "always"}} {
		if m[name] == nil {
			continue
		}
		text, err := input.Scalar(m[name], name)
		if err != nil || !slices.Contains(known, text) {
			return input.ParsingError("[suggest] %s is %s", name, strings.Join(known, " or "))
		}
		if name == "sort" {
			s.byFreq = text == "frequency"
		} else {
			s.mode = text
		}
	}
	if s.edits < 1 || s.edits > 2 {
		return input.ParsingError("[suggest] max_edits is 1 or 2")
	}
	return s.in(m, ix)
}

// phrase reads the options of a phrase suggestion.
func (s *Suggestion) phrase(v json.RawMessage, ix mapping.Index) error {
	m, err := input.ObjectOf(v, "phrase", "field", "size", "max_errors", "highlight", "text")
	if err != nil {
		return err
	}
	if err := input.WholeNumbers(m, map[string]*int{"size": &s.size}); err != nil {
		return err
	}
	if m["max_errors"] != nil && (json.Unmarshal(m["max_errors"], &s.errors) != nil || s.errors <= 0) {
		return input.ParsingError("[suggest] max_errors is a number above 0")
	}
	if m["highlight"] != nil {
		tags, err := input.ObjectOf(m["highlight"], "highlight", "pre_tag", "post_tag")
		if err != nil {
			return err
		}
		s.marked = true
		for name, to := range map[string]*string{"pre_tag": &s.pre, "post_tag": &s.post} {
			if *to, err = input.Scalar(tags[name], name); err != nil {
				return err
			}
		}
	}
	return s.in(m, ix)
}

// in reads the field of a suggestion.
func (s *Suggestion) in(m map[string]json.RawMessage, ix mapping.Index) error {
	name, err := input.Scalar(m["field"], "suggest.field")
	if err != nil {
		return err
	}
	if s.field, err = ix.Lookup(name); err != nil {
		return err
	}
	switch {
	case s.field.Type == "":
		return input.ArgumentError("no mapping found for field [%s]", query.Shorten(name))
	case s.field.Type != mapping.Text:
		return input.ParsingError("[suggest] on field [%s] is not supported: use a text field", s.field.Name)
	case s.size < 1 || s.size > maxOptions:
		return input.ParsingError("[suggest] size is a number from 1 to %d", maxOptions)
	}
	return nil
}
