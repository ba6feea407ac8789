package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"indexerd/internal/base/atomicfile"
)

// Options configure a map. The zero value is ready for use.
type Options struct {
	FS           atomicfile.FS // nil: the operating system's
	SegmentBytes int64         // size at which a value file is closed; default and maximum: 1 GiB
	Versions     int           // versions to keep of each page; default 1
	Compression  Compression
	// CompactRate is the maximum rate of a compaction in bytes per second;
	// default 64 MiB, below 0: unlimited.
	CompactRate int64
	// ReadOnly changes nothing on disk, so it works on a full disk and without
	// write permission. It takes no lock: the caller ensures that no other
	// process writes. Open recovers from a crash in memory only. Writing returns
	// ErrReadOnly.
	ReadOnly bool
	// Locked means that the caller has locked the directory, or one above it, for
	// this process, so that Open need not hold another file open for that.
	Locked bool

	spreadAt int // as that of an index, for tests
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = atomicfile.OS
	}
	o.SegmentBytes = min(cmp.Or(o.SegmentBytes, maxSegment), maxSegment)
	o.Versions = max(o.Versions, 1)
	o.CompactRate = cmp.Or(o.CompactRate, 64<<20)
	if o.ReadOnly {
		o.FS = readOnly{o.FS}
	}
	return o
}

// readOnly opens every file for reading and ignores or rejects changes of
// names, so that recovery changes nothing on disk.
type readOnly struct{ atomicfile.FS }

func (r readOnly) OpenFile(name string, _ int, perm fs.FileMode) (atomicfile.File, error) {
	return r.FS.OpenFile(name, os.O_RDONLY, perm)
}

func (readOnly) MkdirAll(string, fs.FileMode) error { return nil }
func (readOnly) Remove(string) error                { return nil }
func (readOnly) SyncDir(string) error               { return nil }
func (readOnly) Rename(string, string) error        { return ErrReadOnly }
func (readOnly) Link(string, string) error          { return ErrReadOnly }

// A FileMap is an open map. Its methods may be called concurrently: readers
// never wait, and one writer works at a time.
type FileMap struct {
	dir     string
	options Options
	fs      atomicfile.FS
	lock    *FileLock // nil if the caller has locked, or fs is not the operating system's

	// For readers.
	epochs   epochs
	index    index
	segments segments // by id
	codecs   atomic.Pointer[codecs]
	buffers  sync.Pool // of *[]byte
	closed   atomic.Bool
	mapped   []byte // address.idx, if the slots lie in its pages

	// For writers, guarded by writing.
	writing sync.Mutex
	seq     uint64 // of the last record
	active  *segment
	torn    bool // a failed write may have left bytes behind the end of the active segment
	keys    *keyLog
	// keysStale: key.dat has void frames or lacks some, so All and Open read part
	// of the log from the values.
	keysStale bool
	parts     []part
	failed    error // a failed sync: all writes are rejected

	// order is the segments by number, the active one last. A writer replaces
	// the list. A read lock of layout keeps every segment, record and frame in
	// its place; a compaction takes the write lock to move them.
	order  atomic.Pointer[[]*segment]
	layout sync.RWMutex
	saving sync.Mutex // one address.idx at a time

	compacting sync.Mutex // one compaction at a time

	keeper   keeper
	life     context.Context // until Close
	end      context.CancelFunc
	released bool // guarded by layout: another process may have the directory
}

// Open opens the map in a directory, creates the directory if it is missing,
// and recovers from a crash. It locks the directory for this process until
// Close, unless the caller has.
func Open(dir string, o Options) (*FileMap, error) {
	m, err := openMap(dir, o)
	if err != nil {
		return nil, err
	}
	if !m.options.ReadOnly {
		m.keeper.start(m)
	}
	return m, nil
}

// openMap opens a map without its keeper.
func openMap(dir string, o Options) (*FileMap, error) {
	m := &FileMap{dir: dir, options: o.withDefaults()}
	m.epochs.begin()
	m.fs, m.index.spreadAt = m.options.FS, o.spreadAt
	m.life, m.end = context.WithCancel(context.Background())
	m.order.Store(&[]*segment{})
	if err := m.open(); err != nil {
		return nil, fmt.Errorf("file map %s: %w", dir, join(err, m.release()))
	}
	return m, nil
}

