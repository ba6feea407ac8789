package osapi

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// A selection is the fields of hits, as _source names them.
type selection struct {
	names []string // none: all
	none  bool     // no _source
	empty bool     // a _source without fields, since none has such a name
}

// show adds the _source of a hit.
func (s selection) show(to map[string]any, hit search.Hit) {
	switch {
	case s.none:
	case s.empty:
		to["_source"] = search.Fields{}
	case len(s.names) == 0:
		to["_source"] = hit.Fields
	default: // more fields may have been read for other parts of the hit
		to["_source"] = slices.DeleteFunc(slices.Clone(hit.Fields), func(f search.Field) bool { return !slices.Contains(s.names, f.Name) })
	}
}

// selection reads _source: true, false, a field, a list of fields, or an object with
// includes and excludes. Names may have *.
func (ix Index) selection(v json.RawMessage) (s selection, err error) {
	var all bool
	var includes, excludes []string
	switch {
	case json.Unmarshal(v, &all) == nil:
		return selection{none: !all}, nil
	case v[0] == '{':
		m, err := object(v, "_source")
		if err != nil {
			return s, err
		}
		if err := only(m, "_source", "includes", "include", "excludes", "exclude"); err != nil {
			return s, err
		}
		for name, text := range m {
			to := &includes
			if strings.HasPrefix(name, "ex") {
				to = &excludes
			}
			if *to, err = names(text); err != nil {
				return s, err
			}
		}
	default:
		if includes, err = names(v); err != nil {
			return s, err
		}
	}
	return ix.choose(includes, excludes)
}

// names reads a name or a list of names.
func names(v json.RawMessage) ([]string, error) {
	var one string
	var list []string
	switch {
	case json.Unmarshal(v, &one) == nil:
		return []string{one}, nil
	case json.Unmarshal(v, &list) != nil:
		return nil, parsing("[_source] is true, false, a field or a list of fields")
	}
	return list, nil
}

// choose returns the fields that match a pattern of includes, all if there are none,
// and no pattern of excludes.
func (ix Index) choose(includes, excludes []string) (s selection, err error) {
	for _, name := range includes {
		if slices.Contains(excludes, name) {
			return s, fault(illegalArgument, "The same entry [%s] cannot be both included and excluded in _source.", query.Shorten(name))
		}
	}
	matches := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, bad := path.Match(strings.TrimSuffix(p, suffix), name)
			if bad != nil {
				err = parsing("[_source] has a pattern that can't be read: write * only")
			}
			return ok
		})
	}
	for _, f := range ix {
		if !slices.Contains(s.names, f.Name) && (len(includes) == 0 || matches(includes, f.Name)) && !matches(excludes, f.Name) {
			s.names = append(s.names, f.Name)
		}
	}
	if s.empty = len(s.names) == 0; len(includes)+len(excludes) == 0 {
		return selection{}, err
	}
	return s, err
}

// sourceInURL reads _source, _source_includes and _source_excludes.
func (ix Index) sourceInURL(v url.Values) (selection, error) {
	list := func(name string) []string {
		return slices.DeleteFunc(strings.Split(v.Get(name), ","), func(s string) bool { return s == "" })
	}
	includes := list("_source_includes")
	switch one := v.Get("_source"); one {
	case "", "true":
	case "false":
		return selection{none: true}, nil
	default:
		includes = append(includes, list("_source")...)
	}
	return ix.choose(includes, list("_source_excludes"))
}
