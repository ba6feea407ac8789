package apidiff

import (
	"fmt"
	"strings"
)

// moreLike makes a query of the rare words of texts and documents.
func (g *generator) moreLike() any {
	if g.many || g.used["more_like_this"] {
		return g.everything()
	}
	g.use("more_like_this")
	m := obj{"fields": pick(g, list{"title"}, list{"body"}, list{"title", "body"}, list{"body", "cast", "title"}, list{"nothing", "title"})}
	if g.one(8) {
		g.use(ownScores) // of keywords
		m["fields"] = pick(g, list{"kind"}, list{"kind", "title"}, list{"title.keyword"}, list{"tags", "body"})
	}
	document := func() any {
		id := g.IntN(len(g.rows) + 20)
		return pick[any](g, obj{"_id": fmt.Sprint(id)}, obj{"_id": fmt.Sprint(id)}, obj{"_index": index, "_id": id}, obj{"_index": other, "_id": fmt.Sprint(id / 10 * 10)}, obj{"_index": "nothing", "_id": "1"})
	}
	like := func() any {
		return pick[any](g, g.words(1, 8), g.words(2, 20), document(), document(), list{g.words(1, 3), g.words(1, 3)}, list{document(), document()}, list{g.words(1, 5), document(), document()})
	}
	m["like"] = like()
	if g.one(4) {
		g.use("more_like_this unlike")
		m["unlike"] = like()
	}
	g.with("more_like_this", m, obj{"minimum_should_match": g.minimum(), "boost_terms": 0.5 + float64(g.IntN(4)), "include": true, "stop_words": list{g.word(), g.word(), "the"},
		"min_word_length": 2 + g.IntN(4), "max_word_length": 3 + g.IntN(6), "max_doc_freq": pick(g, 5, 50, 500), "boost": 2})
	if g.one(2) { // all words, since OpenSearch chooses any of equally good ones
		m["min_term_freq"], m["max_query_terms"] = 1, 1000
		g.use("more_like_this min_term_freq")
	} else if g.one(3) {
		g.use("more_like_this max_query_terms")
		m["like"] = strings.Repeat(pick(g, g.common...)+" ", 6) + pick(g, g.common...)
		m["min_term_freq"], m["max_query_terms"] = 1, 1
	}
	if g.one(2) {
		g.use("more_like_this min_doc_freq")
		m["min_doc_freq"] = pick(g, 0, 1, 2, 20)
	}
	if g.fault() {
		g.use("malformed more_like_this")
		for key, value := range pick(g, obj{"like": list{}}, obj{"like": nil}, obj{"fields": list{}}, obj{"fields": "title"}, obj{"fields": nil, "like": "a"}, obj{"fields": list{"title", "price"}}, obj{"fields": list{"seen"}}, obj{"max_query_terms": 0}, obj{"max_query_terms": "x"},
			obj{"min_term_freq": "x"}, obj{"boost_terms": "x"}, obj{"include": "x"}, obj{"stop_words": "x"}, obj{"x": 1}, obj{"like": obj{"x": 1}}, obj{"like": obj{}}, obj{"like": list{list{"a"}}}, obj{"minimum_should_match": "x"}, obj{"fail_on_unsupported_field": "x"}, obj{"docs": list{}}) {
			m[key] = value
		}
	} else if g.one(8) {
		m["fail_on_unsupported_field"] = false
		m["fields"] = append(m["fields"].(list), "price")
	}
	return obj{"more_like_this": m}
}
