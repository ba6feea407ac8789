package fulltext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
)

// Create makes an empty index.
//
// Steps: make it in a sibling directory, close it, sync its files and
// directories, rename it, sync the directory above, open it. A crash before
// the rename leaves a stray sibling, which the next Create removes, and
// nothing under dir; after it, an index that opens. (Made in place, an index
// that is killed in its first milliseconds mostly never opens again.)
func Create(dir string, m Mapping, gen doc.Generation) (*Index, error) {
	if err := create(dir, m, gen); err != nil {
		return nil, fmt.Errorf("create index %s: %w", dir, err)
	}
	return Open(dir, m)
}

func create(dir string, m Mapping, gen doc.Generation) error {
	if _, err := newSchema(m); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errors.New("it exists already"))
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return err
	}
	if err := initialise(tmp, record{m.Fingerprint(), gen}); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, dir); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return atomicfile.OS.SyncDir(filepath.Dir(dir))
}

// initialise makes a closed, durable index that holds only its record.
func initialise(dir string, rec record) error {
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	store, err := openStore(dir, queue, func(error) {})
	if err != nil {
		return err
	}
	if err := errors.Join(store.SetInternal(recordKey, rec.encode()), store.Close()); err != nil {
		return err
	}
	return syncTree(dir)
}

// syncTree makes files and directories durable, from the bottom up.
func syncTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = syncTree(path)
		} else {
			err = syncFile(path)
		}
		if err != nil {
			return err
		}
	}
	return atomicfile.OS.SyncDir(dir)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open opens the index in dir. There is none: fs.ErrNotExist. Another mapping:
// ErrMapping.
func Open(dir string, m Mapping) (*Index, error) {
	ix, err := open(dir, m)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	return ix, nil
}

func open(dir string, m Mapping) (*Index, error) {
	schema, err := newSchema(m)
	if err != nil {
		return nil, err
	}
	// scorch would make a new, empty index of what is missing.
	if _, err := os.Stat(filepath.Join(dir, "root.bolt")); err != nil {
		return nil, err
	}
	ix := &Index{schema: schema, dir: dir, queue: index.NewAnalysisQueue(runtime.GOMAXPROCS(0))}
	if ix.store, err = openStore(dir, ix.queue, ix.fail); err != nil {
		ix.queue.Close()
		return nil, err
	}
	rec, err := readRecord(ix.store)
	if err == nil && rec.fingerprint != schema.fingerprint {
		err = ErrMapping
	}
	if err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	ix.generation = rec.generation
	return ix, nil
}

// callbacks guards scorch's registry of error callbacks, a plain map in which
// a callback is looked up by name while an index is being opened.
var callbacks sync.Mutex

const callbackName = "indexerd"

// lockWait bounds how long to wait for another process to leave the index.
const lockWait = "1s"

func openStore(dir string, queue *index.AnalysisQueue, failed func(error)) (index.Index, error) {
	store, err := newStore(dir, queue, failed)
	if err != nil {
		return nil, err
	}
	if err := store.Open(); err != nil {
		return nil, fmt.Errorf("it is broken, or in use by another process: %w", err)
	}
	return store, nil
}

func newStore(dir string, queue *index.AnalysisQueue, failed func(error)) (index.Index, error) {
	callbacks.Lock()
	defer callbacks.Unlock()
	scorch.RegistryAsyncErrorCallbacks[callbackName] = func(err error, _ string) { failed(err) }
	defer delete(scorch.RegistryAsyncErrorCallbacks, callbackName)
	return scorch.NewScorch(scorch.Name, map[string]any{
		"path":                   dir,
		"bolt_timeout":           lockWait,
		"asyncErrorCallbackName": callbackName,
	}, queue)
}

// A record says what an index was made for. It is kept as an internal value of
// scorch, in the same transaction as the list of segments:
//
//	byte 0      version, 1
//	bytes 1-8   fingerprint of the mapping, little-endian
//	bytes 9-12  generation, little-endian
type record struct {
	fingerprint uint64
	generation  doc.Generation
}

var recordKey = []byte("indexerd")

const (
	recordVersion = 1
	recordSize    = 13
)

func (r record) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{recordVersion}, r.fingerprint)
	return binary.LittleEndian.AppendUint32(b, uint32(r.generation))
}

func decodeRecord(b []byte) (record, error) {
	switch {
	case len(b) == 0:
		return record{}, errors.New("it is broken: what it was made for is lost")
	case b[0] != recordVersion:
		return record{}, fmt.Errorf("it has format %d, and this version reads %d", b[0], recordVersion)
	case len(b) != recordSize:
		return record{}, fmt.Errorf("it is broken: its record has %d bytes, not %d", len(b), recordSize)
	}
	return record{binary.LittleEndian.Uint64(b[1:]), doc.Generation(binary.LittleEndian.Uint32(b[9:]))}, nil
}

func readRecord(store index.Index) (record, error) {
	r, err := snapshot(store)
	if err != nil {
		return record{}, err
	}
	value, err := r.GetInternal(recordKey)
	if err = errors.Join(err, r.Close()); err != nil {
		return record{}, err
	}
	return decodeRecord(value)
}
