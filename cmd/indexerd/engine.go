package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/atomicfile"
	"indexerd/internal/schedule"
	"indexerd/store"
	"indexerd/timetrace"
)

// An engine is a data directory in use: its lock, its marks and its tables.
// The daemon runs one; a command that finds no daemon opens one for as long as
// its question takes.
type engine struct {
	cfg     *configs.Config
	lock    *store.FileLock
	trace   *timetrace.Trace
	sources []*source
	tables  []*table
	runs    *runs
	backing chan struct{} // held by the backup that runs
	started time.Time     // zero where no daemon runs
}

// openEngine takes the data directory and opens what is stored in it.
func openEngine(cfg *configs.Config) (_ *engine, err error) {
	lock, err := store.Lock(lockFile(cfg))
	if err != nil {
		return nil, err
	}
	e := &engine{cfg: cfg, lock: lock, runs: newRuns(), backing: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	if e.trace, err = timetrace.Open(atomicfile.OS, cfg.Data); err != nil {
		return nil, err
	}
	byName := map[string]*source{}
	for _, s := range cfg.Sources {
		byName[s.Name] = newSource(cfg, s)
		e.sources = append(e.sources, byName[s.Name])
	}
	for _, conf := range cfg.Tables {
		t := newTable(cfg, conf, e.trace, byName[conf.Source])
		e.tables = append(e.tables, t)
		if _, err := t.openStored(); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// lockFile is held by whoever has the data directory open; the daemon writes
// its pid and address into it.
func lockFile(cfg *configs.Config) string { return filepath.Join(cfg.Data, "lock") }

// makeDataDir makes the data directory for the first run.
func makeDataDir(cfg *configs.Config) error {
	err := os.MkdirAll(cfg.Data, 0o700)
	if errors.Is(err, fs.ErrPermission) {
		return coded{faultAt(cfg, "data", fmt.Sprintf("no right to make %s", cfg.Data), "make it for this user, or name another directory"), exitBad}
	}
	if err != nil {
		return coded{faultAt(cfg, "data", err.Error(), "name a directory that can be made"), exitBad}
	}
	return nil
}

func (e *engine) close() error {
	e.runs.stop()
	var errs []error
	for _, t := range e.tables {
		errs = append(errs, t.close())
	}
	for _, s := range e.sources {
		if s.database != nil {
			s.Close()
		}
	}
	return errors.Join(append(errs, e.lock.Release())...)
}

// openDatabases prepares the databases; they need not be up.
func (e *engine) openDatabases(ctx context.Context) (err error) {
	for _, s := range e.sources {
		if s.database, err = openDatabase(ctx, s.conf); err != nil {
			return coded{faultAt(e.cfg, "sources."+s.conf.Name+".dsn", oneLine(err), "mend the address"), exitBad}
		}
	}
	return nil
}

func (e *engine) table(name string) *table {
	for _, t := range e.tables {
		if t.conf.Name == name {
			return t
		}
	}
	return nil
}

// checkTables asks each reachable database about its tables before anything
// runs: a fault of the configuration is told at once and not an hour later.
// Databases that are down are asked again by and by.
func (e *engine) checkTables(ctx context.Context) error {
	var faults configs.Faults
	for _, t := range e.tables {
		_, err := t.describe(ctx)
		var many configs.Faults
		var one configs.Fault
		switch {
		case errors.As(err, &many):
			faults = append(faults, many...)
		case errors.As(err, &one):
			faults = append(faults, one)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	if faults != nil {
		return faults
	}
	return nil
}

// serve runs the passes, and answers, until ctx ends or the storage breaks;
// then it still answers.
func (e *engine) serve(ctx context.Context, f *front, log *slog.Logger) (err error) {
	ctx, die := context.WithCancelCause(ctx)
	defer die(nil)
	if e.started.IsZero() {
		e.started = time.Now()
	}
	if err := e.lock.Write(fmt.Sprintf("%d http://%s\n", os.Getpid(), f.address)); err != nil {
		return err
	}
	f.show(e)
	go func() {
		select {
		case err := <-f.failed:
			die(err)
		case <-ctx.Done():
		}
	}()
	jobs, err := schedule.New(log)
	if err != nil {
		return err
	}
	var lives sync.WaitGroup
	for _, t := range e.tables {
		t.die = die
		lives.Go(func() {
			if err := t.live(ctx, jobs, log); err != nil && ctx.Err() == nil {
				die(err)
			}
		})
	}
	<-ctx.Done()
	err = context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil // signalled
	}
	e.runs.stop()
	err = errors.Join(err, jobs.Stop())
	lives.Wait() // each ends with the batch in hand
	// What was only noted becomes durable, so that verify need not wait for
	// a daemon to settle it again.
	return errors.Join(err, e.trace.Update(func(timetrace.State) {}))
}
