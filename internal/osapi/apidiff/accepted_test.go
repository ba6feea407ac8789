package apidiff

// A known is a difference that is accepted: the aspects of an answer that may differ if
// a request has the feature. docs/opensearch-api.md has the same reasons.
type known struct {
	feature string
	aspects []string
	reason  string
}

// accepted lists the differences that are not faults.
var accepted = []known{
	{"sort exact", []string{"sort"}, "a date with microseconds is text in the values of a sort"},
	{"sort _id", searched, "keys are sorted as the numbers that they are"},
	{"highlight fragments", []string{"highlight"}, "a text is cut at other places"},
	{"highlight no_match_size", []string{"highlight"}, "a text is cut at other places"},
	{"highlight *", []string{"highlight"}, "only the text of content is marked"},
	{"text of punctuation", searched, "words are split by another analyzer"},
	{"negative milliseconds", searched, "OpenSearch reads a year"},
	{"suggest phrase", []string{"suggest"}, "phrases are weighed otherwise, and words are those that the caller may see"},
	{"indices", []string{"scores", "ids", "source", "sort"}, "scores of several indices are divided by the best of each"},
	{"_source", []string{"status"}, "OpenSearch 2 accepts a name that is included and excluded"},
	{"agg top_hits", []string{"status"}, "OpenSearch answers 400 for size 0 beside no hits"},
	{"indices", []string{"status"}, "a missing index is reported before a fault of the body, and a suggestion needs a field"},
	{"body pit", []string{"error"}, "the first of several faults is reported"},
	{"URL df", []string{"error"}, "it needs q"},
	{"URL default_operator", []string{"error"}, "it needs q"},
	{"suggest term", []string{"suggest"}, "similar words are not those of one shard, and fewer of them are left out"},
	{"track_total_hits of few", searched, "which of more matches than the answer has are in it depends on scores"},
	{"agg of text", []string{"error"}, "the first of several faults is reported"},
	{"malformed metric with sub", []string{"status"}, "OpenSearch answers 500"},
	{"indices", []string{"indices", "max_score"}, "equal hits of several indices are in the order of the configuration"},
	{"query_string minimum_should_match", searched, "it counts the parts of the query, not those of a group that is the whole query"},
	{"body min_score", append(searched, "scores"), "scores of OpenSearch 2 are higher; min and max are those of all documents there"},
	{"query_string all fields", searched, "a field is among them whose words are split by another analyzer"},
	{"malformed unknown endpoint", []string{"error"}, "the error says what is supported"},
	{"malformed method", []string{"error"}, "the error says what is supported"},
	{"malformed scroll id", []string{"status", "error"}, "ids that are no more and ids that never were are the same"},
	{"malformed unknown point in time", []string{"status", "error"}, "ids that are no more and ids that never were are the same"},
	{"endpoint /_search/scroll", []string{"status"}, "ids that are no more and ids that never were are the same"},
	{"malformed match of list", []string{"status"}, "OpenSearch answers 500"},
	{"malformed prefix of list", []string{"status"}, "OpenSearch answers 500"},
	{"malformed search_after and from", []string{"status"}, "OpenSearch answers 500"},
	{"malformed track_total_hits below", []string{"error"}, "the number is refused before the search"},
}

// searched are the aspects of hits.
var searched = []string{"total", "ids", "hits", "aggs", "source", "fields", "highlight", "sort", "indices", "matched", "max_score", "suggest"}

// refused are the features that the API refuses by name, and why.
var refused = map[string]string{
	"body slice": noParts, "body rescore": noPart, "body script_fields": noScripts, "body profile": noPart, "body ext": noPart, "body collapse": noPart, "body indices_boost": noPart, "body runtime_mappings": noScripts, "body stats": noPart,
	"body pit": "the request has an index too", "body track_scores": noPart,
	"query script": noScripts, "query script_score": noScripts, "query geo_distance": noGeo, "query knn": noGeo, "query percolate": noPart, "query has_child": noPart, "query span_term": noPart, "query intervals": noPart,
	"query rank_feature": noPart, "query distance_feature": noPart, "query terms_set": noPart, "query wrapper": noPart, "query nothing": "there is no such query", "query terms lookup": "a document may be one that the caller must not see",
	"suggest completion": noPart,
	"sort _doc":          "equal hits are in the order of their keys, ascending", "sort _id": "equal hits are in the order of their keys, ascending", "sort mode": "a value is least or greatest",
	"URL nothing": "there is no such parameter", "URL source": noPart, "URL analyzer": noPart, "URL lenient": noPart,
	"agg percentiles": "OpenSearch estimates them", "agg global": "it counts documents outside the search", "agg significant_terms": noPart, "agg avg_bucket": noPart, "agg scripted_metric": noScripts, "agg sampler": noPart,
	"agg auto_date_histogram": noPart, "agg rare_terms": noPart, "agg nothing": "there is no such aggregation", "agg nested": "children are not nested documents here", "agg terms min_doc_count": "0 shows values of documents outside the search",
	"endpoint /_search_shards": "there are no shards", "match analyzer": "the analyzer is that of the table", "regexp options": "flags other than ALL",
	"sort of no type": "words have no order", "search_after": "in several indices", "indices": "search_after in several indices",
}

const (
	noPart    = "outside the subset"
	noParts   = "cursors have no parts"
	noScripts = "no scripts"
	noGeo     = "no such types"
)
