package osapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// What aggregations do not support is refused by name.
func TestAggregationsRefuseByName(t *testing.T) {
	w := newShop(t)
	deep := `{"terms": {"field": "tags"}}`
	for range query.MaxAggDepth {
		deep = `{"terms": {"field": "tags"}, "aggs": {"a": ` + deep + `}}`
	}
	var many []string
	for i := range query.MaxAggs + 1 {
		many = append(many, fmt.Sprintf(`"a%d": {"max": {"field": "price"}}`, i))
	}
	for _, c := range []struct{ body, want string }{
		{`{"global": {}}`, "aggregation [global] is not supported"},
		{`{"significant_terms": {"field": "tags"}}`, "[significant_terms] is not supported"},
		{`{"rare_terms": {"field": "tags"}, "aggs": {"a": {"max": {"field": "price"}}}}`, "[rare_terms] is not supported"},
		{`{"cardinality": {"field": "tags", "precision_threshold": -1}}`, "failed to parse field [precision_threshold]"},
		{`{"percentiles": {"field": "price", "hdr": {}}}`, "[percentiles] does not support [hdr]"},
		{`{"percentiles": {"field": "price", "percents": [101]}}`, "percent must be in [0,100]"},
		{`{"percentiles": {"field": "price", "tdigest": {"compression": -1}}}`, "[compression] must be greater"},
		{`{"percentile_ranks": {"field": "price", "values": [1]}}`, "[percentile_ranks] is not supported"},
		{`{"derivative": {"buckets_path": "x"}}`, "[derivative] is not supported"},
		{`{"terms": {"field": "tags", "min_doc_count": 0}}`, "min_doc_count 0 is not supported"},
		{`{"terms": {"script": "x"}}`, "[terms] does not support [script]"},
		{`{"max": {"script": {"source": "x"}}}`, "[max] does not support [script]"},
		{`{"terms": {"field": "tags", "include": {"partition": 0, "num_partitions": 2}}}`, "partitions are not supported"},
		{`{"terms": {"field": "tags", "include": "a&b"}}`, "[include] is not supported: regular expression a&b"},
		{`{"terms": {"field": "tags", "include": "[a"}}`, "[include] is not supported: regular expression [a"},
		{`{"terms": {"field": "price", "format": "0.0E0"}}`, "number format [0.0E0] is not supported"},
		{`{"terms": {"field": "tags", "format": "0.00"}}`, "Field [tags] of type [keyword] does not support custom formats"},
		{`{"terms": {"field": "_id"}}`, "[terms] on field [_id] is not supported"},
		{`{"terms": {"field": "seen", "format": "YYYY"}}`, "Invalid format: [YYYY] is not supported"},
		{`{"date_histogram": {"field": "seen", "calendar_interval": "month", "time_zone": "Mars/Base"}}`, "time zone [Mars/Base] is unknown"},
		{`{"date_histogram": {"field": "seen", "calendar_interval": "month", "hard_bounds": {"min": 0, "max": 1}}}`, "does not support [hard_bounds]"},
		{`{"date_histogram": {"field": "price", "calendar_interval": "month"}}`, "on field [price] of type [double] is not supported"},
		{`{"composite": {"sources": [{"a": {"geotile_grid": {"field": "tags"}}}]}}`, "source [geotile_grid] of [composite] is not supported"},
		{`{"composite": {"sources": [{"a": {"terms": {"field": "tags", "missing_order": "last"}}}]}}`, "[missing_order] is default"},
		{`{"top_hits": {"highlight": {}}}`, "does not support [highlight]"},
		{`{"top_hits": {"sort": ["_doc"]}}`, "sort by nothing but [_doc]"},
		{`{"filter": {"script": {}}}`, "query [script] is not supported"},
		{deep, "nested deeper than 8"},
		{`{"max": {"field": "price"}, "meta": 1}`, "[meta] is not a JSON object"},
	} {
		w.want(t, ops, http.MethodPost, "/shop/_search", `{"aggs": {"t": `+c.body+`}}`, http.StatusBadRequest, c.want)
	}
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"aggs": {`+strings.Join(many, ",")+`}}`, http.StatusBadRequest, "more than 64 aggregations")
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"size": 0, "aggs": {"a": {"min": {"field": "price"}}}, "aggregations": {"b": {"max": {"field": "price"}}}}`, http.StatusOK, `"aggregations":{"b":`)
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"size": 0, "aggregations": {"a": {"min": {"field": "price"}}}, "aggs": {"b": {"max": {"field": "price"}}}}`, http.StatusOK, `"aggregations":{"b":`)
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"aggs": {"x": {"missing": {"field": "price"}, "aggs": {}, "aggregations": {}}}}`, http.StatusBadRequest, "two sub aggregation definitions")
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"aggs": {"a>b": {"max": {"field": "price"}}}}`, http.StatusBadRequest, "Invalid aggregation name")
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"min_score": "high"}`, http.StatusBadRequest, "[min_score] is not a number")
}

