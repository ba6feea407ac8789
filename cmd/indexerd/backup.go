package main

import (
	"context"
	"errors"
	"fmt"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/moves"
	"indexerd/internal/state/backup"
	"indexerd/store"
)

type backupCommand struct {
	configFlag
	Dest string `arg:"" name:"dest" help:"The backup to create: a new directory, or a file that ends in .tar.zst."`
}

// Help implements kong.HelpProvider.
func (backupCommand) Help() string {
	return "Copies the data directory, also while the daemon writes to it, and verifies the copy.\n" +
		"With marks in etcd the copy has these too; run it on the machine of the daemon that leads. Of stores on other machines it has the names.\n\n" +
		"Examples:\n  indexerd backup -c configs/pagila.yaml /var/backups/pagila.tar.zst\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run saves a backup.
func (c backupCommand) Run(ctx context.Context, w world) (err error) {
	client, err := connect(ctx, c.Config, w, needs{writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	if err := c.save(ctx, w, client); err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "saved to %s: `indexerd restore -c %s %s` restores it into an empty data directory\n", c.Dest, c.Config, c.Dest)
	return nil
}

// save writes the backup to its destination.
func (c backupCommand) save(ctx context.Context, w world, client *client) (err error) {
	meter := new(progress.Meter)
	_, stop := watch(w, "backup", meter)
	defer stop()
	stream, err := client.backup(ctx, meter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if err := backup.Save(stream, c.Dest); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
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
		"and starts with a full sweep: status shows \"unverified\" until the sweep ends.\n" +
		"Marks are restored to where the configuration has them. In etcd the prefix must be empty, and a restore that was interrupted begins again\n" +
		"when the command runs again. The restored directory has an id of its own: if an index or pages on other machines are still there, run: indexerd run --take-over\n\n" +
		"Example:\n  indexerd restore -c configs/pagila.yaml /var/backups/pagila.tar.zst"
}

// Run restores a backup. It fails while a daemon holds the data directory.
func (c restoreCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	meter := new(progress.Meter)
	_, stop := watch(w, "restore", meter)
	restored, err := moves.Restore(ctx, cfg, c.Source, meter)
	stop()
	switch {
	case errors.As(err, new(configs.Fault)), errors.As(err, new(*datadir.OwnerError)), errors.Is(err, store.ErrLocked):
		return err
	case err != nil:
		return fmt.Errorf("restore: %w", err)
	}
	places := cfg.Data
	if cfg.Marks.Shared() {
		places += " and " + restored.To
	}
	fmt.Fprintf(w.stdout, "restored to %s: `indexerd run -c %s` continues from there and starts with a full sweep\n", places, c.Config)
	if cfg.Index.Engine == configs.OpenSearch || cfg.PageStore.Remote() {
		fmt.Fprintf(w.stdout, "if the index or the pages are still there, they belong to the data directory before: start it once with --take-over\n")
	}
	return nil
}
