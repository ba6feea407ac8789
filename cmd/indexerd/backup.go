package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"indexerd/configs"
	"indexerd/internal/backup"
	"indexerd/internal/history"
	"indexerd/internal/httpapi"
	"indexerd/internal/quarantine"
	"indexerd/store"
)

// Backup writes everything that is stored as a tar stream, while it changes.
func (e *engine) Backup(ctx context.Context, w io.Writer) error {
	if err := e.writable(); err != nil {
		return err
	}
	select {
	case e.backing <- struct{}{}:
	default:
		return &httpapi.Error{Status: http.StatusTooManyRequests, Code: "busy", Message: "a backup is under way", Hint: "wait for its end"}
	}
	defer func() { <-e.backing }()
	b := backup.Backup{Dir: e.cfg.Data, Version: version, Trace: e.trace}
	for _, t := range e.tables {
		if t.opened() {
			b.Tables = append(b.Tables, backup.Table{
				Name: t.conf.Name, Progress: []string{t.planFile()}, Pages: t.pages, Index: t.current(),
				Files: []string{quarantine.Name(t.dir), history.Name(t.dir)},
			})
		}
	}
	if b.Tables == nil {
		return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "nothing is loaded yet", Hint: "see status for what it waits for"}
	}
	return backup.Write(ctx, w, b)
}

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
	if err := makeDataDir(cfg); err != nil {
		return err
	}
	if err := ownedByCaller(cfg); err != nil {
		return err
	}
	lock, err := store.Lock(lockFile(cfg))
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
