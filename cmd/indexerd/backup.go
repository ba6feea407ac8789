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
	Dest string `arg:"" name:"dest" help:"The backup to create: a new directory, or a file that ends in .tar.zst."`
}

// Help implements kong.HelpProvider.
func (backupCommand) Help() string {
	return "Copies the data directory, also while the daemon writes to it, and verifies the copy.\n\n" +
		"Examples:\n  indexerd backup -c configs/pagila.yaml /var/backups/pagila.tar.zst\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run saves a backup.
func (c backupCommand) Run(ctx context.Context, w world) (err error) {
	client, err := connect(ctx, c.Config, w, needs{writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	stream, err := client.backup(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if err := backup.Save(stream, c.Dest); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	fmt.Fprintf(w.stdout, "saved to %s: `indexerd restore -c %s %s` restores it into an empty data directory\n", c.Dest, c.Config, c.Dest)
	return nil
}

type restoreCommand struct {
	configFlag
	Source string `arg:"" name:"src" help:"The backup: its directory or .tar.zst file."`
}

// Help implements kong.HelpProvider.
func (restoreCommand) Help() string {
	return "Restores a backup into the configuration's data directory, which must be empty or missing.\n" +
		"The whole backup is checked before any file is moved into place. The next run continues from the state of the backup\n" +
		"and starts with a full sweep: status shows \"unverified\" until the sweep ends.\n\n" +
		"Example:\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run restores a backup. It fails while a daemon holds the data directory.
func (c restoreCommand) Run(w world) (err error) {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	if cfg.Marks.Shared() {
		return cfg.Fault("marks", "marks are in etcd: indexerd restores none there", "restore the backup of etcd, as docs/standby.md describes")
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
	fmt.Fprintf(w.stdout, "restored to %s: `indexerd run -c %s` continues from there and starts with a full sweep\n", cfg.Data, c.Config)
	return nil
}
