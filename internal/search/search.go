// Package search answers a user's search: it reads the parameters of a GET or
// the body of a POST, asks the index, fetches the pages of the hits, and marks
// in their text what was found. Its answers marshal to the JSON of the
// contract: lists and objects are never null, times are UTC with microseconds.
//
// Invariant: text and hit belong together. A page that the index does not
// speak of (another version, or none: a write is between index and page) is
// not shown; its hit has no fields and no highlights. And where documents are
// not for everyone, an answer is made as if there were only those that the
// caller may see, and not the field that says so.
//
// Cost: one search of the index, one page a hit, and one analysis of each
// content column and of each child's row of a hit where highlights are wanted,
// as far as 256 KiB of a field. A hit is made when it is asked for, so that one
// document at a time is in memory. The context is looked at before each hit, each
// text, and within long ones.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// Index finds documents and says where their text matches.
type Index interface {
	Search(context.Context, query.Request) (query.Result, error)
	// Matcher returns what finds the matches of a query in a text of a field.
	Matcher(query.Node) func(ctx context.Context, field, text string) ([]query.Span, error)
}

// A matcher finds the matches of one query.
type matcher func(ctx context.Context, field, text string) ([]query.Span, error)

// Pages keeps the documents as they were read. The error of View and NewestVersions
// does not say whether there is no such page; Meta does.
type Pages interface {
	// View shows a page, whose body is valid until see returns.
	View(oid doc.OID, see func(doc.Page) error) error
	Meta(doc.OID) (meta doc.Meta, ok bool, err error)
	// NewestVersions returns the versions that are kept of a page, newest first,
	// up to so many bytes, and whether there are more.
	NewestVersions(oid doc.OID, bytes int) (pages []doc.Page, more bool, err error)
}

// A Searcher answers searches in one table.
type Searcher struct {
	Index    Index
	Pages    Pages
	Table    string
	Content  []string // columns whose words are searched
	Metadata []string // columns that are searched by value
	Children []Child
	ACL      string             // the field that holds a document's groups; empty where everyone sees everything
	Boosts   map[string]float64 // of columns and children whose words are searched; without one, 1
}

// An Error is the caller's fault: what was asked can't be answered.
type Error struct {
	Code    string // bad_query, not_found or busy
	Message string
	Hint    string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

func badQuery(hint, format string, args ...any) *Error {
	return &Error{Code: "bad_query", Message: fmt.Sprintf(format, args...), Hint: hint}
}

// asBadQuery gives an error of the query its code.
func asBadQuery(err error) error {
	var bad *query.Error
	if errors.As(err, &bad) {
		return &Error{Code: "bad_query", Message: bad.Message, Hint: bad.Hint}
	}
	return err
}

// An Answer is what is answered, as a client reads it.
type Answer struct {
	Table  string                   `json:"table"`
	TookMS int64                    `json:"took_ms"`
	Total  uint64                   `json:"total"`
	Hits   []Hit                    `json:"hits"`
	Facets map[string][]query.Count `json:"facets"`
	Next   *string                  `json:"next"`
}

// A Hit is one document found.
type Hit struct {
	OID        string              `json:"oid"`
	Score      float64             `json:"score"`
	Fields     Fields              `json:"fields"`
	Highlights map[string][]string `json:"highlights"`
}

// Results are what was found. Its hits are made one at a time, when they are
// asked for: a document takes memory only while it is shown.
type Results struct {
	Table  string
	Total  uint64
	Facets map[string][]query.Count
	Len    int // hits of this page
	// Hit returns the i-th of them. What came of a deadline is ctx's error.
	Hit func(ctx context.Context, i int) (Hit, error)
	// Next is where to go on after the first n of them; nil at the end.
	Next func(n int) *string
}

// Search answers one search. What is wrong with it is an *Error; what came of
// a deadline is ctx's error.
func (s *Searcher) Search(ctx context.Context, p Params) (Results, error) {
	n, err := query.Parse(p.Query)
	if err != nil {
		return Results{}, asBadQuery(err)
	}
	s, visible := s.forCaller(p.Caller)
	fields, err := s.selected(p.Fields)
	if err != nil {
		return Results{}, err
	}
	res, err := s.Index.Search(ctx, query.Request{
		Query: n, Filters: p.Filters, From: p.From, Size: p.Size, After: p.After, Sort: p.Sort, Facets: p.Facets, Visible: visible, Boosts: s.Boosts,
	})
	if err != nil {
		return Results{}, asBadQuery(err)
	}
	var find matcher
	if p.Highlight {
		find = s.Index.Matcher(n)
	}
	r := Results{Table: s.Table, Total: res.Total, Facets: res.Facets, Len: len(res.Hits), Next: next(res)}
	if r.Facets == nil {
		r.Facets = map[string][]query.Count{}
	}
	r.Hit = func(ctx context.Context, i int) (Hit, error) {
		if err := ctx.Err(); err != nil {
			return Hit{}, err
		}
		return s.hit(ctx, res.Hits[i], fields, find)
	}
	return r, nil
}

// next returns where to go on after the first hits of a result. An answer that
// shows fewer than there are goes on behind the last one shown.
func next(res query.Result) func(int) *string {
	return func(n int) *string {
		after := res.Next
		if n < len(res.Hits) {
			after = res.Hits[n-1].After
		}
		if after == "" {
			return nil
		}
		return &after
	}
}

// forCaller returns what a caller knows of the table, and may see of its
// documents; nil is all.
func (s *Searcher) forCaller(c Caller) (*Searcher, *query.Filter) {
	if s.ACL == "" || c.Admin {
		return s, nil
	}
	known := *s
	is := func(name string) bool { return name == s.ACL }
	known.Content = slices.DeleteFunc(slices.Clone(s.Content), is)
	known.Metadata = slices.DeleteFunc(slices.Clone(s.Metadata), is)
	known.Children = slices.DeleteFunc(slices.Clone(s.Children), func(c Child) bool { return is(c.Name) })
	return &known, &query.Filter{Field: s.ACL, Values: c.Groups}
}

// fields lists the names of all fields, each once.
func (s *Searcher) fields() []string {
	all := slices.Clone(s.Content)
	for _, name := range s.Metadata {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, c := range s.Children {
		all = append(all, c.Name)
	}
	return all
}

// selected checks the names of the fields to return; none means all.
func (s *Searcher) selected(names []string) ([]string, error) {
	all := s.fields()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, asBadQuery(query.NoField(name, all))
		}
	}
	return names, nil
}

