package osapi

import (
	"encoding/json"
	"strings"
	"unicode"

	"indexerd/internal/query"
)

// match finds documents with any of the words, or with all for the operator and.
func (t *translator) match(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("match", "query", body, "operator")
	if err != nil {
		return nil, err
	}
	return t.words("match", f, m)
}

// words finds the words of a match in one field.
func (t *translator) words(name string, f Field, m map[string]json.RawMessage) (query.Node, error) {
	operator := "or"
	if m["operator"] != nil {
		var err error
		if operator, err = scalar(m["operator"], "operator"); err != nil {
			return nil, err
		}
	}
	operator = strings.ToLower(operator)
	if operator != "or" && operator != "and" {
		return nil, parsing("[%s] operator is or, or and", name)
	}
	text, err := scalar(m["query"], name)
	if err != nil || f.Type == "" {
		return query.None(), err
	}
	if f.Type != Text {
		return equal(f, text), nil
	}
	words := strings.FieldsFunc(text, isBreak)
	nodes := make([]query.Node, len(words))
	for i, w := range words {
		nodes[i] = query.Word{Field: f.Name, Text: w}
	}
	if err := t.count(len(nodes)); err != nil {
		return nil, err
	}
	if operator == "and" {
		return searched(all(nodes)), nil
	}
	return searched(anyOf(nodes)), nil
}

// multiMatch finds documents where a match in any of the fields does.
func (t *translator) multiMatch(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "multi_match")
	if err != nil {
		return nil, err
	}
	if err := only(m, "multi_match", "query", "fields", "operator", "type"); err != nil {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal(m["fields"], &names); m["fields"] == nil || err != nil || len(names) == 0 {
		return nil, parsing("[multi_match] needs [fields], a list of fields")
	}
	if m["type"] != nil {
		kind, err := scalar(m["type"], "type")
		if err != nil {
			return nil, err
		}
		if kind != "most_fields" && kind != "best_fields" {
			return nil, parsing("[multi_match] type is most_fields or best_fields")
		}
	}
	if err := t.count(len(names)); err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, name := range names {
		if strings.ContainsAny(name, "*^") {
			return nil, parsing("[multi_match] field [%s] is not supported: name a field, without * and ^", query.Shorten(name))
		}
		f, err := t.lookup(name)
		if err != nil {
			return nil, err
		}
		n, err := t.words("multi_match", f, m)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return anyOf(nodes), nil
}

// isBreak reports whether a character separates words. Apostrophes, points and
// commas may be inside one, such as in don't and 3.5; the analyzer decides.
func isBreak(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("'’._,", r)
}

func (t *translator) matchPhrase(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("match_phrase", "query", body, "slop")
	if err != nil {
		return nil, err
	}
	text, err := scalar(m["query"], "match_phrase")
	if err != nil || f.Type == "" {
		return query.None(), err
	}
	if f.Type != Text {
		return equal(f, text), nil
	}
	p := query.Phrase{Field: f.Name, Text: text}
	if m["slop"] != nil {
		if err := json.Unmarshal(m["slop"], &p.Slop); err != nil || p.Slop < 0 || p.Slop > query.MaxSlop {
			return nil, parsing("[match_phrase] slop is a number from 0 to %d", query.MaxSlop)
		}
	}
	return searched(p), nil
}
