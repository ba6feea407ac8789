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
)

// The types of fields, as mappings name them.
const (
	Text    = "text"
	Keyword = "keyword"
	Double  = "double"
	Date    = "date"
	Boolean = "boolean"

	mixed = "mixed" // not the same in all searched indices

	idField    = "_id"    // the type of the key of a document
	indexField = "_index" // the type of the name of the index
)

// A Field is a field of an index. Values of a field that is also text have the name
// of the field and .keyword in queries.
type Field struct {
	Name string
	Type string
	// Child is set of the values of a child's rows, which a nested query has as path.
	Child bool

	both bool // text and value
}

// An Index is the fields of a table.
type Index []Field

// suffix marks the values of a field that is also text.
const suffix = ".keyword"

// field returns the field with a name, without a type if there is none.
func (ix Index) field(name string) Field {
	base, valued := strings.CutSuffix(name, suffix)
	for _, wanted := range []string{name, base} {
		var found []Field
		for _, f := range ix {
			if f.Name == wanted {
				found = append(found, f)
			}
		}
		switch {
		case len(found) == 2:
			f := found[slices.IndexFunc(found, func(f Field) bool { return (f.Type != Text) == (wanted != name) })]
			f.both = true
			return f
		case len(found) == 1 && wanted == name:
			return found[0]
		}
		if !valued {
			break
		}
	}
	return Field{Name: name}
}

// shown returns the name of a field in queries.
func (f Field) shown() string {
	if f.both && f.Type != Text {
		return f.Name + suffix
	}
	return f.Name
}

// queryNames lists the fields by their names in queries.
func (ix Index) queryNames() (names []string) {
	types := ix.types()
	for _, f := range ix {
		f.both = len(types[f.Name]) == 2
		names = append(names, f.shown())
	}
	return names
}

// lookup returns the field with a name. A field with different types in the searched
// indices is an error.
func (ix Index) lookup(name string) (Field, error) {
	f := ix.field(name)
	if f.Type == mixed {
		return f, parsing("field [%s] has different types in these indices: search them one by one", query.Shorten(name))
	}
	return f, nil
}

// types returns the types of each field.
func (ix Index) types() map[string][]string {
	types := map[string][]string{}
	for _, f := range ix {
		types[f.Name] = append(types[f.Name], f.Type)
	}
	return types
}

// join adds the fields of another index.
func (ix Index) join(other Index) Index {
	known, added := ix.types(), other.types()
	differ := func(name string) bool {
		return known[name] != nil && added[name] != nil && !slices.Equal(known[name], added[name])
	}
	joined := slices.DeleteFunc(slices.Clone(ix), func(f Field) bool { return differ(f.Name) })
	for name := range known {
		if differ(name) {
			joined = append(joined, Field{Name: name, Type: mixed})
		}
	}
	for _, f := range other {
		if known[f.Name] == nil {
			joined = append(joined, f)
		}
	}
	return joined
}

// A target is the indices that a request names.
type target struct {
	engine  Engine
	tables  []string
	missing []string // those with nothing to search yet, that a pattern names
	indices map[string]Index
	Index        // all fields
	alikes  int  // more_like_this queries
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
	return &target{engine: s.engine, indices: map[string]Index{}, room: &room}
}

// target returns the indices of a list of names and patterns; "" and _all are all.
func (s server) target(list string, c search.Caller, may leniency) (*target, error) {
	t := s.none()
	names, patterned, err := expand(list, s.engine.Tables())
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
	if may.strict && len(t.tables)+len(t.missing) == 0 {
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
			return nil, nil, fault("invalid_index_name_exception", "Invalid index name [%s], must not start with '_', '-', or '+'; as an endpoint it is not supported: docs/opensearch-api.md lists those that are", query.Shorten(one))
		}
		pattern, removed := strings.CutPrefix(one, "-")
		if !removed && !strings.Contains(one, "*") {
			names = append(names, one)
			continue
		}
		if strings.ContainsAny(pattern, `?[]\\`) {
			return nil, nil, parsing("index [%s] is not supported: a pattern has * only", query.Shorten(one))
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
		return noIndex(name, t.engine.Tables())
	}
	if err != nil {
		return err
	}
	t.tables, t.indices[name] = append(t.tables, name), ix
	t.Index = t.Index.join(ix)
	return nil
}

// status returns the status of an error for the caller, 0 for another one.
func status(err error) int {
	if e := (*httpapi.Error)(nil); errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// keys returns the query for the documents with these keys. A text that is no key of
// a table is the key of no document there.
func (t *target) keys(texts []string) query.Node {
	var n query.Keys
	for _, table := range t.tables {
		for _, text := range texts {
			if oid, err := t.engine.OID(table, text); err == nil && !slices.Contains(n.OIDs, oid) {
				n.OIDs = append(n.OIDs, oid)
			}
		}
	}
	return n
}
