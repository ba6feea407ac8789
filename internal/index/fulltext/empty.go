package fulltext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"
	bolt "go.etcd.io/bbolt"
)

// emptyIndex is the root.bolt of an index without documents, as scorch has written it for
// the first index that this process made. It differs from that of another index in the
// record and the mapping alone. So a thousand tables do not start and end scorch a
// thousand times, which waits for the disk five times each.
var emptyIndex struct {
	mu   sync.Mutex
	root []byte // nil: none was made yet
}

// writeEmpty makes a closed index without documents. The caller syncs its files.
func writeEmpty(dir string, rec record, mapping []byte) error {
	emptyIndex.mu.Lock()
	root := emptyIndex.root
	emptyIndex.mu.Unlock()
	if root != nil {
		return copyEmpty(dir, root, rec, mapping)
	}
	err := makeEmpty(dir, rec, mapping)
	if err == nil {
		root, err = os.ReadFile(filepath.Join(dir, rootName))
	}
	if err != nil {
		return err
	}
	emptyIndex.mu.Lock()
	defer emptyIndex.mu.Unlock()
	emptyIndex.root = root
	return nil
}

// makeEmpty has scorch make the index.
func makeEmpty(dir string, rec record, mapping []byte) error {
	persist := newPersistState()
	store, err := openStore(dir, readWrite, analysts.take(), callbacks{persist: persist})
	defer analysts.give()
	if err != nil {
		return err
	}
	batch := index.NewBatch()
	batch.SetInternal(recordKey, rec.encode())
	batch.SetInternal(mappingKey, mapping)
	err = persist.write(store, batch)
	persist.release()
	return errors.Join(err, store.Close())
}

// copyEmpty makes the index from another one's root.bolt.
func copyEmpty(dir string, root []byte, rec record, mapping []byte) error {
	name := filepath.Join(dir, rootName)
	if err := os.WriteFile(name, root, 0o600); err != nil {
		return err
	}
	db, err := bolt.Open(name, 0o600, &bolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		internal, err := internalValues(tx)
		if err != nil {
			return err
		}
		return errors.Join(internal.Put(recordKey, rec.encode()), internal.Put(mappingKey, mapping))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// internalValues returns the bucket of the internal values of the only snapshot.
func internalValues(tx *bolt.Tx) (*bolt.Bucket, error) {
	bucket := tx.Bucket(util.BoltSnapshotsBucket)
	for bucket != nil {
		if internal := bucket.Bucket(util.BoltInternalKey); internal != nil {
			return internal, nil
		}
		epoch, _ := bucket.Cursor().Last()
		bucket = bucket.Bucket(epoch)
	}
	return nil, errors.New("an empty index has no internal values")
}
