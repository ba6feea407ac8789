package deletecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// chunkSize is how many documents are compared between two calls of Rest.
const chunkSize = 10_000

// A Sweep compares all of a table with its index, and repairs what differs.
type Sweep struct {
	Table       string
	Source      Source
	Index       Index
	Pages       Pages
	Sink        Sink
	Quarantine  Quarantine
	Trace       *timetrace.Trace
	FS          atomicfile.FS
	Dir         string // of the table, data/T
	Batch       int    // rows per fetch
	Chunk       int    // documents between two calls of Rest; 0: 10,000
	FromScratch bool   // do not continue an earlier sweep
	Settles     bool   // move S to the time before the first row was compared: for a table without updateTimes
	// Between reports that the comparison is one between two sweeps: it moves no mark,
	// and an interrupted sweep continues afterwards. It needs Stored.
	Between bool
	// Rekeys reports that a row that changes gets another key. Then the guard limits
	// the removals that exceed the additions of this sweep.
	Rekeys bool
	// Filled is called when all rows are compared and fetched, before documents and
	// pages without a row are removed. These removals are then exempt from the guard:
	// Filled limits them. nil: nothing is called.
	Filled func(context.Context) error
	// Rest is called between chunks with the time since it last returned. It may
	// release the lane and take it again. nil: no rest.
	Rest     func(ctx context.Context, worked time.Duration) error
	Progress func(done, of int64) // nil: not reported

	// With Sums, which reads sums of tokens, the sweep lists only the ranges of keys
	// whose sum is not that of their documents. None: it lists all of the table.
	Sums   func(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error)
	Stored *Stored // for Sums and Between

	read *reading // of Prepare; nil: without sums
}

// Run continues an interrupted sweep or starts one, and moves its mark when it
// has ended. With sums it starts one.
func (s *Sweep) Run(ctx context.Context) (doc.Report, error) {
	w, err := s.begin(ctx)
	if err != nil {
		return doc.Report{}, fmt.Errorf("sweep %s: %w", s.Table, err)
	}
	defer w.join()
	if err := w.run(ctx); err != nil {
		_ = w.gone.file.Close() // everything up to the position is synced
		return w.at.Report, fmt.Errorf("sweep %s, %s: %w", s.Table, w.at.Phase, err)
	}
	return w.at.Report, nil
}

// A sweep is a running Sweep.
type sweep struct {
	*Sweep
	comparison
	remover remover
	pacer   *pacer
	at      position
	saved   time.Time // when at was made durable
	of      int64     // documents, and rows if they are listed too
	gone    *spool    // candidates for removal
	list    []span    // the ranges to list
	settled time.Time // the index has each row below, unless it changed silently
}

// begin opens the position of an earlier sweep, or creates one.
func (s *Sweep) begin(ctx context.Context) (*sweep, error) {
	w := &sweep{Sweep: s, saved: time.Now(), pacer: newPacer(s.Rest)}
	w.comparison = comparison{source: s.Source, index: s.Index, pages: s.Pages, chunk: cmp.Or(s.Chunk, chunkSize)}
	w.remover = remover{source: s.Source, index: s.Index, pages: s.Pages, sink: s.Sink, batch: s.Batch, report: &w.at.Report, pacer: w.pacer}
	if s.read != nil {
		w.list = s.Stored.different(s.read)
		w.of = w.documentsOf(w.list)
		return w, w.start(s.read.marks, s.read.at)
	}
	w.list = []span{{documents: w.chunk}}
	var err error
	if w.of, err = w.expected(); err != nil {
		return nil, err
	}
	if resumed, err := w.resume(); resumed || err != nil {
		return w, err
	}
	marks, now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	return w, w.start(marks, now)
}

// now returns the marks and the database's time, which becomes that of the sweep. The
// marks come first: a later rewind is not covered by the sweep.
func (s *Sweep) now(ctx context.Context) (timetrace.Table, time.Time, error) {
	marks, _ := s.Trace.Table(s.Table)
	now, err := s.Source.Now(ctx)
	return marks, now, err
}

