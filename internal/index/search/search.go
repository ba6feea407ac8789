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
// A search in all tables merges the hits of each. Scores of different tables do not
// compare: a score depends on how rare a word is in its table, and on the number and
// the length of the table's fields. So a score is divided by that of the table's best
// hit for the query, and each table's best hit has score 1. Every hit matches the
// whole query, so what is left of a score is how far a hit is behind the best one
// of its table. Limits: the best hits of a table with poor matches are as high as
// those of a table with good ones, and ties are frequent; they are in the order of
// the configuration. The divisor is part of the cursor, so it does not change
// between two pages. Each table continues behind its own last hit: rows that change
// between two pages do not move those of other tables.
//
// A fresh search reads the rows of its hits in the database before it shows them. A
// hit is shown if its row has the hash of its document, or if an index in memory with
// the row as it is now finds it, for this caller. What can't be checked in time is
// shown as it is stored, and the answer is not fresh.
//
// Cost: one search of the index, or of each in turn, one page per hit, and for highlights one
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
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// Index searches documents and finds the matches in their text.
type Index interface {
	Search(context.Context, query.Request) (query.Result, error)
	// Check returns the fault for which Search would reject a request, nil if there
	// is none.
	Check(query.Request) error
	// Matcher returns a function that finds the matches of a query in a text of
	// a field.
	Matcher(query.Node) func(ctx context.Context, field, text string) ([]query.Span, error)
	// Hash returns the hash of the document that a row becomes.
	Hash(doc.Row) (doc.DocHash, []doc.Flaw, error)
	// Matching returns those documents that a request would find if the index had
	// them.
	Matching(context.Context, []doc.Doc, query.Request) (map[doc.OID]bool, error)
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
	Index Index
	Pages Pages
	Table string
	// Damaged reports whether the error of a page is that of a damaged one, and has the
	// page repaired. nil: never.
	Damaged   func(error) bool
	Content   []string          // columns whose words are searched
	Metadata  []string          // columns searched by value
	Types     map[string]string // of Metadata and of children searched by value: keyword, number, date or boolean
	Children  []Child
	Title     title.Template     // of hits, of columns that every caller sees
	ACL       string             // the field with the groups of a document; "" if every caller sees every document
	Boosts    map[string]float64 // of searched columns and children; default 1
	BM25      *query.BM25        // parameters of the score, nil for the default
	Relevance query.Relevance    // of searches that do not say another; "" is plain
	Fresh     bool               // searches are fresh unless they say otherwise

	// Expand returns a query with the synonyms of its words. Its fault is a
	// *query.Error. nil: the table has none.
	Expand func(query.Node) (query.Node, error)

	// Rows calls each with the rows that have these keys in the database now and can
	// become documents. An error means that any row may be missing. nil: the table
	// has no way to read rows by key.
	Rows func(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error
}

// An Error is a fault of the request.
type Error struct {
	Code    string // bad_query, not_found, busy or query.CodeBuckets
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
		return &Error{Code: cmp.Or(bad.Code, "bad_query"), Message: bad.Message, Hint: bad.Hint}
	}
	return err
}

// An Answer is the JSON of a search.
type Answer struct {
	Table   string                   `json:"table"`
	TookMS  int64                    `json:"took_ms"`
	Total   uint64                   `json:"total"`
	Fresh   *bool                    `json:"fresh,omitempty"`
	Missing []string                 `json:"missing,omitzero"`
	Tables  []TableTotal             `json:"tables,omitzero"`
	Suggest *Suggestion              `json:"suggest,omitempty"`
	Notes   query.Notes              `json:"notes,omitempty"`
	Hits    []Hit                    `json:"hits"`
	Facets  map[string][]query.Count `json:"facets"`
	Next    *string                  `json:"next"`
}

