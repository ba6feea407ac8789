package deletecheck

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// A Verify compares all of a table with its index, as a Sweep does, and writes
// nothing. It runs without the table's lane: it waits for passes that need it.
type Verify struct {
	Table      string
	Source     Source
	Index      Index
	Pages      Pages
	Quarantine Quarantine
	Trace      *timetrace.Trace // says what is settled, and what is unverified
	FS         atomicfile.FS
	Dir        string // of the table, data/T
	Scratch    string // directory of files that end with Run; empty: Dir
	Batch      int    // rows a question
	Chunk      int    // documents between two rests; 0: 10,000

	Live bool          // a daemon moves S
	Wait time.Duration // how long what was in flight may take to settle

	Content bool // read each page too, and build its document
	Hash    func(doc.Row) (doc.DocHash, error)

	Repair bool        // fetch what differs, then compare again
	Sink   Sink        // for Repair
	Allow  func(n int) // lets n removals through the guard, for Repair

	Rest     func(ctx context.Context, worked time.Duration) error // between chunks; nil: no rest
	Progress func(done, of int64)                                  // nil: nobody looks
}

// A Result is what a Verify found.
type Result struct {
	AsOf        time.Time // the database's time before the first row was compared
	Compared    int
	Lost        int // rows that the index lacks
	Stale       int // documents of another version of their row
	Ghost       int // documents without a row
	Torn        int // documents and pages that do not belong together
	Pending     int // documents whose row was deleted since the last sweep
	Unsettled   int // differences that may still be in flight
	Quarantined int // rows that can't become documents
	Repaired    int // differences there were before the repair
	First       First
}

// First are the first ten keys of each kind of difference.
type First struct {
	Lost, Stale, Ghost, Torn []doc.OID
}

// Different is how many differences there are.
func (r Result) Different() int { return r.Lost + r.Stale + r.Ghost + r.Torn }

// Equal reports whether the index is equal to the database, but for what is
// pending, unsettled or in quarantine.
func (r Result) Equal() bool { return r.Different() == 0 }

// Run compares, and repairs if it is asked to.
func (v *Verify) Run(ctx context.Context) (Result, error) {
	result, err := v.run(ctx)
	if err != nil {
		return result, fmt.Errorf("verify %s: %w", v.Table, err)
	}
	return result, nil
}

func (v *Verify) run(ctx context.Context) (Result, error) {
	before, err := v.once(ctx, v.Repair)
	if err != nil || !v.Repair || before.Different()+before.Unsettled == 0 {
		return before, err
	}
	after, err := v.once(ctx, false)
	after.Repaired = before.Different()
	return after, err
}

// once compares once, and repairs what it found if it is to.
func (v *Verify) once(ctx context.Context, repair bool) (Result, error) {
	c, err := v.begin()
	if err != nil {
		return Result{}, err
	}
	defer c.end()
	if err := c.run(ctx); err != nil {
		return c.result, err
	}
	if repair && c.found.count > 0 {
		return c.result, v.repair(ctx, c)
	}
	return c.result, nil
}

// A check is one comparison that runs.
type check struct {
	*Verify
	comparison
	pace    *pace
	result  Result
	absent  int     // of what was found, how many have no row
	unpaged bool    // a document without a page was found
	aside   doc.OID // the last one that was in quarantine
	of      int64   // documents, and rows where they are listed too
	done    int64   // of these
	doubts  *spool  // differences that have to be looked at again
	found   *spool  // differences that are certain, and those that stay unsettled

	reading sync.WaitGroup // of the pages of a part, while the next is compared
	bad     []doc.Stamp    // what came of it
	failed  error          // a panic that ended it
}

func (v *Verify) begin() (*check, error) {
	c := &check{Verify: v, pace: newPace(v.Rest)}
	c.comparison = comparison{source: v.Source, index: v.Index, pages: v.Pages, chunk: cmp.Or(v.Chunk, chunkSize), same: v.Content}
	var err error
	if c.of, err = c.expected(); err != nil {
		return nil, err
	}
	if c.doubts, err = newSpool(v.FS, v.scratch("verify.doubts")); err != nil {
		return nil, err
	}
	if c.found, err = newSpool(v.FS, v.scratch("verify.found")); err != nil {
		c.doubts.discard()
		return nil, err
	}
	return c, nil
}

// scratch names a file that ends with Run.
func (v *Verify) scratch(name string) string {
	return filepath.Join(cmp.Or(v.Scratch, v.Dir), name)
}

func (c *check) end() {
	c.join()
	c.doubts.discard()
	c.found.discard()
}

func (c *check) run(ctx context.Context) error {
	var err error
	if c.result.AsOf, err = c.source.Now(ctx); err != nil {
		return err
	}
	if err := c.list(ctx); err != nil {
		return err
	}
	if err := c.settle(ctx); err != nil {
		return err
	}
	return c.countKeyless(ctx)
}

// countKeyless counts the rows without a usable key, which no listing has: by
// reasons, as they are set aside.
func (c *check) countKeyless(ctx context.Context) error {
	b, err := c.source.Keyless(ctx)
	c.result.Quarantined += len(b.Rejects)
	return err
}

// list compares both sides and spools what differs.
func (c *check) list(ctx context.Context) error {
	if c.source.Ordered() {
		if err := c.compare(ctx, by(ctx, "", c.byRange)); err != nil {
			return err
		}
	} else {
		if err := c.compare(ctx, by(ctx, "", c.byKeys)); err != nil {
			return err
		}
		if err := c.compare(ctx, c.byRows(ctx, "")); err != nil {
			return err
		}
	}
	unmatched, err := c.unmatched(c.unpaged)
	if err != nil || !unmatched {
		return err
	}
	return c.compare(ctx, c.orphans(ctx))
}

func (c *check) compare(ctx context.Context, parts iter.Seq2[part, error]) error {
	defer c.reading.Wait()
	for p, err := range parts {
		if err != nil {
			return err
		}
		c.result.Compared += p.compared
		c.unpaged = c.unpaged || p.unpaged
		if err := c.doubtDamaged(); err != nil { // of the part before
			return err
		}
		if err := c.doubtAll(p); err != nil {
			return err
		}
		c.readPages(p.same)
		c.done += int64(max(p.compared, p.listed))
		if c.Progress != nil {
			c.Progress(c.done, max(c.of, c.done))
		}
		if err := c.pace.rest(ctx); err != nil {
			return err
		}
	}
	return c.doubtDamaged()
}

func (c *check) doubtAll(p part) error {
	for _, s := range p.differ {
		if err := c.doubt(note{stamp: s, there: true}); err != nil {
			return err
		}
	}
	for _, s := range p.alone {
		if err := c.doubt(note{stamp: doc.Stamp{OID: s.OID}}); err != nil {
			return err
		}
	}
	return nil
}

// doubt spools a difference. A row in quarantine is known to differ.
func (c *check) doubt(n note) error {
	if c.Quarantine.Has(n.stamp.OID) {
		if n.stamp.OID != c.aside { // rows of one key come one after the other
			c.result.Quarantined++
		}
		c.aside = n.stamp.OID
		return nil
	}
	return c.doubts.add(n)
}
