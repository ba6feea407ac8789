package osapi

import (
	"encoding/json"
	"slices"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/suggest"
)

// A presentation is what the hits of a search have besides _source.
type presentation struct {
	fields   []hits.Field // of fields, and of docvalue_fields
	version  bool
	noID     bool // hits have no _id
	timeout  time.Duration
	suggest  []suggest.Suggestion
	typed    bool // suggestions are named with their types
	counting bool // the answer reports that all matches are counted
}

// shown are the keys of the body that presentation reads.
var shown = []string{"highlight", "fields", "docvalue_fields", "stored_fields", "version", "seq_no_primary_term", "explain", "timeout", "terminate_after", "suggest", "collapse"}

// present reads what the hits have. It runs after the query and _source are known.
// sourced reports whether the request has a _source.
func (r *request) present(m map[string]json.RawMessage, t *target, sourced bool) error {
	suggestions := func(v json.RawMessage) (err error) {
		if len(t.Tables) > 0 { // no index has words otherwise
			r.suggest, err = suggest.Parse(v, t.Index)
		}
		return err
	}
	fields := func(key string) part {
		return part{key, func(v json.RawMessage) (err error) {
			r.fields, err = hits.AddFields(r.fields, v, key, t.Index)
			return err
		}}
	}
	if err := readParts(m, []part{
		{"highlight", func(v json.RawMessage) (err error) {
			r.Markings, err = hits.ParseHighlight(v, &t.Scope, r.Node)
			return err
		}},
		fields("docvalue_fields"),
		fields("fields"),
		{"collapse", func(v json.RawMessage) error { return r.collapse(v, t) }},
		{"stored_fields", func(v json.RawMessage) error { return r.stored(v, sourced) }},
		{"version", func(v json.RawMessage) error { return input.Flag(v, "version", &r.version) }},
		{"seq_no_primary_term", noSequence},
		{"explain", func(v json.RawMessage) error { return input.Flag(v, "explain", &r.Explain) }},
		{"timeout", r.within},
		{"suggest", suggestions},
		{"terminate_after", func(v json.RawMessage) error {
			var n int
			r.counting = true
			return input.Whole(v, "terminate_after", &n)
		}},
	}); err != nil {
		return err
	}
	r.Fields = r.source.Read(r.fields)
	return nil
}

func noSequence(v json.RawMessage) error {
	var wanted bool
	if err := input.Flag(v, "seq_no_primary_term", &wanted); err != nil {
		return err
	}
	if wanted {
		return input.ParsingError("[seq_no_primary_term] is not supported: documents have no sequence numbers, since this API is read-only")
	}
	return nil
}

// within reads timeout. A search that takes longer is an error, and not an answer with
// fewer hits.
func (r *request) within(v json.RawMessage) error {
	text, err := input.Scalar(v, "timeout")
	if err != nil {
		return err
	}
	if text == "-1" {
		return nil
	}
	r.timeout, err = format.Duration(text, "timeout")
	if err == nil && r.timeout <= 0 {
		err = input.ParsingError("[timeout] is not longer than 0")
	}
	return err
}

// stored reads stored_fields. No field is stored besides _source, so a list of them
// only leaves _source out.
func (r *request) stored(v json.RawMessage, sourced bool) error {
	list, err := input.Strings(v, "stored_fields")
	if err != nil {
		return err
	}
	if slices.Contains(list, "_none_") {
		if sourced && !r.source.None || len(list) > 1 {
			return input.ParsingError("[stored_fields] cannot be disabled if [_source] or other fields are requested")
		}
		r.noID = true
	}
	switch asked := slices.Contains(list, "_source"); {
	case asked && r.source.None:
		r.source = hits.Source{}
	case !asked && !sourced:
		r.source = hits.Source{None: true}
	}
	return nil
}

// decorate adds to a hit what its search asks for.
func (r request) decorate(one map[string]any, hit search.Hit) {
	if values := hits.FieldValues(r.fields, hit); len(values) > 0 {
		one["fields"] = values
	}
	if len(hit.Highlights) > 0 {
		one["highlight"] = hit.Highlights
	}
	if r.version {
		one["_version"] = max(hit.Updated.UnixMicro(), 1) // updateTime, or 1
	}
	if r.Explain {
		one["_shard"], one["_node"] = "["+hit.Table+"][0]", nodeID
		one["_explanation"] = hits.Explain(hit, r.scored)
	}
	if r.noID {
		delete(one, "_id")
	}
}
