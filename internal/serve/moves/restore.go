package moves

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
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
// is called again: it removes what the call before has left. The meter counts the bytes of
// the backup.
func Restore(ctx context.Context, cfg *configs.Config, src string, meter *progress.Meter) (MovedMarks, error) {
	return RestoreBy(ctx, cfg, src, meter, func(string) error { return nil })
}

// RestoreBy is Restore, and calls step before each change that a kill could prevent.
func RestoreBy(ctx context.Context, cfg *configs.Config, src string, meter *progress.Meter, step func(string) error) (moved MovedMarks, err error) {
	if err := datadir.Make(cfg); err != nil {
		return moved, err
	}
	if err := datadir.CheckOwner(cfg); err != nil {
		return moved, err
	}
	lock, err := store.Lock(datadir.LockFile(cfg))
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		return moved, err
	}
	moved.To = datadir.MarksName(cfg.Marks)
	if !cfg.Marks.Shared() {
		return moved, backup.Restore(src, data, release.Version, meter)
	}
	s, err := leader.Dial(ctx, cfg, datadir.NewID())
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(s.Close(), err) }()
	r := restorer{marksMover{file: cfg, etcd: cfg, s: s, step: step, moved: moved}, src, data, meter}
	err = r.run(ctx)
	return r.moved, err
}

// A restorer restores a backup whose marks go to etcd. It moves them there from the files
// of the backup.
type restorer struct {
	marksMover
	src, data string
	meter     *progress.Meter // counts the bytes of the backup
}

func (r *restorer) run(ctx context.Context) error {
	if err := r.s.LeadToMove(ctx, r.moved.To); err != nil {
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
	err := backup.Restore(r.src, r.data, release.Version, r.meter,
		backup.Extra{Name: datadir.OwnerFile, Text: r.s.ID + "\n"}, backup.Extra{Name: datadir.MarksFile, Text: datadir.RestoreTo + r.moved.To + "\n"})
	if err != nil {
		return err
	}
	if err := r.write("fence etcd", map[string][]byte{leader.MovedKey: []byte(datadir.RestoreTo + r.s.ID)}); err != nil {
		return err
	}
	if err := r.copyToEtcd(); err != nil {
		return err
	}
	if err := r.endToEtcd(); err != nil {
		return err
	}
	return r.write("believe etcd", map[string][]byte{leader.MovedKey: nil})
}

// clearCut removes what a restore that was cut has left in the data directory. It never
// counted. It returns an error if etcd has anything else than the remains of a restore.
func (r *restorer) clearCut() error {
	moved := string(r.place["moved"])
	if len(r.kept) > 0 && !strings.HasPrefix(moved, datadir.RestoreTo) {
		return refuse(r.moved.To+" is not empty", "stop all daemons, and remove their marks with `etcdctl del --prefix "+r.s.Client.Prefix+"/state/`, or write another prefix")
	}
	id, err := atomicfile.Read(atomicfile.OS, filepath.Join(r.data, datadir.OwnerFile))
	if unlessGone(err) != nil {
		return err
	}
	last := r.local == r.moved.To && moved == datadir.RestoreTo+strings.TrimSpace(string(id))
	if !last && !strings.HasPrefix(r.local, datadir.RestoreTo) {
		return nil // backup.Restore refuses it if it is not empty
	}
	if err := r.record(datadir.RestoreTo + r.moved.To); err != nil {
		return err
	}
	if err := r.step("clear files"); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.data)
	for _, e := range entries {
		if e.Name() != datadir.MarksFile && e.Name() != filepath.Base(datadir.LockFile(r.file)) && err == nil {
			err = os.RemoveAll(filepath.Join(r.data, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(r.data, datadir.MarksFile))
}

// refuseRestored returns why marks can't be moved from or to a place where a restore was cut.
func (m *marksMover) refuseRestored() error {
	if strings.HasPrefix(m.local, datadir.RestoreTo) || strings.HasPrefix(string(m.place["moved"]), datadir.RestoreTo) {
		return refuse("a restore was cut", datadir.DoRestore)
	}
	return nil
}
