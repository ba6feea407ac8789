package hits

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// An inside is what _source names of the objects in JSON columns: patterns of paths such
// as data.title, in which * is any part of a path.
type inside struct{ includes, excludes []string } // no includes: all

// matches reports whether one of the patterns is that of a path.
func matches(patterns []string, at string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, at)
		return err == nil && ok
	})
}

// reach reports whether one of the patterns may be that of a path below another one.
func reach(patterns []string, at string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		end := strings.IndexAny(p, `*?[\`)
		if end < 0 {
			return strings.HasPrefix(p, at+".")
		}
		return strings.HasPrefix(at+".", p[:end]) || strings.HasPrefix(p[:end], at+".")
	})
}

// cuts reports whether a field may be shown in part.
func (s inside) cuts(name string) bool {
	return len(s.includes) > 0 && !matches(s.includes, name) || reach(s.excludes, name)
}

// of returns what is shown of a field's value, and whether it is shown at all.
func (s inside) of(name string, value any) (any, bool) {
	if !s.cuts(name) {
		return value, true
	}
	switch value.(type) {
	case doc.JSON, []any:
		text, err := json.Marshal(value)
		if err != nil {
			return nil, false
		}
		return s.part(text, name, len(s.includes) == 0)
	}
	return value, len(s.includes) == 0 || matches(s.includes, name)
}

// part returns what is shown of the value at a path. It is shown whole, but for excludes,
// if the path or one above it is included.
func (s inside) part(text json.RawMessage, at string, included bool) (json.RawMessage, bool) {
	if matches(s.excludes, at) {
		return nil, false
	}
	included = included || matches(s.includes, at)
	switch text = bytes.TrimSpace(text); text[0] {
	case '{':
		shown, err := s.members(text, at, included)
		return shown, err == nil && (included || len(shown) > len("{}"))
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil {
			return nil, false
		}
		parts := [][]byte{}
		for _, e := range list {
			if e, ok := s.part(e, at, included); ok {
				parts = append(parts, e)
			}
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]")), included || len(parts) > 0
	}
	return text, included
}

// members returns an object with the members that are shown, in their order.
func (s inside) members(text json.RawMessage, at string, included bool) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // {
		return nil, err
	}
	shown := []byte("{")
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		part, ok := s.part(value, at+"."+name.(string), included) // a key is a string
		if !ok {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if len(shown) > 1 {
			shown = append(shown, ',')
		}
		shown = slices.Concat(shown, key, []byte(":"), part)
	}
	return append(shown, '}'), nil
}
