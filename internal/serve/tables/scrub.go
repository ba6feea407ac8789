package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/schedule"
	"indexerd/internal/base/scrub"
	"indexerd/internal/base/sealed"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/stored"
)

// The files of a table are read once a day, in a tenth of the time.
const (
	scrubEvery = 24 * time.Hour
	scrubShare = 0.1
	// lookEvery is how often a table looks whether a scrub is due, or a search found
	// something to look into.
	lookEvery = 5 * time.Second
	// suspectEvery is the shortest time between two scrubs after searches that failed.
	suspectEvery = 10 * time.Minute
)

// scrubFile has, in the directory of a table, when its files were read last. Without it
// they are read a day after the load: reading at once what was written a moment ago would
// test the memory, not the disk.
const scrubFile = "scrub"

// scrubbing is held by the scrub that runs: all together have a tenth of the time.
var scrubbing = make(chan struct{}, 1)

// scrubs are what the scrubs of a table found.
type scrubs struct {
	mu      sync.Mutex
	last    time.Time // when the last one, or the load, ended
	looked  time.Time // when the last one after a failed search ended
	suspect error     // of a search, to be looked into; nil: none
	damaged uint64    // files, since the start
	counted error     // the damage of the index that counts in damaged; nil: none
}

// A lastScrub is the content of scrubFile.
type lastScrub struct {
	At time.Time `json:"at"`
}

// scheduleScrub puts the scrub on its schedule.
func (t *Table) scheduleScrub(s *schedule.Scheduler) {
	if !t.HasFiles() {
		return
	}
	t.scrubs.last = t.readLastScrub()
	s.EveryIf(t.Conf.Name+" scrub", lookEvery, lookEvery, t.scrubIsDue, t.scrub)
}

// readLastScrub returns the time of the last scrub, or of the load if there was none. It
// is zero if it is not known.
func (t *Table) readLastScrub() time.Time {
	var last lastScrub
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(t.Dir, scrubFile))
	if errors.Is(err, fs.ErrNotExist) {
		marks, _ := t.Trace.Table(t.Conf.Name)
		return marks.Load
	}
	if err != nil || sealed.CheckObject(text) != nil || json.Unmarshal(text, &last) != nil || last.At.After(time.Now()) {
		return time.Time{}
	}
	return last.At
}

// noteLoaded puts the first scrub off until a day after the load.
func (t *Table) noteLoaded(at time.Time) {
	t.scrubs.mu.Lock()
	defer t.scrubs.mu.Unlock()
	t.scrubs.last = at
}

func (t *Table) writeLastScrub(at time.Time) error {
	text, err := json.Marshal(lastScrub{at.UTC()})
	if err != nil {
		return err
	}
	return atomicfile.Write(atomicfile.OS, filepath.Join(t.Dir, scrubFile), append(sealed.AppendObject(nil, text), '\n'))
}

// scrubIsDue does not wait.
func (t *Table) scrubIsDue() bool {
	if marks, _ := t.Trace.Table(t.Conf.Name); !marks.Loaded || !t.IsOpen() {
		return false
	}
	if t.Damage() != nil || t.Rebuilding() {
		return true
	}
	suspect := t.Suspect()
	t.scrubs.mu.Lock()
	defer t.scrubs.mu.Unlock()
	if suspect != nil {
		t.scrubs.suspect = suspect
	}
	return t.scrubs.suspect != nil && time.Since(t.scrubs.looked) >= suspectEvery || time.Since(t.scrubs.last) >= scrubEvery
}

// mayBeDamaged reports whether the failure of an index is one that a scrub looks into:
// opening the index again would not end it.
func (t *Table) mayBeDamaged(broken error) bool {
	if stored.IsIndexDamaged(broken) {
		return true
	}
	if suspect := t.Suspect(); suspect != nil {
		t.scrubs.mu.Lock()
		t.scrubs.suspect = suspect
		t.scrubs.mu.Unlock()
	}
	t.scrubs.mu.Lock()
	defer t.scrubs.mu.Unlock()
	return t.scrubs.suspect != nil && time.Since(t.scrubs.looked) >= suspectEvery
}

