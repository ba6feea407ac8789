package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"

	"indexerd/configs"
	"indexerd/internal/backup"
	"indexerd/internal/history"
	"indexerd/internal/httpapi"
	"indexerd/internal/quarantine"
	"indexerd/store"
)

// Backup writes everything that is stored as a tar stream, while it changes. A
// client that does not read, or a new configuration, ends it.
func (e *engine) Backup(ctx context.Context, w io.Writer) error {
	if err := e.writable(); err != nil {
		return err
	}
	ctx, done, err := e.backing.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s, ok := w.(interface{ Interrupt() }); ok {
		defer context.AfterFunc(ctx, s.Interrupt)()
	}
	err = e.backUp(ctx, w)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // and not what it made of the write under way
	}
	if err != nil && e.log != nil {
		e.log.Warn("indexerd broke a backup off", "error", oneLine(err))
	}
	return err
}

func (e *engine) backUp(ctx context.Context, w io.Writer) error {
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

var errRenewed = errors.New("the configuration is read again: back up again when that is done")

// A backing is the one backup that may run at a time.
type backing struct {
	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the backup that runs; nil: none does
	over   chan struct{}           // closed when that one has ended
	ended  error                   // why no backup may begin any more
}

// begin takes the place of the one backup until done is called.
func (b *backing) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		return nil, nil, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "indexerd takes a new configuration", Hint: "ask again in a moment"}
	}
	if b.cancel != nil {
		return nil, nil, &httpapi.Error{Status: http.StatusTooManyRequests, Code: "busy", Message: "a backup is under way", Hint: "wait for its end"}
	}
	ctx, b.cancel = context.WithCancelCause(ctx)
	over := make(chan struct{})
	b.over = over
	return ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.cancel(nil)
		b.cancel = nil
		close(over)
	}, nil
}

// end cancels the backup that runs and waits for its end, or for that of ctx. No
// other can begin.
func (b *backing) end(ctx context.Context, cause error) {
	b.mu.Lock()
	b.ended = cause
	cancel, over := b.cancel, b.over
	b.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel(cause)
	select {
	case <-over:
	case <-ctx.Done():
	}
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
