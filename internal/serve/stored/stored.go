package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/index/search"
	"indexerd/internal/pages/move"
	"indexerd/internal/serve/database"
	"indexerd/internal/state/history"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/state/stamps"
	"indexerd/internal/sync/sink"
	"indexerd/store"
	"indexerd/timetrace"
)

// A storage is what is stored of one table: its index, its pages, its tree of
// stamps, its quarantine and its history, and the sink, which alone writes them.
// All but the index are set once, by open; a reindex replaces the index, what it
// was built with, and the searcher. The files are those of one directory, and
// timeTrace holds the marks: a storage opens only where both speak of the same
// source and index generation.
type storage struct {
	cfg      *configs.Config
	conf     configs.Table
	trace    *timetrace.Trace
	dir      string
	readOnly bool // what is stored is opened without writing, and no pass runs
	look     func(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error

	owner     string       // id of the data directory, or of all that share the marks
	shared    *shared      // nil: nothing is
	over      *connections // nil: those of the configuration
	place     place
	pageStore *pageStore
	counter   *counter

	waits atomic.Pointer[waiting] // what an opening waits for, which holds mu; nil: nothing opens

	mu         sync.Mutex      // guards what follows; taken after a table's
	opened                     // its index is nil: nothing is stored yet, or it is closed
	writes     *reindex.Switch // where the sink writes
	pages      pages
	recorder   *move.Recorder // of the pages that are written, while they are moved
	tree       *stamps.Tree
	quarantine *quarantine.Quarantine
	history    *history.History
	guard      *sink.Guard
	sink       *sink.Sink
	searcher   *search.Searcher
	ranges     *deletecheck.Ranges // of a table with updateTimes
	stored     *deletecheck.Stored // of one without
}

// newStorages returns what is stored of the tables of a configuration, of which nothing is
// open yet, and the store of pages that they share.
func newStorages(cfg *configs.Config, trace *timetrace.Trace) (all []*storage, pages *pageStore) {
	pages = newPageStore(cfg.PageStore)
	for _, conf := range cfg.Tables {
		all = append(all, newStorage(cfg, conf, trace, pages))
	}
	return all, pages
}

func newStorage(cfg *configs.Config, conf configs.Table, trace *timetrace.Trace, pages *pageStore) *storage {
	s := &storage{cfg: cfg, conf: conf, trace: trace, dir: filepath.Join(cfg.Data, conf.Name), counter: newCounter(), pageStore: pages}
	s.place = s.newPlace()
	return s
}

// Begin and End number the table's fetches.
func (s *storage) Begin(open func() error) (doc.FetchSeq, error) { return s.sink.Begin(open) }

// End implements database.Numbers.
func (s *storage) End(seq doc.FetchSeq) { s.sink.End(seq) }

// openStored opens what earlier runs stored; it reports false where there is
// nothing yet.
func (s *storage) openStored() (bool, error) {
	marks, ok := s.trace.Table(s.conf.Name)
	if !ok && s.shared == nil {
		if _, err := os.Stat(s.dir); !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("%s has documents of %s and %s has no marks of it: restore that file, or move %s away to load the table again", s.dir, s.conf.Name, timetrace.FileName, s.dir)
		}
	}
	if !ok {
		return false, s.place.claim()
	}
	if err := s.checkMarks(marks); err != nil {
		return false, err
	}
	s.waitFor(waitIndex)
	o, err := s.place.open()
	switch {
	case err != nil && !marks.Loaded && !IsAnothers(err):
		return false, nil // begun and not to be resumed: create starts again
	case err != nil:
		return false, err
	case o.Generation() != marks.Generation:
		return false, errors.Join(o.Close(), fmt.Errorf("%s: the index is generation %d and %s speaks of %d: restore both from one backup", s.dir, o.Generation(), timetrace.FileName, marks.Generation))
	}
	return true, s.open(o)
}

