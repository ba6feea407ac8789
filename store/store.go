package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"indexerd/internal/atomicfile"
)

// Options says how a map is kept. The zero value is ready for use.
type Options struct {
	FS           atomicfile.FS // nil: the machine's
	SegmentBytes int64         // a value file is closed at this size; default and most: 1 GiB
	Versions     int           // kept versions of a page; default 1
	Compression  Compression
	// Mmap maps the values into memory: gets are then faster while the data is
	// in memory, and slower and a signal on a failing disk where it is not.
	Mmap bool
	// CompactRate is how many bytes a second a compaction copies at most;
	// default 64 MiB, below 0 without bound.
	CompactRate int64
	// ReadOnly opens what is there and changes nothing on disk, so that it works
	// without room and without the right to write. It takes no lock: the caller
	// makes sure that no other process writes. What a crash left is recovered in
	// memory only. Writing fails with ErrReadOnly.
	ReadOnly bool
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

// A FileMap is an open map. Its methods may be called at the same time: readers
// never wait, writers wait for each other.
type FileMap struct {
	dir     string
	options Options
	fs      atomicfile.FS
	lock    *FileLock // nil on a file system that is not the machine's

	// For readers.
	epochs   epochs
	index    index
	segments [maxSegments]atomic.Pointer[segment] // by id
	codecs   atomic.Pointer[codecs]
	buffers  sync.Pool // of *[]byte
	closed   atomic.Bool
	damage   atomic.Int64 // records and stretches found damaged while opening
	mapped   []byte       // address.idx, where slots lie in its pages

	// For writers, under writing.
	writing sync.Mutex
	seq     uint64 // of the last record
	active  *segment
	torn    bool // a failed write may have left bytes behind the active segment's end
	keys    *keyLog
	// keysStale: key.dat has void frames, or lacks some, so part of the log is
	// read from the values.
	keysStale bool
	parts     []part
	failed    error // after a failed sync: nothing is written any more

	// order is the segments by number, the active one last. A new list replaces
	// it under writing. Whoever holds layout for reading keeps every segment,
	// record and frame where it is; a compaction takes it to move them.
	order  atomic.Pointer[[]*segment]
	layout sync.RWMutex
	saving sync.Mutex // one address.idx at a time

	compacting sync.Mutex // one compaction at a time

	keeper   keeper
	life     context.Context // ended by Close
	end      context.CancelFunc
	released bool // under layout: the directory may be another process's
}

// Open opens the map in a directory, which it makes if need be, and recovers
// what a crash left. The directory is this process's until Close.
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

// openMap opens a map that does nothing in the background.
func openMap(dir string, o Options) (*FileMap, error) {
	m := &FileMap{dir: dir, options: o.withDefaults()}
	m.fs = m.options.FS
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
	if err := m.fs.SyncDir(filepath.Dir(m.dir)); err != nil {
		return err
	}
	if m.fs == atomicfile.OS {
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

// Close writes address.idx, so that the next Open is quick, and gives the
// directory up. It ends compactions and waits for readers and lists that are
// under way.
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
		err = nil // the next Open makes the index from the log: that takes a moment, and loses nothing
	}
	if lerr := m.takeLayout(context.Background()); lerr != nil {
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

// release gives everything back that open took, however far it came.
func (m *FileMap) release() error {
	m.end()
	var faults []error
	for _, s := range *m.order.Load() {
		faults = append(faults, s.close())
	}
	if m.keys != nil && m.keys.file != nil {
		faults = append(faults, m.keys.file.Close())
	}
	faults = append(faults, unmapPrivate(m.mapped))
	if k := m.codecs.Load(); k != nil {
		k.dec.Close()
		faults = append(faults, k.enc.Close())
	}
	if m.lock != nil {
		faults = append(faults, m.lock.Release())
	}
	return join(faults...)
}

// Sync makes the next Open quick, whatever ends this process: it brings
// key.dat and address.idx up to the log. Pages are durable without it.
func (m *FileMap) Sync() error {
	if err := m.saveIndex(); err != nil {
		return fmt.Errorf("sync file map %s: %w", m.dir, err)
	}
	return nil
}

// saveIndex syncs key.dat and replaces address.idx.
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
	// The file says how much of key.dat it builds on.
	if err := syncData(m.keys.file); err != nil {
		m.writing.Lock()
		defer m.writing.Unlock()
		return m.fail(fmt.Errorf("sync %s: %w", m.keys.name, err))
	}
	return m.writeIndex(m.dir, from)
}

// takeLayout takes layout for writing. It never waits in line, where it would
// hold up a reader that already has layout and asks for it again.
func (m *FileMap) takeLayout(ctx context.Context) error {
	for !m.layout.TryLock() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// openCodecs loads the dictionary, if one was trained.
func (m *FileMap) openCodecs() error {
	dictionary, err := readDict(m.fs, m.dir)
	if err != nil {
		return err
	}
	k, err := newCodecs(m.options.Compression, dictionary, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	m.codecs.Store(k)
	return nil
}

func (m *FileMap) freeID() (uint32, error) {
	for id := range m.segments {
		if m.segments[id].Load() == nil {
			return uint32(id), nil
		}
	}
	return 0, fmt.Errorf("%s has %d value files: no more can be addressed", m.dir, maxSegments)
}
