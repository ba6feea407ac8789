package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/akrylysov/pogreb"
	"github.com/cockroachdb/pebble/v2"
	"github.com/dgraph-io/badger/v4"
	bolt "go.etcd.io/bbolt"

	"indexerd/internal/base/doc"
	filemap "indexerd/store"
)

// A store is a store to compare. Put is durable when it returns; Get returns nil
// for a missing key.
type store interface {
	Put(batch []doc.Page) error
	Get(key doc.OID) ([]byte, error)
	Close() error
}

// storeNames are in the order of the run. The targets are for FileMap without
// compression, since raw files and pogreb do not compress; filemap-s2 is the
// default of the product.
var storeNames = []string{"raw", "filemap", "filemap-s2", "pogreb", "pebble", "badger", "bbolt"}

func openStore(name, dir string, n int) (store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	switch name {
	case "raw":
		return openRaw(dir, n)
	case "filemap":
		return openFileMap(dir, filemap.Options{Compression: filemap.None})
	case "filemap-s2":
		return openFileMap(dir, filemap.Options{})
	case "pogreb":
		db, err := pogreb.Open(dir, nil)
		return pogrebStore{db}, err
	case "pebble":
		db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
		return pebbleStore{db}, err
	case "badger":
		db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil).WithSyncWrites(true))
		return badgerStore{db}, err
	case "bbolt":
		return openBolt(dir)
	}
	return nil, fmt.Errorf("no store %s", name)
}

type fileMap struct {
	*filemap.FileMap
	dir string
}

func openFileMap(dir string, o filemap.Options) (store, error) {
	m, err := filemap.Open(dir, o)
	return &fileMap{m, dir}, err
}

func (s *fileMap) Get(key doc.OID) ([]byte, error) {
	p, err := s.FileMap.Get(key)
	if errors.Is(err, filemap.ErrNotFound) {
		return nil, nil
	}
	return p.Body, err
}

// view reads a page with View. The returned bytes are valid for their length only.
func (s *fileMap) view(key doc.OID) (body []byte, err error) {
	err = s.View(key, func(p doc.Page) error {
		body = p.Body
		return nil
	})
	return body, err
}

func (s *fileMap) IndexBytes() int64 { return s.Stats().IndexBytes }

func (s *fileMap) EmptyCache() error { return emptyCache(s.dir) }
func (s *fileMap) FillCache() error  { return fillCache(s.dir) }

// A coldStore can remove its values from the page cache, and read them again.
type coldStore interface {
	store
	EmptyCache() error
	FillCache() error
}

func emptyCache(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "value*.dat"))
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		const dontNeed = 4
		_, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0)
		if err := f.Close(); err != nil || errno != 0 {
			return errors.Join(err, errno)
		}
	}
	return nil
}

func fillCache(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "value*.dat"))
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// A rawStore is a file and a map of offsets, to measure the file system itself.
// Its keys are those of the n pages.
type rawStore struct {
	dir     string
	f       *os.File
	end     int64
	at      map[doc.OID]span
	batches []byte
}

type span struct {
	off  int64
	size int32
}

func openRaw(dir string, n int) (store, error) {
	f, err := os.OpenFile(filepath.Join(dir, "value.dat"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &rawStore{dir: dir, f: f, at: make(map[doc.OID]span, n)}
	return s, s.reload(n)
}

// reload finds the pages of an existing file by their lengths, which Close saved.
func (s *rawStore) reload(n int) error {
	info, err := s.f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	sizes, err := os.ReadFile(filepath.Join(s.dir, "sizes"))
	if err != nil {
		return err
	}
	for i := range n {
		size := int32(sizes[4*i]) | int32(sizes[4*i+1])<<8 | int32(sizes[4*i+2])<<16
		s.at[key(i)] = span{s.end, size}
		s.end += int64(size)
	}
	return nil
}

func (s *rawStore) Put(batch []doc.Page) error {
	buf := s.batches[:0]
	for i := range batch {
		s.at[batch[i].OID] = span{s.end + int64(len(buf)), int32(len(batch[i].Body))}
		buf = append(buf, batch[i].Body...)
	}
	s.batches = buf
	if _, err := s.f.WriteAt(buf, s.end); err != nil {
		return err
	}
	s.end += int64(len(buf))
	return syscall.Fdatasync(int(s.f.Fd()))
}

func (s *rawStore) Get(key doc.OID) ([]byte, error) {
	at, ok := s.at[key]
	if !ok {
		return nil, nil
	}
	body := make([]byte, at.size)
	_, err := s.f.ReadAt(body, at.off)
	return body, err
}

func (s *rawStore) EmptyCache() error { return emptyCache(s.dir) }
func (s *rawStore) FillCache() error  { return fillCache(s.dir) }

func (s *rawStore) Close() error {
	sizes := make([]byte, 0, 4*len(s.at))
	for i := range len(s.at) {
		size := s.at[key(i)].size
		sizes = append(sizes, byte(size), byte(size>>8), byte(size>>16), 0)
	}
	return errors.Join(os.WriteFile(filepath.Join(s.dir, "sizes"), sizes, 0o600), s.f.Close())
}

type pogrebStore struct{ *pogreb.DB }

func (s pogrebStore) Put(batch []doc.Page) error {
	for i := range batch {
		if err := s.DB.Put([]byte(batch[i].OID), batch[i].Body); err != nil {
			return err
		}
	}
	return s.Sync()
}

func (s pogrebStore) Get(key doc.OID) ([]byte, error) { return s.DB.Get([]byte(key)) }

type pebbleStore struct{ *pebble.DB }

func (s pebbleStore) Put(batch []doc.Page) error {
	b := s.NewBatch()
	for i := range batch {
		if err := b.Set([]byte(batch[i].OID), batch[i].Body, nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.Sync)
}

func (s pebbleStore) Get(key doc.OID) ([]byte, error) {
	v, done, err := s.DB.Get([]byte(key))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), v...), done.Close()
}

type badgerStore struct{ *badger.DB }

func (s badgerStore) Put(batch []doc.Page) error {
	b := s.NewWriteBatch()
	for i := range batch {
		if err := b.Set([]byte(batch[i].OID), batch[i].Body); err != nil {
			return err
		}
	}
	return b.Flush()
}

func (s badgerStore) Get(key doc.OID) (v []byte, err error) {
	err = s.View(func(tx *badger.Txn) error {
		item, err := tx.Get([]byte(key))
		if err != nil {
			return err
		}
		v, err = item.ValueCopy(nil)
		return err
	})
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	return v, err
}

type boltStore struct{ *bolt.DB }

var bucket = []byte("pages")

func openBolt(dir string) (store, error) {
	db, err := bolt.Open(filepath.Join(dir, "db"), 0o600, nil)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	return boltStore{db}, err
}

func (s boltStore) Put(batch []doc.Page) error {
	return s.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucket)
		for i := range batch {
			if err := b.Put([]byte(batch[i].OID), batch[i].Body); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s boltStore) Get(key doc.OID) (v []byte, err error) {
	err = s.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket(bucket).Get([]byte(key)); b != nil {
			v = append([]byte(nil), b...)
		}
		return nil
	})
	return v, err
}

// quiet discards the log of pebble.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(f string, a ...any) {
	fmt.Fprintf(os.Stderr, f+"\n", a...)
	os.Exit(1)
}

// ratio returns a/b, or NaN unless both were measured.
func ratio(a, b float64) float64 { return measured(a) / measured(b) }

// measured returns NaN for a missing figure.
func measured(figure float64) float64 {
	if figure == 0 {
		return math.NaN()
	}
	return figure
}
