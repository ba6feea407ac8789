// Package stored has what is stored of one table: its index and its pages, embedded or
// on other machines, its tree of stamps, its quarantine and its history, and the sink,
// which alone writes them. Here alone it is decided which engine a table has.
package stored

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
	"indexerd/internal/serve/leader"
	"indexerd/internal/state/history"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/state/stamps"
	"indexerd/internal/sync/sink"
	"indexerd/store"
	"indexerd/timetrace"
)

// A Table is what is stored of one table: its index, its pages, its tree of
// stamps, its quarantine and its history, and the sink, which alone writes them.
// All but the index are set once, by open; a reindex replaces the index, what it
// was built with, and the searcher. The files are those of one directory, and
// timeTrace holds the marks: a storage opens only where both speak of the same
// source and index generation.
type Table struct {
	Config   *configs.Config
	Conf     configs.Table
	Trace    *timetrace.Trace
	Dir      string
	ReadOnly bool // what is stored is opened without writing, and no pass runs
	Look     func(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error

	Owner     string         // id of the data directory, or of all that share the marks
	Shared    *leader.Shared // nil: nothing is
	Over      *Connections   // nil: those of the configuration
	place     place
	pageStore *PageStore
	counter   *counter

	suspected atomic.Pointer[error] // of a page that a search could not read; nil: none
	Rebuilds  atomic.Pointer[error] // why opening has made an empty index; nil: it has not

	Waits atomic.Pointer[waiting] // what an opening waits for, which holds mu; nil: nothing opens

	mu         sync.Mutex      // guards what follows; taken after a table's
	opened                     // its index is nil: nothing is stored yet, or it is closed
	writes     *reindex.Switch // where the sink writes
	Pages      Pages
	Recorder   *move.Recorder // of the pages that are written, while they are moved
	Tree       *stamps.Tree
	Quarantine *quarantine.Quarantine
	History    *history.History
	Guard      *sink.Guard
	Sink       *sink.Sink
	searcher   *search.Searcher
	Ranges     *deletecheck.Ranges // of a table with updateTimes
	Stored     *deletecheck.Stored
}

// NewAll returns what is stored of the tables of a configuration, of which nothing is
// open yet, and the store of pages that they share.
func NewAll(cfg *configs.Config, trace *timetrace.Trace) (all []*Table, pages *PageStore) {
	pages = newPageStore(cfg.PageStore)
	for _, conf := range cfg.Tables {
		all = append(all, New(cfg, conf, trace, pages))
	}
	return all, pages
}

// New returns what is stored of one table, of which nothing is open yet.
func New(cfg *configs.Config, conf configs.Table, trace *timetrace.Trace, pages *PageStore) *Table {
	s := &Table{Config: cfg, Conf: conf, Trace: trace, Dir: filepath.Join(cfg.Data, conf.Name), counter: newCounter(), pageStore: pages}
	s.place = s.newPlace()
	return s
}

// Begin and End number the table's fetches.
func (s *Table) Begin(open func() error) (doc.FetchSeq, error) { return s.Sink.Begin(open) }

// End implements database.Numbers.
func (s *Table) End(seq doc.FetchSeq) { s.Sink.End(seq) }

// OpenStored opens what earlier runs stored; it reports false where there is
// nothing yet.
func (s *Table) OpenStored() (bool, error) {
	marks, ok := s.Trace.Table(s.Conf.Name)
	if !ok && s.Shared == nil {
		if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("%s has documents of %s and %s has no marks of it: restore that file, or move %s away to load the table again", s.Dir, s.Conf.Name, timetrace.FileName, s.Dir)
		}
	}
	if !ok {
		return false, s.place.claim()
	}
	if err := s.CheckMarks(marks); err != nil {
		return false, err
	}
	s.WaitFor(WaitIndex)
	o, err := s.place.open()
	switch {
	case err != nil && !marks.Loaded && !IsAnothers(err):
		return false, nil // begun and not to be resumed: create starts again
	case err != nil:
		return false, err
	case o.Generation() != marks.Generation:
		return false, errors.Join(o.Close(), fmt.Errorf("%s: the index is generation %d and %s speaks of %d: restore both from one backup", s.Dir, o.Generation(), timetrace.FileName, marks.Generation))
	}
	return true, s.open(o)
}

