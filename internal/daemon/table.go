package daemon

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/atomicfile"
	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/history"
	"indexerd/internal/httpapi"
	"indexerd/internal/quarantine"
	"indexerd/internal/reindex"
	"indexerd/internal/schedule"
	"indexerd/internal/search"
	"indexerd/internal/sink"
	"indexerd/internal/stamps"
	"indexerd/store"
	"indexerd/timetrace"
)

// A table is one configured table: what is stored of it, its rows in the
// database, and its passes.
type table struct {
	cfg    *configs.Config
	conf   configs.Table
	trace  *timetrace.Trace
	source *source
	dir    string
	lane   *schedule.Lane
	log    *slog.Logger
	die    func(error) // ends the daemon
	meters *httpapi.Meters
	// readOnly: what is stored is opened without writing, and no pass runs.
	readOnly bool

	progress   initial.Progress
	sweeping   chan struct{} // held by the sweep that runs
	describing chan struct{} // held while the database says what the SQLs return
	alive      atomic.Bool   // in a running daemon

	// What is stored. Set once, under mu, by open; a reindex replaces the index,
	// what it was built with, and the searcher.
	mu         sync.Mutex
	index      *fulltext.Index
	built      fulltext.Mapping // what the index was built with
	writes     *reindex.Switch  // where the sink writes
	pages      *store.FileMap
	tree       *stamps.Tree
	quarantine *quarantine.Quarantine
	history    *history.History
	guard      *sink.Guard
	sink       *sink.Sink
	searcher   *search.Searcher
	rows       database.Rows // once the database has said what the SQL returns, until it returns something else

	// How it goes, under mu.
	reindexing  bool
	jobs        []scheduledPass
	units       map[string]string // of updateTimes, by the path of their SQL, as they are kept
	unitsUnkept bool              // the marks are of a version that kept no units
	late        *compensation     // of the rows, as
	follow      *incremental.Pass // is this
	window      doc.Window
	windowAt    time.Time  // this machine's clock when the window ended
	moment      doc.Moment // at which it was read
	skipped     int
	heldSaid    int // removals that the log says are held
	lastError   *failure
}

// A failure is what went wrong last, and when.
type failure struct {
	at   time.Time
	pass string
	err  error
}

// A scheduledPass is a pass on its schedule.
type scheduledPass struct {
	pass, tier string
	*schedule.Job
}

func newTable(cfg *configs.Config, conf configs.Table, trace *timetrace.Trace, s *source) *table {
	return &table{
		cfg: cfg, conf: conf, trace: trace, source: s, dir: filepath.Join(cfg.Data, conf.Name), lane: schedule.NewLane(),
		sweeping: make(chan struct{}, 1), describing: make(chan struct{}, 1), log: slog.New(slog.DiscardHandler), die: func(error) {},
	}
}

// Begin and End number the table's fetches.
func (t *table) Begin(open func() error) (doc.FetchSeq, error) { return t.sink.Begin(open) }

// End implements numbers.
func (t *table) End(seq doc.FetchSeq) { t.sink.End(seq) }

// openStored opens what earlier runs stored; it reports false where there is
// nothing yet.
func (t *table) openStored() (bool, error) {
	marks, ok := t.trace.Table(t.conf.Name)
	if !ok {
		if _, err := os.Stat(t.dir); !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("%s has documents of %s and %s has no marks of it: restore that file, or move %s away to load the table anew", t.dir, t.conf.Name, timetrace.FileName, t.dir)
		}
		return false, nil
	}
	if err := t.checkMarks(marks); err != nil {
		return false, err
	}
	index, built, err := t.openIndex()
	switch {
	case err != nil && !marks.Loaded:
		return false, nil // begun and not to be resumed: create starts again
	case err != nil:
		return false, err
	case index.Generation() != marks.Generation:
		return false, errors.Join(index.Close(), fmt.Errorf("%s: the index is generation %d and %s speaks of %d: restore both from one backup", t.dir, index.Generation(), timetrace.FileName, marks.Generation))
	}
	return true, t.open(index, built)
}

// openIndex opens the index that counts, and returns what it was built with.
func (t *table) openIndex() (*fulltext.Index, fulltext.Mapping, error) {
	open, openAsBuilt := fulltext.Open, fulltext.OpenAsBuilt
	if t.readOnly {
		open, openAsBuilt = fulltext.OpenReadOnly, fulltext.OpenReadOnlyAsBuilt
	} else if err := reindex.Resolve(t.dir); err != nil {
		return nil, fulltext.Mapping{}, err
	}
	dir, err := reindex.Current(t.dir)
	if err != nil {
		return nil, fulltext.Mapping{}, err
	}
	built := database.Mapping(t.conf)
	index, err := open(dir, built)
	if errors.Is(err, fulltext.ErrMapping) {
		return openAsBuilt(dir)
	}
	return index, built, err
}

// checkMarks makes sure that the marks speak of this configuration.
func (t *table) checkMarks(marks timetrace.Table) error {
	if marks.Source != sourceFingerprint(t.conf) {
		return t.cfg.Fault("tables."+t.conf.Name+".key", "source, key or updated is not what the table was loaded with",
			"put it back, or load the table again: "+t.command("reload"))
	}
	return nil
}

