package dsl

import (
	"encoding/json"
	"math"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// The limits of more_like_this. Each one reads documents, and counts words.
const (
	maxAlike = 4   // in a search
	maxLike  = 100 // texts and documents of one
)

// A likeness is a more_like_this: Scope.Choose replaces it by a query of words, when the
// caller is known. Until then it is a query that no index answers.
type likeness struct {
	query.Node
	fields []mapping.Field // in which words are searched; none: all of a document
	given  bool            // fields are given
	like   likeList
	unlike likeList

	stop                                           map[string]bool
	terms                                          int // in each field
	minFreq, minDocs, maxDocs, minLetters, letters int // below 1: any
	least                                          query.Minimum
	boost                                          float64 // of a term that counts more than another; 0: all count the same
	include                                        bool    // documents that are liked may be found
}

// A likeList is texts and documents.
type likeList struct {
	texts []string
	docs  []likeDoc
}

// A likeDoc is a document of an index; "" is the one that is searched.
type likeDoc struct{ index, id string }

// String implements query.Node.
func (a likeness) String() string { return "likeness[" + strings.Join(a.like.texts, " ") + "]" }

// moreLikeThis finds documents that have the rare words of texts and of documents.
func (t *Translator) moreLikeThis(body json.RawMessage) (query.Node, error) {
	o := readOptions("more_like_this", body, "fields", "like", "unlike", "max_query_terms", "min_term_freq", "min_doc_freq", "max_doc_freq", "min_word_length", "max_word_length",
		"stop_words", "minimum_should_match", "boost_terms", "include", "fail_on_unsupported_field")
	if o.err != nil {
		return nil, o.err
	}
	a := likeness{Node: query.None(), stop: map[string]bool{}, include: o.flag("include", false), least: query.Exactly(0)}
	var err error
	if a.like, err = likeOf(o, "like"); err != nil {
		return nil, err
	}
	if a.unlike, err = likeOf(o, "unlike"); err != nil {
		return nil, err
	}
	if err := a.numbers(o); err != nil {
		return nil, err
	}
	if err := t.likeFields(&a, o); err != nil {
		return nil, err
	}
	switch {
	case len(t.Tables) > 1:
		return nil, input.ParsingError("[more_like_this] in %d indices is not supported: search one index", len(t.Tables))
	case t.path != "":
		return nil, input.ParsingError("[more_like_this] in [nested] is not supported: rows have no words of their own")
	}
	if t.alikes++; t.alikes > maxAlike {
		return nil, input.ParsingError("a search has more than %d [more_like_this]", maxAlike)
	}
	if len(t.Tables) == 0 || a.given && len(a.fields) == 0 {
		return o.boosted(query.None(), nil)
	}
	return o.boosted(a, nil)
}

// numbers reads the options that are numbers, and the stop words.
func (a *likeness) numbers(o *options) error {
	for _, one := range []struct {
		name    string
		to      *int
		without int
	}{
		{"max_query_terms", &a.terms, 25}, {"min_term_freq", &a.minFreq, 2}, {"min_doc_freq", &a.minDocs, 5}, {"max_doc_freq", &a.maxDocs, math.MaxInt32},
		{"min_word_length", &a.minLetters, 0}, {"max_word_length", &a.letters, 0},
	} {
		*one.to = int(o.numberOf(one.name, float64(one.without)))
	}
	a.boost = o.numberOf("boost_terms", 0)
	least := "30%"
	if o.has("minimum_should_match") {
		least = o.text("minimum_should_match")
	}
	var err error
	if a.least, err = query.ParseMinimum(least); err != nil {
		o.failAs(input.UnreadableNumber, "minimum_should_match: %v", err)
	}
	switch {
	case o.err != nil:
		return o.err
	case a.terms < 1:
		return input.ArgumentError("requires 'maxQueryTerms' to be greater than 0")
	case a.boost < 0:
		return input.ArgumentError("boost must be a positive float, got %g", a.boost)
	case !o.has("stop_words"):
		return nil
	}
	list, err := listOf(o.m["stop_words"], "stop_words")
	for _, word := range list {
		a.stop[word] = true
	}
	return err
}

// numberOf reads a number, also as text.
func (o *options) numberOf(name string, without float64) float64 {
	x := o.number(name, without, math.Inf(-1), input.UnreadableNumber, "is not a number")
	return max(math.MinInt32, min(x, math.MaxInt32))
}

// listOf reads a list of texts and numbers.
func listOf(v json.RawMessage, name string) ([]string, error) {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return nil, input.ParsingError("[more_like_this] query does not support a [%s] that is no list", name)
	}
	if len(list) > query.MaxClauses {
		return nil, input.ParsingError("[%s] has more than %d words", name, query.MaxClauses)
	}
	texts := make([]string, len(list))
	for i, one := range list {
		var err error
		if texts[i], err = input.Scalar(one, name); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// likeFields reads the fields. Words of other fields than texts and keywords are an
// error, or left out.
func (t *Translator) likeFields(a *likeness, o *options) error {
	strict := o.flag("fail_on_unsupported_field", true)
	if a.given = o.has("fields"); o.err != nil {
		return o.err
	}
	if !a.given {
		if len(a.like.texts) > 0 && len(t.Tables) > 0 {
			return input.Error(input.NotOfField, "failed to create query: [more_like_this] query cannot infer the field to analyze the free text: write [fields]")
		}
		return nil
	}
	names, err := listOf(o.m["fields"], "fields")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return input.ParsingError("more_like_this requires 'fields' to be non-empty")
	}
	if err := t.count(len(names)); err != nil {
		return err
	}
	for _, name := range names {
		f, err := t.Lookup(name)
		switch {
		case err != nil:
			return err
		case f.Type == mapping.Text || f.Type == mapping.Keyword || f.Type == "":
			a.fields = append(a.fields, f)
		case strict:
			return input.Error(input.NotOfField, "failed to create query: more_like_this only supports text/keyword fields: [%s]", f.Shown())
		}
	}
	return nil
}

// likeOf reads texts and documents: one, or a list.
func likeOf(o *options, name string) (all likeList, err error) {
	var list []json.RawMessage
	if o.has(name) {
		list = input.List(o.m[name])
	}
	if name == "like" && len(list) == 0 {
		return all, input.ParsingError("more_like_this requires 'like' to be specified")
	}
	if len(list) > maxLike {
		return all, input.ParsingError("[%s] has %d texts and documents, more than %d", name, len(list), maxLike)
	}
	for _, one := range list {
		if one[0] == '{' {
			d, err := likeDocOf(one)
			if err != nil {
				return all, err
			}
			all.docs = append(all.docs, d)
			continue
		}
		text, err := input.Scalar(one, name)
		if err != nil {
			return all, input.ArgumentError("Content of '%s' parameter should either be a string or an object", name)
		}
		all.texts = append(all.texts, text)
	}
	return all, nil
}

func likeDocOf(v json.RawMessage) (d likeDoc, err error) {
	m, err := input.Object(v, "like")
	if err != nil {
		return d, err
	}
	for key, value := range m {
		var text string
		switch key {
		case "_index", "_id":
			if text, err = input.Scalar(value, key); err != nil {
				return d, input.Error(input.UnreadableDate, "failed to parse More Like This item. [%s] is not text", key)
			}
		case "doc", "fields", "per_field_analyzer", "routing", "version", "version_type":
			return d, input.ParsingError("[%s] of a document in [more_like_this] is not supported: write _index and _id", key)
		default:
			return d, input.Error(input.UnreadableDate, "failed to parse More Like This item. unknown field [%s]", query.Shorten(key))
		}
		if key == "_id" {
			d.id = text
		} else {
			d.index = text
		}
	}
	if m["_id"] == nil {
		return d, input.Error(input.UnreadableDate, "failed to parse More Like This item. neither [id] nor [doc] is specified!")
	}
	return d, nil
}
