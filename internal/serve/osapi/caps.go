package osapi

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
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
	for _, table := range t.Tables {
		for _, f := range t.indices[table].Match("*") {
			if !matchesAny(patterns, f.Shown()) {
				continue
			}
			if tables[f.Shown()] == nil {
				tables[f.Shown()] = map[string][]string{}
			}
			tables[f.Shown()][f.Type] = append(tables[f.Shown()][f.Type], table)
		}
	}
	fields := map[string]any{}
	for name, types := range tables {
		caps := map[string]any{}
		for kind, in := range types {
			one := map[string]any{"type": kind, "searchable": true, "aggregatable": kind != mapping.Text}
			if len(types) > 1 {
				one["indices"] = in
			}
			caps[kind] = one
		}
		fields[name] = caps
	}
	return map[string]any{"indices": append([]string{}, t.Tables...), "fields": fields}, nil
}

// wantedFields reads fields of the URL or the body.
func wantedFields(c *call) (patterns []string, err error) {
	v := c.URL.Query()
	if v.Get("include_unmapped") == "true" {
		return nil, input.ParsingError("URL parameter [include_unmapped] is not supported")
	}
	if v.Get("fields") != "" {
		patterns = strings.Split(v.Get("fields"), ",")
	}
	if len(bytes.TrimSpace(c.body)) > 0 {
		m, err := input.ObjectOf(c.body, "body", "fields")
		if err != nil {
			return nil, err
		}
		if m["fields"] != nil {
			if patterns, err = input.Strings(m["fields"], "fields"); err != nil {
				return nil, err
			}
		}
	}
	if len(patterns) == 0 {
		return nil, input.ArgumentError("no fields specified: write fields=* for all")
	}
	if slices.ContainsFunc(patterns, func(p string) bool { _, err := path.Match(p, ""); return err != nil }) {
		return nil, input.ParsingError("[fields] has a pattern that can't be read: write * only")
	}
	return patterns, nil
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}
