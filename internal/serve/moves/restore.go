package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/state/backup"
	"indexerd/store"
)

// Restore restores a backup into the data directory of a configuration, which must be empty
// or missing, and its marks to etcd if they are shared. There the prefix must be empty. It
// fails with store.ErrLocked while a daemon has the data directory.
//
// The restored data directory has an id of its own. So index and pages that are there
// belong to others until they are taken over, and all tables are unverified.
//
// Steps where marks are shared: take the data directory and the term; write the files, with
// marks that don't count; make etcd not count; copy; make etcd count, which is the last
// change. Before it no daemon starts on the data directory, and Restore begins again when it
// is called again: it removes what the call before has left.
func Restore(ctx context.Context, cfg *configs.Config, src string) (MovedMarks, error) {
	return RestoreBy(ctx, cfg, src, func(string) error { return nil })
}

// RestoreBy is Restore, and calls step before each change that a kill could prevent.
func RestoreBy(ctx context.Context, cfg *configs.Config, src string, step func(string) error) (moved MovedMarks, err error) {
	if err := MakeDataDir(cfg); err != nil {
		return moved, err
	}
	if err := CheckOwner(cfg); err != nil {
		return moved, err
	}
	lock, err := store.Lock(LockFile(cfg))
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		return moved, err
	}
	moved.To = marksName(cfg.Marks)
	if !cfg.Marks.Shared() {
		return moved, backup.Restore(src, data)
	}
	s, err := dial(ctx, cfg, newID())
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(s.close(), err) }()
	r := restorer{marksMover{file: cfg, etcd: cfg, s: s, step: step, moved: moved}, src, data}
	err = r.run(ctx)
	return r.moved, err
}

// A restorer restores a backup whose marks go to etcd. It moves them there from the files
// of the backup.
type restorer struct {
	marksMover
	src, data string
}

func (r *restorer) run(ctx context.Context) error {
	if err := r.s.leadToMove(ctx, r.moved.To); err != nil {
		return err
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	if err := r.clearCut(); err != nil {
		return err
	}
	if err := r.step("files"); err != nil {
		return err
	}
	err := backup.Restore(r.src, r.data,
		backup.Extra{Name: ownerFile, Text: r.s.id + "\n"}, backup.Extra{Name: marksFile, Text: restoreTo + r.moved.To + "\n"})
	if err != nil {
		return err
	}
	if err := r.write("fence etcd", map[string][]byte{movedKey: []byte(restoreTo + r.s.id)}); err != nil {
		return err
	}
	if err := r.copyToEtcd(); err != nil {
		return err
	}
	if err := r.endToEtcd(); err != nil {
		return err
	}
	return r.write("believe etcd", map[string][]byte{movedKey: nil})
}

// clearCut removes what a restore that was cut has left in the data directory. It never
// counted. It returns an error if etcd has anything else than the remains of a restore.
func (r *restorer) clearCut() error {
	moved := string(r.place["moved"])
	if len(r.kept) > 0 && !strings.HasPrefix(moved, restoreTo) {
		return refuse(r.moved.To+" is not empty", "stop all daemons, and remove their marks with `etcdctl del --prefix "+r.s.client.Prefix+"/state/`, or write another prefix")
	}
	id, err := atomicfile.Read(atomicfile.OS, filepath.Join(r.data, ownerFile))
	if unlessGone(err) != nil {
		return err
	}
	last := r.local == r.moved.To && moved == restoreTo+strings.TrimSpace(string(id))
	if !last && !strings.HasPrefix(r.local, restoreTo) {
		return nil // backup.Restore refuses it if it is not empty
	}
	if err := r.record(restoreTo + r.moved.To); err != nil {
		return err
	}
	if err := r.step("clear files"); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.data)
	for _, e := range entries {
		if e.Name() != marksFile && e.Name() != filepath.Base(LockFile(r.file)) && err == nil {
			err = os.RemoveAll(filepath.Join(r.data, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(r.data, marksFile))
}

// refuseRestored returns why marks can't be moved from or to a place where a restore was cut.
func (m *marksMover) refuseRestored() error {
	if strings.HasPrefix(m.local, restoreTo) || strings.HasPrefix(string(m.place["moved"]), restoreTo) {
		return refuse("a restore was cut", doRestore)
	}
	return nil
}
