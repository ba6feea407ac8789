package fulltext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/blevesearch/zapx/v17"
)

// Open opens the index in dir. There is none: fs.ErrNotExist. Another mapping:
// ErrMapping.
func Open(dir string, m Mapping) (*Index, error) { return open(dir, readWrite, fits(m)) }

// OpenReadOnly is Open, and writes nothing to disk: it works without room, and
// without the right to write. Apply fails with ErrReadOnly.
func OpenReadOnly(dir string, m Mapping) (*Index, error) { return open(dir, readOnly, fits(m)) }

// OpenAsBuilt opens the index in dir with the mapping that it was made with,
// and returns that too.
func OpenAsBuilt(dir string) (*Index, Mapping, error) { return openAsBuilt(dir, readWrite) }

// OpenReadOnlyAsBuilt is OpenAsBuilt, and writes nothing to disk.
func OpenReadOnlyAsBuilt(dir string) (*Index, Mapping, error) { return openAsBuilt(dir, readOnly) }

func openAsBuilt(dir string, ro bool) (*Index, Mapping, error) {
	ix, err := open(dir, ro, origin.schema)
	if err != nil {
		return nil, Mapping{}, err
	}
	return ix, ix.schema.Mapping, nil
}

// fits chooses the schema of a mapping for an index that was made with it.
func fits(m Mapping) func(origin) (*schema, error) {
	return func(o origin) (*schema, error) {
		s, err := newSchema(m)
		if err == nil && s.fingerprint != o.fingerprint {
			err = ErrMapping
		}
		return s, err
	}
}

func open(dir string, ro bool, choose func(origin) (*schema, error)) (*Index, error) {
	ix, err := openWith(dir, ro, choose)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	return ix, nil
}

func openWith(dir string, ro bool, choose func(origin) (*schema, error)) (*Index, error) {
	o, err := look(dir)
	if err != nil {
		return nil, err
	}
	ix := &Index{dir: dir, generation: o.generation, readOnly: ro, fate: newFate()}
	if ix.schema, err = choose(o); err != nil {
		return nil, err
	}
	ix.batches.Store(o.batch)
	ix.queue = index.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	if ix.store, err = openStore(dir, ro, ix.queue, ix.fate); err != nil {
		ix.queue.Close()
		return nil, err
	}
	return ix, nil
}

// look reads what the index says of itself, without touching anything. Opened
// for writing at once, scorch would make a new index of what is missing, and
// would delete all segments when it fails to open one of them, be it for want
// of a file handle.
func look(dir string) (o origin, err error) {
	if _, err := os.Stat(filepath.Join(dir, "root.bolt")); err != nil {
		return origin{}, err
	}
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	store, err := openStore(dir, readOnly, queue, newFate())
	if err != nil {
		return origin{}, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if o, err = readOrigin(store); err != nil {
		return origin{}, err
	}
	newest, err := newestRecord(dir)
	if err == nil && o.record != newest {
		err = fmt.Errorf("it is broken: batch %d can't be read, only %d: build a new one from the pages", newest.batch, o.batch)
	}
	return o, err
}

// The ways to open a store.
const (
	readOnly  = true
	readWrite = false
)

// lockWait bounds how long to wait for another process to leave the index.
const lockWait = "1s"

func openStore(dir string, ro bool, queue *index.AnalysisQueue, f *fate) (_ index.Index, err error) {
	// bbolt panics over a damaged file.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it is broken: build a new one from the pages: %v", r)
		}
	}()
	store, err := newStore(dir, ro, queue, f)
	if err != nil {
		return nil, err
	}
	if err := store.Open(); err != nil {
		return nil, fmt.Errorf("it is in use by another process, or broken: %w", err)
	}
	return store, nil
}

// callbacks guards scorch's registry of error callbacks, a plain map in which
// a new store looks its callback up by name.
var callbacks sync.Mutex

const callbackName = "indexerd"

// growSegments has zap let a segment's buffer grow with what is written to it.
// By default zap allocates it for a hundred documents more than there are, each
// of the size that documents had in an earlier segment, of any index: after a
// segment of one document of 10 MB that is a gigabyte, and 20 GB for the next
// ordinary batch.
var growSegments = sync.OnceFunc(func() { zap.NewSegmentBufferNumResultsFactor = 0 })

func newStore(dir string, ro bool, queue *index.AnalysisQueue, f *fate) (index.Index, error) {
	growSegments()
	callbacks.Lock()
	defer callbacks.Unlock()
	scorch.RegistryAsyncErrorCallbacks[callbackName] = func(err error, _ string) { f.failed(err) }
	defer delete(scorch.RegistryAsyncErrorCallbacks, callbackName)
	return scorch.NewScorch(scorch.Name, map[string]any{
		"path":                   dir,
		"read_only":              ro,
		"bolt_timeout":           lockWait,
		"unsafe_batch":           true, // safe, as fate.write waits
		"asyncErrorCallbackName": callbackName,
	}, queue)
}
