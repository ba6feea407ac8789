package plan

import (
	"context"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A Deadline checks a context in a loop, and has a search that takes long give way to
// others. Loops over documents, terms or positions call Step in each iteration.
type Deadline struct {
	ctx   context.Context
	steps int
	work  *giveway.Work // of the goroutine
}

// checkEvery is the number of steps between two checks of the context. A step is
// short, but may take 0.2 ms in a search for a thousand words.
const checkEvery = 64

// Step counts an iteration. Its error is that of the context, which it checks now and then.
func (d *Deadline) Step() error {
	d.steps++
	if d.steps%checkEvery != 0 {
		return nil
	}
	return d.Check()
}

// Check checks the context at once, for loops whose steps take long.
func (d *Deadline) Check() error {
	d.work.Step()
	return d.ctx.Err()
}

// Again returns a deadline of the same context, for another goroutine and its work.
func (d *Deadline) Again(work *giveway.Work) *Deadline { return &Deadline{ctx: d.ctx, work: work} }

// A Session is one search in one snapshot. It is released when it is not used any more.
type Session struct {
	Deadline
	Reader *scorch.IndexSnapshot
	Parts  []*Part
	Scored bool   // the scores are needed; set it before a plan is opened
	Stats  *Stats // what scores depend on

	filters    *IndexFilters // nil: no filter is kept
	restricted bool          // documents are hidden
	docs       int           // visible ones
	rank       rank          // how documents are scored
	texts      []string
	measured   bool // the index has the lengths of documents
	words      int  // of the query
	terms      int  // counted by countTerm
	tables     int  // of scores: see Window
	opened     map[*columnsPlan]*columnsMatcher
	matches    []match // memory of eachMatch
	sets       *setMemory
}

// A Part is one segment of the snapshot, with the documents that are visible.
type Part struct {
	*segment.Reader
	*Deadline              // that of the goroutine that reads the part
	number    int          // of the part
	segment   uint64       // number of the segment in the index
	Base      uint64       // number of its first document in the snapshot
	Live      segment.Bits // the visible documents; other sessions may have the set too
	docs      int          // in Live
	sets      *setMemory
}

// setMemory has sets of documents, until their session is released. A search for many words
// would leave megabytes of garbage.
type setMemory struct {
	lock         sync.Mutex
	small, large setBlocks
}

// setBlocks are blocks of memory of one size. A block has the sets of several parts.
type setBlocks struct {
	pool   *sync.Pool
	words  int // of a block
	blocks []*segment.Bits
	rest   segment.Bits // of the last block
}

// Blocks hold 256 KB, and those of larger sets 1 MB: 8 million documents. A session has 16 MB
// of a size at most.
const (
	smallBlock = 1 << 15
	largeBlock = 1 << 17
	mostWords  = 16 * largeBlock
)

var smallBlocks, largeBlocks = newBlocks(smallBlock), newBlocks(largeBlock)

func newBlocks(words int) *sync.Pool {
	return &sync.Pool{New: func() any { block := make(segment.Bits, words); return &block }}
}

func newSetMemory() *setMemory {
	return &setMemory{small: setBlocks{pool: smallBlocks, words: smallBlock}, large: setBlocks{pool: largeBlocks, words: largeBlock}}
}

// take returns so many words that may have any content, nil if there is no room.
func (b *setBlocks) take(words int) segment.Bits {
	if len(b.rest) < words {
		if words > b.words || len(b.blocks)*b.words == mostWords {
			return nil
		}
		block := b.pool.Get().(*segment.Bits)
		b.blocks, b.rest = append(b.blocks, block), *block
	}
	set := b.rest[:words:words]
	b.rest = b.rest[words:]
	return set
}

func (b *setBlocks) release() {
	for _, block := range b.blocks {
		b.pool.Put(block)
	}
	b.blocks, b.rest = nil, nil
}

// Set returns an empty set for the documents of the part, which is valid until the session is
// released.
func (p *Part) Set() segment.Bits {
	words := (p.Docs() + segment.WordBits - 1) / segment.WordBits
	p.sets.lock.Lock()
	blocks := &p.sets.small
	if words > smallBlock {
		blocks = &p.sets.large
	}
	set := blocks.take(words)
	p.sets.lock.Unlock()
	if set == nil {
		return segment.NewBits(p.Docs())
	}
	clear(set)
	return set
}

// CopyOf returns a set with the documents of another one, which is valid as long.
func (p *Part) CopyOf(docs segment.Bits) segment.Bits {
	set := p.Set()
	copy(set, docs)
	return set
}

// Release makes the memory of sets available again. The session must not be used after that.
func (s *Session) Release() {
	s.sets.small.release()
	s.sets.large.release()
}

// Options are how a session scores, and where it keeps filters.
type Options struct {
	BM25    query.BM25
	Lucene  bool          // score as Lucene does: see query.Lucene
	Filters *IndexFilters // nil: no filter is kept
	Work    *giveway.Work // nil: the search gives no way
}

// NewSession opens the segments of a snapshot for a search.
func NewSession(ctx context.Context, s *schema.Schema, r *scorch.IndexSnapshot, o Options) (*Session, error) {
	se := &Session{
		Deadline: Deadline{ctx: ctx, work: o.Work}, Reader: r, filters: o.Filters, Scored: true, rank: rank{BM25: o.BM25, boost: 1, lucene: o.Lucene},
		measured: !s.Unmeasured, Stats: &Stats{Words: make([]uint64, len(s.Texts))}, texts: s.Texts, opened: map[*columnsPlan]*columnsMatcher{}, sets: newSetMemory(),
	}
	base := uint64(0)
	for _, seg := range r.Segments() {
		if seg.LiveSize() > 0 {
			p, err := openPart(seg, se.sets)
			if err != nil {
				return nil, err
			}
			p.Deadline, p.number, p.segment, p.Base = &se.Deadline, len(se.Parts), seg.Id(), base
			se.Parts = append(se.Parts, p)
			se.docs += p.docs
		}
		base += uint64(seg.FullSize())
	}
	return se, nil
}

func openPart(seg *scorch.SegmentSnapshot, sets *setMemory) (*Part, error) {
	r, err := segment.NewReader(seg.Segment())
	if err != nil {
		return nil, err
	}
	p := &Part{Reader: r, sets: sets}
	p.Live, p.docs = r.Live(seg.Deleted())
	return p, nil
}

// A visiblePlan matches the visible documents that its plan matches.
//
// Filtering the matches is not enough. Scores depend on the rarity of a word and on
// the mean length of documents, so they would reveal how many hidden documents have
// the word, and whether there is one.
type visiblePlan struct{ visible, plan Plan }

func (p visiblePlan) Open(s *Session) (Matcher, error) {
	if err := s.restrict(p.visible); err != nil {
		return nil, err
	}
	return p.plan.Open(s)
}

// restrict hides all documents but those that a plan matches. To the rest of the
// session the others are as if they were deleted: nothing counts them, so no
// score or total depends on them.
func (s *Session) restrict(visible Plan) error {
	m, err := visible.Open(s)
	if err != nil {
		return err
	}
	s.docs, s.restricted = 0, true
	for _, p := range s.Parts {
		if p.Live, err = m.Match(p, p.Live); err != nil {
			return err
		}
		p.docs = p.Live.Count()
		s.docs += p.docs
	}
	s.words = 0 // those of the query are numbered alike for each caller
	return nil
}

// countTerm counts a term that a prefix or fuzzy word of the query stands for,
// and reports an error if there are too many. It does not truncate the list,
// because totals must be exact.
func (s *Session) countTerm(word string) error {
	s.terms++
	if s.terms > query.MaxTerms {
		return query.Errorf("write more letters, or name a field", "with %s the query stands for more than %d words", query.Shorten(word), query.MaxTerms)
	}
	return s.Step()
}

// counted returns the set of the documents that count, nil if all do.
func (p *Part) counted() segment.Bits {
	if p.docs == p.Docs() {
		return nil
	}
	return p.Live
}

// ID returns the number of a document in the snapshot.
func (p *Part) ID(doc uint32) index.IndexInternalID {
	return index.NewIndexInternalID(nil, p.Base+uint64(doc))
}
