package osapi

import (
	"encoding/json"
	"slices"
	"strings"

	"indexerd/internal/index/query"
)

// parseSuggestions reads suggest. ix are the fields that are searched.
func parseSuggestions(v json.RawMessage, ix Index) (list []suggestion, err error) {
	m, err := object(v, "suggest")
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
		return nil, parsing("[suggest] has more than %d suggestions, or more than %d words", maxSuggestions, maxSuggested)
	}
	return list, nil
}

func parseSuggestion(name string, v, text json.RawMessage, ix Index) (s suggestion, err error) {
	m, err := object(v, "suggest")
	if err != nil {
		return s, err
	}
	if m["completion"] != nil {
		return s, parsing("[suggest] completion is not supported: use match_phrase_prefix or match_bool_prefix of a query")
	}
	if only(m, "suggest", "text", "term", "phrase") != nil {
		return s, fault("named_object_not_found_exception", "[suggest] has text, term and phrase")
	}
	s = suggestion{name: name, termOptions: termOptions{size: 5, mode: "missing", edits: 2, prefix: 1, minLength: 4}, phraseOptions: phraseOptions{errors: 1}}
	if m["text"] != nil {
		text = m["text"]
	}
	if text == nil {
		return s, parsing("[suggest] needs [text]")
	}
	if s.text, err = scalar(text, "suggest.text"); err != nil {
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
	return s, parsing("[suggest] needs one of term and phrase")
}

// word reads the options of a term suggestion.
func (s *suggestion) word(v json.RawMessage, ix Index) error {
	m, err := object(v, "term")
	if err != nil {
		return err
	}
	if err := only(m, "term", "field", "size", "shard_size", "sort", "suggest_mode", "max_edits", "prefix_length", "min_word_length", "text"); err != nil {
		return err
	}
	for name, to := range map[string]*int{"size": &s.size, "max_edits": &s.edits, "prefix_length": &s.prefix, "min_word_length": &s.minLength} {
		if m[name] == nil {
			continue
		}
		if err := number(m[name], name, to); err != nil {
			return err
		}
	}
	for name, known := range map[string][]string{"sort": {"score", "frequency"}, "suggest_mode": {"missing", "popular", "always"}} {
		if m[name] == nil {
			continue
		}
		text, err := scalar(m[name], name)
		if err != nil || !slices.Contains(known, text) {
			return parsing("[suggest] %s is %s", name, strings.Join(known, " or "))
		}
		if name == "sort" {
			s.byFreq = text == "frequency"
		} else {
			s.mode = text
		}
	}
	if s.edits < 1 || s.edits > 2 {
		return parsing("[suggest] max_edits is 1 or 2")
	}
	return s.in(m, ix)
}

// phrase reads the options of a phrase suggestion.
func (s *suggestion) phrase(v json.RawMessage, ix Index) error {
	m, err := object(v, "phrase")
	if err != nil {
		return err
	}
	if err := only(m, "phrase", "field", "size", "max_errors", "highlight", "text"); err != nil {
		return err
	}
	if m["size"] != nil {
		if err := number(m["size"], "size", &s.size); err != nil {
			return err
		}
	}
	if m["max_errors"] != nil && (json.Unmarshal(m["max_errors"], &s.errors) != nil || s.errors <= 0) {
		return parsing("[suggest] max_errors is a number above 0")
	}
	if m["highlight"] != nil {
		tags, err := object(m["highlight"], "highlight")
		if err != nil {
			return err
		}
		if err := only(tags, "highlight", "pre_tag", "post_tag"); err != nil {
			return err
		}
		s.marked = true
		for name, to := range map[string]*string{"pre_tag": &s.pre, "post_tag": &s.post} {
			if *to, err = scalar(tags[name], name); err != nil {
				return err
			}
		}
	}
	return s.in(m, ix)
}

// in reads the field of a suggestion.
func (s *suggestion) in(m map[string]json.RawMessage, ix Index) error {
	name, err := scalar(m["field"], "suggest.field")
	if err != nil {
		return err
	}
	if s.field, err = ix.lookup(name); err != nil {
		return err
	}
	switch {
	case s.field.Type == "":
		return illegal("no mapping found for field [%s]", query.Shorten(name))
	case s.field.Type != Text:
		return parsing("[suggest] on field [%s] is not supported: use a text field", s.field.Name)
	case s.size < 1 || s.size > maxOptions:
		return parsing("[suggest] size is a number from 1 to %d", maxOptions)
	}
	return nil
}
