package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/atomicfile"
	"indexerd/internal/backup"
	"indexerd/internal/httpapi"
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
	meters  *httpapi.Meters
	orders  chan<- order // to open the engine again; nil where no daemon runs
	backing backing      // the backup that runs
	started time.Time    // zero where no daemon runs
	log     *slog.Logger // nil where no daemon runs
	frozen  error        // why the engine is open read-only; nil: it is not
}

// openEngine takes the data directory, removes what a crash has left of a backup,
// and opens what is stored.
func openEngine(cfg *configs.Config) (*engine, error) {
	lock, err := lockToWrite(cfg)
	if err != nil {
		return nil, err
	}
	e, err := openLocked(cfg, lock, nil)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return e, nil
}

// lockToWrite takes the data directory for this process alone, and removes what
// a crash has left of a backup: no backup is under way here, and one may be where
// a daemon opens its engine again.
func lockToWrite(cfg *configs.Config) (*store.FileLock, error) {
	lock, err := store.Lock(lockFile(cfg))
	if err != nil {
		return nil, err
	}
	if err := backup.Clean(cfg.Data); err != nil && !diskFault(err) {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// openReadOnly opens what is stored beside others that read it, and changes
// nothing in the data directory.
func openReadOnly(cfg *configs.Config) (*engine, error) {
	lock, err := store.LockShared(lockFile(cfg))
	if err != nil {
		return nil, err
	}
	e, err := openLocked(cfg, lock, atomicfile.ErrReadOnly)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return e, nil
}

// openLocked opens the data directory for a caller that already holds its lock.
// On error the caller still holds it. frozen, if any, is why nothing may be
// written: then what is stored is opened read-only, which needs no room.
func openLocked(cfg *configs.Config, lock *store.FileLock, frozen error) (*engine, error) {
	fsys := atomicfile.OS
	if frozen != nil {
		fsys = atomicfile.ReadOnly(fsys)
	}
	trace, err := timetrace.Open(fsys, cfg.Data)
	if err != nil {
		return nil, err
	}
	e := newEngine(cfg, trace)
	e.lock, e.frozen = lock, frozen
	for _, t := range e.tables {
		t.readOnly = frozen != nil
		if _, err := t.openStored(); err != nil {
			return nil, errors.Join(err, e.closeStored())
		}
	}
	return e, nil
}

// newEngine is an engine of which nothing is open yet.
func newEngine(cfg *configs.Config, trace *timetrace.Trace) *engine {
	e := &engine{cfg: cfg, trace: trace, runs: newRuns(), meters: httpapi.NewMeters()}
	byName := map[string]*source{}
	for _, s := range cfg.Sources {
		byName[s.Name] = newSource(cfg, s)
		e.sources = append(e.sources, byName[s.Name])
	}
	for _, conf := range cfg.Tables {
		t := newTable(cfg, conf, trace, byName[conf.Source])
		t.meters = e.meters
		e.tables = append(e.tables, t)
	}
	return e
}

// writable returns the error of a request that would write, where nothing may be
// written.
func (e *engine) writable() error {
	if e.frozen == nil {
		return nil
	}
	return &httpapi.Error{
		Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "nothing can be written under " + e.cfg.Data + ": " + oneLine(e.frozen),
		Hint: "make room or repair the disk: indexerd goes on by itself",
	}
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
	return errors.Join(e.closeStored(), e.lock.Release())
}

// closeStored closes all but the lock.
func (e *engine) closeStored() error {
	e.runs.stop()
	var errs []error
	for _, t := range e.tables {
		errs = append(errs, t.close())
	}
	e.closeDatabases()
	return errors.Join(errs...)
}

func (e *engine) closeDatabases() {
	for _, s := range e.sources {
		if s.database != nil {
			s.Close()
		}
	}
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

// checkTablesWithin is checkTables, and leaves databases alone that don't answer
// in time.
func (e *engine) checkTablesWithin(ctx context.Context, within time.Duration) error {
	asking, done := context.WithTimeout(ctx, within)
	defer done()
	err := e.checkTables(asking)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// serve runs the passes, and answers, until ctx ends or the storage breaks;
// then it still answers.
func (e *engine) serve(ctx context.Context, f *front, log *slog.Logger) (err error) {
	ctx, die := context.WithCancelCause(ctx)
	defer die(nil)
	if e.started.IsZero() {
		e.started = time.Now()
	}
	if err := e.lock.Write(holder(os.Getpid(), f.base, pinOf(f.pair.Load()))); err != nil {
		if diskFault(err) {
			err = fmt.Errorf("%w: %w", errBroken, err)
		}
		return err
	}
	e.runs.logTo(log)
	f.show(e)
	go func() {
		select {
		case err := <-f.failed:
			die(err)
		case <-ctx.Done():
		}
	}()
	failures := slog.New(newRarely(log.Handler()))
	jobs, err := schedule.New(failures)
	if err != nil {
		return err
	}
	var lives sync.WaitGroup
	for _, t := range e.tables {
		t.die = die
		lives.Go(func() {
			if err := t.live(ctx, jobs, log, failures); err != nil && ctx.Err() == nil {
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
	err = errors.Join(err, stopJobs(jobs, err))
	lives.Wait() // each ends with the batch in hand
	// What was only noted becomes durable, so that verify need not wait for
	// a daemon to settle it again.
	return errors.Join(err, e.trace.Update(func(timetrace.State) {}))
}

// brokenWithin is how long a pass may take to end whose storage has failed.
const brokenWithin = 30 * time.Second

// stopJobs ends the passes. Where another engine is to have the files, it waits
// for them: none may write into what that one has open. For another configuration
// it waits however long they take; after a failure no longer than that a pass is
// taken for stuck, which is told. Where a signal ends the daemon, a pass that does
// not end in time is left: what it did is done again after a start.
func stopJobs(jobs *schedule.Scheduler, cause error) error {
	began := time.Now()
	err := jobs.Stop()
	for errors.Is(err, schedule.ErrRunning) && (errors.As(cause, new(*renewal)) || errors.Is(cause, errBroken) && time.Since(began) < brokenWithin) {
		err = jobs.Stop()
	}
	if cause == nil && errors.Is(err, schedule.ErrRunning) {
		return nil
	}
	return err
}
