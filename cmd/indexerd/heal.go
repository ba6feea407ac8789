package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"indexerd/configs"
)

// probeSize is the room that there has to be before a storage that failed is
// opened again: a batch's worth.
const probeSize = 8 << 20

// wellAfter is how long a daemon has to run before a failure counts as a new
// one.
const wellAfter = 5 * time.Minute

// live runs the engine of a daemon, and opens it anew as often as its storage
// fails: what a failed write has left in memory may differ from what is on disk,
// and can't even be searched. Opening needs no room, so searches are answered
// again at once, from what is durable; passes wait until there is room.
func (d *daemonRun) live(ctx context.Context, e *engine) error {
	var w wait
	for {
		began := time.Now()
		err := d.serve(ctx, e)
		if !errors.Is(err, errBroken) || ctx.Err() != nil {
			return errors.Join(err, e.close())
		}
		d.log.Error("indexerd stopped indexing, and answers searches", "error", oneLine(err), "do", "make room or mend the disk under "+d.cfg.Data+": it goes on by itself")
		if time.Since(began) > wellAfter {
			w = wait{}
		}
		d.front.show(nil)
		if err := e.close(); err != nil {
			d.log.Warn("indexerd closed what failed", "error", oneLine(err)) // as a crash would leave it
		}
		broken := err
		if e, err = d.reopen(ctx, &w); err != nil || e == nil {
			return err
		}
		e.blame(broken)
		d.front.show(e)
		for ctx.Err() == nil && (!w.pass(ctx) || probe(d.cfg.Data) != nil) {
		}
		d.log.Info("indexerd goes on")
	}
}

// blame has status say why no pass runs.
func (e *engine) blame(err error) {
	e.started = time.Now()
	for _, t := range e.tables {
		t.lastError = &failure{time.Now(), "storage", err}
	}
}

// serve runs one engine, and shows how its loads go.
func (d *daemonRun) serve(ctx context.Context, e *engine) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go watchLoads(watching, e.tables, d.screen, d.log)
	return e.serve(ctx, d.front, d.log)
}

// daemonRun is what stays while engines come and go.
type daemonRun struct {
	cfg    *configs.Config
	front  *front
	screen *screen
	log    *slog.Logger
}

// reopen opens the engine, however long that takes; nil: the daemon is to end.
func (d *daemonRun) reopen(ctx context.Context, w *wait) (*engine, error) {
	for ctx.Err() == nil {
		e, err := openEngine(d.cfg)
		if err == nil {
			if err = e.openDatabases(ctx); err == nil {
				return e, nil
			}
			err = errors.Join(err, e.close())
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
