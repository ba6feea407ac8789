package fulltext

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A rootSum is the checksum of root.bolt after a transaction. It is the file root.sum:
//
//	0   magic "ixroot\r\n"
//	8   transaction, 8 bytes
//	16  CRC-32C of the pages of root.bolt, 4 bytes
//	20  CRC-32C of bytes 0 to 20
//
// Numbers are little-endian. The file is written about a second after a transaction and
// when the index is closed, and is not synced. So it may be of an earlier transaction
// than root.bolt, which then is not checked, and never of a later one.
type rootSum struct {
	transaction uint64
	sum         uint32
}

const (
	rootSumName  = "root.sum"
	rootSumMagic = "ixroot\r\n"
	rootSumSize  = 24
)

// readRootSum returns false if there is no valid file.
func readRootSum(dir string) (rootSum, bool) {
	b, err := os.ReadFile(filepath.Join(dir, rootSumName))
	if err != nil || len(b) != rootSumSize || string(b[:8]) != rootSumMagic ||
		crc32.Checksum(b[:20], castagnoli) != binary.LittleEndian.Uint32(b[20:]) {
		return rootSum{}, false
	}
	return rootSum{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint32(b[16:])}, true
}

func (s rootSum) write(dir string) error {
	b := binary.LittleEndian.AppendUint64([]byte(rootSumMagic), s.transaction)
	b = binary.LittleEndian.AppendUint32(b, s.sum)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	file, err := os.OpenFile(filepath.Join(dir, rootSumName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(b, 0) // one that a crash cuts is no checksum
	return errors.Join(err, file.Close())
}

// sumRoot returns the checksum of root.bolt, and false if it can't be read or a
// transaction ended meanwhile. Until then the pages that it reads do not change.
func sumRoot(dir string) (s rootSum, ok bool) {
	file, err := os.Open(filepath.Join(dir, rootName))
	if err != nil {
		return s, false
	}
	defer file.Close()
	b := openBolt(file)
	sum, err := b.checksum()
	return rootSum{b.transaction, sum}, err == nil && openBolt(file).transaction == b.transaction
}

// lastTransaction returns the last transaction of root.bolt, 0 if it can't be read.
func lastTransaction(dir string) uint64 {
	file, err := os.Open(filepath.Join(dir, rootName))
	if err != nil {
		return 0
	}
	defer file.Close()
	return openBolt(file).transaction
}

// settleAfter is how long after a transaction its checksum is written: one that is found
// twice has ended, and is synced.
const settleAfter = time.Second

// A rootKeeper writes root.sum. Nothing depends on its errors: without the file root.bolt
// is not checked.
type rootKeeper struct {
	dir string

	mu     sync.Mutex
	timer  *time.Timer // runs when there was a transaction
	seen   uint64      // the transaction that was found last
	closed bool
}

// changed notes that there may have been a transaction. A nil keeper writes nothing.
func (k *rootKeeper) changed() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer == nil && !k.closed {
		k.timer = time.AfterFunc(settleAfter, k.settle)
	}
}

// settle writes the checksum of a transaction that it has found before.
func (k *rootKeeper) settle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.timer = nil
	last := lastTransaction(k.dir)
	if last != k.seen {
		k.seen, k.timer = last, time.AfterFunc(settleAfter, k.settle)
		return
	}
	if s, ok := sumRoot(k.dir); ok && s.transaction == last {
		_ = s.write(k.dir)
	}
}

// stop ends the keeper, while the index is open still.
func (k *rootKeeper) stop() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.timer != nil {
		k.timer.Stop()
	}
}

// finish writes the checksum of an index that is closed.
func (k *rootKeeper) finish() {
	if k == nil {
		return
	}
	if s, ok := sumRoot(k.dir); ok {
		_ = s.write(k.dir)
	}
}
