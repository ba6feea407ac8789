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

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// chunkSize is how many documents are compared between two rests.
const chunkSize = 10_000

// A Sweep compares all of a table with its index, and repairs what differs.
type Sweep struct {
	Table      string
	Source     Source
	Index      Index
	Pages      Pages
	Sink       Sink
	Quarantine Quarantine
	Trace      *timetrace.Trace
	FS         atomicfile.FS
	Dir        string // of the table, data/T
	Batch      int    // rows a fetch
	Chunk      int    // documents between two rests; 0: 10,000
	Anew       bool   // begin anew, wherever an earlier sweep was
	// Rest is called between chunks with the time that was worked since it
	// last returned. It may give the lane up and take it again. nil: no rest.
	Rest     func(ctx context.Context, worked time.Duration) error
	Progress func(done, of int64) // nil: nobody looks
}

// Run sweeps, from where an earlier sweep was interrupted. The mark moves last.
func (s *Sweep) Run(ctx context.Context) (doc.Report, error) {
	w, err := s.begin(ctx)
	if err != nil {
		return doc.Report{}, fmt.Errorf("sweep %s: %w", s.Table, err)
	}
	defer w.join()
	if err := w.run(ctx); err != nil {
		_ = w.gone.file.Close() // what a position speaks of is synced
		return w.at.Report, fmt.Errorf("sweep %s, %s: %w", s.Table, w.at.Phase, err)
	}
	return w.at.Report, nil
}

// A sweep is one that runs.
type sweep struct {
	*Sweep
	comparison
	asker asker
	pace  *pace
	at    position
	saved time.Time // when at was made durable
	of    int64     // documents, and rows where they are listed too
	gone  *spool    // candidates for removal
}

// begin goes on with an earlier sweep, or starts one.
func (s *Sweep) begin(ctx context.Context) (*sweep, error) {
	w := &sweep{Sweep: s, saved: time.Now(), pace: newPace(s.Rest)}
	w.comparison = comparison{source: s.Source, index: s.Index, pages: s.Pages, chunk: cmp.Or(s.Chunk, chunkSize)}
	w.asker = asker{source: s.Source, index: s.Index, pages: s.Pages, sink: s.Sink, batch: s.Batch, report: &w.at.Report, pace: w.pace}
	var err error
	if w.of, err = w.expected(); err != nil {
		return nil, err
	}
	if resumed, err := w.resume(); resumed || err != nil {
		return w, err
	}
	marks, _ := s.Trace.Table(s.Table) // before the time: a rewind after it is not this sweep's
	now, err := s.Source.Now(ctx)
	if err != nil {
		return nil, err
	}
	w.at = newPosition(marks, now)
	// The position first: it must not speak of another sweep's spool.
	if err := removeFile(s.FS, filepath.Join(s.Dir, positionName)); err != nil {
		return nil, err
	}
	w.gone, err = newSpool(s.FS, filepath.Join(s.Dir, goneName))
	return w, err
}

// resume takes up an earlier sweep, if there is one to go on with.
func (w *sweep) resume() (bool, error) {
	if w.Anew {
		return false, nil
	}
	at, ok, err := load(w.FS, w.Dir)
	marks, _ := w.Trace.Table(w.Table)
	if err != nil || !ok || !at.goesOn(marks) || !slices.Contains(w.phases(), at.Phase) {
		return false, err
	}
	w.gone, err = openSpool(w.FS, filepath.Join(w.Dir, goneName), at.Gone)
	if errors.Is(err, errSpool) {
		return false, nil
	}
	w.at = at
	return err == nil, err
}

// phases are what a sweep does, in order.
func (s *Sweep) phases() []phase {
	if s.Source.Ordered() {
		return []phase{phaseRetry, phaseRanges, phasePages, phaseRemove}
	}
	return []phase{phaseRetry, phaseDocuments, phaseRows, phasePages, phaseRemove}
}

// run does the phases that are left, and moves the mark.
func (w *sweep) run(ctx context.Context) error {
	phases := w.phases()
	for i, p := range phases[slices.Index(phases, w.at.Phase):] {
		if i > 0 {
			w.at.Phase, w.at.Next = p, ""
		}
		if err := w.save(); err != nil {
			return err
		}
		if err := w.do(ctx, p); err != nil {
			return err
		}
	}
	return w.end()
}

func (w *sweep) do(ctx context.Context, p phase) error {
	from := w.at.next()
	switch p {
	case phaseRetry:
		return w.retry(ctx, from)
	case phaseRanges:
		return w.compare(ctx, by(ctx, from, w.byRange))
	case phaseDocuments:
		return w.compare(ctx, by(ctx, from, w.byKeys))
	case phaseRows:
		return w.compare(ctx, w.byRows(ctx, from))
	case phasePages:
		return w.orphaned(ctx)
	default:
		return w.remove(ctx)
	}
}

// compare repairs what a comparison finds, and spools what is in the index
// alone.
func (w *sweep) compare(ctx context.Context, parts iter.Seq2[part, error]) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		w.at.Report.Compared += p.compared
		w.at.Unpaged = w.at.Unpaged || p.unpaged
		for _, s := range p.alone {
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
		if err := w.pace.rest(ctx); err != nil { // what was read before is old now
			return err
		}
	}
	return nil
}

// fetchDifferent fetches the rows that differ; the fetch decides. Those in
// quarantine have been tried.
func (w *sweep) fetchDifferent(ctx context.Context, differ []doc.Stamp) error {
	var oids []doc.OID
	for i, s := range differ {
		if !w.Quarantine.Has(s.OID) {
			oids = append(oids, s.OID)
		}
		if len(oids) == w.Batch || i == len(differ)-1 && len(oids) > 0 {
			if _, err := w.asker.fetch(ctx, oids); err != nil {
				return err
			}
			oids = oids[:0]
		}
	}
	return nil
}

// orphaned spools the pages that have neither document nor row: what a crash
// between index and page has left of a removal.
func (w *sweep) orphaned(ctx context.Context) error {
	unmatched, err := w.unmatched(w.at.Unpaged)
	if err != nil || !unmatched {
		return err
	}
	return w.compare(ctx, w.orphans(ctx))
}

// reach notes where the phase goes on, if it does.
func (w *sweep) reach(next doc.OID) error {
	if next == "" {
		return nil // the position stays before what a restart would do again, spool and all
	}
	w.at.setNext(next)
	return w.save()
}

// save makes the position durable now and then.
func (w *sweep) save() error {
	if time.Since(w.saved) < saveEvery {
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

// end moves the mark, last, and then forgets how far the sweep had come.
func (w *sweep) end() error {
	err := w.Trace.UpdateTable(w.Table, func(t *timetrace.Table) { t.Swept(w.at.Started, w.at.Rewinds) })
	if err != nil {
		return err
	}
	if err := removeFile(w.FS, filepath.Join(w.Dir, positionName)); err != nil {
		return err
	}
	w.gone.discard()
	return nil
}
