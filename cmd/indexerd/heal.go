package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"indexerd/configs"
	"indexerd/internal/fulltext"
	"indexerd/internal/schedule"
	"indexerd/store"
)

// The room that there has to be before a storage is opened to write: at a start
// some for what opening writes, and after a failure a batch's worth.
const (
	startSize = 256 << 10
	batchSize = 8 << 20
)

// probeName is the file of a probe in the data directory, for the moment between
// making and removing its name.
const probeName = "probe.tmp"

// wellAfter is how long a daemon has to run before a failure counts as a new
// one.
const wellAfter = 5 * time.Minute

// live runs the engine of a daemon, and opens it again as often as its storage
// fails: what a failed write has left in memory may differ from what is on disk.
// While the disk takes no writes the engine is open read-only: searches are
// answered from what is durable, and no pass runs.
func (d *daemonRun) live(ctx context.Context, e *engine) error {
	var w wait
	for {
		began := time.Now()
		err := d.serve(ctx, e, &w)
		if e.frozen == nil && time.Since(began) > wellAfter {
			w = wait{}
		}
		var next *renewal
		switch {
		case ctx.Err() == nil && errors.As(err, &next):
			e, err = d.renew(ctx, e, next)
		case ctx.Err() == nil && errors.Is(err, errRoom):
			e, err = d.thaw(ctx, e, &w)
		case ctx.Err() == nil && errors.Is(err, errBroken):
			e, err = d.heal(ctx, e, &w, err)
		default:
			return errors.Join(err, e.close())
		}
		if err != nil || e == nil {
			return err
		}
	}
}

// openToRun opens the engine of a daemon that starts: read-only where the disk
// takes no writes.
func openToRun(cfg *configs.Config) (*engine, error) {
	lock, err := lockToWrite(cfg)
	if err != nil {
		return nil, err
	}
	var e *engine
	if err = probe(cfg.Data, startSize); err == nil {
		e, err = openLocked(cfg, lock, nil)
	}
	if err != nil && diskFault(err) {
		e, err = openFrozen(cfg, lock, err)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return e, nil
}

// openFrozen opens the engine read-only, and has status say why.
func openFrozen(cfg *configs.Config, lock *store.FileLock, fault error) (*engine, error) {
	e, err := openLocked(cfg, lock, fault)
	if err != nil {
		return nil, errors.Join(fault, err)
	}
	e.blame(fault)
	return e, nil
}

// diskFault reports whether an error means that a disk takes no writes, for want
// of room or worse.
func diskFault(err error) bool {
	for _, fault := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}

// heal opens read-only what broke; nil: the daemon is to end.
func (d *daemonRun) heal(ctx context.Context, e *engine, w *wait, broken error) (*engine, error) {
	d.sayFrozen(broken)
	d.front.hold()
	err := e.closeStored()
	switch stuck := errors.Join(broken, err); {
	case errors.Is(stuck, fulltext.ErrStuck), errors.Is(stuck, schedule.ErrRunning):
		return nil, errors.Join(stuck, e.lock.Release()) // whoever runs the daemon starts it again
	case err != nil:
		d.log.Warn("indexerd closed what failed", "error", oneLine(err)) // as a crash would leave it
	}
	return d.freeze(ctx, e, w, broken)
}

func (d *daemonRun) sayFrozen(broken error) {
	d.log.Error("indexerd stopped indexing, and answers searches", "error", oneLine(broken), "do", "make room or repair the disk under "+d.cfg.Data+": it goes on by itself")
}

// freeze opens an engine that is closed read-only, however long that takes; nil:
// the daemon is to end.
func (d *daemonRun) freeze(ctx context.Context, closed *engine, w *wait, broken error) (*engine, error) {
	for ctx.Err() == nil {
		e, err := d.openNext(ctx, closed, d.cfg, broken)
		if err == nil {
			return e, nil
		}
		if exitCode(err) == exitBad { // what is stored and what is configured have parted: that takes a person
			return nil, errors.Join(err, closed.lock.Release())
		}
		d.log.Error("indexerd can't open what is stored", "error", oneLine(err))
		w.pass(ctx)
	}
	return nil, closed.lock.Release()
}

// thaw opens an engine that was read-only to write; nil: the daemon is to end.
func (d *daemonRun) thaw(ctx context.Context, e *engine, w *wait) (*engine, error) {
	d.front.hold()
	if err := e.closeStored(); err != nil {
		d.log.Warn("indexerd closed what is stored", "error", oneLine(err))
	}
	next, err := d.openNext(ctx, e, d.cfg, nil)
	switch {
	case err == nil:
		d.log.Info("indexerd goes on")
		return next, nil
	case exitCode(err) == exitBad:
		return nil, errors.Join(err, e.lock.Release())
	}
	d.log.Error("indexerd can't open what is stored to write", "error", oneLine(err))
	return d.freeze(ctx, e, w, err)
}

// blame has status say why no pass runs.
func (e *engine) blame(err error) {
	for _, t := range e.tables {
		t.lastError = &failure{time.Now(), "storage", err}
	}
}

// errRoom ends an engine that is open read-only: the disk takes writes again.
var errRoom = errors.New("there is room again")

// serve runs one engine, shows how its loads go, and takes orders for the next
// one.
func (d *daemonRun) serve(ctx context.Context, e *engine, w *wait) error {
	ctx, end := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	beside.Go(func() { d.takeOrders(ctx, e, end) })
	if e.frozen != nil {
		return d.serveFrozen(ctx, e, w)
	}
	beside.Go(func() { watchLoads(ctx, e.tables, d.screen, d.log) })
	return e.serve(ctx, d.front, d.log)
}

// serveFrozen answers until the disk takes writes again.
func (d *daemonRun) serveFrozen(ctx context.Context, e *engine, w *wait) error {
	d.front.show(e)
	written := d.writeHolder(e)
	for w.pass(ctx) {
		select {
		case err := <-d.front.failed:
			return err
		default:
		}
		if !written {
			written = d.writeHolder(e)
		}
		if probe(d.cfg.Data, batchSize) == nil {
			return errRoom
		}
	}
	e.runs.stop()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // signalled
}

// writeHolder writes into the lock file where the daemon answers, and reports
// whether there was room for that.
func (d *daemonRun) writeHolder(e *engine) bool {
	err := e.lock.Write(holder(os.Getpid(), d.front.base, pinOf(d.front.pair.Load())))
	if err != nil {
		d.log.Warn("indexerd can't be found by its own commands yet", "error", oneLine(err))
	}
	return err == nil
}

// probe writes and syncs so many bytes into a file that no name leads to once it
// is open: a crash leaves nothing of it.
func probe(dir string, size int) (err error) {
	name := filepath.Join(dir, probeName)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := os.Remove(name); err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	if _, err := f.Write(make([]byte, size)); err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	return f.Sync()
}
