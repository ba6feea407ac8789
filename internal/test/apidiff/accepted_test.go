package apidiff

import (
	"slices"
	"strings"
)

// A known is a difference that is accepted: the aspects of an answer that may differ if
// a request has all of the features. docs/opensearch-api.md has the same reasons.
type known struct {
	features []string
	aspects  []string
	reason   string
	release  string // of OpenSearch, by its beginning; "": any
}

// accepted lists the differences that are not faults.
var accepted = []known{
	{features: []string{"sort exact"}, aspects: []string{"sort"}, reason: "a date with microseconds is text in the values of a sort"},
	{features: []string{"highlight fragments"}, aspects: []string{"highlight"}, reason: "a text is cut at other places"},
	{features: []string{"highlight", "slop"}, aspects: []string{"highlight"}, reason: "a phrase with a slop may be marked at another of its places"},
	{features: []string{"highlight", "more_like_this"}, aspects: []string{"highlight"}, reason: "OpenSearch's highlighter does not mark the words of more_like_this"},
	{features: []string{"highlight no_match_size"}, aspects: []string{"highlight"}, reason: "a text is cut at other places"},
	{features: []string{"highlight *"}, aspects: []string{"highlight"}, reason: "only the text of content is marked"},
	{features: []string{"text of punctuation"}, aspects: searched, reason: "a word that the analyzer of the table splits matches as a phrase"},
	{features: []string{"text of punctuation", "_count"}, aspects: []string{"answer"}, reason: "a word that the analyzer of the table splits matches as a phrase"},
	{features: []string{"negative milliseconds"}, aspects: searched, reason: "OpenSearch reads a year"},
	{features: []string{"suggest phrase"}, aspects: []string{"suggest"}, reason: "phrases are weighed otherwise, and words are those that the caller may see"},
	{features: []string{"suggest term"}, aspects: []string{"suggest"}, reason: "similar words are not those of one shard, and fewer of them are left out"},
	{features: []string{"sort", "several indices"}, aspects: []string{"indices"}, reason: "equal hits of several indices are in the order of the tables"},
	{features: []string{"malformed track_total_hits below"}, aspects: []string{"error"}, reason: "the number is refused before the search"},
	{features: []string{"stored_fields _none_ and _source"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"body min_score", "aggs"}, aspects: []string{"aggs"}, reason: "OpenSearch counts some aggregations from its index, and leaves the least score out"},
	{features: []string{"agg percentiles"}, aspects: []string{"percentiles"}, reason: "percentiles are exact, and OpenSearch estimates those of many values"},
	{features: []string{"agg percentiles order"}, aspects: []string{"aggs", "percentiles"}, reason: "OpenSearch 2 orders by estimates between values", release: "2."},
	{features: []string{"collapse sorted by it"}, aspects: []string{"total"}, reason: "OpenSearch 3.8 counts only documents with a value, if it collapses by the field by which it sorts", release: "3."},
	{features: []string{"collapse of pages"}, aspects: []string{"status"}, reason: "OpenSearch 2 has no search_after of hits that are collapsed", release: "2."},
	{features: []string{"collapse by score", "sort by score"}, aspects: []string{"sort"}, reason: "OpenSearch leaves out the values of a sort by score alone, if it collapses"},
	{features: []string{"collapse by score"}, aspects: searched, reason: "scores of words in OpenSearch 2 are k1 + 1 times higher, beside others that are not", release: "2."},
	{features: []string{"body min_score"}, aspects: searched, reason: "scores of OpenSearch 2 are k1 + 1 times higher", release: "2."},
	{features: []string{"_msearch malformed"}, aspects: []string{"error"}, reason: "OpenSearch 2 has another type of error", release: "2."},
	{features: []string{"malformed no JSON"}, aspects: []string{"error"}, reason: "OpenSearch 2 has another type of error", release: "2."},
	{features: []string{"malformed agg order"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"agg stats", "agg of dates", "agg format"}, aspects: []string{"status"}, reason: "OpenSearch can't write a sum of dates in some formats, and answers 500"},
	{features: []string{"post_filter", "sort"}, aspects: []string{"total"}, reason: "OpenSearch 3.8 counts only documents with a value, of some searches with a sort and a post_filter", release: "3."},
	{features: []string{"search_after of a range"}, aspects: []string{"total"}, reason: "OpenSearch 3.8 counts what is behind the values, if it sorts by the field of the range", release: "3."},
	{features: []string{ownScores}, aspects: []string{"scores"}, reason: "booleans, similar words, beginnings of words in phrases, phrases with a slop and cross_fields are scored otherwise"},
	{features: []string{"several indices"}, aspects: []string{"scores"}, reason: "scores of several indices are divided by the best of each"},
	{features: []string{"sort by score"}, aspects: []string{"max_score", "sort"}, reason: "scores of OpenSearch 2 are k1 + 1 times higher, and it has no max_score beside a sort", release: "2."},
	{features: []string{"_source includes and excludes one name"}, aspects: []string{"status"}, reason: "OpenSearch 2 accepts it", release: "2."},
	{features: []string{"malformed metric with sub"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed match of list"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed prefix of list"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed collapse of several values"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed collapse and search_after"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed collapse in a scroll"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"malformed search_after and from"}, aspects: []string{"status"}, reason: "OpenSearch answers 500"},
	{features: []string{"_msearch malformed"}, aspects: []string{"status"}, reason: "each search has an error of its own"},
	{features: []string{"malformed unknown endpoint"}, aspects: []string{"error"}, reason: "the error says what is supported"},
	{features: []string{"malformed method"}, aspects: []string{"error"}, reason: "the error says what is supported"},
	{features: []string{"malformed scroll id"}, aspects: []string{"status", "error"}, reason: "ids that are no more and ids that never were are the same"},
	{features: []string{"malformed unknown point in time"}, aspects: []string{"status", "error"}, reason: "ids that are no more and ids that never were are the same"},
	{features: []string{"endpoint /_search/scroll"}, aspects: []string{"status"}, reason: "ids that are no more and ids that never were are the same"},
}

// searched are the aspects of hits.
var searched = []string{"total", "ids", "hits", "aggs", "source", "fields", "highlight", "sort", "indices", "matched", "max_score", "suggest", "scores", "inner"}

// listed returns the reasons of the accepted differences that explain all aspects, "" if
// there are none.
func (p *pair) listed(r request, aspects []string) string {
	var names []string
	for _, aspect := range aspects {
		i := slices.IndexFunc(accepted, func(k known) bool {
			return strings.HasPrefix(p.release, k.release) && slices.Contains(k.aspects, strings.TrimRight(aspect, " 0123456789")) &&
				!slices.ContainsFunc(k.features, func(f string) bool { return !slices.Contains(r.features, f) })
		})
		if i < 0 {
			return ""
		}
		if name := strings.Join(accepted[i].features, " and "); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
