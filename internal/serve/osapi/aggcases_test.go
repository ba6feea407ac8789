package osapi

import "fmt"

// nodeCases are aggregations, and whole searches, that a node and the API answer alike.
func nodeCases() []string {
	cases := []string{
		`{"terms": {"field": "tags"}}`, `{"terms": {"field": "tags"}, "meta": {"x": [1, null]}}`, `{"terms": {"field": "price"}}`, `{"terms": {"field": "seen"}}`, `{"terms": {"field": "free"}}`,
		`{"terms": {"field": "nope"}}`, `{"terms": {"field": "nope", "missing": "N"}}`, `{"terms": {"field": "nope", "missing": 5}}`, `{"terms": {"field": "title"}}`, `{"terms": {"field": "title.keyword", "size": 3}}`,
		`{"terms": {"field": "tags", "size": 1, "order": [{"_count": "asc"}, {"_key": "desc"}]}}`, `{"terms": {"field": "tags", "order": {"_key": "asc"}, "size": 2, "show_term_doc_count_error": true}}`,
		`{"terms": {"field": "tags", "size": 2, "order": {"m": "asc"}}, "aggs": {"m": {"avg": {"field": "price"}}}}`, `{"terms": {"field": "tags", "order": {"zz": "asc"}}}`, `{"terms": {"field": "tags", "size": 0}}`,
		`{"terms": {"field": "tags", "order": {"m": "desc"}}, "aggs": {"m": {"min": {"field": "price"}}}}`, `{"terms": {"field": "tags", "order": {"m": "desc"}}, "aggs": {"m": {"max": {"field": "price"}}}}`,
		`{"terms": {"field": "tags", "order": [{"m.avg": "desc"}, {"_key": "desc"}]}, "aggregations": {"m": {"stats": {"field": "price"}}}}`, `{"terms": {"field": "tags", "order": {"m": "desc"}}, "aggs": {"m": {"stats": {"field": "price"}}}}`,
		`{"terms": {"field": "tags", "order": {"m.variance": "desc"}}, "aggs": {"m": {"extended_stats": {"field": "price"}}}}`, `{"terms": {"field": "tags", "order": {"m.value": "desc"}}, "aggs": {"m": {"cardinality": {"field": "price"}}}}`,
		`{"terms": {"field": "tags", "order": {"f>m": "desc"}}, "aggs": {"f": {"filter": {"term": {"free": true}}, "aggs": {"m": {"sum": {"field": "price"}}}}}}`,
		`{"terms": {"field": "tags", "order": {"f": "desc"}}, "aggs": {"f": {"filter": {"term": {"free": true}}}}}`, `{"terms": {"field": "tags", "order": {"f.doc_count": "desc"}}, "aggs": {"f": {"missing": {"field": "price"}}}}`,
		`{"terms": {"field": "tags", "include": ["a", "b"], "exclude": ["b"]}}`, `{"terms": {"field": "tags", "include": ["a"], "exclude": "b.*"}}`, `{"terms": {"field": "tags", "include": "a.?|[bc]", "exclude": "c"}}`, `{"terms": {"field": "tags", "include": "x\\.y|."}}`, `{"terms": {"field": "tags", "exclude": "@b#?|[^a-c]+"}}`,
		`{"terms": {"field": "price", "include": [3, 10, 4]}}`, `{"terms": {"field": "price", "include": "1.*"}}`, `{"terms": {"field": "free", "exclude": [true]}}`, `{"terms": {"field": "seen", "include": ["2006-04-15"]}}`,
		`{"terms": {"field": "tags", "missing": "none", "min_doc_count": 2}}`, `{"terms": {"field": "price", "missing": -1, "order": {"_term": "asc"}}}`, `{"terms": {"field": "free", "missing": true}}`, `{"terms": {"field": "seen", "missing": "2006-04-15", "format": "MM/yyyy"}}`,
		`{"terms": {"field": "seen", "time_zone": "UTC"}}`, `{"terms": {"field": "tags", "foo": 1}}`, `{"terms": {}}`, `{"terms": {"field": "tags"}, "max": {"field": "price"}}`, `{"termz": {"field": "tags"}}`, `{}`,
		`{"terms": {"field": "tags", "size": 2}, "aggs": {"u": {"terms": {"field": "free"}, "aggs": {"v": {"date_histogram": {"field": "seen", "calendar_interval": "year"}}}}}}`,

		`{"extended_stats": {"field": "seen"}}`, `{"extended_stats": {"field": "seen", "format": "yyyy", "sigma": 3}}`, `{"extended_stats": {"field": "free"}}`, `{"extended_stats": {"field": "price", "format": "#,##0.0"}}`, `{"extended_stats": {"field": "nope", "format": "0"}}`, `{"stats": {"field": "price", "format": "0.###"}}`,
		`{"avg": {"field": "price", "format": "$0.0 x"}}`, `{"max": {"field": "price", "format": "0.0%"}}`, `{"sum": {"field": "price", "format": ""}}`, `{"min": {"field": "price", "format": ".00"}}`, `{"histogram": {"field": "price", "interval": 5, "min_doc_count": 1, "keyed": true, "format": "000"}}`, `{"range": {"field": "price", "format": "0.00", "ranges": [{"from": 3}, {"to": 3}]}}`,
		`{"terms": {"field": "price", "format": "0.00", "size": 2}}`, `{"terms": {"field": "tags", "format": "0"}}`, `{"value_count": {"field": "price", "format": "0"}}`, `{"cardinality": {"field": "price", "format": "0"}}`, `{"terms": {"field": "seen", "format": "MMMM d, D E hh a SSS X"}}`,

		`{"filter": {"term": {"tags": "a"}}}`, `{"filter": {"match": {"title": "red"}}, "aggs": {"m": {"max": {"field": "price"}}}}`, `{"filter": {"term": {"nope": 1}}, "aggs": {"m": {"max": {"field": "price"}}, "c": {"cardinality": {"field": "tags"}}}}`,
		`{"filters": {"filters": {"z": {"term": {"tags": "a"}}, "b": {"match_all": {}}}}}`, `{"filters": {"filters": {"z": {"term": {"tags": "a"}}}, "other_bucket": true}}`, `{"filters": {"filters": [{"term": {"tags": "a"}}], "other_bucket_key": "rest"}}`,
		`{"filters": {"filters": {"z": {"term": {"tags": "a"}}}, "other_bucket_key": "rest"}, "aggs": {"m": {"max": {"field": "price"}}}}`, `{"filters": {"filters": {}}}`, `{"filters": {"filters": [{"term": {"tags": "a"}}, {"exists": {"field": "price"}}]}}`,
		`{"missing": {"field": "price"}}`, `{"missing": {"field": "nope"}}`, `{"missing": {"field": "title"}}`, `{"missing": {"field": "tags"}, "aggs": {"m": {"max": {"field": "price"}}}}`,

		`{"range": {"field": "price", "ranges": [{"from": 3}, {"to": 3}, {"from": 1, "to": 5, "key": "mid"}]}}`, `{"range": {"field": "price", "keyed": true, "ranges": [{"from": 3}, {"to": 3}]}, "aggs": {"s": {"sum": {"field": "price"}}}}`,
		`{"range": {"field": "nope", "ranges": [{"from": 3}, {"to": 3}]}, "aggs": {"m": {"max": {"field": "price"}}, "f": {"filters": {"filters": [{"match_all": {}}]}}}}`, `{"range": {"field": "price", "ranges": []}}`, `{"range": {"field": "price", "ranges": [{}]}}`,
		`{"range": {"field": "price", "ranges": [{"from": 3, "to": 3}]}}`, `{"range": {"field": "price", "ranges": [{"from": "3", "to": null}]}}`, `{"range": {"field": "price", "missing": 4, "ranges": [{"from": 4, "to": 5}]}}`, `{"range": {"field": "seen", "ranges": [{"to": 1140130800000}]}}`,
		`{"range": {"field": "free", "ranges": [{"to": 1}]}}`, `{"range": {"field": "tags", "ranges": [{"to": 1}]}}`,
		`{"date_range": {"field": "seen", "ranges": [{"from": "2006-03-01"}, {"to": "2006-02-15||/M"}, {"from": "2006-02-16||-1d/d", "to": "2006-02-16T12||+11h+1h", "key": "d"}]}}`, `{"date_range": {"field": "seen", "format": "yyyy-MM", "keyed": true, "ranges": [{"from": "2006-03"}, {"to": "2006-02"}]}}`,
		`{"date_range": {"field": "nope", "ranges": [{"from": "2006-03-01"}]}}`, `{"date_range": {"field": "seen", "time_zone": "Europe/Berlin", "ranges": [{"to": "2006-02-17"}]}}`, `{"date_range": {"field": "seen", "ranges": [{"to": 1140130800000}, {"key": "q", "from": "2006"}]}}`,
		`{"date_range": {"field": "seen", "missing": "2006", "ranges": [{"from": "2006-01-01", "to": "2006-01-02"}]}}`, `{"date_range": {"field": "seen", "ranges": [{"from": "soon"}]}}`, `{"date_range": {"field": "seen", "format": "yyyy-MM-dd||epoch_second", "ranges": [{"from": "1140130800"}]}}`,
		`{"date_range": {"field": "seen", "ranges": [{"from": "2006-03-31||-1M", "to": "2006-05-31||-1M/w"}, {"from": "2004-02-29||+1y", "to": "2006-02-15T04:34:33||+123s-2m"}]}}`,

		`{"histogram": {"field": "price", "interval": 5, "min_doc_count": 1, "offset": 1}}`, `{"histogram": {"field": "price", "interval": 5, "keyed": true, "min_doc_count": 1}}`, `{"histogram": {"field": "price", "interval": 5}}`, `{"histogram": {"field": "price", "interval": 0}}`,
		`{"histogram": {"field": "nope", "interval": 5}}`, `{"histogram": {"field": "tags", "interval": 5}}`, `{"histogram": {"field": "price", "interval": 2.5, "missing": 0, "min_doc_count": 1, "order": {"_count": "asc"}}}`, `{"histogram": {"field": "seen", "interval": 86400000, "min_doc_count": 1}}`,
		`{"histogram": {"field": "free", "interval": 1}}`, `{"histogram": {"field": "price", "interval": 2.5, "extended_bounds": {"min": 10, "max": 0}}}`, `{"histogram": {"field": "price", "interval": 1000000, "min_doc_count": 1, "order": [{"m": "desc"}, {"_key": "desc"}]}, "aggs": {"m": {"max": {"field": "price"}}}}`,
		`{"histogram": {"field": "nope", "interval": 5, "extended_bounds": {"min": 0, "max": 12}}, "aggs": {"m": {"max": {"field": "price"}}}}`,
		`{"query": {"range": {"price": {"lt": 100}}}, "size": 0, "aggs": {"t": {"histogram": {"field": "price", "interval": 5, "extended_bounds": {"min": -11, "max": 21}}, "aggs": {"m": {"avg": {"field": "price"}}}}}}`,
		`{"query": {"range": {"price": {"lt": 100}}}, "size": 0, "aggs": {"t": {"histogram": {"field": "price", "interval": 0.1, "offset": 0.05}}}}`,

		`{"date_histogram": {"field": "seen", "calendar_interval": "month"}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "1M", "time_zone": "Europe/Berlin", "min_doc_count": 1, "keyed": true}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "2d"}}`,
		`{"date_histogram": {"field": "seen", "fixed_interval": "30d", "format": "yyyy-MM-dd", "offset": "+6h"}}`, `{"date_histogram": {"field": "seen", "interval": "month"}}`, `{"date_histogram": {"field": "seen", "interval": "30d", "min_doc_count": 1}}`, `{"date_histogram": {"field": "nope", "calendar_interval": "month"}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "quarter", "extended_bounds": {"min": "1969-01", "max": "2007-05-31"}, "order": {"_key": "desc"}}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "year", "offset": "+6h", "extended_bounds": {"min": "1999", "max": "2012"}}}`, `{"date_histogram": {"field": "nope", "calendar_interval": "month", "extended_bounds": {"min": "2006-01", "max": "2006-02"}}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "month", "fixed_interval": "1d"}}`, `{"date_histogram": {"field": "seen"}}`, `{"date_histogram": {"field": "seen", "fixed_interval": "1M"}}`, `{"date_histogram": {"field": "seen", "fixed_interval": "0d"}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "month", "time_zone": "+02:00", "format": "yyyy-MM-dd'T'HH:mm:ssXXX", "min_doc_count": 1}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "month", "offset": "-1d", "min_doc_count": 1}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "month", "offset": 3600000, "min_doc_count": 1}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "week", "min_doc_count": 1, "order": {"_count": "desc"}, "format": "epoch_second"}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "month", "missing": "2006-01-01", "min_doc_count": 1}, "aggs": {"m": {"value_count": {"field": "price"}}}}`, `{"date_histogram": {"field": "tags", "calendar_interval": "month"}}`,
		`{"date_histogram": {"field": "seen", "calendar_interval": "1h", "time_zone": "Europe/Berlin", "min_doc_count": 1}}`, `{"date_histogram": {"field": "seen", "fixed_interval": "6h", "time_zone": "Europe/Berlin", "min_doc_count": 1}}`, `{"date_histogram": {"field": "seen", "calendar_interval": "day", "time_zone": "Asia/Kolkata", "min_doc_count": 1}}`,
		`{"query": {"range": {"seen": {"gte": "2006-10-01", "lte": "2006-11-01"}}}, "size": 0, "aggs": {"t": {"date_histogram": {"field": "seen", "calendar_interval": "1h", "time_zone": "Europe/Berlin"}}}}`,
		`{"query": {"term": {"tags": "zzz"}}, "size": 0, "aggs": {"t": {"date_histogram": {"field": "seen", "calendar_interval": "month", "extended_bounds": {"min": "2006-01", "max": "2006-02"}}}, "u": {"histogram": {"field": "price", "interval": 1}}}}`,

		`{"top_hits": {"size": 1, "sort": [{"price": "desc"}]}}`, `{"top_hits": {"from": 1, "size": 1, "sort": [{"price": {"order": "asc"}}, "_score"]}}`, `{"terms": {"field": "tags"}, "aggs": {"h": {"top_hits": {"size": 101}}}}`, `{"terms": {"field": "free"}, "aggs": {"h": {"top_hits": {"size": 1, "_source": false, "sort": ["tags", {"seen": "desc"}]}}}}`,
		`{"query": {"match": {"title": "blue"}}, "size": 0, "aggs": {"t": {"top_hits": {"size": 1}}}}`, `{"query": {"match_none": {}}, "size": 0, "aggs": {"t": {"top_hits": {}}}}`, `{"top_hits": {"size": 1, "sort": ["_score"]}}`, `{"top_hits": {"size": 1, "sort": [{"_score": "asc"}, "price"]}}`, `{"top_hits": {}, "aggs": {"m": {"max": {"field": "price"}}}}`,

		`{"composite": {"sources": [{"a": {"terms": {"field": "tags"}}}, {"p": {"histogram": {"field": "price", "interval": 5}}}]}}`, `{"composite": {"size": 2, "sources": [{"d": {"date_histogram": {"field": "seen", "calendar_interval": "1d", "format": "yyyy-MM-dd"}}}, {"f": {"terms": {"field": "free", "missing_bucket": true}}}]}}`,
		`{"composite": {"size": 2, "after": {"d": "2006-02-15", "f": null}, "sources": [{"d": {"date_histogram": {"field": "seen", "calendar_interval": "1d", "format": "yyyy-MM-dd"}}}, {"f": {"terms": {"field": "free", "missing_bucket": true}}}]}}`,
		`{"composite": {"size": 3, "sources": [{"d": {"date_histogram": {"field": "seen", "calendar_interval": "1d"}}}, {"f": {"terms": {"field": "free", "missing_bucket": true, "order": "desc"}}}]}, "aggs": {"m": {"max": {"field": "price"}}}}`,
		`{"composite": {"sources": [{"a": {"terms": {"field": "seen"}}}]}}`, `{"composite": {"sources": [{"a": {"terms": {"field": "price", "order": "desc"}}}]}}`, `{"composite": {"sources": [{"a": {"terms": {"field": "nope"}}}]}}`, `{"composite": {"sources": [{"a": {"terms": {"field": "free"}}}]}}`,
		`{"composite": {"sources": [{"a": {"terms": {"field": "tags"}}}, {"a": {"terms": {"field": "price"}}}]}}`, `{"composite": {"sources": []}}`, `{"composite": {"size": 0, "sources": [{"a": {"terms": {"field": "tags"}}}]}}`, `{"composite": {"after": {"b": 1}, "sources": [{"a": {"terms": {"field": "tags"}}}]}}`,
		`{"composite": {"after": {"a": "a"}, "sources": [{"a": {"terms": {"field": "tags"}}}]}}`, `{"composite": {"after": {"a": 1140048000000}, "sources": [{"a": {"terms": {"field": "seen"}}}]}}`, `{"composite": {"after": {"a": "zz武"}, "sources": [{"a": {"terms": {"field": "tags"}}}]}}`,
		`{"composite": {"sources": [{"a": {"date_histogram": {"field": "seen", "fixed_interval": "1d", "time_zone": "Europe/Berlin", "offset": "+6h"}}}]}}`, `{"composite": {"after": {"a": null}, "sources": [{"a": {"terms": {"field": "tags", "missing_bucket": true}}}]}}`,
		`{"terms": {"field": "tags"}, "aggs": {"c": {"composite": {"sources": [{"a": {"terms": {"field": "tags"}}}]}}}}`,

		`{"percentiles": {"field": "price", "percents": [0, 100]}}`, `{"percentiles": {"field": "seen", "percents": [0, 100], "keyed": false, "format": "yyyy-MM"}}`, `{"percentiles": {"field": "price", "percents": ["100", 1e-7], "format": "0.0", "missing": 4}}`, `{"percentiles": {"field": "free", "percents": 50}}`,
		`{"percentiles": {"field": "nope", "percents": [50], "keyed": false}}`, `{"percentiles": {"field": "nope", "missing": 7, "tdigest": {"compression": 200}}}`, `{"percentiles": {"field": "tags"}}`, `{"percentiles": {"field": "title"}}`, `{"percentiles": {"field": "price", "percents": []}}`, `{"percentiles": {"field": "price", "percents": [-1]}}`,
		`{"percentiles": {"field": "price", "percents": ["x"]}}`, `{"percentiles": {"field": "price", "percents": null}}`, `{"percentiles": {"field": "price", "keyed": "no"}}`, `{"percentiles": {"field": "price", "foo": 1}}`, `{"percentiles": {"field": "price", "tdigest": {"foo": 1}}}`, `{"percentiles": {"field": "price", "tdigest": 5}}`, `{"percentiles": {}}`,
		`{"query": {"term": {"tags": "zzz"}}, "size": 0, "aggs": {"t": {"percentiles": {"field": "price"}}}}`, `{"terms": {"field": "tags", "order": {"p.100": "desc"}}, "aggs": {"p": {"percentiles": {"field": "price", "percents": [0, 100]}}}}`, `{"terms": {"field": "free", "order": {"f>p[100.0]": "asc"}}, "aggs": {"f": {"filter": {"match_all": {}}, "aggs": {"p": {"percentiles": {"field": "price", "percents": [0, 100]}}}}}}`,

		`{"cardinality": {"field": "tags", "precision_threshold": 10, "missing": "x"}}`, `{"sum": {"field": "price", "missing": "3"}}`, `{"sum": {"field": "price", "missing": "x"}}`, `{"max": {"field": "nope", "missing": 7}}`, `{"max": {"field": "seen", "format": "yyyy"}}`, `{"min": {"field": "seen", "missing": "1900-01-01"}}`,
		`{"max": {"field": "price"}, "aggs": {"y": {"max": {"field": "price"}}}}`, `{"extended_stats": {"field": "price", "sigma": 3}}`, `{"stats": {"field": "seen", "format": "yyyy-MM-dd"}}`,
		`{"post_filter": {"term": {"tags": "b"}}, "size": 0, "aggs": {"t": {"terms": {"field": "tags"}}}}`, `{"query": {"match": {"title": "red"}}, "post_filter": {"term": {"tags": "zzz"}}, "min_score": 0.0001, "size": 0, "aggs": {"t": {"terms": {"field": "tags"}}}}`,
		`{"query": {"match": {"title": "red"}}, "min_score": 1000, "size": 0, "aggs": {"t": {"max": {"field": "price"}}, "u": {"terms": {"field": "tags"}}}}`,
	}
	for _, format := range []string{"yyyy-MM-dd HH:mm:ss", "MMM d, yyyy", "EEE dd MMM yy", "EEE h:mm a", "yyyyMMdd", "epoch_millis", "epoch_second", "date_time", "strict_date_time_no_millis", "year_month", "basic_date_time", "HH:mm:ss.SSS", "uuuu/MM/dd'T'HHxxx", "XXX", "date_hour", "dd.MM.yyyy||epoch_millis"} {
		cases = append(cases, fmt.Sprintf(`{"date_histogram": {"field": "seen", "calendar_interval": "minute", "min_doc_count": 1, "time_zone": "Europe/Berlin", "format": "%s"}}`, format))
	}
	for _, metric := range []string{"min", "max", "avg", "sum", "value_count", "cardinality", "stats", "extended_stats"} {
		for _, field := range []string{"price", "seen", "free", "tags", "title", "nope"} {
			if metric == "extended_stats" && (field == "seen" || field == "free") {
				continue // refused by name
			}
			cases = append(cases, fmt.Sprintf(`{"%s": {"field": "%s"}}`, metric, field),
				fmt.Sprintf(`{"query": {"term": {"tags": "b"}}, "size": 0, "aggs": {"t": {"%s": {"field": "%s"}}}}`, metric, field),
				fmt.Sprintf(`{"query": {"term": {"tags": "zzz"}}, "size": 0, "aggs": {"t": {"%s": {"field": "%s"}}}}`, metric, field))
		}
	}
	return cases
}
