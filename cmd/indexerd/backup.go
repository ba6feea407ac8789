package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"indexerd/configs"
	"indexerd/internal/backup"
	"indexerd/internal/daemon"
	"indexerd/store"
)

type backupCommand struct {
	configFlag
	Dest string `arg:"" name:"dest" help:"Where to: a directory that is not there yet, or a file that ends in .tar.zst."`
}

// Help shows an example.
func (backupCommand) Help() string {
	return "Copies all of the data directory, also while the daemon writes to it, and checks the copy as it passes.\n\n" +
		"Examples:\n  indexerd backup -c configs/pagila.yaml /var/backups/pagila.tar.zst\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run saves a backup.
func (c backupCommand) Run(ctx context.Context, w world) (err error) {
	caller, err := dial(ctx, c.Config, w, question{writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.close()) }()
	stream, err := caller.stream(ctx, "/api/v1/backup")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if err := backup.Save(stream, c.Dest); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	fmt.Fprintf(w.stdout, "saved to %s: `indexerd restore -c %s %s` brings it back into an empty data directory\n", c.Dest, c.Config, c.Dest)
	return nil
}

type restoreCommand struct {
	configFlag
	Source string `arg:"" name:"src" help:"A backup: its directory or .tar.zst file."`
}

// Help shows an example.
func (restoreCommand) Help() string {
	return "Brings a backup back into the configuration's data directory, which must be empty or missing.\n" +
		"Everything is checked before anything takes its place. The daemon then goes on from where the backup was, and\n" +
		"compares everything first: status shows \"unverified\" until that is done.\n\n" +
		"Example:\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run restores. No daemon may have the directory.
func (c restoreCommand) Run(w world) (err error) {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	if err := daemon.MakeDataDir(cfg); err != nil {
		return err
	}
	if err := daemon.CheckOwner(cfg); err != nil {
		return err
	}
	lock, err := store.Lock(daemon.LockFile(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	data, err := filepath.Abs(cfg.Data)
	if err == nil {
		err = backup.Restore(c.Source, data)
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	fmt.Fprintf(w.stdout, "restored to %s: `indexerd run -c %s` goes on from there, and compares everything first\n", cfg.Data, c.Config)
	return nil
}
