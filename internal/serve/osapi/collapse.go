package osapi

import (
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// collapse reads the field by which hits are collapsed. It runs after the sort and
// search_after are known. Each hit shows its value, and has the documents behind it if
// inner_hits are requested.
func (r *request) collapse(v json.RawMessage, t *target) error {
	m, err := input.Object(v, "collapse")
	if err != nil {
		return input.ParsingError("Unknown key for a value in [collapse]: it is an object")
	}
	if err := input.OnlyIn(m, "collapse", "field", "inner_hits", "max_concurrent_group_searches"); err != nil {
		return err
	}
	if text := m["max_concurrent_group_searches"]; text != nil {
		atOnce := 0 // of the searches of inner_hits
		if json.Unmarshal(text, &atOnce) != nil || atOnce < 1 {
			return input.Error(input.UnknownKey, "[collapse] failed to parse field [max_concurrent_group_searches]: it must be positive")
		}
	}
	var name string
	if json.Unmarshal(m["field"], &name) != nil || name == "" {
		return input.Error(input.UnknownKey, "[collapse] field is the name of a field")
	}
	if len(t.Tables) == 0 {
		return nil
	}
	if len(t.Tables) > 1 {
		return input.ParsingError("[collapse] in %d indices is not supported: search one index", len(t.Tables))
	}
	f, err := t.Lookup(name)
	switch {
	case err != nil:
		return err
	case f.Type == "":
		return input.ArgumentError("no mapping found for `%s` in order to collapse on", query.Shorten(name))
	case f.Type != mapping.Keyword && f.Type != mapping.Double:
		return input.ArgumentError("unknown type for collapse field `%s`, only keywords and numbers are accepted", query.Shorten(name))
	case r.Behind != nil && (len(r.order) != 1 || r.order[0].Kind != f.Type || r.order[0].Field != f.Name):
		return input.Error("search_exception", "collapse field and sort field must be the same when use `collapse` in conjunction with `search_after`")
	}
	r.Collapse = f.Name
	if !slices.ContainsFunc(r.fields, func(other hits.Field) bool { return other.Shown() == f.Shown() }) {
		r.fields = append(r.fields, hits.DocValue(f))
	}
	if m["inner_hits"] != nil {
		return r.innerHits(m["inner_hits"], f, t)
	}
	return nil
}
