// Package datadir is about the data directory of a daemon as a whole: its lock and
// the daemon that holds it, the user it belongs to, the id by which index and pages
// on other machines know it, whether its disk takes writes, and whether its marks are
// in its file or in etcd.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"indexerd/configs"
	"indexerd/internal/state/backup"
	"indexerd/store"
)

// LockFile names the file that a process locks while it has the data directory
// open. The daemon writes into it where it answers: see Holder.
func LockFile(cfg *configs.Config) string { return filepath.Join(cfg.Data, "lock") }

// Make makes the data directory for the first run.
func Make(cfg *configs.Config) error {
	err := os.MkdirAll(cfg.Data, 0o700)
	if errors.Is(err, fs.ErrPermission) {
		return cfg.Fault("data", fmt.Sprintf("no right to make %s", cfg.Data), "make it for this user, or name another directory")
	}
	if err != nil {
		return cfg.Fault("data", err.Error(), "name a directory that can be made")
	}
	return nil
}

// MayWrite returns why a command must not change the data directory itself:
// store.ErrLocked where a daemon has it, *OwnerError where it belongs to another
// user; nil where it may.
func MayWrite(cfg *configs.Config) error {
	lock, err := store.LockShared(LockFile(cfg))
	switch {
	case errors.Is(err, store.ErrLocked):
		return err
	case err == nil:
		err = lock.Release()
	}
	if owner := CheckOwner(cfg); owner != nil {
		return owner
	}
	return err
}

// An OwnerError is a data directory that belongs to another user, whose daemon
// could not read what this one would write.
type OwnerError struct{ Dir, User string }

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s belongs to the user %s: run this command as that user, behind `sudo -u %s`", e.Dir, e.User, e.User)
}

// CheckOwner returns an *OwnerError where the data directory belongs to another
// user.
func CheckOwner(cfg *configs.Config) error {
	info, err := os.Stat(cfg.Data)
	if err != nil {
		return fmt.Errorf("open the data directory: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	id := strconv.Itoa(int(owner.Uid))
	name := "'#" + id + "'" // as sudo takes a user without a name
	if u, err := user.LookupId(id); err == nil {
		name = u.Username
	}
	return &OwnerError{cfg.Data, name}
}

// Lock takes the data directory for this process alone, and removes what
// a crash has left of a backup. Only the first engine of a process does so: later
// ones may be opened while a backup is under way.
func Lock(cfg *configs.Config) (*store.FileLock, error) {
	lock, err := store.Lock(LockFile(cfg))
	if err != nil {
		return nil, err
	}
	if err := backup.Clean(cfg.Data); err != nil && !IsDiskFault(err) {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}
