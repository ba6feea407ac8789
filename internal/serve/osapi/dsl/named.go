package dsl

import (
	"bytes"
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// maxNamed is how many queries of a search may have names.
const maxNamed = 32

// A Named is a query with _name. Hits that it matches have the name in
// matched_queries.
type Named struct {
	Name string
	Node query.Node
}

// name keeps a query that has a name. Of several with one name the last one counts. A
// name in a nested query is one of rows, and of no hit.
func (t *Translator) name(body json.RawMessage, n query.Node) error {
	if t.path != "" || !bytes.Contains(body, []byte(`"_name"`)) {
		return nil
	}
	name, err := nameOf(body, 2)
	if err != nil || name == "" {
		return err
	}
	t.Named = slices.DeleteFunc(t.Named, func(other Named) bool { return other.Name == name })
	if t.Named = append(t.Named, Named{name, n}); len(t.Named) > maxNamed {
		return input.ParsingError("more than %d queries have a [_name]", maxNamed)
	}
	return nil
}

// nameOf returns the _name in the options of a query, which are one or two levels deep.
func nameOf(body json.RawMessage, levels int) (string, error) {
	var m map[string]json.RawMessage
	if levels == 0 || json.Unmarshal(body, &m) != nil {
		return "", nil
	}
	if m["_name"] != nil {
		if string(m["_name"]) == "null" {
			return "", nil
		}
		return input.Scalar(m["_name"], "_name")
	}
	for _, inner := range m {
		if name, err := nameOf(inner, levels-1); name != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}
