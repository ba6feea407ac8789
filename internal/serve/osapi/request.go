package osapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/aggs"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
)

// A request is a parsed search.
type request struct {
	search.Params
	source     hits.Source
	total      bool    // the answer has the number of matches
	plainTotal bool    // as a number, which old clients read
	upTo       *uint64 // greatest total that the answer has
	alike      bool    // hits are not sorted, but by their keys
	scored     bool    // hits have a score
	scrolled   bool    // it is a page of a scroll
	presentation
	order []hits.SortKey
	named []dsl.Named
	inner []innerHits // of a collapse
	aggs  []aggs.Agg
}

// parse reads the body of a search, and the parameters of its URL, which override
// those of the body. names are the keys that the body may have.
func (t *target) parse(body []byte, v url.Values, names []string) (request, error) {
	r := request{Params: search.Params{Relevance: query.Lucene}, total: true, scored: true}
	r.Node, r.Size = query.All{}, 10
	m := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		var err error
		if m, err = input.Object(body, "body"); err != nil {
			return r, err
		}
		if m["aggs"] != nil && m["aggregations"] != nil {
			delete(m, first(body, "aggs", "aggregations")) // the last one is in use
		}
	}
	if err := input.Only(m, "body", names...); err != nil {
		return r, err
	}
	for name, text := range inURL(v) {
		m[name] = text
	}
	if q, err := queryIn(v); err != nil {
		return r, err
	} else if q != nil {
		m["query"] = q
	}
	if err := readParts(m, []part{
		{"query", func(v json.RawMessage) (err error) { r.Node, err = r.query(v, t); return err }},
		{"from", func(v json.RawMessage) error { return input.Whole(v, "from", &r.From) }},
		{"size", func(v json.RawMessage) error { return input.Whole(v, "size", &r.Size) }},
		{"_source", func(v json.RawMessage) (err error) { r.source, err = hits.ParseSource(v, t.Index); return err }},
		{"sort", func(v json.RawMessage) error { return r.sort(v, t) }},
		{"search_after", func(v json.RawMessage) (err error) { r.Behind, err = hits.ParseAfter(v, r.order, &t.Scope); return err }},
		{"track_total_hits", r.track},
	}); err != nil {
		return r, err
	}
	sourced := v.Has("_source") || v.Has("_source_includes") || v.Has("_source_excludes")
	if sourced {
		var err error
		if r.source, err = hits.SourceInURL(v, t.Index); err != nil {
			return r, err
		}
	}
	if r.From+r.Size > query.MaxWindow || r.Size > query.MaxSize {
		return r, input.ArgumentError("from %d and size %d reach beyond hit %d, or size beyond %d: page with search_after", r.From, r.Size, query.MaxWindow, query.MaxSize)
	}
	if m["indices_boost"] != nil {
		if err := r.indicesBoost(m["indices_boost"], v, t); err != nil {
			return r, err
		}
	}
	r.plainTotal = flagIn(v, "rest_total_hits_as_int")
	if r.plainTotal && r.upTo != nil {
		return r, inexactTotal(*r.upTo)
	}
	r.typed = flagIn(v, "typed_keys")
	if err := r.aggregate(m, t); err != nil {
		return r, err
	}
	if err := r.present(m, t, sourced || m["_source"] != nil); err != nil {
		return r, err
	}
	if r.suggest != nil && m["query"] == nil && m["aggs"] == nil && m["aggregations"] == nil {
		r.Node = query.None() // it asks for suggestions alone
	}
	return r, nil
}

// A part is a key of a body, and what reads its value.
type part struct {
	name string
	read func(json.RawMessage) error
}

