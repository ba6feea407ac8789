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
	{"track_total_hits of few", []string{"total"}, "totals are exact, whatever number track_total_hits names"},
	{"sort exact", []string{"sort"}, "a date with microseconds is text in the values of a sort"},
	{"sort _id", []string{"ids", "sort", "source", "fields", "highlight", "indices"}, "keys are sorted as the numbers that they are"},
	{"highlight fragments", []string{"highlight"}, "a text is cut at other places"},
	{"text of punctuation", []string{"total", "ids", "hits", "aggs", "source", "fields", "highlight", "sort", "indices", "matched", "max_score"}, "words are split by another analyzer"},
	{"indices", []string{"max_score"}, "a search in no index has no best score"},
}

// refused are the features that the API refuses by name, whatever the node does.
var refused = map[string]string{}
