package fulltext

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/versions"
)

// Open opens the index in dir. The error is fs.ErrNotExist if there is none, and
// ErrMapping if it was built with another mapping.
func Open(dir string, m schema.Mapping) (*Index, error) { return open(dir, readWrite, schemaOf(m)) }

// OpenReadOnly is Open without any write to disk: it needs no free space and no
// permission to write. Apply returns an error.
func OpenReadOnly(dir string, m schema.Mapping) (*Index, error) {
	return open(dir, readOnly, schemaOf(m))
}

// OpenAsBuilt opens the index in dir with the mapping it was built with, and
// returns both.
func OpenAsBuilt(dir string) (*Index, schema.Mapping, error) { return openAsBuilt(dir, readWrite) }

// OpenReadOnlyAsBuilt is OpenAsBuilt without any write to disk.
func OpenReadOnlyAsBuilt(dir string) (*Index, schema.Mapping, error) {
	return openAsBuilt(dir, readOnly)
}

// The modes of opening a store.
const (
	readOnly  = true
	readWrite = false
)

func openAsBuilt(dir string, ro bool) (*Index, schema.Mapping, error) {
	ix, err := open(dir, ro, header.schema)
	if err != nil {
		return nil, schema.Mapping{}, err
	}
	return ix, ix.Schema.Mapping, nil
}

// schemaOf returns the schema of a mapping, for an index that was built with it.
func schemaOf(m schema.Mapping) func(header) (*schema.Schema, error) {
	return func(h header) (*schema.Schema, error) {
		s, err := schema.New(m)
		if err == nil && s.Fingerprint() != h.fingerprint {
			err = ErrMapping
		}
		return s, err
	}
}

// open opens an index with the schema that schemaFor chooses from its header.
func open(dir string, ro bool, schemaFor func(header) (*schema.Schema, error)) (_ *Index, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open index %s: %w", dir, err)
		}
	}()
	h, err := readHeader(dir, checkedAtOpen)
	if err != nil {
		return nil, diagnose(dir, err)
	}
	s, err := schemaFor(h)
	if err != nil {
		return nil, err
	}
	ix := &Index{Requests: Requests{s}, dir: dir, generation: h.generation, readOnly: ro}
	if ix.mapping, err = ix.Mapping.Encode(); err != nil {
		return nil, err
	}
	ix.batches.Store(h.batch)
	if err := ix.openStore(dir); err != nil {
		return nil, err
	}
	if err := ix.checkFields(); err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	return ix, nil
}

// openStore opens the store of an index.
func (ix *Index) openStore(dir string) (err error) {
	ix.rows, ix.persist, ix.filters = rowsOf(ix.Schema), newPersistState(), filters.OfIndex()
	if !ix.readOnly {
		ix.root = &rootKeeper{dir: dir}
	}
	if ix.store, err = openStore(dir, ix.readOnly, analysts.take(), callbacks{persist: ix.persist, root: ix.root, damage: ix.damage}); err != nil {
		analysts.give()
	} else if _, ok := readRootSum(dir); !ok {
		ix.root.changed()
	}
	return err
}

// filters is the cache of the process: 32 MB, for segments of 4096 documents or more.
var filters = plan.NewFilterCache(32<<20, 4096)

// rowsOf returns the schema of the rows in an index.
func rowsOf(s *schema.Schema) *segment.Schema {
	rows := &segment.Schema{Analyzer: s.Analysis, Positions: s.Positions, Gap: schema.RowGap, Stored: versions.VersionField}
	for _, name := range s.Texts {
		rows.Texts = append(rows.Texts, schema.ContentField(name))
	}
	if !s.Unmeasured {
		for _, text := range rows.Texts {
			rows.Lengths = append(rows.Lengths, schema.LengthField(text))
		}
	}
	for _, f := range s.Values {
		rows.Values = append(rows.Values, schema.MetadataField(f.Name))
	}
	return rows
}

// readHeader reads the header of a closed index and changes nothing. It opens
// the index read-only first, because scorch, opened for writing, creates an
// empty index where files are missing, and deletes all segments if it fails to
// open one, even for lack of a file handle. It reads the files of an index of up to
// checked bytes whole.
func readHeader(dir string, checked int64) (h header, err error) {
	if err := checkRoot(dir); err != nil {
		return header{}, err
	}
	defer analysts.give()
	files := checker{left: checked}
	store, err := openStore(dir, readOnly, analysts.take(), callbacks{persist: newPersistState(), check: files.check})
	if files.damage != nil { // scorch may have gone on with an older snapshot
		if err == nil {
			err = store.Close()
		}
		return header{}, errors.Join(files.damage, err)
	}
	if err != nil {
		return header{}, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if h, err = loadedHeader(store); err != nil {
		return header{}, err
	}
	newest, err := newestRecord(dir)
	if err == nil && h.record != newest {
		err = fmt.Errorf("the index is broken: batch %d can't be read, only batch %d: build a new one from the pages", newest.batch, h.batch)
	}
	return h, err
}

// lockTimeout is how long to wait until another process closes the index.
const lockTimeout = "1s"

// callbacks are what a store calls.
type callbacks struct {
	persist *persistState
	root    *rootKeeper             // nil: none
	damage  func(error)             // with the error of a segment that is to be merged; nil: nothing is
	check   func(path string) error // of a segment before it is opened; nil: none is checked
}

func openStore(dir string, ro bool, queue *index.AnalysisQueue, c callbacks) (_ index.Index, err error) {
	// bbolt panics if its file is damaged, or reads beyond the end of a file that was
	// cut off, which would end the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	store, err := newStore(dir, ro, queue, c)
	if err != nil {
		return nil, err
	}
	if err := store.Open(); err != nil {
		return nil, fmt.Errorf("the index is in use by another process, of a newer release, or broken: %w", err)
	}
	return store, nil
}

// registries guards scorch's registries of callbacks, plain maps in which a new store
// looks up its callbacks by name.
var registries sync.Mutex

const callbackName = "indexerd"

func newStore(dir string, ro bool, queue *index.AnalysisQueue, c callbacks) (index.Index, error) {
	if err := segment.Register(); err != nil {
		return nil, err
	}
	setMerges()
	registries.Lock()
	defer registries.Unlock()
	scorch.RegistryAsyncErrorCallbacks[callbackName] = func(err error, _ string) { c.persist.hold(err) }
	defer delete(scorch.RegistryAsyncErrorCallbacks, callbackName)
	scorch.RegistryEventCallbacks[callbackName] = newPurger(c.root).event
	defer delete(scorch.RegistryEventCallbacks, callbackName)
	return scorch.NewScorch(scorch.Name, map[string]any{
		"path":                   dir,
		"read_only":              ro,
		"bolt_timeout":           lockTimeout,
		"unsafe_batch":           true, // safe, because persistState.write waits
		"asyncErrorCallbackName": callbackName,
		"eventCallbackName":      callbackName,
		"segmentConfig":          map[string]any{segment.DamageKey: c.damage, segment.CheckKey: c.check},
	}, queue)
}