// CheckMarks returns a fault where the marks are of another source or key than the
// configuration.
func (s *Table) CheckMarks(marks timetrace.Table) error {
	if marks.Source != s.Conf.SourceFingerprint() {
		return s.Config.Fault("tables."+s.Conf.Name+".key", "source, key or updated is not what the table was loaded with",
			"put it back, or load the table again: "+s.Command("reload"))
	}
	return nil
}

// Make starts the storage of a table that was never loaded, or whose load can't
// be resumed.
func (s *Table) Make(r database.Rows, units map[string]string) error {
	var generation doc.Generation
	err := s.Trace.UpdateTable(s.Conf.Name, func(m *timetrace.Table) {
		m.Source, m.SQL, m.Kinds = s.Conf.SourceFingerprint(), s.Conf.SQLFingerprint(), r.Kinds()
		m.Epoch, m.Units = r.Epoch(), units
		m.Generation++
		m.Loaded = false
		generation = m.Generation
	})
	if err != nil {
		return err
	}
	if s.Shared != nil { // what is below data is of another load, which any daemon may have forgotten
		if err := os.RemoveAll(s.Dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
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
func (s *Table) open(o opened) (err error) {
	s.WaitFor(WaitPages)
	defer s.WaitFor("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened, s.writes = o, reindex.NewSwitch(o.Index)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeAll())
		}
	}()
	if !s.ReadOnly { // a daemon that takes over has no directory yet
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			return err
		}
	}
	if s.Pages, err = s.openPages(); err != nil {
		s.Pages = nil
		return err
	}
	s.WaitFor(WaitMarks)
	if err := s.openLogs(); err != nil {
		return err
	}
	if s.Guard, err = s.newGuard(); err != nil {
		return err
	}
	s.Recorder = new(move.Recorder)
	s.Sink = sink.New(s.writes, recordedPages{s.Pages, s.Recorder}, s.Tree, s.Quarantine, s.Guard, s.Reserve).WithACL(database.ACL(s.Conf))
	s.Sink.Check, s.Sink.Exposed = s.withinLimits, s.Config.Index.Engine == configs.OpenSearch
	s.Ranges, s.Stored = new(deletecheck.Ranges), new(deletecheck.Stored)
	s.Sink.Sums = s.Stored
	if !s.Conf.ByComparison() {
		s.Sink.Added = s.Ranges.Added
	}
	s.searcher = s.newSearcher()
	return nil
}

// withinLimits reports a row that is too large for a document.
func (s *Table) withinLimits(row doc.Row) error {
	if err := s.Conf.Limits.CheckText(row.Size()); err != nil {
		return err
	}
	index := s.Current()
	if index == nil {
		return nil // closed meanwhile, as the write will report
	}
	return index.Fits(row, s.Conf.Limits)
}

// openLogs opens what no search needs. Read-only there is no tree: it holds only
// what passes of this process have read.
func (s *Table) openLogs() (err error) {
	openQuarantine, openHistory := quarantine.Open, history.Open
	if s.ReadOnly {
		openQuarantine, openHistory = quarantine.OpenReadOnly, history.OpenReadOnly
	} else if s.Tree, err = stamps.New(stamps.Options{Dir: filepath.Join(s.Dir, "stamps"), Budget: s.Conf.Compensate.Tree}); err != nil {
		return err
	}
	if s.Shared != nil {
		s.Quarantine, err = quarantine.OpenIn(s.Shared.Store("quarantine/"+s.Conf.Name+"/", s.ReadOnly))
	} else {
		if !s.ReadOnly {
			err = s.lookForDamage()
		}
		if err == nil {
			s.Quarantine, err = openQuarantine(atomicfile.OS, quarantine.Name(s.Dir))
		}
	}
	if err != nil {
		return err
	}
	s.History, err = openHistory(atomicfile.OS, history.Name(s.Dir))
	return err
}

// closeAll closes what is open, under mu.
func (s *Table) closeAll() error {
	errs := []error{s.Index.Close()}
	if s.Pages != nil {
		errs = append(errs, s.Pages.Close())
	}
	s.opened, s.Pages, s.Quarantine, s.History = opened{}, nil, nil, nil
	return errors.Join(errs...)
}

// PlanFile is the record of a load under way.
func (s *Table) PlanFile() string { return filepath.Join(s.Dir, "load") }

var compressions = map[string]store.Compression{"s2": store.S2, "zstd": store.Zstd, "none": store.None}

// Reserve makes n more numbers durable. Read-only they are given out in memory:
// nothing is stored under them.
func (s *Table) Reserve(n uint64) (first uint64, err error) {
	least := uint64(0) // numbers have the term in their high bits
	if term := s.Shared.Term(); term != nil {
		least = term.First()
	}
	raise := func(m *timetrace.Table) {
		m.Numbers = max(m.Numbers, least)
		first = m.Numbers + 1
		m.Numbers += n
	}
	if s.ReadOnly {
		s.Trace.Note(s.Conf.Name, raise)
		return first, nil
	}
	if err := s.Trace.UpdateTable(s.Conf.Name, raise); err != nil {
		return 0, err
	}
	return first, s.reservePages(first + n - 1)
}

// IsOpen reports whether there is something to search.
func (s *Table) IsOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Index != nil
}