// Too many buckets have the error of OpenSearch.
func TestTooManyBuckets(t *testing.T) {
	w := newShop(t)
	w.want(t, ops, http.MethodPost, "/shop/_search", `{"aggs": {"t": {"histogram": {"field": "price", "interval": 1}}}}`, http.StatusServiceUnavailable, `"caused_by":{"max_buckets":65535,"reason":"the aggregations have more than 65535 buckets`)
}

// A caller aggregates the documents that it may see, and never the field with the groups.
func TestAggregationsOfWhatACallerMaySee(t *testing.T) {
	w := newShop(t)
	for _, c := range []struct{ token, body, want string }{
		{sales, `{"terms": {"field": "tags", "size": 1}}`, `{"t":{"buckets":[{"doc_count":2,"key":"a"}],"doc_count_error_upper_bound":0,"sum_other_doc_count":7}}`},
		{ops, `{"terms": {"field": "tags", "size": 1}}`, `{"t":{"buckets":[{"doc_count":3,"key":"a"}],"doc_count_error_upper_bound":0,"sum_other_doc_count":8}}`},
		{sales, `{"terms": {"field": "tags", "include": ["hidden"]}}`, `"buckets":[]`},
		{sales, `{"max": {"field": "price"}}`, `{"t":{"value":1.0E7}}`},
		{ops, `{"max": {"field": "price"}}`, `{"t":{"value":1.0E9}}`},
		{sales, `{"percentiles": {"field": "price", "percents": [25, 50, 75, 100]}}`, `{"t":{"values":{"100.0":1.0E7,"25.0":0.0,"50.0":2.5,"75.0":10.0}}}`},
		{ops, `{"percentiles": {"field": "price", "percents": [100]}}`, `{"t":{"values":{"100.0":1.0E9}}}`},
		{guest, `{"percentiles": {"field": "price", "percents": [100], "keyed": false}}`, `{"t":{"values":[{"key":100.0,"value":null}]}}`},
		{sales, `{"cardinality": {"field": "tags"}}`, `{"t":{"value":6}}`},
		{sales, `{"filters": {"filters": [{"term": {"tags": "hidden"}}], "other_bucket": true}}`, `{"t":{"buckets":[{"doc_count":0},{"doc_count":7}]}}`},
		{sales, `{"missing": {"field": "grp"}}`, `{"t":{"doc_count":7}}`},
		{ops, `{"missing": {"field": "grp"}}`, `{"t":{"doc_count":0}}`},
		{sales, `{"terms": {"field": "grp"}}`, `"buckets":[]`},
		{ops, `{"terms": {"field": "grp"}}`, `"key":"boss"`},
		{sales, `{"cardinality": {"field": "grp"}}`, `{"t":{"value":0}}`},
		{sales, `{"composite": {"sources": [{"g": {"terms": {"field": "grp", "missing_bucket": true}}}]}}`, `[{"doc_count":7,"key":{"g":null}}]`},
		{sales, `{"filter": {"exists": {"field": "grp"}}}`, `{"t":{"doc_count":0}}`},
		{guest, `{"terms": {"field": "tags"}}`, `"buckets":[]`},
		{guest, `{"max": {"field": "price"}}`, `{"t":{"value":null}}`},
	} {
		w.want(t, c.token, http.MethodPost, "/shop/_search", `{"size": 0, "aggs": {"t": `+c.body+`}}`, http.StatusOK, c.want)
	}
	got := w.want(t, sales, http.MethodPost, "/shop/_search", `{"size": 0, "aggs": {"t": {"top_hits": {"size": 100}}}}`, http.StatusOK, `"value":7`)
	if strings.Contains(got, "grp") || strings.Contains(got, "secret") {
		t.Errorf("top_hits shows what is hidden: %s", got)
	}
}

