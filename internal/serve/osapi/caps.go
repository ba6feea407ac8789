package osapi

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// fieldCaps returns the types of the fields whose names match, and what they are good
// for. A field with several types has an entry for each, with its indices.
func (s server) fieldCaps(c *call) (any, error) {
	t, err := s.targetOf(c, "fields", "include_unmapped")
	if err != nil {
		return nil, err
	}
	patterns, err := wantedFields(c)
	if err != nil {
		return nil, err
	}
	tables := map[string]map[string][]string{} // by field and type
	for _, table := range t.tables {
		for _, f := range t.indices[table].named("*") {
			if !matchesAny(patterns, f.shown()) {
				continue
			}
			if tables[f.shown()] == nil {
				tables[f.shown()] = map[string][]string{}
			}
			tables[f.shown()][f.Type] = append(tables[f.shown()][f.Type], table)
		}
	}
	fields := map[string]any{}
	for name, types := range tables {
		caps := map[string]any{}
		for kind, in := range types {
			one := map[string]any{"type": kind, "searchable": true, "aggregatable": kind != Text}
			if len(types) > 1 {
				one["indices"] = in
			}
			caps[kind] = one
		}
		fields[name] = caps
	}
	return map[string]any{"indices": append([]string{}, t.tables...), "fields": fields}, nil
}

// wantedFields reads fields of the URL or the body.
func wantedFields(c *call) (patterns []string, err error) {
	v := c.URL.Query()
	if v.Get("include_unmapped") == "true" {
		return nil, parsing("URL parameter [include_unmapped] is not supported")
	}
	if v.Get("fields") != "" {
		patterns = strings.Split(v.Get("fields"), ",")
	}
	if len(bytes.TrimSpace(c.body)) > 0 {
		m, err := object(c.body, "body")
		if err != nil {
			return nil, err
		}
		if err := only(m, "body", "fields"); err != nil {
			return nil, err
		}
		if m["fields"] != nil {
			if patterns, err = idsIn(m["fields"], "fields"); err != nil {
				return nil, err
			}
		}
	}
	if len(patterns) == 0 {
		return nil, illegal("no fields specified: write fields=* for all")
	}
	if slices.ContainsFunc(patterns, func(p string) bool { _, err := path.Match(p, ""); return err != nil }) {
		return nil, parsing("[fields] has a pattern that can't be read: write * only")
	}
	return patterns, nil
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}