// create starts the stored side of a table that was never loaded, or whose
// load can't be resumed.
func (t *table) create(r database.Rows) error {
	var generation doc.Generation
	err := t.trace.UpdateTable(t.conf.Name, func(m *timetrace.Table) {
		m.Source, m.SQL, m.Kinds = sourceFingerprint(t.conf), sqlFingerprint(t.conf), r.Kinds()
		m.Epoch, m.Units = r.Epoch(), t.unitsFound()
		m.Generation++
		m.Loaded = false
		generation = m.Generation
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	if err := reindex.Resolve(t.dir); err != nil {
		return err
	}
	dir := filepath.Join(t.dir, "index")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	index, err := fulltext.Create(dir, database.Mapping(t.conf), generation)
	if err != nil {
		return err
	}
	return t.open(index, database.Mapping(t.conf))
}

// open opens what stands beside the index, and puts the sink before them.
func (t *table) open(index *fulltext.Index, built fulltext.Mapping) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.index, t.built, t.writes = index, built, reindex.NewSwitch(index)
	defer func() {
		if err != nil {
			err = errors.Join(err, t.closeAll())
		}
	}()
	t.pages, err = store.Open(filepath.Join(t.dir, "pages"), store.Options{
		Versions: t.conf.Pages.Versions, Compression: compressions[t.conf.Pages.Compression], ReadOnly: t.readOnly,
	})
	if err != nil {
		return err
	}
	if err := t.openLogs(); err != nil {
		return err
	}
	if t.guard, err = t.newGuard(); err != nil {
		return err
	}
	t.sink = sink.New(t.writes, t.pages, t.tree, t.quarantine, t.guard, t.reserve).WithACL(database.ACL(t.conf))
	t.sink.Check = t.withinLimits
	t.searcher = t.newSearcher()
	return nil
}

// withinLimits reports a row that is too large for a document.
func (t *table) withinLimits(row doc.Row) error {
	if err := t.conf.Limits.CheckText(row.Size()); err != nil {
		return err
	}
	index := t.current()
	if index == nil {
		return nil // closed meanwhile, as the write will report
	}
	return index.Fits(row, t.conf.Limits)
}

// openLogs opens what no search needs. Read-only there is no tree: it only knows
// what passes of this process have seen.
func (t *table) openLogs() (err error) {
	openQuarantine, openHistory := quarantine.Open, history.Open
	if t.readOnly {
		openQuarantine, openHistory = quarantine.OpenReadOnly, history.OpenReadOnly
	} else if t.tree, err = stamps.New(stamps.Options{Dir: filepath.Join(t.dir, "stamps"), Budget: t.conf.Compensate.Tree}); err != nil {
		return err
	}
	if t.quarantine, err = openQuarantine(atomicfile.OS, quarantine.Name(t.dir)); err != nil {
		return err
	}
	t.history, err = openHistory(atomicfile.OS, history.Name(t.dir))
	return err
}

// closeAll closes what is open, under mu.
func (t *table) closeAll() error {
	errs := []error{t.index.Close()}
	if t.pages != nil {
		errs = append(errs, t.pages.Close())
	}
	if t.quarantine != nil {
		errs = append(errs, t.quarantine.Close())
	}
	if t.history != nil {
		errs = append(errs, t.history.Close())
	}
	t.index, t.pages, t.quarantine, t.history = nil, nil, nil, nil
	return errors.Join(errs...)
}

// planFile is the record of a load under way.
func (t *table) planFile() string { return filepath.Join(t.dir, "load") }

var compressions = map[string]store.Compression{"s2": store.S2, "zstd": store.Zstd, "none": store.None}

// reserve makes n more numbers durable. Read-only they are given out in memory:
// nothing is stored under them.
func (t *table) reserve(n uint64) (first uint64, err error) {
	raise := func(m *timetrace.Table) {
		first = m.Numbers + 1
		m.Numbers += n
	}
	if t.readOnly {
		t.trace.Note(t.conf.Name, raise)
		return first, nil
	}
	err = t.trace.UpdateTable(t.conf.Name, raise)
	return first, err
}

// opened reports whether there is something to search.
func (t *table) opened() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.index != nil
}

// current is the index that is in use.
func (t *table) current() *fulltext.Index {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.index
}

// broken is the fault after which nothing may be written any more: what the
// disk has is unknown, and only opening it again tells.
func (t *table) broken() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index == nil {
		return nil
	}
	return errors.Join(t.writes.Err(), t.pages.Err())
}

func (t *table) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index == nil {
		return nil
	}
	return t.closeAll()
}

// sourceFingerprint stands for what a row is and where it comes from: another
// one makes the stored keys meaningless.
func sourceFingerprint(t configs.Table) string {
	return fingerprint(append([]string{t.Source, t.Updated, t.Timezone}, t.Key...)...)
}

// sqlFingerprint stands for what a row says: under another one everything has
// to be compared anew.
func sqlFingerprint(t configs.Table) string {
	parts := []string{t.SQL}
	for _, c := range t.Children {
		parts = append(parts, "child", c.Name, c.SQL, c.Updated, strings.Join(c.Key, ","))
	}
	for _, x := range t.Extra {
		parts = append(parts, "extra", x.Name, x.SQL, x.Updated, strings.Join(x.Key, ","))
	}
	if d := t.Deleted; d.Column != "" || d.SQL != "" {
		parts = append(parts, "deleted", d.Column, fmt.Sprint(d.Values), d.SQL)
	}
	return fingerprint(parts...)
}

func fingerprint(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// fail remembers a failure for status, and passes it on.
func (t *table) fail(pass string, err error) error {
	t.source.seen(err)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.mu.Lock()
		t.lastError = &failure{time.Now(), pass, err}
		t.mu.Unlock()
	}
	return err
}