func (m *FileMap) open() error {
	if err := m.fs.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	if m.fs == atomicfile.OS && !m.options.Locked {
		lock, err := Lock(filepath.Join(m.dir, "lock"))
		if err != nil {
			return err
		}
		m.lock = lock
	}
	if err := m.openCodecs(); err != nil {
		return err
	}
	if err := m.openSegments(); err != nil {
		return err
	}
	return m.recover()
}

// Close writes address.idx, so that the next Open is quick, and unlocks the
// directory. It stops a running compaction and waits for running readers and
// lists.
func (m *FileMap) Close() error {
	if m.closed.Swap(true) {
		return errClosed
	}
	m.end()
	m.keeper.wait()
	m.compacting.Lock()
	defer m.compacting.Unlock()
	err := m.saveIndex()
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrReadOnly) {
		err = nil // the next Open rebuilds the index from the log, which is slower and loses nothing
	}
	if lerr := m.lockLayout(context.Background()); lerr != nil {
		return join(err, lerr)
	}
	defer m.layout.Unlock()
	m.writing.Lock()
	defer m.writing.Unlock()
	m.epochs.drain()
	m.released = true
	if err = join(err, m.release()); err != nil {
		return fmt.Errorf("close file map %s: %w", m.dir, err)
	}
	return nil
}

// release closes and unlocks everything that open has opened so far.
func (m *FileMap) release() error {
	m.end()
	var faults []error
	for _, s := range *m.order.Load() {
		faults = append(faults, s.file.Close())
	}
	if m.keys != nil && m.keys.file != nil {
		faults = append(faults, m.keys.file.Close())
	}
	faults = append(faults, unmapPrivate(m.mapped))
	if m.lock != nil {
		faults = append(faults, m.lock.Release())
	}
	return join(faults...)
}

// saveIndex syncs key.dat and replaces address.idx, so that the next Open is
// quick even after a crash. Pages are durable without it.
func (m *FileMap) saveIndex() error {
	m.layout.RLock()
	defer m.layout.RUnlock()
	m.saving.Lock()
	defer m.saving.Unlock()
	if m.released {
		return errClosed
	}
	from, _, err := m.durableMark()
	if err != nil {
		return err
	}
	// address.idx stores how much of key.dat it covers.
	if err := syncData(m.keys.file); err != nil {
		m.writing.Lock()
		defer m.writing.Unlock()
		return m.fail(fmt.Errorf("sync %s: %w", m.keys.name, err))
	}
	return m.writeIndex(m.dir, from)
}

// lockLayout locks layout for writing. It polls: a waiting Lock would block a
// reader that holds layout and locks it again.
func (m *FileMap) lockLayout(ctx context.Context) error {
	for !m.layout.TryLock() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// openCodecs loads the dictionary, if there is one.
func (m *FileMap) openCodecs() error {
	dictionary, err := readDict(m.fs, m.dir)
	if err != nil {
		return err
	}
	k, err := newCodecs(m.options.Compression, dictionary)
	if err != nil {
		return err
	}
	m.codecs.Store(k)
	return nil
}

func (m *FileMap) freeID() (uint32, error) {
	for id := range uint32(maxSegments) {
		if m.segments.at(id) == nil {
			return id, nil
		}
	}
	return 0, fmt.Errorf("%s has %d value files, the maximum", m.dir, maxSegments)
}

// Err returns the failed sync after which the map rejects writes until it is
// opened again, or nil.
func (m *FileMap) Err() error {
	m.writing.Lock()
	defer m.writing.Unlock()
	return m.failed
}

// Stats are figures of an open map for metrics.
type Stats struct {
	Pages      int
	Records    int   // pages and their older versions
	Bytes      int64 // of value files
	Garbage    int64 // of Bytes, what a compaction would free
	KeyBytes   int64 // of key.dat
	IndexBytes int64 // of the index in memory
	// Fault is the error of the last maintenance in the background, or nil.
	Fault error
}

// Stats returns the figures of the map, each read at a slightly different
// moment.
func (m *FileMap) Stats() Stats {
	m.layout.RLock()
	defer m.layout.RUnlock()
	st := Stats{KeyBytes: m.keys.end.Load(), IndexBytes: m.index.bytes()}
	st.Pages, st.Records = m.index.count()
	for _, s := range *m.order.Load() {
		st.Bytes += s.end.Load()
		st.Garbage += s.garbage(true)
	}
	if fault := m.keeper.fault.Load(); fault != nil {
		st.Fault = *fault
	}
	return st
}

// Len returns the number of pages. Versions of a page count as one.
func (m *FileMap) Len() int {
	pages, _ := m.index.count()
	return pages
}
