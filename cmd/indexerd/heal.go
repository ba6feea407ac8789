package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/fulltext"
	"indexerd/internal/schedule"
)

// probeSize is the room that there has to be before a storage that failed is
// opened again: a batch's worth.
const probeSize = 8 << 20

// wellAfter is how long a daemon has to run before a failure counts as a new
// one.
const wellAfter = 5 * time.Minute

// live runs the engine of a daemon, and opens it anew as often as its storage
// fails: what a failed write has left in memory may differ from what is on disk,
// and can't even be searched. Opening needs no room, so searches wait a moment and
// are answered again, from what is durable; passes wait until there is room.
func (d *daemonRun) live(ctx context.Context, e *engine) error {
	var w wait
	for {
		began := time.Now()
		err := d.serve(ctx, e)
		if time.Since(began) > wellAfter {
			w = wait{}
		}
		var next *renewal
		switch {
		case ctx.Err() == nil && errors.As(err, &next):
			e, err = d.renew(ctx, e, next)
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

// heal opens anew what broke; nil: the daemon is to end.
func (d *daemonRun) heal(ctx context.Context, e *engine, w *wait, broken error) (*engine, error) {
	d.log.Error("indexerd stopped indexing, and answers searches", "error", oneLine(broken), "do", "make room or mend the disk under "+d.cfg.Data+": it goes on by itself")
	d.front.hold()
	err := e.closeStored()
	switch stuck := errors.Join(broken, err); {
	case errors.Is(stuck, fulltext.ErrStuck), errors.Is(stuck, schedule.ErrRunning):
		return nil, errors.Join(stuck, e.lock.Release()) // whoever runs the daemon starts it again
	case err != nil:
		d.log.Warn("indexerd closed what failed", "error", oneLine(err)) // as a crash would leave it
	}
	next, err := d.reopen(ctx, e, w)
	if err != nil || next == nil {
		return nil, errors.Join(err, e.lock.Release())
	}
	next.blame(broken)
	d.front.show(next)
	for ctx.Err() == nil && (!w.pass(ctx) || probe(d.cfg.Data) != nil) {
	}
	d.log.Info("indexerd goes on")
	return next, nil
}

// blame has status say why no pass runs.
func (e *engine) blame(err error) {
	for _, t := range e.tables {
		t.lastError = &failure{time.Now(), "storage", err}
	}
}

// serve runs one engine, shows how its loads go, and takes orders for the next
// one.
func (d *daemonRun) serve(ctx context.Context, e *engine) error {
	ctx, end := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	beside.Go(func() { watchLoads(ctx, e.tables, d.screen, d.log) })
	beside.Go(func() { d.takeOrders(ctx, e, end) })
	return e.serve(ctx, d.front, d.log)
}

// reopen opens the engine, however long that takes; nil: the daemon is to end.
func (d *daemonRun) reopen(ctx context.Context, broken *engine, w *wait) (*engine, error) {
	for ctx.Err() == nil {
		e, err := d.openNext(ctx, broken, d.cfg)
		if err == nil {
			return e, nil
		}
		if exitCode(err) == exitBad {
			return nil, err // what is stored and what is configured have parted: that takes a person
		}
		d.log.Error("indexerd can't open what is stored", "error", oneLine(err))
		w.pass(ctx)
	}
	return nil, nil
}

// probe writes and syncs as much as a batch takes.
func probe(dir string) (err error) {
	name := filepath.Join(dir, "probe.tmp")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(name)) }()
	if _, err := f.Write(make([]byte, probeSize)); err != nil {
		return errors.Join(fmt.Errorf("probe the disk: %w", err), f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}
