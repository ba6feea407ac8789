package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"indexerd/internal/index/query"
)

// A searchFunc makes one search for a query in the tables that it is made for. It reads
// no text, and suggests nothing.
type searchFunc func(context.Context, Params, query.Node) (Results, error)

// An asked is a search as a caller asks for it: with a text to read, and with what is
// searched in its place if nothing is found. Every search of it is as the caller, so no
// answer, note or suggestion depends on a document that the caller may not see.
type asked struct {
	Params
	parts  []Part // the tables
	search searchFunc
}

// moreWithin is how long searches for similar words and for suggestions may take
// together, if nothing is found without them.
const moreWithin = time.Second

// answer makes the search.
func (a asked) answer(ctx context.Context) (Results, error) {
	a.search = a.withIntervals(a.search)
	if a.Node != nil {
		return a.search(ctx, a.Params, a.Node)
	}
	n, notes, err := a.read(ctx)
	if err != nil {
		return Results{}, err
	}
	r, n, err := a.find(ctx, n, &notes)
	if err != nil || r.Total > 0 {
		r.Notes = notes
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, moreWithin)
	defer cancel()
	similar, err := a.similar(limited, n)
	if err == nil && similar.Total > 0 {
		r = similar
		notes.Add("nothing has these words: similar ones are found")
	} else if err == nil {
		r.Suggest, err = a.suggestion(limited, n)
	}
	if limited.Err() != nil {
		err = ctx.Err() // without what is not found in time
	}
	r.Notes = notes
	return r, err
}

// read returns the query of the text, and notes about what is not read as it may have
// been meant. With Strict a fault is an *Error.
func (a asked) read(ctx context.Context) (query.Node, query.Notes, error) {
	if a.Strict {
		n, err := query.Parse(a.Query)
		return n, nil, asBadQuery(err)
	}
	n, notes := query.ParseLenient(a.Query, a.fields())
	n = query.Map(n, func(part query.Node) query.Node { return a.searchable(part, &notes) })
	n, err := a.withPartNumbers(ctx, n, &notes)
	return n, notes, err
}

// fields lists the fields of all tables that the caller may see.
func (a asked) fields() (names []string) {
	for _, part := range a.parts {
		visible, _ := part.forCaller(part.Caller)
		names = append(names, visible.fields()...)
	}
	return names
}

// searchable returns a part of a query, or a plainer one if no table can answer it.
// notes may be nil.
func (a asked) searchable(part query.Node, notes *query.Notes) query.Node {
	plain := part
	for a.fault(plain) {
		plainer, ok := query.Plainer(plain)
		if !ok {
			break
		}
		plain = plainer
	}
	if notes == nil || plain == part {
		return plain
	}
	field, text := query.FieldOf(part), part.String()
	if phrase, ok := part.(query.Phrase); ok {
		text = phrase.Text
	}
	if field != "" && query.FieldOf(plain) == "" {
		notes.Add("read as text: " + query.Shorten(field))
	} else {
		notes.Add("read as words: " + query.Shorten(text))
	}
	return plain
}

// fault reports whether no table can answer a part of a query.
func (a asked) fault(part query.Node) bool {
	switch part := part.(type) {
	case query.All:
		return false
	case query.Word:
		if part.Field == "" {
			return false
		}
	}
	return len(a.parts) > 0 && !slices.ContainsFunc(a.parts, func(p Part) bool {
		visible, filter := p.forCaller(p.Caller)
		return visible.Index.Check(query.Request{Query: part, Visible: filter}) == nil
	})
}

// find searches for a query: with its last word incomplete if it is being typed, else as
// it is, else in a form that does not exceed the limits, which it returns. A fault of
// something else is an *Error.
func (a asked) find(ctx context.Context, n query.Node, notes *query.Notes) (Results, query.Node, error) {
	r, err := a.search(ctx, a.Params, a.typed(n))
	if a.Typing && isFault(err) {
		r, err = a.search(ctx, a.Params, a.matching(n))
	}
	why := faultIn(err)
	if a.Strict || why == nil {
		return r, n, err
	}
	words := query.Words(n)
	if r, err = a.search(ctx, a.Params, a.matching(words)); !isFault(err) {
		notes.Add("without * and ~: " + why.Message)
		return r, words, err
	}
	first, cut := query.FirstParts(words, fewParts)
	if !cut {
		return Results{}, n, why
	}
	if r, err = a.search(ctx, a.Params, a.matching(first)); isFault(err) {
		return Results{}, n, why
	}
	notes.Add("only the first words: " + why.Message)
	return r, first, err
}

// fewParts is how many words of a text are searched if all are more than an index can.
const fewParts = 8

// faultIn returns the fault of the request that an error is, nil if it is none.
func faultIn(err error) *Error {
	var fault *Error
	errors.As(err, &fault)
	return fault
}

func isFault(err error) bool { return faultIn(err) != nil }

// typed returns a query whose last word may be incomplete, if it is being typed.
func (a asked) typed(n query.Node) query.Node {
	if !a.Typing {
		return a.matching(n)
	}
	n = query.Typing(n, a.Query)
	if !a.Strict {
		n = query.Map(n, func(part query.Node) query.Node { return a.searchable(part, nil) })
	}
	return a.matching(n)
}

// matching returns the query that finds the documents with as many words as Match says.
func (a asked) matching(n query.Node) query.Node {
	n, _ = a.Match.In(n)
	return n
}

// similar searches for words with slips, if the query is being typed.
func (a asked) similar(ctx context.Context, n query.Node) (Results, error) {
	slipped, ok := query.Slips(a.typed(n))
	if !a.Typing || !ok {
		return Results{}, nil
	}
	r, err := a.search(ctx, a.Params, slipped)
	if isFault(err) { // a word is like too many
		return Results{}, nil
	}
	return r, err
}
