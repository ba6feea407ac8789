package osapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/aggs"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/suggest"
)

// maxHits bounds the hits of an answer, in bytes of JSON. They are in memory until
// the answer is written.
const maxHits = 4 << 20

// maxSearches bounds the searches that one request makes.
const maxSearches = 64

// searchInURL are the parameters of a search in the URL.
var searchInURL = append([]string{"from", "size", "sort", "_source", "_source_includes", "_source_excludes", "track_total_hits", "rest_total_hits_as_int", "search_type", "scroll", "version", "seq_no_primary_term", "explain", "terminate_after", "timeout", "stored_fields", "docvalue_fields"}, queryInURL...)

// inBody are the keys of the body of a search.
var inBody = append([]string{"query", "from", "size", "sort", "search_after", "_source", "track_total_hits", "pit", "aggs", "aggregations", "post_filter", "min_score", "indices_boost"}, shown...)

func (s server) search(c *call) (any, error) {
	point, err := s.pointOf(c)
	if err != nil {
		return nil, err
	}
	t, err := s.searchedOf(c, inBody, searchInURL...)
	if err != nil {
		return nil, err
	}
	v := c.URL.Query()
	if text := v.Get("batched_reduce_size"); text == "0" || text == "1" || strings.HasPrefix(text, "-") {
		return nil, input.ArgumentError("batchedReduceSize must be >= 2")
	}
	if v.Has("scroll") {
		return s.beginScroll(c, t, v)
	}
	return t.search(c, c.body, v, point)
}

// targetOf returns the indices that a request names, and checks the names of the
// parameters in its URL.
func (s server) targetOf(c *call, parameters ...string) (*target, error) {
	v := c.URL.Query()
	t, err := s.target(c.index(), c.caller, leniencyIn(v))
	if err == nil {
		c.table = t.name()
	}
	if wrong := cmp.Or(checkURL(v, parameters), checkSearchType(v.Get("search_type"))); wrong != nil {
		return nil, wrong // also if the index is missing
	}
	return t, err
}

// searchedOf is targetOf for a request whose body is a search with some keys. What is
// wrong in the body comes before an index that is missing.
func (s server) searchedOf(c *call, keys []string, parameters ...string) (*target, error) {
	t, err := s.targetOf(c, parameters...)
	if status(err) == http.StatusNotFound {
		if _, wrong := s.none().parse(c.body, c.URL.Query(), keys); wrong != nil {
			return nil, wrong
		}
	}
	return t, err
}

// checkSearchType checks how a search asks its shards, which changes nothing here.
func checkSearchType(name string) error {
	switch name {
	case "", "query_then_fetch", "dfs_query_then_fetch":
		return nil
	}
	return input.ParsingError("search_type [%s] is not supported: write query_then_fetch", query.Shorten(name))
}

// name returns the name of the target in metrics.
func (t *target) name() string {
	if len(t.Tables) == 1 {
		return t.Tables[0]
	}
	return search.AllTables
}

// search answers one search, at a point in time unless it is "".
func (t *target) search(c *call, body []byte, v url.Values, point string) (map[string]any, error) {
	r, err := t.parse(body, v, inBody)
	if err != nil {
		return nil, err
	}
	r.Caller = c.caller
	a, _, err := t.answer(c.ctx, r)
	if err == nil && point != "" {
		a["pit_id"] = point
	}
	return a, err
}

// answer makes a search. It returns the position behind its last hit too.
func (t *target) answer(ctx context.Context, r request) (map[string]any, position, error) {
	began := time.Now()
	if r.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, r.timeout)
		defer cancel()
		ctx = limited
	}
	results, err := t.find(ctx, r.Params)
	if err != nil {
		return nil, position{}, err
	}
	rendered, n, err := t.render(ctx, r, results)
	if err != nil {
		return nil, position{}, err
	}
	next := position{ended: true}
	if results.Next != nil {
		if after := results.Next(n); after != nil {
			next = position{after: *after}
		}
	}
	a := map[string]any{"took": time.Since(began).Milliseconds(), "timed_out": false, "_shards": t.shards(results), "hits": rendered}
	if r.counting {
		a["terminated_early"] = false
	}
	if r.suggest != nil {
		if a["suggest"], err = (suggest.Suggester{Find: t.find, Caller: r.Caller}).Answer(ctx, r.suggest, r.typed); err != nil {
			return nil, position{}, err
		}
	}
	if len(r.aggs) > 0 && results.Aggs != nil {
		p := aggs.Printer{Context: ctx, Results: results, Typed: r.typed, MaxHits: maxHits}
		if a["aggregations"], err = p.All(r.aggs, results.Aggs); err != nil {
			return nil, position{}, err
		}
	}
	return a, next, nil
}

// find makes a search in all indices of the target.
func (t *target) find(ctx context.Context, p search.Params) (search.Results, error) {
	if err := t.Choose(ctx, &p, t.reader()); err != nil {
		return search.Results{}, err
	}
	switch len(t.Tables) {
	case 0:
		return search.Results{}, nil
	case 1:
		return t.engine.Search(ctx, t.Tables[0], p)
	}
	return t.engine.SearchTables(ctx, t.Tables, p)
}