// readParts reads the parts that a body has. Of null only a query and a collapse are an error.
func readParts(m map[string]json.RawMessage, parts []part) error {
	for _, p := range parts {
		if v := m[p.name]; v != nil && (p.name == "query" || p.name == "collapse" || string(v) != "null") {
			if err := p.read(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// query translates a query, and keeps those in it that have a name.
func (r *request) query(v json.RawMessage, t *target) (query.Node, error) {
	tr := dsl.New(&t.Scope)
	tr.Named = r.named
	n, err := tr.Node(v)
	r.named = tr.Named
	return n, err
}

// sort reads sort.
func (r *request) sort(v json.RawMessage, t *target) error {
	if len(t.Tables) == 0 {
		return nil // nothing to sort, and no fields
	}
	order, err := hits.ParseSort(v, t.Index)
	if err != nil || len(order) == 0 || len(order) == 1 && order[0].Kind == hits.ByScore && order[0].Descending {
		return err // as without a sort
	}
	r.order, r.scored = order, false
	for _, k := range order {
		if k.Kind != hits.ByKey && k.Kind != hits.ByNoType {
			r.Sort = append(r.Sort, k.Sort)
			r.scored = r.scored || k.Kind == hits.ByScore
		}
	}
	if len(r.Sort) == 0 { // equal hits are in the order of their keys
		r.alike = true
		r.Node, r.Sort = dsl.Constant(r.Node), []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	return nil
}

// queryInURL are the parameters of a query in the URL.
var queryInURL = []string{"q", "df", "default_operator"}

// queryIn returns the query of the URL, nil if it has none: q is a query_string, with
// the field df and the operator default_operator.
func queryIn(v url.Values) (json.RawMessage, error) {
	if !v.Has("q") {
		for _, name := range []string{"df", "default_operator"} {
			if v.Has(name) {
				return nil, input.ArgumentError("URL parameter [%s] needs [q]", name)
			}
		}
		return nil, nil
	}
	options := map[string]string{"query": v.Get("q")}
	if v.Has("df") {
		options["default_field"] = v.Get("df")
	}
	if v.Has("default_operator") {
		options["default_operator"] = v.Get("default_operator")
	}
	return encode(map[string]any{"query_string": options})
}

// flagIn reports whether a flag is set. One without a value is.
func flagIn(v url.Values, name string) bool { return v.Has(name) && v.Get(name) != "false" }

// onlyQuery returns the parameters of a query.
func onlyQuery(v url.Values) url.Values {
	some := url.Values{}
	for _, name := range queryInURL {
		if v.Has(name) {
			some.Set(name, v.Get(name))
		}
	}
	return some
}

// inURL returns the parameters of the URL that are also keys of the body, as the body
// has them.
func inURL(v url.Values) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for _, name := range []string{"from", "size", "track_total_hits", "version", "seq_no_primary_term", "explain", "terminate_after"} {
		if v.Has(name) {
			m[name] = json.RawMessage(v.Get(name))
		}
	}
	for _, name := range []string{"timeout", "stored_fields", "docvalue_fields"} {
		if !v.Has(name) {
			continue
		}
		var value any = v.Get(name)
		if name != "timeout" {
			value = strings.Split(v.Get(name), ",")
		}
		m[name], _ = json.Marshal(value) // text has no error
	}
	if v.Get("sort") == "" {
		return m
	}
	var sorts []any
	for one := range strings.SplitSeq(v.Get("sort"), ",") {
		if field, order, ok := strings.Cut(one, ":"); ok {
			sorts = append(sorts, map[string]string{field: order})
		} else {
			sorts = append(sorts, one)
		}
	}
	m["sort"], _ = json.Marshal(sorts) // text has no error
	return m
}

// track reads track_total_hits. All matches are counted, whatever number it names.
func (r *request) track(v json.RawMessage) error {
	var upTo int
	if json.Unmarshal(v, &r.total) == nil {
		return nil
	}
	r.total = true
	if json.Unmarshal(v, &upTo) != nil || upTo < -1 {
		return input.Error(input.UnreadableNumber, "[track_total_hits] is true, false or a whole number")
	}
	if r.total = upTo >= 0; r.total {
		n := uint64(upTo)
		r.upTo = &n
	}
	return nil
}

func inexactTotal(upTo uint64) error {
	return input.ArgumentError("[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got %d", upTo)
}

// first returns which of two keys of an object comes first.
func first(text json.RawMessage, a, b string) string {
	d := json.NewDecoder(bytes.NewReader(text))
	_, _ = d.Token() // the object is valid
	for d.More() {
		var value json.RawMessage
		key, _ := d.Token()
		if key == a || key == b {
			return key.(string)
		}
		if d.Decode(&value) != nil {
			break
		}
	}
	return a
}
