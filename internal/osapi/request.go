package osapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"indexerd/internal/query"
	"indexerd/internal/search"
)

// A request is a parsed search.
type request struct {
	search.Params
	source bool // hits have their fields
	total  bool // the answer has the number of matches
	scored bool // hits have a score
}

// parse reads the body of a search. names are the keys that it may have.
func parse(body []byte, ix Index, names ...string) (request, error) {
	r := request{source: true, total: true, scored: true}
	r.Node, r.Size = query.All{}, 10
	if len(bytes.TrimSpace(body)) == 0 {
		return r, nil
	}
	m, err := object(body, "body")
	if err != nil {
		return r, err
	}
	if err := only(m, "body", names...); err != nil {
		return r, err
	}
	for name, set := range map[string]func(json.RawMessage) error{
		"query": func(v json.RawMessage) (err error) {
			t := translator{index: ix}
			r.Node, err = t.node(v)
			return err
		},
		"from":             func(v json.RawMessage) error { return number(v, "from", &r.From) },
		"size":             func(v json.RawMessage) error { return number(v, "size", &r.Size) },
		"_source":          r.fields(ix),
		"sort":             r.order(ix),
		"track_total_hits": r.track,
	} {
		if m[name] == nil {
			continue
		}
		if err := set(m[name]); err != nil {
			return r, err
		}
	}
	return r, nil
}

func number(v json.RawMessage, name string, to *int) error {
	if err := json.Unmarshal(v, to); err != nil || *to < 0 {
		return parsing("[%s] is not a whole number from 0", name)
	}
	return nil
}

// track reads track_total_hits. Totals are exact whatever number it names.
func (r *request) track(v json.RawMessage) error {
	var upTo int
	if json.Unmarshal(v, &r.total) == nil {
		return nil
	}
	r.total = true
	return number(v, "track_total_hits", &upTo)
}

// fields reads _source: true, false, a field or a list of fields.
func (r *request) fields(ix Index) func(json.RawMessage) error {
	return func(v json.RawMessage) error {
		var one string
		var list []string
		switch {
		case json.Unmarshal(v, &r.source) == nil:
			return nil
		case json.Unmarshal(v, &one) == nil:
			list = []string{one}
		case json.Unmarshal(v, &list) != nil || len(list) == 0:
			return parsing("[_source] is true, false, a field or a list of fields")
		}
		r.source = false
		for _, name := range list {
			if strings.Contains(name, "*") {
				return parsing("[_source] with * is not supported: name the fields")
			}
			if ix.field(name).Type != "" {
				r.Fields, r.source = append(r.Fields, strings.TrimSuffix(ix.field(name).Name, suffix)), true
			}
		}
		return nil
	}
}

// order reads sort: a field, or a list of fields and {field: order} or
// {field: {order: order}}.
func (r *request) order(ix Index) func(json.RawMessage) error {
	return func(v json.RawMessage) error {
		list := []json.RawMessage{v}
		if v[0] == '[' {
			if err := json.Unmarshal(v, &list); err != nil {
				return parsing("[sort] is not a list")
			}
		}
		if len(list) > 0 {
			r.scored = false
		}
		for _, one := range list {
			by, err := sortBy(one, ix)
			if err != nil {
				return err
			}
			r.scored = r.scored || by.Field == query.ByScore
			r.Sort = append(r.Sort, by)
		}
		return nil
	}
}

func sortBy(v json.RawMessage, ix Index) (query.Sort, error) {
	var name, order string
	if json.Unmarshal(v, &name) != nil {
		field, value, err := single(v, "sort")
		if err != nil {
			return query.Sort{}, err
		}
		if name = field; json.Unmarshal(value, &order) != nil {
			m, err := object(value, "sort")
			if err != nil {
				return query.Sort{}, err
			}
			if err := only(m, "sort", "order"); err != nil {
				return query.Sort{}, err
			}
			if m["order"] != nil && json.Unmarshal(m["order"], &order) != nil {
				return query.Sort{}, parsing("[sort] order is asc or desc")
			}
		}
	}
	if order != "" && order != "asc" && order != "desc" {
		return query.Sort{}, parsing("[sort] order is asc or desc")
	}
	if name == query.ByScore {
		return query.Sort{Field: name, Descending: order != "asc"}, nil
	}
	f := ix.field(name)
	switch f.Type {
	case "":
		return query.Sort{}, parsing("no mapping found for [%s] in order to sort on", query.Shorten(name))
	case Text:
		return query.Sort{}, parsing("[sort] on text field [%s] is not supported: use a field of metadata", f.Name)
	}
	return query.Sort{Field: f.Name, Descending: order == "desc"}, nil
}

// inURL are the keys of a body that clients also write into the URL.
var inURL = []string{"from", "size"}

// set sets from and size to those of the URL, which override those of the body.
func (r *request) set(v url.Values) error {
	for i, to := range []*int{&r.From, &r.Size} {
		if v.Has(inURL[i]) {
			if err := number(json.RawMessage(v.Get(inURL[i])), inURL[i], to); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkURL rejects parameters of the URL besides the allowed ones. typed_keys and
// pretty change nothing in the answers of this API that a program reads.
func checkURL(v url.Values, allowed []string) error {
	for name := range v {
		if name != "typed_keys" && name != "pretty" && !slices.Contains(allowed, name) {
			return parsing("URL parameter [%s] is not supported: write it into the body", query.Shorten(name))
		}
	}
	return nil
}
