package opensearch

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/query"
)

// maxBuckets is how many values an aggregation of the cluster may have.
const maxBuckets = 65_535

// Search answers a request from what was written before it, and reads all shards or
// fails. A fault of the request is a *query.Error.
func (ix *Index) Search(ctx context.Context, req query.Request) (query.Result, error) {
	res, err := ix.search(ctx, req)
	var fault *query.Error
	if err == nil || errors.As(err, &fault) || ctx.Err() != nil {
		return res, err
	}
	return query.Result{}, fmt.Errorf("search index %s: %w", ix.name, err)
}

func (ix *Index) search(ctx context.Context, req query.Request) (query.Result, error) {
	c, err := ix.Compile(req)
	if err != nil {
		return query.Result{}, err
	}
	if err := ix.refuse(req, c.Query); err != nil {
		return query.Result{}, err
	}
	s := search{Request: c, req: req, size: req.Size, aggregator: aggregator{several: ix.several, whole: req.Mergeable}}
	if req.Skipped {
		s.size, s.req.From = req.From+req.Size, 0
	}
	if s.after, err = s.begin(); err != nil {
		return query.Result{}, err
	}
	found, err := ix.find(ctx, s.body())
	if err != nil {
		return query.Result{}, err
	}
	res, err := s.result(found)
	if err != nil {
		return query.Result{}, err
	}
	for _, f := range c.Facets {
		if res.Facets[f.Facet.Field], err = ix.facet(ctx, s, f, found); err != nil {
			return query.Result{}, err
		}
	}
	res.Aggs, err = ix.aggregate(ctx, s, found)
	return res, err
}

// A search is one request.
type search struct {
	compiled.Request
	req   query.Request
	size  int
	after []any // the sort values of the hit before the first, nil for none
	aggregator
}

// scored reports whether hits are sorted by score, among others.
func (s search) scored() bool { return sortedByScore(s.Sorts) }

func sortedByScore(sorts []compiled.Sort) bool {
	for _, by := range sorts {
		if by.Field == "" {
			return true
		}
	}
	return false
}

// body is the request to the cluster. It asks for one more hit than is returned, to
// know whether there are more.
func (s search) body() object {
	body := object{
		"query": dsl(s.Query), "from": s.req.From, "size": s.size + 1, "sort": sortsOf(s.Sorts), "track_scores": s.scored(), "track_total_hits": true,
		"version": true, "stored_fields": "_none_", "aggs": s.aggs(),
	}
	if s.size == 0 {
		body["size"] = 0
	}
	if s.after != nil {
		body["search_after"] = s.after
	}
	if s.Post != nil {
		body["post_filter"] = dsl(s.Post)
	}
	if s.Collapse != nil {
		body["collapse"] = object{"field": fieldOf(*s.Collapse)}
	}
	if s.req.MinScore > 0 {
		body["min_score"] = s.req.MinScore
	}
	return body
}

func sortsOf(sorts []compiled.Sort) (all []object) {
	for _, by := range sorts {
		order := "asc"
		if by.Descending {
			order = "desc"
		}
		if by.Field == "" {
			all = append(all, object{"_score": object{"order": order}})
		} else {
			how := object{"order": order, "missing": cmp.Or(by.Missing, "_last")}
			if by.First && by.Missing == "" {
				how["missing"] = "_first"
			}
			if by.Pick != "" {
				how["mode"] = string(by.Pick)
			}
			all = append(all, object{field(by.Field): how})
		}
	}
	return append(all, object{"ix.key": "asc"})
}

func (s search) aggs() object {
	all := s.named(s.Aggs)
	for _, f := range s.Facets {
		all[f.Field] = terms(f, 0)
	}
	return all
}

// terms is an aggregation. shardSize is how many values each shard counts; 0: as many
// as the cluster thinks.
func terms(f compiled.Facet, shardSize int) object {
	size := f.Size
	if f.All {
		size = maxBuckets
	}
	body := object{"field": field(f.Field), "size": size, "order": []object{{"_count": "desc"}, {"_key": "asc"}}}
	if shardSize > 0 {
		body["shard_size"] = shardSize
	}
	return object{"terms": body}
}

// A hitPage is the cluster's answer to a search.
type hitPage struct {
	TimedOut bool                            `json:"timed_out"`
	Shards   struct{ Total, Successful int } `json:"_shards"`
	Hits     struct {
		Total    struct{ Value uint64 }
		MaxScore *float64 `json:"max_score"`
		Hits     []struct {
			Version doc.Version `json:"_version"`
			Score   *float64    `json:"_score"`
			Sort    []json.RawMessage
		}
	}
	Aggregations map[string]json.RawMessage
}

type counted struct {
	Error   int `json:"doc_count_error_upper_bound"`
	Other   int `json:"sum_other_doc_count"`
	Buckets []struct {
		Key   string
		Count int `json:"doc_count"`
	}
}

