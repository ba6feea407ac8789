package fulltext

import (
	"bytes"
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
		err = beginEpochs(dir)
	}
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
	if err := os.WriteFile(filepath.Join(dir, rootName), root, 0o600); err != nil {
		return err
	}
	return updateEmpty(dir, func(snapshots *bolt.Bucket) error {
		snapshot := snapshots.Bucket(firstEpoch)
		if snapshot == nil || snapshot.Bucket(util.BoltInternalKey) == nil {
			return errNoSnapshot
		}
		internal := snapshot.Bucket(util.BoltInternalKey)
		return errors.Join(internal.Put(recordKey, rec.encode()), internal.Put(mappingKey, mapping))
	})
}

// firstEpoch is the key of a snapshot of epoch 0. Scorch makes a snapshot that it has
// opened durable once more, unless its epoch is 0, which none has that scorch made.
var firstEpoch = []byte{0x88}

var errNoSnapshot = errors.New("an empty index has no snapshot")

// beginEpochs gives the newest snapshot the epoch 0, and removes the others.
func beginEpochs(dir string) error {
	return updateEmpty(dir, func(snapshots *bolt.Bucket) error {
		newest, _ := snapshots.Cursor().Last()
		if newest == nil || snapshots.Bucket(newest) == nil {
			return errNoSnapshot
		}
		first, err := snapshots.CreateBucketIfNotExists(firstEpoch)
		if err == nil {
			err = copyBucket(first, snapshots.Bucket(newest))
		}
		if err != nil {
			return err
		}
		return snapshots.ForEachBucket(func(epoch []byte) error {
			if bytes.Equal(epoch, firstEpoch) {
				return nil
			}
			return snapshots.DeleteBucket(epoch)
		})
	})
}

// copyBucket copies values and buckets.
func copyBucket(to, from *bolt.Bucket) error {
	return from.ForEach(func(key, value []byte) error {
		if value != nil {
			return to.Put(key, value)
		}
		below, err := to.CreateBucketIfNotExists(key)
		if err != nil {
			return err
		}
		return copyBucket(below, from.Bucket(key))
	})
}

// updateEmpty changes the snapshots of a closed index. It does not sync the file.
func updateEmpty(dir string, update func(snapshots *bolt.Bucket) error) error {
	name := filepath.Join(dir, rootName)
	db, err := bolt.Open(name, 0o600, &bolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		snapshots := tx.Bucket(util.BoltSnapshotsBucket)
		if snapshots == nil {
			return errNoSnapshot
		}
		return update(snapshots)
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
