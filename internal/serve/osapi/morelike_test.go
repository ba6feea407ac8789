package osapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The titles of the films of a library. Each word counts by how few of them have it.
var titles = []string{
	"green apple secret apple", "blue green submarine", "red blue green", "red shark", "red shark shark", "blue red zebra", "green pie", "fox", "apple pie", "apple pie green",
}

func newTitles(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for i, title := range titles {
		w.put(t, "film", map[string]any{"id": i, "title": title, "plot": "zebra zebra", "rating": "PG", "year": 2000 + i, "grp": "sales"})
	}
	w.put(t, "film", map[string]any{"id": 90, "title": "fox fox secret hidden", "plot": "fox", "rating": "R", "grp": "boss"})
	w.put(t, "actor", map[string]any{"id": 1, "name": "green fox"})
	return w
}

// The words are chosen as OpenSearch 3.8 chooses them, from what the caller may see.
func TestMoreLikeThis(t *testing.T) {
	w := newTitles(t)
	const any1 = `"min_term_freq": 1, "min_doc_freq": 1, "minimum_should_match": 1, `
	for _, c := range []struct{ token, index, query, want string }{
		{sales, "film", any1 + `"fields": ["title"], "like": "Secret FOX"`, "0 7"},
		{ops, "film", any1 + `"fields": ["title"], "like": "Secret FOX"`, "0 7 90"},
		{sales, "film", any1 + `"fields": ["title"], "like": ["secret", "fox"], "stop_words": ["fox"]`, "0"},
		{sales, "film", any1 + `"fields": ["title"], "like": "secret fox", "unlike": "secret"`, "7"},
		{sales, "film", any1 + `"fields": ["title"], "like": "secret fox", "min_word_length": 4`, "0"},
		{sales, "film", any1 + `"fields": ["title"], "like": "secret fox", "max_word_length": 3`, "7"},
		{sales, "film", any1 + `"fields": ["title"], "like": "shark shark shark red fox", "max_query_terms": 1`, "3 4"},
		{sales, "film", any1 + `"fields": ["title"], "like": "red fox", "max_query_terms": 1`, "7"},
		{sales, "film", any1 + `"fields": ["title"], "like": "red fox", "max_doc_freq": 1`, "7"},
		{sales, "film", `"min_term_freq": 1, "min_doc_freq": 4, "fields": ["title"], "like": "red fox"`, "2 3 4 5"},
		{sales, "film", `"min_term_freq": 2, "min_doc_freq": 1, "fields": ["title"], "like": "red fox fox"`, "7"},
		{sales, "film", `"fields": ["title"], "like": "red red fox"`, ""},
		{sales, "film", `"min_doc_freq": 3, "fields": ["title"], "like": "red red fox"`, "2 3 4 5"},
		{sales, "film", any1 + `"fields": ["title", "plot"], "like": "zebra"`, "0 1 2 3 4 5 6 7 8 9"},
		{sales, "film", any1 + `"fields": ["nope", "title"], "like": "zebra"`, "5"},
		{sales, "film", any1 + `"fields": ["nope"], "like": "zebra"`, ""},
		{sales, "film", any1 + `"fields": ["rating"], "like": "PG"`, "0 1 2 3 4 5 6 7 8 9"},
		{sales, "film", any1 + `"fields": ["title.keyword"], "like": "red shark"`, "3"},
		{sales, "film", any1 + `"fields": ["title", "year"], "fail_on_unsupported_field": false, "like": "fox"`, "7"},
		{sales, "film", any1 + `"fields": ["year"], "fail_on_unsupported_field": false, "like": "fox"`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": ""`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": 5`, ""},

		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "4"}`, "2 3 5"},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "4"}, "include": true`, "2 3 4 5"},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_index": "film", "_id": 4}, "max_query_terms": 1`, "3"},
		{sales, "film", any1 + `"fields": ["title"], "like": [{"_id": "4"}, {"_id": "7"}, "secret"]`, "0 2 3 5"},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "4"}, "unlike": {"_id": "3"}`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": "shark", "unlike": {"_id": "3"}`, "3 4"},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_index": "actor", "_id": "1"}`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "12345"}`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "x"}`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_index": "nope", "_id": "1"}`, ""},
		{sales, "film", any1 + `"fields": ["title"], "like": {"_id": "90"}`, ""},
		{ops, "film", any1 + `"fields": ["title"], "like": {"_id": "90"}`, "0 7"},
		{guest, "film", any1 + `"fields": ["title"], "like": ["fox", {"_id": "7"}]`, ""},
		{sales, "film", `"min_term_freq": 1, "min_doc_freq": 1, "minimum_should_match": "100%", "fields": ["title"], "like": {"_id": "8"}`, "9"},
		{sales, "film", any1 + `"like": {"_id": "7"}, "max_query_terms": 1`, "0 1 2 3 4 5 6 8 9"},
	} {
		got := idsOf(t, w, c.token, c.index, c.query)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.query, got, c.want)
		}
	}
}

// idsOf returns the keys of what a more_like_this finds, in their order.
func idsOf(t *testing.T, w *world, token, index, options string) string {
	t.Helper()
	p := w.page(t, token, "POST", "/"+index+"/_search", `{"size": 100, "sort": ["_doc"], "query": {"more_like_this": {`+options+`}}}`)
	var ids []string
	for _, h := range p.Hits.Hits {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, " ")
}

// A word counts by how often the texts have it, and how few documents do: the least of
// the chosen ones has the boost of boost_terms.
func TestMoreLikeThisBoosts(t *testing.T) {
	w := newTitles(t)
	score := func(options string) (score float64) {
		body := w.want(t, sales, "POST", "/film/_search", `{"size": 1, "query": {"more_like_this": {"fields": ["title"], "min_term_freq": 1, "min_doc_freq": 1, `+options+`}}}`, http.StatusOK, `"_id":"7"`)
		_, text, _ := strings.Cut(body, `"max_score":`)
		if _, err := fmt.Sscanf(text, "%g", &score); err != nil {
			t.Fatal(err)
		}
		return score
	}
	plain, least := score(`"like": "fox"`), score(`"like": "fox", "boost_terms": 3`)
	if got := least / plain; got < 2.999 || got > 3.001 {
		t.Errorf("the least of the words has the boost %v, want 3", got)
	}
	// ln(11/2)+1 for fox, which one of ten documents has, and ln(11/5)+1 for red.
	if got := score(`"like": "fox red", "boost_terms": 1`) / plain; got < 1.512 || got > 1.514 {
		t.Errorf("fox has the boost %v beside red, want 1.513", got)
	}
}

func TestMoreLikeThisRefuses(t *testing.T) {
	w := newTitles(t)
	var docs []string
	for i := range 101 {
		docs = append(docs, fmt.Sprint(i))
	}
	for _, c := range []struct{ query, want string }{
		{`{}`, "more_like_this requires 'like' to be specified"}, {`{"fields": ["title"], "like": []}`, "requires 'like'"}, {`{"fields": ["title"], "like": null}`, "requires 'like'"},
		{`{"fields": [], "like": "a"}`, "requires 'fields' to be non-empty"}, {`{"fields": "title", "like": "a"}`, `"type":"parsing_exception"`}, {`"x"`, `"type":"parsing_exception"`},
		{`{"like": "a"}`, "cannot infer the field"}, {`{"fields": ["year"], "like": "a"}`, "only supports text/keyword fields: [year]"}, {`{"fields": ["_id"], "like": "a"}`, "only supports text/keyword fields: [_id]"},
		{`{"fields": ["title"], "like": "a", "max_query_terms": 0}`, "requires 'maxQueryTerms'"}, {`{"fields": ["title"], "like": "a", "min_term_freq": "x"}`, `"type":"number_format_exception"`},
		{`{"fields": ["title"], "like": "a", "boost_terms": -1}`, "boost must be a positive float"}, {`{"fields": ["title"], "like": "a", "minimum_should_match": "x"}`, `"type":"number_format_exception"`},
		{`{"fields": ["title"], "like": "a", "include": "x"}`, "include is true or false"}, {`{"fields": ["title"], "like": "a", "fail_on_unsupported_field": "x"}`, "fail_on_unsupported_field is true or false"},
		{`{"fields": ["title"], "like": "a", "stop_words": "x"}`, `"type":"parsing_exception"`}, {`{"fields": ["title"], "like": [["a"]]}`, "should either be a string or an object"},
		{`{"fields": ["title"], "like": {"x": 1}}`, "unknown field [x]"}, {`{"fields": ["title"], "like": {}}`, "neither [id] nor [doc] is specified"}, {`{"fields": ["title"], "like": {"_id": null}}`, `"type":"parse_exception"`},
		{`{"fields": ["title"], "like": {"doc": {"title": "a"}}}`, "[doc] of a document in [more_like_this] is not supported"}, {`{"fields": ["title"], "like": {"_id": "1", "fields": ["title"]}}`, "[fields] of a document"},
		{`{"fields": ["title"], "like": "a", "analyzer": "standard"}`, "does not support [analyzer]"}, {`{"fields": ["title"], "like": "a", "docs": []}`, "does not support [docs]"}, {`{"fields": ["title"], "like": [` + strings.Join(docs, ",") + `]}`, "more than 100"},
	} {
		w.want(t, sales, http.MethodPost, "/film/_search", `{"query": {"more_like_this": `+c.query+`}}`, http.StatusBadRequest, c.want)
	}
	one := `{"more_like_this": {"fields": ["title"], "like": "fox"}}`
	w.want(t, sales, http.MethodPost, "/film,actor/_search", `{"query": `+one+`}`, http.StatusBadRequest, "[more_like_this] in 2 indices is not supported")
	w.want(t, sales, http.MethodPost, "/film/_search", `{"query": {"bool": {"should": [`+strings.Repeat(one+",", 4)+one+`]}}}`, http.StatusBadRequest, "more than 4 [more_like_this]")
	w.want(t, sales, http.MethodPost, "/noth*/_search", `{"query": `+one+`}`, http.StatusOK, `"value":0`)
}

// Of a long text the words that it has most often are counted.
func TestMoreLikeThisIsBounded(t *testing.T) {
	w := newTitles(t)
	var text strings.Builder
	for i := range 512 { // all that are counted
		fmt.Fprintf(&text, "w%d w%d ", i, i)
	}
	const options = `"fields": ["title"], "min_term_freq": 1, "min_doc_freq": 1, "minimum_should_match": 1, "like": `
	if got := idsOf(t, w, sales, "film", options+`"`+text.String()+`fox"`); got != "" {
		t.Errorf("a word beyond the most frequent ones is counted: got %q", got)
	}
	if got := idsOf(t, w, sales, "film", options+`"`+text.String()+`fox fox fox"`); got != "7" {
		t.Errorf("the most frequent word: got %q, want 7", got)
	}
}
