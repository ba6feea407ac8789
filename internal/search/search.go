// Package search answers the searches of users. It parses the parameters of a
// GET or the body of a POST, searches the index, reads the pages of the hits,
// and highlights the matches in their text. Answers marshal to the JSON of the
// API: lists and objects are never null, and times are UTC with microseconds.
//
// Guarantees: the text of a hit is the text that matched. If the page of a hit
// is missing or has another version than the index, because a write is between
// index and page, the hit has no fields and no highlights. In a table with acl,
// an answer contains only the documents that the caller may see, is the same as
// if there were no others, and does not contain the acl field.
//
// Cost: one search of the index, one page per hit, and for highlights one
// analysis of each content column and each child row of a hit, up to 256 KiB of
// a field. Hits are made on demand, so one document at a time is in memory. The
// context is checked before each hit and each text, and within long texts.
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

// Index searches documents and finds the matches in their text.
type Index interface {
	Search(context.Context, query.Request) (query.Result, error)
	// Matcher returns a function that finds the matches of a query in a text of
	// a field.
	Matcher(query.Node) func(ctx context.Context, field, text string) ([]query.Span, error)
}

// A matcher finds the matches of one query.
type matcher func(ctx context.Context, field, text string) ([]query.Span, error)

// Pages are the stored documents. If View or NewestVersions fails, Meta reports
// whether the page exists.
type Pages interface {
	// View calls f with a page. Its body is valid until f returns.
	View(oid doc.OID, f func(doc.Page) error) error
	Meta(doc.OID) (meta doc.Meta, ok bool, err error)
	// NewestVersions returns the stored versions of a page, newest first, up to a
	// number of bytes, and whether there are more.
	NewestVersions(oid doc.OID, bytes int) (pages []doc.Page, more bool, err error)
}

// A Searcher answers searches in one table.
type Searcher struct {
	Index    Index
	Pages    Pages
	Table    string
	Content  []string // columns whose words are searched
	Metadata []string // columns searched by value
	Children []Child
	ACL      string             // the field with the groups of a document; "" if every caller sees every document
	Boosts   map[string]float64 // of searched columns and children; default 1
}

// An Error is a fault of the request.
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

// asBadQuery converts a *query.Error to an *Error.
func asBadQuery(err error) error {
	var bad *query.Error
	if errors.As(err, &bad) {
		return &Error{Code: "bad_query", Message: bad.Message, Hint: bad.Hint}
	}
	return err
}

// An Answer is the JSON of a search.
type Answer struct {
	Table  string                   `json:"table"`
	TookMS int64                    `json:"took_ms"`
	Total  uint64                   `json:"total"`
	Hits   []Hit                    `json:"hits"`
	Facets map[string][]query.Count `json:"facets"`
	Next   *string                  `json:"next"`
}

// A Hit is one matching document.
type Hit struct {
	OID        string              `json:"oid"`
	Score      float64             `json:"score"`
	Fields     Fields              `json:"fields"`
	Highlights map[string][]string `json:"highlights"`
}

// Results are the results of a search. Hits are made one at a time, on demand, so
// that one document at a time is in memory.
type Results struct {
	Table  string
	Total  uint64
	Facets map[string][]query.Count
	Len    int // hits in this answer
	// Hit returns the i-th hit. After the deadline the error is that of ctx.
	Hit func(ctx context.Context, i int) (Hit, error)
	// Next returns the cursor after the first n hits, nil at the end.
	Next func(n int) *string
}

// Search makes one search. A fault of the request is an *Error. After the deadline
// the error is that of ctx.
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

// next returns the function Results.Next. An answer that is cut short continues
// behind its last hit.
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

// forCaller returns the searcher with the fields that a caller may see, and the
// filter for the documents that the caller may see, nil for all.
func (s *Searcher) forCaller(c Caller) (*Searcher, *query.Filter) {
	if s.ACL == "" || c.Admin {
		return s, nil
	}
	visible := *s
	hidden := func(name string) bool { return name == s.ACL }
	visible.Content = slices.DeleteFunc(slices.Clone(s.Content), hidden)
	visible.Metadata = slices.DeleteFunc(slices.Clone(s.Metadata), hidden)
	visible.Children = slices.DeleteFunc(slices.Clone(s.Children), func(c Child) bool { return hidden(c.Name) })
	return &visible, &query.Filter{Field: s.ACL, Values: c.Groups}
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

// selected returns the fields to return, all for no names. It rejects unknown
// names.
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

// hit returns one hit with the fields and highlights of its page.
func (s *Searcher) hit(ctx context.Context, h query.Hit, fields []string, find matcher) (Hit, error) {
	hit := Hit{OID: h.OID.String(), Score: h.Score, Highlights: map[string][]string{}}
	page, row, ok, err := s.page(h.OID)
	if err != nil || !ok || page.V != h.V {
		return hit, err
	}
	hit.Fields = s.fieldsOf(row, fields)
	if find != nil {
		hit.Highlights, err = s.highlights(ctx, row, find)
	}
	return hit, err
}

// highlights returns the best fragments of the matching fields of a row.
func (s *Searcher) highlights(ctx context.Context, row doc.Row, find matcher) (map[string][]string, error) {
	found := map[string][]string{}
	for _, name := range s.Content {
		v, _ := row.Get(name)
		if err := find.highlight(ctx, found, name, v); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Children {
		if !c.Searched {
			continue
		}
		values, _ := c.values(row)
		if err := find.highlight(ctx, found, c.Name, values...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// highlight adds the best fragments of a field's values. It reads the first
// highlightBytes of the field.
func (find matcher) highlight(ctx context.Context, found map[string][]string, field string, values ...any) error {
	var all []fragment
	left := highlightBytes
	for _, v := range values {
		text := doc.FormatText(v)
		if len(text) > left {
			text = strings.ToValidUTF8(text[:left], "")
		}
		left -= len(text)
		spans, err := find(ctx, field, text)
		if err = cmp.Or(err, ctx.Err()); err != nil { // checked here too, because a child may have thousands of short texts
			return err
		}
		all = append(all, fragments(text, spans)...)
	}
	if len(all) > 0 {
		found[field] = best(all)
	}
	return nil
}

// page reads a page, and reports false if there is none. The row is a copy of the
// page's bytes.
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

// fieldsOf returns the columns and children of a row with these names.
func (s *Searcher) fieldsOf(row doc.Row, names []string) Fields {
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
