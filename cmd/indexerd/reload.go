package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"indexerd/configs"
	"indexerd/internal/atomicfile"
	"indexerd/internal/httpapi"
	"indexerd/store"
	"indexerd/timetrace"
)

// Reload begins to forget a table, and to load it anew with what the
// configuration file says of it now.
func (e *engine) Reload(name string) (httpapi.Run, error) {
	if e.orders == nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "no daemon runs that would load " + name, Hint: "run indexerd run"}
	}
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	// By its marks: a table with another key is refused until it is reloaded, so
	// it may be in the file, and stored, and not run.
	if _, ok := e.trace.Table(name); !ok {
		return httpapi.Run{}, unknownTable(name, e.cfg)
	}
	// The run outlives this engine, and with it the context of all other runs.
	return e.runs.open(context.Background(), name, "reload", func(ctx context.Context, one *errand) {
		select {
		case e.orders <- order{ctx: ctx, table: name, run: one}:
		default:
			one.end(nil, false, errors.New("too many tables wait to be reloaded: ask again when they are"))
		}
	})
}

func unknownTable(name string, cfg *configs.Config) *httpapi.Error {
	return &httpapi.Error{Status: http.StatusNotFound, Code: "unknown_table", Message: fmt.Sprintf("nothing is loaded of %s in %s", name, cfg.Data), Hint: "see status"}
}

type reloadCommand struct {
	asking
	Table string `arg:"" help:"The table."`
}

// Help shows an example.
func (reloadCommand) Help() string {
	return "Forgets all that is stored of a table and loads it anew: for a changed key, source or updated.\n" +
		"A running daemon reads its configuration anew for it and begins to load; other tables are searched meanwhile.\n" +
		"Where none runs, the next run loads the table.\n\n" +
		"Example:\n  indexerd reload -c configs/pagila.yaml film"
}

// Run forgets a table, or has the daemon do so.
func (c reloadCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
	}
	err = mayWrite(cfg)
	var lock *store.FileLock
	if err == nil {
		lock, err = store.Lock(lockFile(cfg))
	}
	if errors.Is(err, store.ErrLocked) {
		return c.whileRunning(ctx, cfg, w)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.alone(cfg, w), lock.Release())
}

// alone forgets the table. Killed in between it is done again.
func (c reloadCommand) alone(cfg *configs.Config, w world) error {
	trace, err := timetrace.Open(atomicfile.OS, cfg.Data)
	if err != nil {
		return err
	}
	if _, ok := trace.Table(c.Table); !ok {
		return unknownTable(c.Table, cfg)
	}
	if err := forget(trace, cfg.Data, c.Table); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(httpapi.Run{Table: c.Table, Pass: "reload", State: "done", Result: json.RawMessage("{}")})
	}
	fmt.Fprintf(w.stdout, "%s is forgotten: `indexerd run -c %s` loads it anew\n", c.Table, c.Config)
	return nil
}

func (c reloadCommand) whileRunning(ctx context.Context, cfg *configs.Config, w world) error {
	caller, err := dialDaemon(cfg, w)
	if err != nil {
		return err
	}
	run, err := caller.begin(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reload", nil)
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	fmt.Fprintf(w.stdout, "%s is forgotten and is being loaded anew: `indexerd status -c %s` shows how far\n", c.Table, c.Config)
	return nil
}

// forget removes a table: its files first, under another name at once, then its
// marks.
func forget(trace *timetrace.Trace, data, table string) error {
	dir := filepath.Join(data, table)
	gone := dir + ".reloaded"
	if err := os.RemoveAll(gone); err != nil {
		return err
	}
	if err := os.Rename(dir, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := trace.Update(func(s timetrace.State) { delete(s, table) }); err != nil {
		// As on a full disk: marks without files open no more.
		if back := os.Rename(gone, dir); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return os.RemoveAll(gone)
}