// start creates the position of a new sweep.
func (w *sweep) start(marks timetrace.Table, now time.Time) error {
	w.at, w.settled = newPosition(marks, now), knownTo(marks)
	w.at.Phase = w.phases()[0]
	name := betweenName
	if !w.Between {
		name = goneName
		// First, so that the old position is never found beside the new spool.
		if err := removeFile(w.FS, filepath.Join(w.Dir, positionName)); err != nil {
			return err
		}
	}
	var err error
	w.gone, err = newSpool(w.FS, filepath.Join(w.Dir, name))
	return err
}

// resume opens the position of an earlier sweep. It returns false if there is
// none that can be continued.
func (w *sweep) resume() (bool, error) {
	if w.FromScratch || w.Between {
		return false, nil
	}
	at, ok, err := load(w.FS, w.Dir)
	marks, _ := w.Trace.Table(w.Table)
	if err != nil || !ok || !at.valid(marks) || !slices.Contains(w.phases(), at.Phase) {
		return false, err
	}
	w.gone, err = openSpool(w.FS, filepath.Join(w.Dir, goneName), at.Gone)
	if errors.Is(err, errDamaged) {
		return false, nil
	}
	w.at, w.settled = at, knownTo(marks)
	return err == nil, err
}

// knownTo returns S at the begin of a sweep. While a table is unverified its rows can differ
// for other reasons than a silent change: with a new epoch the token of each does.
func knownTo(marks timetrace.Table) time.Time {
	if marks.Unverified != "" {
		return time.Time{}
	}
	return marks.Settled
}

// phases returns the phases of a sweep, in order. Between sweeps only those rows in
// quarantine are fetched that changed.
func (s *Sweep) phases() []phase {
	all := []phase{phaseRetry, phaseRanges, phasePages, phaseRemove}
	if !s.Source.Ordered() {
		all = []phase{phaseRetry, phaseDocuments, phaseRows, phasePages, phaseRemove}
	}
	if s.Between {
		return all[1:]
	}
	return all
}

// run runs the remaining phases, and moves the mark.
func (w *sweep) run(ctx context.Context) error {
	phases := w.phases()
	for i, p := range phases[slices.Index(phases, w.at.Phase):] {
		if i > 0 {
			w.at.Phase, w.at.Next = p, ""
		}
		if err := w.save(); err != nil {
			return err
		}
		if p == phasePages && w.Filled != nil {
			if err := w.Filled(ctx); err != nil {
				return err
			}
		}
		if err := w.do(ctx, p); err != nil {
			return err
		}
	}
	return w.end()
}

func (w *sweep) do(ctx context.Context, p phase) error {
	from := doc.OID(w.at.Next)
	switch p {
	case phaseRetry:
		return w.retryQuarantined(ctx, from)
	case phaseRanges:
		return w.compareSpans(ctx, from, w.byRange)
	case phaseDocuments:
		return w.compareSpans(ctx, from, w.byKeys)
	case phaseRows:
		return w.compare(ctx, w.byRows(w.rows(ctx, from), from))
	case phasePages:
		return w.orphaned(ctx)
	default:
		return w.remove(ctx)
	}
}

// compare fetches the rows that differ, and spools the keys that have no row.
func (w *sweep) compare(ctx context.Context, parts iter.Seq2[part, error]) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		w.at.Report.Compared += p.compared
		w.at.Unpaged = w.at.Unpaged || p.unpaged
		for _, s := range p.extra {
			if err := w.gone.add(note{stamp: s}); err != nil {
				return err
			}
		}
		if err := w.fetchDifferent(ctx, p.differ); err != nil {
			return err
		}
		w.progress(p)
		if err := w.reach(p.next); err != nil {
			return err
		}
		if err := w.pacer.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fetchDifferent fetches the rows that differ, but for those in quarantine, which
// the first phase has tried, or which were tried as they are between the same sweeps.
func (w *sweep) fetchDifferent(ctx context.Context, differ []doc.Stamp) error {
	var wanted []doc.Stamp
	for _, s := range differ {
		if w.Quarantine.Has(s.OID) && !(w.Between && w.Stored.retry(s)) {
			continue
		}
		wanted = append(wanted, s)
		if !w.Settles && s.Updated.Before(w.settled) {
			w.at.Report.Silent++
		}
	}
	for some := range slices.Chunk(wanted, max(w.Batch, 1)) {
		if _, err := w.remover.refetch(ctx, doc.OIDs(some)); err != nil {
			return err
		}
		if w.Between {
			w.Stored.tried(some)
		}
	}
	return nil
}