// checkMarks returns a fault where the marks are of another source or key than the
// configuration.
func (s *storage) checkMarks(marks timetrace.Table) error {
	if marks.Source != s.conf.SourceFingerprint() {
		return s.cfg.Fault("tables."+s.conf.Name+".key", "source, key or updated is not what the table was loaded with",
			"put it back, or load the table again: "+s.command("reload"))
	}
	return nil
}

// create starts the storage of a table that was never loaded, or whose load can't
// be resumed.
func (s *storage) create(r database.Rows, units map[string]string) error {
	var generation doc.Generation
	err := s.trace.UpdateTable(s.conf.Name, func(m *timetrace.Table) {
		m.Source, m.SQL, m.Kinds = s.conf.SourceFingerprint(), s.conf.SQLFingerprint(), r.Kinds()
		m.Epoch, m.Units = r.Epoch(), units
		m.Generation++
		m.Loaded = false
		generation = m.Generation
	})
	if err != nil {
		return err
	}
	if s.shared != nil { // what is below data is of another load, which any daemon may have forgotten
		if err := os.RemoveAll(s.dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	o, err := s.place.create(generation)
	if err != nil {
		return err
	}
	if err := s.open(o); err != nil {
		return err
	}
	return s.clearPages()
}

// open opens the files beside the index, and makes the sink that writes all of
// them.
func (s *storage) open(o opened) (err error) {
	s.waitFor(waitPages)
	defer s.waitFor("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened, s.writes = o, reindex.NewSwitch(o.index)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeAll())
		}
	}()
	if !s.readOnly { // a daemon that takes over has no directory yet
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return err
		}
	}
	if s.pages, err = s.openPages(); err != nil {
		s.pages = nil
		return err
	}
	s.waitFor(waitMarks)
	if err := s.openLogs(); err != nil {
		return err
	}
	if s.guard, err = s.newGuard(); err != nil {
		return err
	}
	s.recorder = new(move.Recorder)
	s.sink = sink.New(s.writes, recordedPages{s.pages, s.recorder}, s.tree, s.quarantine, s.guard, s.reserve).WithACL(database.ACL(s.conf))
	s.sink.Check, s.sink.Exposed = s.withinLimits, s.cfg.Index.Engine == configs.OpenSearch
	s.ranges, s.stored = new(deletecheck.Ranges), new(deletecheck.Stored)
	if s.sink.Added = s.ranges.Added; s.conf.ByComparison() {
		s.sink.Added, s.sink.Changed = nil, s.stored.Changed
	}
	s.searcher = s.newSearcher()
	return nil
}

// withinLimits reports a row that is too large for a document.
func (s *storage) withinLimits(row doc.Row) error {
	if err := s.conf.Limits.CheckText(row.Size()); err != nil {
		return err
	}
	index := s.current()
	if index == nil {
		return nil // closed meanwhile, as the write will report
	}
	return index.Fits(row, s.conf.Limits)
}

// openLogs opens what no search needs. Read-only there is no tree: it holds only
// what passes of this process have read.
func (s *storage) openLogs() (err error) {
	openQuarantine, openHistory := quarantine.Open, history.Open
	if s.readOnly {
		openQuarantine, openHistory = quarantine.OpenReadOnly, history.OpenReadOnly
	} else if s.tree, err = stamps.New(stamps.Options{Dir: filepath.Join(s.dir, "stamps"), Budget: s.conf.Compensate.Tree}); err != nil {
		return err
	}
	if s.shared != nil {
		s.quarantine, err = quarantine.OpenIn(s.shared.opened("quarantine/"+s.conf.Name+"/", s.readOnly))
	} else {
		s.quarantine, err = openQuarantine(atomicfile.OS, quarantine.Name(s.dir))
	}
	if err != nil {
		return err
	}
	s.history, err = openHistory(atomicfile.OS, history.Name(s.dir))
	return err
}

