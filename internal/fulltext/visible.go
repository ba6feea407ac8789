package fulltext

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// Where a request says what its caller may see, the answer is the one that
// an index of the visible documents alone would give. It is not
// enough to leave the others out of the matches: the rarity of a word, which
// scores are made of, would still tell how many hidden documents have it, and
// so whether there is one. It is therefore counted among the visible documents.
// That costs one walk over those and one over the documents of each word that
// is scored.

// without is the schema as a caller knows it from whom a field is hidden.
func (s *schema) without(field string) *schema {
	c := *s
	is := func(name string) bool { return name == field }
	c.Content = slices.DeleteFunc(slices.Clone(s.Content), is)
	c.texts = slices.DeleteFunc(slices.Clone(s.texts), is)
	c.values = slices.DeleteFunc(slices.Clone(s.values), func(f Field) bool { return is(f.Name) })
	return &c
}

// An among matches what its plan does among the visible documents, as if there
// were no others.
type among struct{ visible, plan plan }

func (p among) open(s *session) (search.Searcher, error) {
	snapshot, ok := s.reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("a search among visible documents on a %T", s.reader)
	}
	r := &visibleReader{IndexSnapshot: snapshot}
	if err := r.see(s, p.visible); err != nil {
		return nil, err
	}
	s.reader = r
	return both{must: []plan{p.plan, p.visible}}.open(s)
}

// A visibleReader is a snapshot that counts only visible documents.
type visibleReader struct {
	*scorch.IndexSnapshot
	visible []uint64 // a bit for each document's number
	count   uint64
}

// see notes what a plan matches.
func (r *visibleReader) see(s *session, visible plan) (err error) {
	matches, err := unscored{visible}.open(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, matches.Close()) }()
	sctx := &search.SearchContext{
		DocumentMatchPool: search.NewDocumentMatchPool(matches.DocumentMatchPoolSize()+1, 0),
		IndexReader:       r.IndexSnapshot,
	}
	for ; ; r.count++ {
		if r.count%checkEvery == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		m, err := matches.Next(sctx)
		if err != nil || m == nil {
			return err
		}
		n := m.IndexInternalID.Value()
		for n/64 >= uint64(len(r.visible)) {
			r.visible = append(r.visible, 0)
		}
		r.visible[n/64] |= 1 << (n % 64)
		sctx.DocumentMatchPool.Put(m)
	}
}

func (r *visibleReader) isVisible(n uint64) bool {
	return n/64 < uint64(len(r.visible)) && r.visible[n/64]&(1<<(n%64)) != 0
}

// DocCount is the number of visible documents.
func (r *visibleReader) DocCount() (uint64, error) { return r.count, nil }

// TermFieldReader reads the documents of a term. One that is scored has the
// term's count among the visible documents; frequencies are read only for
// those.
func (r *visibleReader) TermFieldReader(ctx context.Context, term []byte, field string, freq, norm, vectors bool) (index.TermFieldReader, error) {
	docs, err := r.IndexSnapshot.TermFieldReader(ctx, term, field, freq, norm, vectors)
	if err != nil || !freq {
		return docs, err
	}
	n, err := r.frequency(ctx, term, field, r.count)
	if err != nil {
		return nil, errors.Join(err, docs.Close())
	}
	return visibleDocs{docs, n}, nil
}

// frequency is the number of visible documents that have a term, or enough if
// there are as many.
func (r *visibleReader) frequency(ctx context.Context, term []byte, field string, enough uint64) (n uint64, err error) {
	docs, err := r.IndexSnapshot.TermFieldReader(ctx, term, field, false, false, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	var d index.TermFieldDoc
	for i := 0; n < enough; i++ {
		if i%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		next, err := docs.Next(d.Reset())
		if err != nil || next == nil {
			return n, err
		}
		if r.isVisible(next.ID.Value()) {
			n++
		}
	}
	return n, nil
}

// knows reports whether a visible document has a term.
func (r *visibleReader) knows(ctx context.Context, term, field string) (bool, error) {
	n, err := r.frequency(ctx, []byte(term), field, 1)
	return n > 0, err
}

// visibleDocs are the documents of a term, with its count among the visible
// ones.
type visibleDocs struct {
	index.TermFieldReader
	count uint64
}

// Count implements index.TermFieldReader.
func (d visibleDocs) Count() uint64 { return d.count }

// Optimize implements index.Optimizable.
func (d visibleDocs) Optimize(kind string, with index.OptimizableContext) (index.OptimizableContext, error) {
	return optimize(d.TermFieldReader, kind, with)
}

// A weightless searcher has no part in what scores are scaled by: how many
// documents have a value, or how many terms a beginning stands for, says nothing
// of how well a word matches. A merge that drops terms of deleted documents
// would change it between two pages of an answer.
type weightless struct{ search.Searcher }

// Weight implements search.Searcher.
func (weightless) Weight() float64 { return 0 }

// SetQueryNorm implements search.Searcher.
func (weightless) SetQueryNorm(float64) {}

// Optimize implements index.Optimizable.
func (w weightless) Optimize(kind string, with index.OptimizableContext) (index.OptimizableContext, error) {
	return optimize(w.Searcher, kind, with)
}

// optimize lets scorch combine what it reads, if it is scorch that reads.
func optimize(what any, kind string, with index.OptimizableContext) (index.OptimizableContext, error) {
	if o, ok := what.(index.Optimizable); ok {
		return o.Optimize(kind, with)
	}
	return nil, nil
}