// hit shows one hit with what its page says.
func (s *Searcher) hit(ctx context.Context, h query.Hit, fields []string, find matcher) (Hit, error) {
	hit := Hit{OID: h.OID.String(), Score: h.Score, Highlights: map[string][]string{}}
	page, row, ok, err := s.page(h.OID)
	if err != nil || !ok || page.V != h.V {
		return hit, err
	}
	hit.Fields = s.pick(row, fields)
	if find != nil {
		hit.Highlights, err = s.highlights(ctx, row, find)
	}
	return hit, err
}

// highlights shows what of a row's text a query matches, by field.
func (s *Searcher) highlights(ctx context.Context, row doc.Row, find matcher) (map[string][]string, error) {
	found := map[string][]string{}
	for _, name := range s.Content {
		v, _ := row.Get(name)
		if err := find.show(ctx, found, name, v); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Children {
		if !c.Searched {
			continue
		}
		values, _ := c.values(row)
		if err := find.show(ctx, found, c.Name, values...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// show adds the best fragments of a field's values that a query matches. Only
// the beginning of what is very long is looked at.
func (find matcher) show(ctx context.Context, found map[string][]string, field string, values ...any) error {
	var all []fragment
	left := lookedAt
	for _, v := range values {
		text := doc.FormatText(v)
		if len(text) > left {
			text = strings.ToValidUTF8(text[:left], "")
		}
		left -= len(text)
		spans, err := find(ctx, field, text)
		if err = cmp.Or(err, ctx.Err()); err != nil { // a child may have thousands of short texts
			return err
		}
		all = append(all, fragments(text, spans)...)
	}
	if len(all) > 0 {
		found[field] = best(all)
	}
	return nil
}

// page returns what a page says, or false where there is none. The row is a
// copy: the page's own bytes are gone by then.
func (s *Searcher) page(oid doc.OID) (meta doc.Meta, row doc.Row, ok bool, err error) {
	err = s.Pages.View(oid, func(p doc.Page) (err error) {
		meta = p.Meta
		row, err = doc.ParseRow(p.Body)
		return err
	})
	if err == nil {
		return meta, row, true, nil
	}
	if _, there, metaErr := s.Pages.Meta(oid); metaErr == nil && !there {
		return doc.Meta{}, doc.Row{}, false, nil
	}
	return doc.Meta{}, doc.Row{}, false, fmt.Errorf("page %s of %s: %w", oid, s.Table, err)
}

// pick returns the columns and children of a row that have these names.
func (s *Searcher) pick(row doc.Row, names []string) Fields {
	fields := make(Fields, 0, len(names))
	for _, name := range names {
		if i := slices.IndexFunc(s.Children, func(c Child) bool { return c.Name == name }); i >= 0 {
			if values, ok := s.Children[i].values(row); ok {
				fields = append(fields, Field{name, values})
			}
		} else if v, ok := row.Get(name); ok {
			fields = append(fields, Field{name, v})
		}
	}
	return fields
}
