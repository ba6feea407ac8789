package osapi

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A target is the indices that a request names.
type target struct {
	dsl.Scope
	engine  Engine
	caller  search.Caller
	missing []string // those with nothing to search yet, that a pattern names
	indices map[string]mapping.Index
	room    *int // how many bytes of hits the answer may still have
}

// A leniency is what a list of indices may name in vain.
type leniency struct {
	missing bool // indices that do not exist
	strict  bool // not even patterns that match none
}

// leniencyIn reads ignore_unavailable and allow_no_indices.
func leniencyIn(v url.Values) leniency {
	return leniency{flagIn(v, "ignore_unavailable"), v.Get("allow_no_indices") == "false"}
}

// none returns the target that has no index.
func (s server) none() *target {
	room := maxHits
	return &target{Scope: dsl.Scope{OID: s.engine.OID}, engine: s.engine, indices: map[string]mapping.Index{}, room: &room}
}

// target returns the indices of a list of names and patterns; "" and _all are all.
func (s server) target(list string, c search.Caller, may leniency) (*target, error) {
	t := s.none()
	t.caller = c
	names, patterned, err := expand(list, s.engine.Tables(c))
	if err != nil {
		return nil, err
	}
	slices.Sort(names) // equal hits are in the order of the names of their indices
	for _, name := range names {
		switch err := t.add(name, c); {
		case err == nil || may.missing && status(err) == http.StatusNotFound:
		case patterned[name] && status(err) == http.StatusServiceUnavailable:
			t.missing = append(t.missing, name)
		default:
			return nil, err
		}
	}
	if may.strict && len(t.Tables)+len(t.missing) == 0 {
		return nil, noIndex(list, nil)
	}
	return t, nil
}

// expand returns the names that a list has, and those of them that only a pattern
// names. A pattern that begins with a minus removes names.
func expand(list string, tables []string) (names []string, patterned map[string]bool, err error) {
	if list == "" || list == "_all" {
		list = "*"
	}
	patterned = map[string]bool{}
	for one := range strings.SplitSeq(list, ",") {
		if strings.HasPrefix(one, "_") {
			return nil, nil, input.Error("invalid_index_name_exception", "Invalid index name [%s], must not start with '_', '-', or '+'; as an endpoint it is not supported: docs/opensearch-api.md lists those that are", query.Shorten(one))
		}
		pattern, removed := strings.CutPrefix(one, "-")
		if !removed && !strings.Contains(one, "*") {
			names = append(names, one)
			continue
		}
		if strings.ContainsAny(pattern, `?[]\\`) {
			return nil, nil, input.ParsingError("index [%s] is not supported: a pattern has * only", query.Shorten(one))
		}
		for _, name := range tables {
			ok, _ := path.Match(pattern, name) // the pattern is valid
			switch {
			case !ok:
			case removed:
				names = slices.DeleteFunc(names, func(s string) bool { return s == name })
			case !slices.Contains(names, name):
				names, patterned[name] = append(names, name), true
			}
		}
	}
	return names, patterned, nil
}

func (t *target) add(name string, c search.Caller) error {
	if t.indices[name] != nil {
		return nil
	}
	ix, err := t.engine.Fields(name, c)
	if status(err) == http.StatusNotFound {
		return noIndex(name, t.engine.Tables(c))
	}
	if err != nil {
		return err
	}
	t.Tables, t.indices[name] = append(t.Tables, name), ix
	t.Index = t.Index.Join(ix)
	return nil
}

// status returns the status of an error for the caller, 0 for another one.
func status(err error) int {
	if e := (*httpapi.Error)(nil); errors.As(err, &e) {
		return e.Status
	}
	return 0
}
