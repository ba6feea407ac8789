package fulltext

import (
	"context"
	"math"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A deadline checks a context in a loop. Loops over documents, terms or
// positions call step in each iteration.
type deadline struct {
	ctx   context.Context
	steps int
}

// checkEvery is the number of steps between two checks of the context. A step is
// short, but may take 0.2 ms in a search for a thousand words.
const checkEvery = 64

func (d *deadline) step() error {
	d.steps++
	if d.steps%checkEvery != 0 {
		return nil
	}
	return d.ctx.Err()
}

// check checks the context at once, for loops whose steps take long.
func (d *deadline) check() error { return d.ctx.Err() }

// again returns a deadline of the same context, for another goroutine.
func (d *deadline) again() *deadline { return &deadline{ctx: d.ctx} }

// A session is one search in one snapshot.
type session struct {
	deadline
	reader   *scorch.IndexSnapshot
	filters  *indexFilters // nil: no filter is kept
	views    []*view
	docs     int  // visible ones
	scored   bool // the scores are needed
	rank     rank // how documents are scored
	texts    []string
	measured bool   // the index has the lengths of documents
	stats    *stats // what scores depend on
	words    int    // of the query
	terms    int    // counted by countTerm
	opened   map[*columnsPlan]*columnsMatcher
}

// A view is one segment of the snapshot, with the documents that are visible.
type view struct {
	*segment.Reader
	number  int    // of the part
	segment uint64 // number of the segment in the index
	base    uint64 // number of its first document in the snapshot
	live    segment.Bits
	docs    int // in live
}

// sessionOptions are how a session scores, and where it keeps filters.
type sessionOptions struct {
	bm25    query.BM25
	lucene  bool          // score as Lucene does: see query.Lucene
	filters *indexFilters // nil: no filter is kept
}

// newSession opens the segments of a snapshot for a search.
func newSession(ctx context.Context, s *Schema, r *scorch.IndexSnapshot, o sessionOptions) (*session, error) {
	se := &session{
		deadline: deadline{ctx: ctx}, reader: r, filters: o.filters, scored: true, rank: rank{BM25: o.bm25, boost: 1, lucene: o.lucene},
		measured: !s.Unmeasured, stats: &stats{words: make([]uint64, len(s.Texts))}, texts: s.Texts, opened: map[*columnsPlan]*columnsMatcher{},
	}
	base := uint64(0)
	for _, seg := range r.Segments() {
		if seg.LiveSize() > 0 {
			p, err := openView(seg)
			if err != nil {
				return nil, err
			}
			p.number, p.segment, p.base = len(se.views), seg.Id(), base
			se.views = append(se.views, p)
			se.docs += p.docs
		}
		base += uint64(seg.FullSize())
	}
	return se, nil
}

func openView(seg *scorch.SegmentSnapshot) (*view, error) {
	r, err := segment.NewReader(seg.Segment())
	if err != nil {
		return nil, err
	}
	p := &view{Reader: r, live: segment.NewBits(r.Docs())}
	for i := range p.live {
		p.live[i] = math.MaxUint64
	}
	for doc := r.Docs(); doc < 64*len(p.live); doc++ {
		p.live.Clear(uint32(doc))
	}
	if deleted := seg.Deleted(); deleted != nil {
		for it := deleted.Iterator(); it.HasNext(); {
			if doc := it.Next(); int(doc) < r.Docs() {
				p.live.Clear(doc)
			}
		}
	}
	p.docs = p.live.Count()
	return p, nil
}

// A visiblePlan matches the visible documents that its plan matches.
//
// Filtering the matches is not enough. Scores depend on the rarity of a word and on
// the mean length of documents, so they would reveal how many hidden documents have
// the word, and whether there is one.
type visiblePlan struct{ visible, plan plan }

func (p visiblePlan) open(s *session) (matcher, error) {
	if err := s.restrict(p.visible); err != nil {
		return nil, err
	}
	return p.plan.open(s)
}

// restrict hides all documents but those that a plan matches. To the rest of the
// session the others are as if they were deleted: nothing counts them, so no
// score or total depends on them.
func (s *session) restrict(visible plan) error {
	m, err := visible.open(s)
	if err != nil {
		return err
	}
	s.docs = 0
	for _, p := range s.views {
		if p.live, err = m.match(p, p.live); err != nil {
			return err
		}
		p.docs = p.live.Count()
		s.docs += p.docs
	}
	s.words = 0 // those of the query are numbered alike for each caller
	return nil
}

// countTerm counts a term that a prefix or fuzzy word of the query stands for,
// and reports an error if there are too many. It does not truncate the list,
// because totals must be exact.
func (s *session) countTerm(word string) error {
	s.terms++
	if s.terms > query.MaxTerms {
		return query.Errorf("write more letters, or name a field", "with %s the query stands for more than %d words", query.Shorten(word), query.MaxTerms)
	}
	return s.step()
}

// counted returns the set of the documents that count, nil if all do.
func (p *view) counted() segment.Bits {
	if p.docs == p.Docs() {
		return nil
	}
	return p.live
}

// id returns the number of a document in the snapshot.
func (p *view) id(doc uint32) index.IndexInternalID {
	return index.NewIndexInternalID(nil, p.base+uint64(doc))
}
