package hits

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A Source is the fields of hits, as _source names them.
type Source struct {
	Names []string // none: all
	None  bool     // no _source
	empty bool     // a _source without fields, since none has such a name
	parts inside   // what is shown of objects
}

// Show adds the _source of a hit.
func (s Source) Show(to map[string]any, hit search.Hit) {
	switch {
	case s.None:
	case s.empty:
		to["_source"] = search.Fields{}
	case len(s.Names) == 0:
		to["_source"] = hit.Fields
	default: // more fields may have been read for other parts of the hit
		shown := search.Fields{}
		for _, f := range hit.Fields {
			if !slices.Contains(s.Names, f.Name) {
				continue
			}
			if part, ok := s.parts.of(f.Name, f.Value); ok {
				shown = append(shown, search.Field{Name: f.Name, Value: part})
			}
		}
		to["_source"] = shown
	}
}

// Read returns the fields to read of each hit: those of the selection and some more, none
// for all.
func (s Source) Read(fields []Field) (names []string) {
	if len(s.Names) == 0 && !s.None && !s.empty {
		return nil
	}
	if !s.None {
		names = slices.Clone(s.Names)
	}
	for _, f := range fields {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// ParseSource reads _source: true, false, a field, a list of fields, or an object with
// includes and excludes. Names may have *.
func ParseSource(v json.RawMessage, ix mapping.Index) (s Source, err error) {
	var all bool
	var includes, excludes []string
	switch {
	case json.Unmarshal(v, &all) == nil:
		return Source{None: !all}, nil
	case v[0] == '{':
		m, err := input.ObjectOf(v, "_source", "includes", "include", "excludes", "exclude")
		if err != nil {
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
	return choose(ix, includes, excludes)
}

// maxNames is the number of names and patterns of a list of fields.
const maxNames = 1024

// names reads a name or a list of names.
func names(v json.RawMessage) ([]string, error) {
	list, err := input.Strings(v, "_source")
	if len(list) > maxNames {
		return nil, input.ParsingError("[_source] names more than %d fields", maxNames)
	}
	if err != nil {
		err = input.ParsingError("[_source] is true, false, a field or a list of fields")
	}
	return list, err
}

// choose returns the fields that match a pattern of includes, all if there are none,
// and no pattern of excludes. A pattern may be that of a path in a JSON column.
func choose(ix mapping.Index, includes, excludes []string) (s Source, err error) {
	for _, name := range includes {
		if slices.Contains(excludes, name) {
			return s, input.ArgumentError("The same entry [%s] cannot be both included and excluded in _source.", query.Shorten(name))
		}
	}
	for _, list := range [][]string{includes, excludes} {
		for i, p := range list {
			if _, bad := path.Match(p, ""); bad != nil {
				err = input.ParsingError("[_source] has a pattern that can't be read: write * only")
			}
			list[i] = strings.TrimSuffix(p, mapping.Suffix)
		}
	}
	s.parts = inside{includes, excludes}
	for _, f := range ix {
		chosen := len(includes) == 0 || matches(includes, f.Name) || reach(includes, f.Name)
		if chosen && !slices.Contains(s.Names, f.Name) && !matches(excludes, f.Name) {
			s.Names = append(s.Names, f.Name)
		}
	}
	if s.empty = len(s.Names) == 0; len(includes)+len(excludes) == 0 {
		return Source{}, err
	}
	return s, err
}

// SourceInURL reads _source, _source_includes and _source_excludes.
func SourceInURL(v url.Values, ix mapping.Index) (Source, error) {
	list := func(name string) []string {
		return slices.DeleteFunc(strings.Split(v.Get(name), ","), func(s string) bool { return s == "" })
	}
	includes := list("_source_includes")
	switch one := v.Get("_source"); one {
	case "", "true":
	case "false":
		return Source{None: true}, nil
	default:
		includes = append(includes, list("_source")...)
	}
	return choose(ix, includes, list("_source_excludes"))
}
