package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"indexerd/configs"
	"indexerd/store"
)

// mayWrite reports what keeps a command from changing the data directory itself:
// a daemon that has it, which is store.ErrLocked, or another owner.
func mayWrite(cfg *configs.Config) error {
	lock, err := store.LockShared(lockFile(cfg))
	switch {
	case errors.Is(err, store.ErrLocked):
		return err
	case err == nil:
		err = lock.Release()
	}
	if owner := ownedByCaller(cfg); owner != nil {
		return owner
	}
	return err
}

// ownedByCaller returns an error where the data directory belongs to another
// user, whose daemon could not read what this one would write.
func ownedByCaller(cfg *configs.Config) error {
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
	return fmt.Errorf("%s belongs to the user %s: run this command as that user, behind `sudo -u %s`", cfg.Data, name, name)
}