// A Hit is one matching document. Table is its table in a search in all tables.
type Hit struct {
	Table      string              `json:"table,omitempty"`
	OID        string              `json:"oid"`
	Title      string              `json:"title,omitempty"` // see title.Template
	Score      float64             `json:"score"`
	Fields     Fields              `json:"fields"`
	Highlights map[string][]string `json:"highlights"`
	Explain    []query.ScorePart   `json:"explain,omitempty"`
	Keys       []query.Key         `json:"-"` // by which the hit is sorted, as in query.Hit
	Updated    time.Time           `json:"-"` // updateTime of its page; zero if it has none
}

// Results are the results of a search. Hits are made one at a time, on demand, so
// that one document at a time is in memory.
type Results struct {
	Table   string
	Total   uint64
	Fresh   *bool        // all hits are checked in the database; nil: that was not requested
	Missing []string     // tables that are not ready, in a search in all tables; else nil
	Tables  []TableTotal // tables with matches, in a search in all tables; else nil
	Suggest *Suggestion  // nil if there are hits, or no other search to suggest
	Notes   query.Notes  // how Params.Query is read in another way than it may have been meant
	Facets  map[string][]query.Count
	Aggs    []query.AggResult // of each of Params.Aggs
	Best    float64           // highest score of all matches in one table; 0 if the hits are not sorted by it
	Len     int               // hits in this answer
	// Hit returns the i-th hit. After the deadline the error is that of ctx.
	Hit func(ctx context.Context, i int) (Hit, error)
	// Top returns a hit of a query.TopAgg, with some fields or all for none. It is nil
	// in a search in several tables.
	Top func(ctx context.Context, h query.Hit, fields []string) (Hit, error)
	// Next returns the cursor after the first n hits, nil at the end.
	Next func(n int) *string
}

// Search makes one search. A fault of the request is an *Error. After the deadline
// the error is that of ctx.
func (s *Searcher) Search(ctx context.Context, p Params) (Results, error) {
	return asked{p, []Part{{s, p.Caller}}, s.search}.answer(ctx)
}

// search is a searchFunc.
func (s *Searcher) search(ctx context.Context, p Params, n query.Node) (_ Results, err error) {
	t := s.prepare(p, n)
	if err := t.expand(p); err != nil {
		return Results{}, asBadQuery(err)
	}
	if t.fields, err = t.selected(p.Fields); err != nil {
		return Results{}, err
	}
	if err := t.resolve(ctx); err != nil {
		return Results{}, asBadQuery(err)
	}
	res, err := t.Index.Search(ctx, t.request)
	if err != nil {
		return Results{}, asBadQuery(err)
	}
	r := Results{Table: s.Table, Total: res.Total, Best: res.Best, Facets: res.Facets, Aggs: res.Aggs}
	r.Top = func(ctx context.Context, h query.Hit, fields []string) (Hit, error) {
		top := *t
		var err error
		if top.fields, err = t.selected(fields); err != nil {
			return Hit{}, err
		}
		return top.hit(ctx, shown{Hit: h, table: &top})
	}
	if r.Facets == nil {
		r.Facets = map[string][]query.Count{}
	}
	hits := make([]shown, len(res.Hits))
	for i, h := range res.Hits {
		hits[i] = shown{Hit: h, table: t, at: i}
	}
	r.show(ctx, hits, t.fresh, next(res))
	return r, nil
}

// show sets the hits of an answer. next returns the cursor after the first n of
// them, before a fresh search leaves hits out.
func (r *Results) show(ctx context.Context, hits []shown, fresh bool, next func(n int) *string) {
	found := len(hits)
	if fresh {
		kept, all := freshen(ctx, hits)
		r.Fresh, r.Total, hits = &all, r.Total-uint64(found-len(kept)), kept
	}
	r.Len = len(hits)
	r.Hit = func(ctx context.Context, i int) (Hit, error) {
		hit, err := hits[i].table.hit(ctx, hits[i])
		if r.Table == AllTables {
			hit.Table = hits[i].table.Table
		}
		return hit, err
	}
	r.Next = func(n int) *string {
		if n < len(hits) {
			return next(hits[n-1].at + 1)
		}
		return next(found)
	}
}