// reader returns what reads the indices for a more_like_this.
func (t *target) reader() dsl.Reader {
	return dsl.Reader{Find: t.find, Documents: t.documents, Analyzer: t.engine.Analyzer}
}

// shards returns the numbers of indices that are searched and that are not ready.
func (t *target) shards(r search.Results) any {
	failed := len(t.missing) + len(r.Missing)
	total := len(t.Tables) + len(t.missing)
	return map[string]int{"total": total, "successful": total - failed, "skipped": 0, "failed": failed}
}

// render returns the hits of an answer, and their number. Without a sort by score,
// scores are null. A scroll has fewer hits if they are large.
func (t *target) render(ctx context.Context, r request, results search.Results) (any, int, error) {
	list := make([]json.RawMessage, 0, results.Len)
	best := results.Best
	names, err := t.names(ctx, r, results)
	if err != nil {
		return nil, 0, err
	}
	for i := range results.Len {
		hit, err := results.Hit(ctx, i)
		if err != nil {
			return nil, 0, err
		}
		best = max(best, hit.Score)
		shown := t.renderHit(r, hit)
		if names != nil && len(names[i]) > 0 {
			shown["matched_queries"] = names[i]
		}
		if len(r.inner) > 0 {
			if shown["inner_hits"], err = t.expand(ctx, r, hit); err != nil {
				return nil, 0, err
			}
		}
		text, err := encode(shown)
		if err != nil {
			return nil, 0, err
		}
		if r.scrolled && len(list) > 0 && len(text) > *t.room {
			break
		}
		if *t.room -= len(text); *t.room < 0 {
			return nil, 0, input.ParsingError("the hits are larger than %d MiB: write a smaller size, or name fields in _source", maxHits>>20)
		}
		list = append(list, text)
	}
	rendered := map[string]any{"max_score": nil, "hits": list}
	switch {
	case len(t.Tables) == 0:
		rendered["max_score"] = 0.0
	case r.scored && r.Size > 0 && results.Total > 0 && (len(list) > 0 || r.Behind == nil) && (len(r.order) == 0 || r.order[0].Kind == hits.ByScore && r.order[0].Descending):
		rendered["max_score"] = best // as in OpenSearch, of hits in the order of scores only
	}
	if total := r.totalOf(results.Total); total != nil {
		rendered["total"] = total
	}
	return rendered, len(list), nil
}

// totalOf returns the total of an answer, nil if it has none. A total above the number
// that track_total_hits names is that number, as in OpenSearch.
func (r request) totalOf(n uint64) any {
	relation := "eq"
	if r.upTo != nil && n > *r.upTo {
		n, relation = *r.upTo, "gte"
	}
	switch {
	case r.plainTotal && !r.total:
		return -1
	case r.plainTotal:
		return n
	case r.total:
		return map[string]any{"value": n, "relation": relation}
	}
	return nil
}

func (t *target) renderHit(r request, hit search.Hit) map[string]any {
	if hit.Table == "" {
		hit.Table = t.Tables[0]
	}
	one := map[string]any{"_index": hit.Table, "_id": hit.OID, "_score": nil}
	if r.scored {
		one["_score"] = hit.Score
	}
	r.source.Show(one, hit)
	if len(r.order) > 0 {
		one["sort"] = hits.SortValues(r.order, hit)
	}
	r.decorate(one, hit)
	return one
}

func (s server) count(c *call) (any, error) {
	onlyTheQuery := []string{"query"}
	t, err := s.searchedOf(c, onlyTheQuery, append([]string{"terminate_after"}, queryInURL...)...)
	if err != nil {
		return nil, err
	}
	r, err := t.parse(c.body, onlyQuery(c.URL.Query()), onlyTheQuery)
	if err != nil {
		return nil, err
	}
	results, err := t.find(c.ctx, search.Params{Node: r.Node, Fresh: new(bool), Caller: c.caller})
	if err != nil {
		return nil, err
	}
	return map[string]any{"count": results.Total, "_shards": t.shards(results)}, nil
}

// ignored are parameters of the URL that change nothing in the answers of this API
// that a program reads.
var ignored = []string{
	"typed_keys", "pretty", "human", "preference", "request_cache", "expand_wildcards", "allow_no_indices", "ignore_unavailable", "ignore_throttled", "batched_reduce_size",
	"max_concurrent_shard_requests", "pre_filter_shard_size", "ccs_minimize_roundtrips", "allow_partial_search_results", "allow_partial_pit_creation", "error_trace", "max_concurrent_searches",
	"filter_path", "format", "master_timeout", "cluster_manager_timeout", "local", "include_type_name",
}

// checkURL rejects parameters of the URL besides the allowed ones.
func checkURL(v url.Values, allowed []string) error {
	for name := range v {
		if !slices.Contains(ignored, name) && !slices.Contains(allowed, name) {
			return input.ArgumentError("URL parameter [%s] is not supported; supported are %s", query.Shorten(name), strings.Join(append(slices.Clone(allowed), ignored...), ", "))
		}
	}
	return nil
}