// IsMapped reports whether the index was built with what is configured.
func (s *Table) IsMapped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mapped
}

// Current returns the index that is in use; nil where there is none.
func (s *Table) Current() Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Index
}

// Broken returns the fault after which nothing may be written any more; nil
// without one. What is durable after it shows only when it is opened again.
func (s *Table) Broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Index == nil {
		return nil
	}
	return errors.Join(s.writes.Err(), s.Pages.Err())
}

// Close closes what is open.
func (s *Table) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Index == nil {
		return nil
	}
	return s.closeAll()
}

// newGuard returns a table's guard. Removals of the last hour count, also those of
// an earlier process, and removals that the last sweep held are still held.
func (s *Table) newGuard() (*sink.Guard, error) {
	conf, h := s.Conf.DeleteCheck, s.History
	count := func() (uint64, error) { return s.Current().Count() }
	guard := sink.NewGuard(sink.Limits{Count: conf.MaxCount, Fraction: conf.MaxFraction}, count)
	if s.Shared != nil {
		return guard, s.rememberRemovals(guard)
	}
	recent, err := leader.RecentRemovals(s.Dir, h)
	if err != nil {
		return nil, err
	}
	for _, r := range recent {
		guard.Remember(r.At, r.N)
	}
	held, err := deletecheck.Held(atomicfile.OS, s.Dir)
	if err != nil || held == 0 {
		return guard, err
	}
	of, err := s.Index.Count()
	marks, _ := s.Trace.Table(s.Conf.Name)
	guard.Settle(sink.Held{Removals: held, Of: int(of), Since: marks.Sweep})
	return guard, err
}

// ReloadQuarantine reads the list again, for a standby.
func (s *Table) ReloadQuarantine() error {
	s.mu.Lock()
	q := s.Quarantine
	s.mu.Unlock()
	if q == nil {
		return nil
	}
	return q.Reload()
}

// rememberRemovals makes a guard remember the removals of the last hour, of any daemon.
func (s *Table) rememberRemovals(guard *sink.Guard) error {
	kept := s.Shared.Store("guard/", s.ReadOnly)
	values, err := kept.Read()
	if err != nil {
		return err
	}
	if text := values[s.Conf.Name]; text != nil {
		var removals []sink.Removals
		if err := json.Unmarshal(text, &removals); err != nil {
			return fmt.Errorf("the removals of %s: %w", s.Conf.Name, err)
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
		return kept.Write(map[string][]byte{s.Conf.Name: text})
	}
	return nil
}