// A tableSearch is one search in one table.
type tableSearch struct {
	*Searcher // with the fields that the caller may see
	request   query.Request
	fields    []string // of the hits
	marks     []marker // of their highlights
	fresh     bool     // the hits are checked in the database
}

// prepare returns the search for a query, without synonyms and the fields of its hits.
func (s *Searcher) prepare(p Params, n query.Node) *tableSearch {
	visible, filter := s.forCaller(p.Caller)
	t := &tableSearch{Searcher: visible, request: query.Request{
		Query: n, Filters: p.Filters, From: p.From, Size: p.Size, After: p.After, Behind: p.Behind, Sort: p.Sort, Facets: p.Facets, Aggs: p.Aggs, Post: p.Post, MinScore: p.MinScore, Collapse: p.Collapse, Visible: filter, Boosts: s.Boosts, BM25: s.BM25, Tuned: cmp.Or(p.Relevance, s.Relevance) == query.Tuned, Lucene: p.Relevance == query.Lucene, Explain: p.Explain,
	}}
	t.marks = visible.markers(p, n)
	t.fresh = s.Fresh
	if p.Fresh != nil {
		t.fresh = *p.Fresh
	}
	return t
}

// expand adds the synonyms of the query, and what finds its matches in texts.
func (t *tableSearch) expand(p Params) (err error) {
	if t.Expand == nil {
		return nil
	}
	if t.request.Query, err = t.Expand(t.request.Query); err != nil {
		return err
	}
	t.marks = t.markers(p, t.request.Query)
	return nil
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

// forCaller returns the searcher with the fields that a caller may see, and what decides
// which documents the caller may see, nil for all. A filter by a field that the table
// does not have finds nothing.
func (s *Searcher) forCaller(c Caller) (*Searcher, *query.Visible) {
	if c.Admin || s.ACL == "" && len(c.Only) == 0 {
		return s, nil
	}
	only := &query.Visible{Hidden: s.ACL}
	for _, f := range c.Only {
		if !slices.Contains(s.Metadata, f.Field) && !slices.ContainsFunc(s.Children, func(c Child) bool { return c.Name == f.Field }) {
			f = query.Filter{Field: f.Field}
		}
		only.Filters = append(only.Filters, f)
	}
	if s.ACL == "" {
		return s, only
	}
	only.Filters = append(only.Filters, query.Filter{Field: s.ACL, Values: c.Groups})
	visible := *s
	hidden := func(name string) bool { return name == s.ACL }
	visible.Content = slices.DeleteFunc(slices.Clone(s.Content), hidden)
	visible.Metadata = slices.DeleteFunc(slices.Clone(s.Metadata), hidden)
	visible.Children = slices.DeleteFunc(slices.Clone(s.Children), func(c Child) bool { return hidden(c.Name) })
	return &visible, only
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

// hit returns one hit with its fields and highlights.
func (t *tableSearch) hit(ctx context.Context, h shown) (Hit, error) {
	hit := Hit{OID: h.OID.String(), Score: h.Score, Highlights: map[string][]string{}, Explain: h.Explain, Keys: h.Keys}
	if err := ctx.Err(); err != nil {
		return hit, err
	}
	row, updated, ok, err := t.rowOf(h)
	if err != nil || !ok {
		return hit, err
	}
	hit.Updated, hit.Title = updated, t.Title.Of(row)
	hit.Fields = t.fieldsOf(row, t.fields)
	hit.Highlights, err = t.highlights(ctx, row)
	return hit, err
}

// rowOf returns the row of a hit, and the updateTime of its page: what the database
// has, or the page of the version that was found.
func (t *tableSearch) rowOf(h shown) (doc.Row, time.Time, bool, error) {
	if h.row != nil {
		page, _, err := t.Pages.Meta(h.OID)
		return *h.row, page.Updated, true, err
	}
	page, row, ok, err := t.page(h.OID)
	return row, page.Updated, ok && page.V == h.V, err
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
