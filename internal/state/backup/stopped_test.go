package backup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/store"
)

// unsynced is a real disk whose syncs can fail.
type unsynced struct {
	atomicfile.FS
	fails *atomic.Bool
}

func (u unsynced) OpenFile(name string, flag int, perm fs.FileMode) (atomicfile.File, error) {
	f, err := u.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f, u.fails}, nil
}

type unsyncedFile struct {
	atomicfile.File
	fails *atomic.Bool
}

func (f unsyncedFile) Sync() error {
	if f.fails.Load() {
		return syscall.EIO
	}
	return f.File.Sync()
}

// After a failed sync it is unknown what the disk has of the pages. Write returns
// an error, even when the disk works again.
func TestPagesWithAFailedSyncAreNotBackedUp(t *testing.T) {
	w := newWorld(t)
	disk := unsynced{atomicfile.OS, new(atomic.Bool)}
	pages, err := store.Open(filepath.Join(w.dir, "actor", "pages"), store.Options{FS: disk})
	check(t, err)
	defer pages.Close()
	put := func(key int64) error {
		oid, err := doc.NewOID(key)
		check(t, err)
		return pages.Put([]doc.Page{{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Body: []byte("body")}})
	}
	check(t, put(1))
	b := w.backup()
	b.Tables[0].Pages = pages
	check(t, Write(context.Background(), new(bytes.Buffer), b))

	disk.fails.Store(true)
	if err := put(2); !errors.Is(err, syscall.EIO) {
		t.Fatalf("put: got %v, want EIO", err)
	}
	disk.fails.Store(false)
	err = Write(context.Background(), new(bytes.Buffer), b)
	if !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "must be opened again") {
		t.Errorf("got error %v, want one line with the failed sync", err)
	}
}
