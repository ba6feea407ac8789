package dsl

import (
	"encoding/json"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/mapping"
)

// matchText translates a query of a text in one field. find finds the text; begins is set if
// its last word is the beginning of one. names are the options besides the text.
func (t *Translator) matchText(name string, find func(mapping.Field, string, matching) (query.Node, error), begins bool, names ...string) func(json.RawMessage) (query.Node, error) {
	return func(body json.RawMessage) (query.Node, error) {
		f, o := t.oneField(name, "query", body, names...)
		text, m := o.text("query"), o.matching()
		if m.begins = begins; o.err != nil {
			return nil, o.err
		}
		return o.boosted(find(f, text, m))
	}
}

// always translates a query without options of its own.
func always(name string, n query.Node) func(json.RawMessage) (query.Node, error) {
	return func(body json.RawMessage) (query.Node, error) {
		return readOptions(name, body).boosted(n, nil)
	}
}
