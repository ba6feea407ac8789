package fulltext

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// A visiblePlan matches the visible documents that its plan matches, and scores
// them as an index of the visible documents alone would.
//
// Filtering the matches is not enough. Scores depend on the rarity of a word, so
// they would reveal how many hidden documents have the word, and whether there
// is one. Therefore rarity is counted among the visible documents. That costs a
// pass over the visible documents, and a pass over the documents of each scored
// word.
type visiblePlan struct{ visible, plan plan }

func (p visiblePlan) open(s *session) (search.Searcher, error) {
	snapshot, ok := s.reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("search among visible documents: unexpected reader %T", s.reader)
	}
	r := &visibleReader{IndexSnapshot: snapshot}
	if err := r.collect(s, p.visible); err != nil {
		return nil, err
	}
	s.reader = r
	return boolPlan{must: []plan{p.plan, p.visible}}.open(s)
}

// A visibleReader is a snapshot that counts only visible documents.
type visibleReader struct {
	*scorch.IndexSnapshot
	visible []uint64 // a bit for each document number
	count   uint64
}

// collect marks the documents that a plan matches as visible.
func (r *visibleReader) collect(s *session, visible plan) (err error) {
	matches, err := unscored{visible}.open(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, matches.Close()) }()
	sctx := newSearchContext(matches, r.IndexSnapshot)
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

func newSearchContext(matches search.Searcher, r index.IndexReader) *search.SearchContext {
	return &search.SearchContext{
		DocumentMatchPool: search.NewDocumentMatchPool(matches.DocumentMatchPoolSize()+1, 0),
		IndexReader:       r,
	}
}

func (r *visibleReader) isVisible(n uint64) bool {
	return n/64 < uint64(len(r.visible)) && r.visible[n/64]&(1<<(n%64)) != 0
}

// DocCount returns the number of visible documents.
func (r *visibleReader) DocCount() (uint64, error) { return r.count, nil }

// TermFieldReader reads the documents of a term. If the term is scored, Count
// returns its number of visible documents. Frequencies are read only for scored
// terms.
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

// frequency counts the visible documents that have a term, up to limit.
func (r *visibleReader) frequency(ctx context.Context, term []byte, field string, limit uint64) (n uint64, err error) {
	docs, err := r.IndexSnapshot.TermFieldReader(ctx, term, field, false, false, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	var d index.TermFieldDoc
	for i := 0; n < limit; i++ {
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

// hasVisible reports whether a visible document may have a term of the
// dictionary. Without a restriction all documents are visible.
func (s *session) hasVisible(term, field string) (bool, error) {
	r, restricted := s.reader.(*visibleReader)
	if !restricted {
		return true, nil
	}
	n, err := r.frequency(s.ctx, []byte(term), field, 1)
	return n > 0, err
}

// visibleDocs reads the documents of a term, with the number of its visible
// documents.
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

// A weightless searcher does not take part in the normalization of scores. The
// number of documents with a value, or of terms with a prefix, has no bearing on
// how well a word matches. It also changes when a merge drops the terms of
// deleted documents, and scores must not differ between two pages of an answer.
type weightless struct{ search.Searcher }

// Weight implements search.Searcher.
func (weightless) Weight() float64 { return 0 }

// SetQueryNorm implements search.Searcher.
func (weightless) SetQueryNorm(float64) {}

// Optimize implements index.Optimizable.
func (w weightless) Optimize(kind string, with index.OptimizableContext) (index.OptimizableContext, error) {
	return optimize(w.Searcher, kind, with)
}

// optimize passes Optimize on to a wrapped reader or searcher.
func optimize(wrapped any, kind string, with index.OptimizableContext) (index.OptimizableContext, error) {
	if o, ok := wrapped.(index.Optimizable); ok {
		return o.Optimize(kind, with)
	}
	return nil, nil
}