// scrub reads all files of the table, and repairs what is damaged: the index from the
// pages, and pages by a sweep.
func (t *Table) scrub(ctx context.Context) error {
	if t.Damage() == nil && !t.Rebuilding() {
		if err := t.readFiles(ctx); err != nil {
			return t.fail("scrub", err)
		}
	}
	if t.Damage() != nil || t.Rebuilding() {
		return t.fail("scrub", t.rebuild(ctx))
	}
	return nil
}

// readFiles reads all files. A search that failed is looked into without rests.
func (t *Table) readFiles(ctx context.Context) error {
	select {
	case scrubbing <- struct{}{}:
		defer func() { <-scrubbing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	t.scrubs.mu.Lock()
	suspect := t.scrubs.suspect
	t.scrubs.mu.Unlock()
	share := scrubShare
	if suspect != nil {
		share = 1
	}
	started := time.Now()
	r := scrub.NewRun(ctx, func(ctx context.Context, worked time.Duration) error { return restAfterWork(ctx, worked, share) })
	err := t.Scrub(r)
	t.noteDamaged(r)
	if err != nil {
		return err
	}
	now := time.Now()
	t.scrubs.mu.Lock()
	t.scrubs.last = now
	if suspect != nil {
		t.scrubs.suspect, t.scrubs.looked = nil, now
	}
	t.scrubs.mu.Unlock()
	t.log.Debug("scrub ended", "files", r.Files, "bytes", r.Bytes, "damaged", len(r.Damaged), "took", now.Sub(started).Round(time.Millisecond))
	if suspect != nil && len(r.Damaged) == 0 {
		t.log.Error("a search failed, and no file is damaged: this is a bug in indexerd", "error", suspect)
		if broken := t.Broken(); broken != nil {
			t.Die(fmt.Errorf("%w: %s: %w", ErrBroken, t.Conf.Name, broken))
		}
	}
	return t.writeLastScrub(now)
}

// noteDamaged logs and counts the files that a scrub found damaged, and has a sweep fetch
// the rows of damaged pages.
func (t *Table) noteDamaged(r *scrub.Run) {
	for _, d := range r.Damaged {
		t.log.Error("file is damaged", "file", d.File, "error", d.What, "do", "nothing: it is repaired; if it happens again, replace the disk or the memory")
	}
	t.scrubs.mu.Lock()
	t.scrubs.damaged += uint64(len(r.Damaged))
	t.scrubs.counted = t.Damage()
	t.scrubs.mu.Unlock()
	if len(r.Damaged) == 0 || t.Damage() != nil || t.ReadOnly {
		return
	}
	if err := t.DoubtFiles(); err != nil {
		t.log.Error("scrub can't have a sweep repair the files", "error", err)
	}
	t.sweepIfDoubted(0)
}

// logDamage logs that the index is damaged, and counts it unless a scrub has.
func (t *Table) logDamage(err error) {
	t.log.Error("the index is damaged", "error", err, "do", "nothing: it is rebuilt from the pages, and searches are answered again afterwards; if it happens again, replace the disk or the memory")
	t.scrubs.mu.Lock()
	defer t.scrubs.mu.Unlock()
	if t.scrubs.counted == nil {
		t.scrubs.damaged++
	}
	t.scrubs.counted = nil
}

// rebuild replaces a damaged index by one with the documents of the pages. Searches are
// refused meanwhile.
func (t *Table) rebuild(ctx context.Context) error {
	select {
	case t.sweeping <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.sweeping }()
	lane, err := t.takeLane(ctx)
	if err != nil {
		return err
	}
	defer lane.end()
	if damage := t.Damage(); damage != nil {
		t.logDamage(damage)
		if err := t.ReplaceIndex(); err != nil {
			if errors.Is(err, reindex.ErrUndecided) {
				t.Die(err)
			}
			return fmt.Errorf("replace the damaged index: %w", err)
		}
	}
	if !t.Rebuilding() {
		return nil
	}
	if err := t.refillIn(ctx, lane); err != nil {
		return err
	}
	t.sweepIfDoubted(0)
	return nil
}

// Scrubbed returns when all files were read last, or loaded, and how many were found damaged since
// the start.
func (t *Table) Scrubbed() (last time.Time, damaged uint64) {
	t.scrubs.mu.Lock()
	defer t.scrubs.mu.Unlock()
	return t.scrubs.last, t.scrubs.damaged
}
