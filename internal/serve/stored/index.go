package stored

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/opensearch"
	"indexerd/internal/index/query"
	"indexerd/internal/index/reindex"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/sync/sink"
	"indexerd/timetrace"
)

// An Index is one index of a table, of any engine.
type Index interface {
	sink.Index
	search.Index
	// Documents is as reindex.Old has it.
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	Count() (uint64, error)
	Bytes() (uint64, error) // that it takes on its disks
	// Pad is as reindex.New has it.
	Pad(row doc.Row) doc.Row
	// Fits returns an error for a row with more words than the limits allow.
	Fits(row doc.Row, limits doc.Limits) error
	// Synonyms returns the synonyms of queries, nil if there are none.
	Synonyms([]query.Synonyms) *words.Synonyms
	// CopyTo makes a durable copy of what a backup holds of the index.
	CopyTo(dir string) error
	Close() error
}

// A place is where the indexes of one table are. Its methods are called one at a time.
// Here alone it is decided which engine a table has.
type place interface {
	reindex.Place
	// open opens the index in use. What it was built with need not be what is
	// configured.
	open() (opened, error)
	// create replaces all indexes by an empty one, in use.
	create(doc.Generation) (opened, error)
	// claim returns an error if the index in use is another one's, before there are marks.
	claim() error
	// interrupt ends the calls to the machines that have the index.
	interrupt()
	// room returns an error if there is no room for a second index of a size.
	room(size uint64) error
}

// An opened index has what it was built with, and whether that is configured.
type opened struct {
	Index
	built  schema.Mapping
	mapped bool
}

// newPlace returns the place of a table's indexes.
func (s *Table) newPlace() place {
	if s.Config.Index.Engine == configs.OpenSearch {
		return newCluster(s)
	}
	return newDirectories(s)
}

// directories are the place of embedded indexes, data/T.
type directories struct {
	reindex.Dir
	*Table
}

func newDirectories(s *Table) *directories {
	d := &directories{Dir: reindex.Dir{Path: s.Dir}, Table: s}
	d.New = func(dir string, generation doc.Generation) (reindex.New, error) {
		ix, err := fulltext.Create(dir, database.Mapping(s.Conf), generation)
		if err != nil {
			return nil, err
		}
		return ix, nil
	}
	return d
}

func (d *directories) open() (opened, error) {
	open, openAsBuilt := fulltext.Open, fulltext.OpenAsBuilt
	if d.ReadOnly {
		open, openAsBuilt = fulltext.OpenReadOnly, fulltext.OpenReadOnlyAsBuilt
	} else if err := reindex.Resolve(d.Table.Dir); err != nil {
		return opened{}, err
	}
	dir, err := reindex.Current(d.Table.Dir)
	if err == nil && !d.ReadOnly {
		err = d.leaveCluster()
	}
	if err != nil {
		return opened{}, err
	}
	marks, _ := d.Trace.Table(d.Conf.Name)
	rebuilds := marks.Loaded && !d.ReadOnly
	if rebuilds && isRebuilding(marks.Unverified) { // it was interrupted
		return d.create(marks.Generation)
	}
	built := database.Mapping(d.Conf)
	ix, err := open(dir, built)
	if errors.Is(err, fulltext.ErrMapping) {
		ix, built, err = openAsBuilt(dir)
	}
	reason := ""
	switch {
	case IsIndexDamaged(err):
		reason = IndexDamaged
	case errors.Is(err, fulltext.ErrNoMapping):
		reason = IndexOfBuild
	}
	if rebuilds && reason != "" {
		d.Rebuilds.Store(&err)
		if err := d.doubt(reason); err != nil {
			return opened{}, err
		}
		return d.create(marks.Generation)
	}
	if err != nil {
		return opened{}, err
	}
	return opened{ix, built, built.Fingerprint() == database.Mapping(d.Conf).Fingerprint()}, nil
}

// leaveCluster marks the table as unverified if its index was in a cluster since the
// embedded one was written.
func (d *directories) leaveCluster() error {
	used, err := opensearch.WasUsed(d.clusterDir())
	if err != nil || !used {
		return err
	}
	if err := d.doubt("the index was in a cluster meanwhile"); err != nil {
		return err
	}
	return opensearch.Forget(d.clusterDir())
}

func (d *directories) create(generation doc.Generation) (opened, error) {
	if err := reindex.Resolve(d.Table.Dir); err != nil {
		return opened{}, err
	}
	dir := filepath.Join(d.Table.Dir, "index")
	if err := os.RemoveAll(dir); err != nil {
		return opened{}, err
	}
	built := database.Mapping(d.Conf)
	ix, err := fulltext.Create(dir, built, generation)
	return opened{ix, built, true}, err
}

func (d *directories) claim() error { return nil }

func (d *directories) interrupt() {}

func (d *directories) room(size uint64) error { return datadir.Room(d.Table.Dir, size) }

// An Examined index can be replaced by others.
type Examined interface {
	Index
	Examine(ctx context.Context) error
	// Health returns green, yellow or red.
	Health(ctx context.Context) (string, error)
}

// CountWithin is how long status waits for the number of documents.
const CountWithin = 2 * time.Second

// A counter counts the documents of an index that may not answer.
type counter struct {
	asking chan struct{} // held by the count that is under way
	last   atomic.Uint64
}

func newCounter() *counter { return &counter{asking: make(chan struct{}, 1)} }

// count returns the number of documents, or the last one that is known if the index does
// not answer soon.
func (c *counter) count(ix Index) uint64 {
	select {
	case c.asking <- struct{}{}:
	default:
		return c.last.Load()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-c.asking }()
		if n, err := ix.Count(); err == nil {
			c.last.Store(n)
		}
	}()
	select {
	case <-done:
	case <-time.After(CountWithin):
	}
	return c.last.Load()
}

// CountDocuments returns the number of documents, 0 where there is no index.
func (s *Table) CountDocuments() uint64 {
	s.mu.Lock()
	ix := s.Index
	if _, ok := ix.(Examined); ok {
		s.mu.Unlock()
		return s.counter.count(ix)
	}
	defer s.mu.Unlock() // an embedded index must not be closed meanwhile
	if ix == nil {
		return 0
	}
	n, _ := ix.Count()
	return n
}

// Serve lets others than indexerd see what a load has written.
func (s *Table) Serve(ctx context.Context) error {
	if x, ok := s.Current().(interface{ Serve(context.Context) error }); ok {
		return x.Serve(ctx)
	}
	return nil
}

// Distrust marks a table as unverified at once if an error of its index is a reason to:
// until the index is opened again S must not claim what it may not have.
func (s *Table) Distrust(err error) error {
	if reason := doubtOf(err); reason != "" {
		return s.doubt(reason)
	}
	return nil
}

// doubt marks a table as unverified.
func (s *Table) doubt(reason string) error {
	return s.Trace.UpdateTable(s.Conf.Name, func(m *timetrace.Table) { m.Doubt(reason) })
}