// closeAll closes what is open, under mu.
func (s *storage) closeAll() error {
	errs := []error{s.index.Close()}
	if s.pages != nil {
		errs = append(errs, s.pages.Close())
	}
	s.opened, s.pages, s.quarantine, s.history = opened{}, nil, nil, nil
	return errors.Join(errs...)
}

// planFile is the record of a load under way.
func (s *storage) planFile() string { return filepath.Join(s.dir, "load") }

var compressions = map[string]store.Compression{"s2": store.S2, "zstd": store.Zstd, "none": store.None}

// reserve makes n more numbers durable. Read-only they are given out in memory:
// nothing is stored under them.
func (s *storage) reserve(n uint64) (first uint64, err error) {
	least := uint64(0) // numbers have the term in their high bits
	if term := s.shared.term(); term != nil {
		least = term.First()
	}
	raise := func(m *timetrace.Table) {
		m.Numbers = max(m.Numbers, least)
		first = m.Numbers + 1
		m.Numbers += n
	}
	if s.readOnly {
		s.trace.Note(s.conf.Name, raise)
		return first, nil
	}
	if err := s.trace.UpdateTable(s.conf.Name, raise); err != nil {
		return 0, err
	}
	return first, s.reservePages(first + n - 1)
}

// isOpen reports whether there is something to search.
func (s *storage) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index != nil
}

// isMapped reports whether the index was built with what is configured.
func (s *storage) isMapped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mapped
}

// current returns the index that is in use; nil where there is none.
func (s *storage) current() index {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index
}

// broken returns the fault after which nothing may be written any more; nil
// without one. What is durable after it shows only when it is opened again.
func (s *storage) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	return errors.Join(s.writes.Err(), s.pages.Err())
}

func (s *storage) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	return s.closeAll()
}

// newGuard returns a table's guard. Removals of the last hour count, also those of
// an earlier process, and removals that the last sweep held are still held.
func (s *storage) newGuard() (*sink.Guard, error) {
	conf, h := s.conf.DeleteCheck, s.history
	count := func() (uint64, error) { return s.current().Count() }
	guard := sink.NewGuard(sink.Limits{Count: conf.MaxCount, Fraction: conf.MaxFraction}, count)
	if s.shared != nil {
		return guard, s.rememberRemovals(guard)
	}
	recent, err := recentRemovals(s.dir, h)
	if err != nil {
		return nil, err
	}
	for _, r := range recent {
		guard.Remember(r.At, r.N)
	}
	held, err := deletecheck.Held(atomicfile.OS, s.dir)
	if err != nil || held == 0 {
		return guard, err
	}
	of, err := s.index.Count()
	marks, _ := s.trace.Table(s.conf.Name)
	guard.Settle(sink.Held{Removals: held, Of: int(of), Since: marks.Sweep})
	return guard, err
}

// reloadQuarantine reads the list again, for a standby.
func (s *storage) reloadQuarantine() error {
	s.mu.Lock()
	q := s.quarantine
	s.mu.Unlock()
	if q == nil {
		return nil
	}
	return q.Reload()
}

// rememberRemovals makes a guard remember the removals of the last hour, of any daemon.
func (s *storage) rememberRemovals(guard *sink.Guard) error {
	kept := s.shared.opened("guard/", s.readOnly)
	values, err := kept.Read()
	if err != nil {
		return err
	}
	if text := values[s.conf.Name]; text != nil {
		var removals []sink.Removals
		if err := json.Unmarshal(text, &removals); err != nil {
			return fmt.Errorf("the removals of %s: %w", s.conf.Name, err)
		}
		for _, r := range removals {
			guard.Remember(r.At, r.N)
		}
	}
	guard.Keep = func(removals []sink.Removals) error {
		text, err := json.Marshal(removals)
		if err != nil {
			return err
		}
		return kept.Write(map[string][]byte{s.conf.Name: text})
	}
	return nil
}
