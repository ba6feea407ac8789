package osapi

import (
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
)

// collapse reads the field by which hits are collapsed. It runs after the sort and
// search_after are known. Each hit shows its value, and has the documents behind it if
// inner_hits are requested.
func (r *request) collapse(v json.RawMessage, t *target) error {
	m, err := object(v, "collapse")
	if err != nil {
		return parsing("Unknown key for a value in [collapse]: it is an object")
	}
	if err := onlyIn(m, "collapse", "field", "inner_hits", "max_concurrent_group_searches"); err != nil {
		return err
	}
	if text := m["max_concurrent_group_searches"]; text != nil {
		atOnce := 0 // of the searches of inner_hits
		if json.Unmarshal(text, &atOnce) != nil || atOnce < 1 {
			return fault(unknownKey, "[collapse] failed to parse field [max_concurrent_group_searches]: it must be positive")
		}
	}
	var name string
	if json.Unmarshal(m["field"], &name) != nil || name == "" {
		return fault(unknownKey, "[collapse] field is the name of a field")
	}
	if len(t.tables) == 0 {
		return nil
	}
	if len(t.tables) > 1 {
		return parsing("[collapse] in %d indices is not supported: search one index", len(t.tables))
	}
	f, err := t.lookup(name)
	switch {
	case err != nil:
		return err
	case f.Type == "":
		return illegal("no mapping found for `%s` in order to collapse on", query.Shorten(name))
	case f.Type != Keyword && f.Type != Double:
		return illegal("unknown type for collapse field `%s`, only keywords and numbers are accepted", query.Shorten(name))
	case r.Behind != nil && (len(r.order) != 1 || r.order[0].kind != f.Type || r.order[0].Field != f.Name):
		return fault("search_exception", "collapse field and sort field must be the same when use `collapse` in conjunction with `search_after`")
	}
	r.Collapse = f.Name
	if !slices.ContainsFunc(r.fields, func(other shownField) bool { return other.shown() == f.shown() }) {
		r.fields = append(r.fields, docValue(f))
	}
	if m["inner_hits"] != nil {
		return r.innerHits(m["inner_hits"], f, t)
	}
	return nil
}