// orphaned spools the pages that have neither document nor row. A crash during a
// removal, between index and page, leaves such pages.
func (w *sweep) orphaned(ctx context.Context) error {
	unmatched, err := w.unmatched(w.at.Unpaged)
	if err != nil || !unmatched {
		return err
	}
	return w.compare(ctx, w.orphans(ctx))
}

// reach sets where the phase continues after a restart.
func (w *sweep) reach(next doc.OID) error {
	if next == "" {
		return nil // the phase ends: until the next one begins, a restart repeats the last chunk
	}
	w.at.Next = doc.HexOID(next)
	return w.save()
}

// save makes the position durable every saveEvery. The position of a sweep with sums
// would be one in its list, which is lost with the process.
func (w *sweep) save() error {
	if w.read != nil || w.Between || time.Since(w.saved) < saveEvery {
		return nil
	}
	if err := w.at.save(w.FS, w.Dir, w.gone); err != nil {
		return err
	}
	w.saved = time.Now()
	return nil
}

func (w *sweep) progress(p part) {
	w.at.Done += int64(max(p.compared, p.listed))
	if w.Progress != nil {
		w.Progress(w.at.Done, max(w.of, w.at.Done))
	}
}

// end moves the marks, and then removes position and spool.
func (w *sweep) end() error {
	if w.Between {
		w.gone.discard()
		return nil
	}
	if err := w.move(); err != nil {
		return err
	}
	if err := removeFile(w.FS, filepath.Join(w.Dir, positionName)); err != nil {
		return err
	}
	w.gone.discard()
	return nil
}

// move moves the mark of the sweep and, with Settles, S. After a rewind S stays:
// rows were compared with what the database had before it. If nothing differed,
// the marks are noted only: after a restart the table is compared again.
func (w *sweep) move() error {
	settled := func(t *timetrace.Table) {
		t.Swept(w.at.Started, w.at.Rewinds)
		if w.Settles && t.Rewinds == w.at.Rewinds {
			t.Settle(w.at.Started, "compared")
		}
	}
	marks, _ := w.Trace.Table(w.Table)
	if r := w.at.Report; w.Settles && marks.Unverified == "" && r.Read+r.Deleted == 0 {
		w.Trace.Note(w.Table, settled)
		return nil
	}
	return w.Trace.UpdateTable(w.Table, settled)
}

// remove fetches the candidates again and removes the documents of those whose
// row is gone. It lists the removals that the guard held.
func (w *sweep) remove(ctx context.Context) error {
	gone, err := newSpool(w.FS, filepath.Join(w.Dir, askedName))
	if err != nil {
		return err
	}
	defer gone.discard()
	held, err := newSpool(w.FS, filepath.Join(w.Dir, heldName+".new"))
	if err != nil {
		return err
	}
	defer held.discard()
	if err := w.remover.confirm(ctx, w.gone, gone); err != nil {
		return err
	}
	if err := w.remover.remove(ctx, gone, w.rekeyed(gone.count), held); err != nil {
		return err
	}
	if name := filepath.Join(w.Dir, heldName); held.count > 0 {
		return held.rename(name)
	} else {
		return removeFile(w.FS, name)
	}
}

// rekeyed returns how many of the removals the guard does not limit, since their rows
// have another key now, or Filled has limited them.
func (w *sweep) rekeyed(gone int) int {
	switch {
	case w.Filled != nil:
		return gone
	case w.Rekeys:
		return min(gone, w.at.Report.Added)
	}
	return 0
}

// A pacer calls Rest with the time since it last returned.
type pacer struct {
	take  func(ctx context.Context, worked time.Duration) error
	since time.Time
}

func newPacer(take func(context.Context, time.Duration) error) *pacer {
	return &pacer{take: take, since: time.Now()}
}

func (p *pacer) rest(ctx context.Context) error {
	if p.take != nil {
		if err := p.take(ctx, time.Since(p.since)); err != nil {
			return err
		}
	}
	p.since = time.Now()
	return ctx.Err()
}