// The results of several indices are those of one index of all their documents.
func TestAggregationsInSeveralIndices(t *testing.T) {
	w := newShop(t)
	w.films(t)
	w.put(t, "actor", map[string]any{"id": 2, "name": "Red Zara", "year": 2006})
	for _, c := range []struct{ body, want string }{
		{`{"terms": {"field": "year", "size": 2}}`, `"buckets":[{"doc_count":2,"key":2006.0},{"doc_count":1,"key":1970.0}],"doc_count_error_upper_bound":0,"sum_other_doc_count":2`},
		{`{"cardinality": {"field": "year"}}`, `{"value":4}`},
		{`{"avg": {"field": "year"}}`, `{"value":1998.8}`},
		{`{"percentiles": {"field": "year", "percents": [0, 39, 50, 80]}}`, `{"0.0":1970.0,"39.0":2005.0,"50.0":2006.0,"80.0":2007.0}`},
		{`{"stats": {"field": "year"}}`, `{"avg":1998.8,"count":5,"max":2007.0,"min":1970.0,"sum":9994.0}`},
		{`{"histogram": {"field": "year", "interval": 20, "min_doc_count": 0}}`, `[{"doc_count":1,"key":1960.0},{"doc_count":0,"key":1980.0},{"doc_count":4,"key":2000.0}]`},
		{`{"terms": {"field": "rating"}, "aggs": {"y": {"max": {"field": "year"}}}}`, `{"doc_count":1,"key":"PG","y":{"value":2005.0}}`},
		{`{"missing": {"field": "rating"}}`, `{"doc_count":2}`},
		{`{"filter": {"term": {"rating": "PG"}}}`, `{"doc_count":1}`},
		{`{"filters": {"filters": [{"match": {"name": "shark"}}, {"match": {"title": "shark"}}]}}`, `[{"doc_count":1},{"doc_count":3}]`},
		{`{"composite": {"size": 3, "sources": [{"y": {"terms": {"field": "year"}}}, {"r": {"terms": {"field": "rating", "missing_bucket": true}}}]}}`, `[{"doc_count":1,"key":{"r":null,"y":1970.0}},{"doc_count":1,"key":{"r":"PG","y":2005.0}},{"doc_count":1,"key":{"r":null,"y":2006.0}}]`},
		{`{"terms": {"field": "rating", "missing": "none"}}`, `{"doc_count":2,"key":"none"}`},
		{`{"max": {"field": "nope"}}`, `{"value":null}`},
	} {
		w.want(t, ops, http.MethodPost, "/film,actor/_search", `{"size": 0, "aggs": {"t": `+c.body+`}}`, http.StatusOK, c.want)
	}
	w.want(t, ops, http.MethodPost, "/film,actor/_search", `{"aggs": {"t": {"top_hits": {}}}}`, http.StatusBadRequest, "[top_hits] in 2 indices is not supported")
	w.want(t, ops, http.MethodPost, "/film,actor/_search", `{"min_score": 1}`, http.StatusBadRequest, "[min_score] in 2 indices is not supported")
	w.want(t, ops, http.MethodPost, "/film,actor/_search", `{"size": 0, "post_filter": {"term": {"rating": "PG"}}, "aggs": {"t": {"max": {"field": "year"}}}}`, http.StatusOK, `"total":{"relation":"eq","value":1}`)
}

// The key after which a composite aggregation continues is the after_key of its answer.
func TestCompositePages(t *testing.T) {
	w := newShop(t)
	all := w.want(t, ops, http.MethodPost, "/shop/_search", `{"size": 0, "aggs": {"t": {"composite": {"size": 100, "sources": [{"d": {"date_histogram": {"field": "seen", "calendar_interval": "day", "time_zone": "Europe/Berlin", "format": "yyyy-MM-dd"}}}, {"t": {"terms": {"field": "tags", "missing_bucket": true}}}, {"p": {"terms": {"field": "price", "order": "desc"}}}]}}}}`, http.StatusOK, `"after_key"`)
	whole := strings.Count(all, "doc_count")
	pages, after := 0, ""
	for seen := 0; ; pages++ {
		got := w.want(t, ops, http.MethodPost, "/shop/_search", `{"size": 0, "aggs": {"t": {"composite": {"size": 2, `+after+`"sources": [{"d": {"date_histogram": {"field": "seen", "calendar_interval": "day", "time_zone": "Europe/Berlin", "format": "yyyy-MM-dd"}}}, {"t": {"terms": {"field": "tags", "missing_bucket": true}}}, {"p": {"terms": {"field": "price", "order": "desc"}}}]}}}}`, http.StatusOK, `"buckets"`)
		n := strings.Count(got, "doc_count")
		if seen += n; n == 0 {
			if seen != whole {
				t.Errorf("pages have %d buckets, want %d", seen, whole)
			}
			break
		}
		_, key, _ := strings.Cut(got, `"after_key":`)
		key, _, _ = strings.Cut(key, `,"buckets"`)
		after = `"after": ` + key + `, `
	}
	if pages < 3 {
		t.Errorf("got %d pages, want more", pages)
	}
}