// find sends a search. A refusal of the cluster is a fault of the request.
func (ix *Index) find(ctx context.Context, body object) (p hitPage, err error) {
	if err = ix.refresh(); err == nil {
		err = ix.wire.ask(ctx, http.MethodPost, "/"+ix.name+"/_search?allow_partial_search_results=false&search_type=dfs_query_then_fetch", body, &p)
	}
	var status *statusError
	switch {
	case ix.ctx.Err() != nil:
		return p, fulltext.ErrClosed
	case missing(err):
		return p, ErrReplaced
	case errors.As(err, &status) && status.kind == severalValues && body["collapse"] != nil:
		return p, query.Errorf("collapse by a field with one value in each document", "hits are collapsed by a field that has several values in a document")
	case errors.As(err, &status) && status.kind == tooManyBuckets:
		return p, query.TooManyBuckets()
	case errors.As(err, &status) && status.status == http.StatusBadRequest:
		return p, query.Errorf("write fewer words, parentheses or words with * or ~", "the cluster refuses the query: %s", status.kind)
	case err == nil && (p.TimedOut || p.Shards.Successful != p.Shards.Total):
		err = fmt.Errorf("%w: %d of %d shards answered", ErrAway, p.Shards.Successful, p.Shards.Total)
	}
	return p, err
}

// result reads the hits.
func (s search) result(p hitPage) (query.Result, error) {
	res := query.Result{Total: p.Hits.Total.Value, Hits: []query.Hit{}, Facets: map[string][]query.Count{}}
	if p.Hits.MaxScore != nil && s.scored() {
		res.Best = *p.Hits.MaxScore
	}
	more := len(p.Hits.Hits) > s.size
	for i, h := range p.Hits.Hits[:min(s.size, len(p.Hits.Hits))] {
		if len(h.Sort) != len(s.Sorts)+1 {
			return res, fmt.Errorf("hit %d has %d sort values, not %d", i, len(h.Sort), len(s.Sorts)+1)
		}
		terms, oid, err := s.place(h.Sort)
		if err != nil {
			return res, fmt.Errorf("hit %d: %w", i, err)
		}
		hit := query.Hit{OID: oid, V: h.Version, After: s.cursor(h.Sort), Keys: s.Keys(terms)}
		if h.Score != nil && s.scored() {
			hit.Score = *h.Score
		}
		res.Hits = append(res.Hits, hit)
	}
	if more && len(res.Hits) > 0 {
		res.Next = res.Hits[len(res.Hits)-1].After
	}
	return res, nil
}

// place reads the sort values of a hit: terms, nil for the score and for no value, and
// the key.
func (s search) place(sort []json.RawMessage) (terms []*string, oid doc.OID, err error) {
	terms = make([]*string, len(s.Sorts))
	for i, by := range s.Sorts {
		if by.Field == "" {
			continue
		}
		if err := json.Unmarshal(sort[i], &terms[i]); err != nil {
			return nil, "", err
		}
	}
	var key string
	if err := json.Unmarshal(sort[len(sort)-1], &key); err != nil {
		return nil, "", err
	}
	oid, err = parseSortKey(key)
	return terms, oid, err
}

// A cursor is the sort values of a hit behind a hash of the sorts, as JSON in base64.
type cursor struct {
	Sorts uint64            `json:"s"`
	Place []json.RawMessage `json:"p"`
}

func (s search) hash() uint64 { return xxh3.HashString(fmt.Sprint(s.Sorts)) }

func (s search) cursor(sort []json.RawMessage) string {
	b, err := json.Marshal(cursor{s.hash(), sort})
	if err != nil {
		return "" // the values were JSON
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// begin returns the sort values to search after, nil to begin with the first hit.
func (s search) begin() ([]any, error) {
	switch {
	case s.req.After != "":
		return s.parseCursor(s.req.After)
	case s.Behind != nil:
		return s.behind(), nil
	}
	return nil, nil
}

func (s search) parseCursor(text string) ([]any, error) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.Sorts != s.hash() || len(c.Place) != len(s.Sorts)+1 {
		return nil, query.Errorf("set after to the next of the previous answer and keep the sort, or leave after out", "after %s is not valid in this search", query.Shorten(text))
	}
	values := make([]any, len(c.Place))
	for i, v := range c.Place {
		values[i] = v
	}
	return values, nil
}

// behindAll is after the key of any hit: hex has no such letter.
const behindAll = "g"

func (s search) behind() (values []any) {
	for i, by := range s.Sorts {
		switch {
		case by.Field == "":
			values = append(values, s.Behind.Score)
		case s.Behind.Terms[i] == nil:
			values = append(values, nil)
		default:
			values = append(values, *s.Behind.Terms[i])
		}
	}
	if s.Behind.OID == "" {
		return append(values, behindAll)
	}
	return append(values, sortKey(s.Behind.OID))
}

func countedOf(p hitPage, f compiled.Facet) (c counted, err error) {
	return c, json.Unmarshal(p.Aggregations[f.Field], &c)
}

// facet returns the counts of a field. Of several shards each counts its most frequent
// values, so it asks for more until no count can be wrong.
func (ix *Index) facet(ctx context.Context, s search, f compiled.Facet, found hitPage) ([]query.Count, error) {
	c, err := countedOf(found, f)
	if err != nil {
		return nil, err
	}
	for size := 4 * max(f.Size, 250); c.Error > 0 && size <= maxBuckets; size *= 4 {
		body := object{"query": dsl(s.Query), "size": 0, "aggs": object{f.Field: terms(f, size)}}
		p, err := ix.find(ctx, body)
		if err != nil {
			return nil, err
		}
		if c, err = countedOf(p, f); err != nil {
			return nil, err
		}
	}
	if c.Error > 0 || f.All && c.Other > 0 {
		return nil, query.Errorf("narrow the search, or count a field with fewer values", "facet %s: the matches have too many different values to count", f.Facet.Field)
	}
	counts := make([]query.Count, len(c.Buckets))
	for i, b := range c.Buckets {
		counts[i] = query.Count{Value: b.Key, Count: b.Count}
	}
	return counts, nil
}
