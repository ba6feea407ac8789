package deletecheck

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// A Verify compares a whole table with its index, as a Sweep does, and writes
// nothing. It runs without the table's lane, so other passes run meanwhile.
type Verify struct {
	Table      string
	Source     Source
	Index      Index
	Pages      Pages
	Quarantine Quarantine
	Trace      *timetrace.Trace
	FS         atomicfile.FS
	Dir        string // of the table, data/T
	Scratch    string // directory of temporary files; "": Dir
	Batch      int    // rows per query
	Chunk      int    // documents between two calls of Rest; 0: 10,000

	Live bool          // a daemon runs, and moves S
	Wait time.Duration // longest wait for differences that may be in flight

	Timeless bool                        // no row has an updateTime
	Settle   func(context.Context) error // moves S to the current time; nil: other passes do

	Content bool // also read each page and hash its document
	Hash    func(doc.Row) (doc.DocHash, []doc.Flaw, error)

	Repair bool        // fetch the rows that differ, then compare again
	Sink   Sink        // for Repair
	Allow  func(n int) // lets n removals through the guard, for Repair

	Rest     func(ctx context.Context, worked time.Duration) error // as of Sweep
	Progress func(done, of int64)                                  // nil: not reported
}

// A Result is what a Verify found.
type Result struct {
	AsOf        time.Time // the database's time before the first row was compared
	Compared    int
	Lost        int // rows that the index lacks
	Stale       int // documents of another version of the row
	Ghost       int // documents without a row
	Torn        int // documents and pages that are not of one write
	Pending     int // documents whose row was deleted since the last sweep
	Unsettled   int // differences that may be in flight
	Quarantined int // rows that can't become documents
	Partial     int // documents that lack values of their rows: those that are listed, with Content those that were read
	Repaired    int // differences before the repair
	First       First
}

// First are the first ten keys of each kind of difference.
type First struct {
	Lost, Stale, Ghost, Torn []doc.OID
}

// Different returns the number of differences.
func (r Result) Different() int { return r.Lost + r.Stale + r.Ghost + r.Torn }

// Equal reports whether index and database are equal, except for rows that are
// pending, unsettled, quarantined or partial.
func (r Result) Equal() bool { return r.Different() == 0 }

// Run compares, and repairs the differences if Repair is set.
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

// once compares once, and then repairs if repair is set.
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

// A check is a running Verify.
type check struct {
	*Verify
	comparison
	pacer       *pacer
	result      Result
	absent      int     // differences in found without a row
	unpaged     bool    // a document without a page was found
	quarantined doc.OID // the last key that was found in quarantine
	of          int64   // documents, and rows if they are listed too
	done        int64   // of these
	doubts      *spool  // differences to check again
	found       *spool  // differences that are certain or unsettled

	reading sync.WaitGroup // reads the pages of a part, while the next is compared
	bad     []doc.Stamp    // damaged pages of that part
	flawed  atomic.Int64   // documents that were read and lack values
	failed  error          // panic while reading
}

func (v *Verify) begin() (*check, error) {
	c := &check{Verify: v, pacer: newPacer(v.Rest)}
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

// scratch returns the name of a temporary file.
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
	if err := c.recheck(ctx); err != nil {
		return err
	}
	c.result.Partial = c.Quarantine.Partials()
	if c.Content {
		c.result.Partial = int(c.flawed.Load())
	}
	return c.countKeyless(ctx)
}

// countKeyless counts the rows without a usable key, which no listing has, one for
// each reason, as they are quarantined.
func (c *check) countKeyless(ctx context.Context) error {
	b, err := c.source.Keyless(ctx)
	c.result.Quarantined += len(b.Rejects)
	return err
}

// list compares index and database and spools the differences.
func (c *check) list(ctx context.Context) error {
	if c.source.Ordered() {
		if err := c.compare(ctx, chunks(ctx, "", c.byRange)); err != nil {
			return err
		}
	} else {
		if err := c.compare(ctx, chunks(ctx, "", c.byKeys)); err != nil {
			return err
		}
		if err := c.compare(ctx, c.byRows(c.source.StampsInRange(ctx, doc.Range{}), "")); err != nil {
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
		if err := c.doubtDamaged(); err != nil { // of the previous part
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
		if err := c.pacer.rest(ctx); err != nil {
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
	for _, s := range p.extra {
		if err := c.doubt(note{stamp: doc.Stamp{OID: s.OID}}); err != nil {
			return err
		}
	}
	return nil
}

// doubt spools a difference. A row in quarantine is known to differ, and counted. Only its
// last document and the page can be a difference, if they are not of one write.
func (c *check) doubt(n note) error {
	oid := n.stamp.OID
	if !c.Quarantine.Has(oid) {
		return c.doubts.add(n)
	}
	if oid == c.quarantined { // rows with one key follow each other
		return nil
	}
	c.quarantined = oid
	c.result.Quarantined++
	list, err := c.judgeAll([]note{n}, nil)
	if err != nil || len(list) == 0 {
		return err
	}
	return c.doubts.add(n)
}

// repair fetches the rows that differ, and removes the ghosts among them. The
// guard admits as many removals as were counted. Pending removals are left to the
// next sweep.
func (v *Verify) repair(ctx context.Context, c *check) error {
	gone, err := newSpool(v.FS, v.scratch("verify.gone"))
	if err != nil {
		return err
	}
	defer gone.discard()
	held, err := newSpool(v.FS, v.scratch("verify.held"))
	if err != nil {
		return err
	}
	defer held.discard()
	r := remover{source: v.Source, index: v.Index, pages: v.Pages, sink: v.Sink, batch: v.Batch, report: new(doc.Report), pacer: c.pacer}
	if err := r.confirm(ctx, c.found, gone); err != nil {
		return err
	}
	v.Allow(c.absent)
	defer v.Allow(0)
	return r.remove(ctx, gone, 0, held)
}
