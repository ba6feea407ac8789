// Package daemon keeps full-text indexes equal to tables of databases: it opens
// what is stored, runs the passes of every table, and answers over HTTP.
//
// # Life of a daemon
//
// A daemon has one Engine at a time: the data directory in use, under one
// configuration. It opens the next engine when the present one ends. Requests
// wait meanwhile; the lock on the data directory is never given up.
//
//	               SIGHUP, reload
//	               ┌───────────┐
//	               ▼           │
//	start ──▶  FOLLOWING ──▶ reopen
//	  │         │    ▲
//	  │ storage │    │ the disk
//	  │ failed  │    │ takes writes
//	  │         ▼    │
//	  └─────▶ READ-ONLY ◀──▶ reopen
//	 disk fault          SIGHUP, reload
//
//	any state: signal ──▶ STOPPED
//
// Where daemons share marks in etcd, READ-ONLY is also the state of a standby, which
// waits for an election in place of the disk: standby.go.
//
// FOLLOWING: all passes run; searches are answered. READ-ONLY: no pass runs,
// nothing is written, searches are answered from what is durable. A daemon whose
// storage fails closes it, since memory and disk may differ, and opens what the
// disk has. lifecycle.go is this machine.
//
// # Life of a table
//
// reach (the database describes the SQLs), load (once), follow (incremental,
// compensation and sweep on their schedules). A fault is retried with growing
// pauses for as long as the daemon lives. Package tables has this life, and package
// stored what is stored of a table.
//
// # What it guarantees
//
// Marks never lead data: index, page, tree, timeTrace are written in this order.
// A panic or a fault of one table's pass is a failure of this pass alone. A
// configuration with a fault is refused while the old one goes on.
package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/front"
)

// Options are what a daemon has of its process.
type Options struct {
	Getenv  func(string) (string, bool) // for configurations that are read again
	Hangups <-chan os.Signal            // each has the configuration read again; nil: none come
	Log     *slog.Logger
	// UseLog, if not nil, has Log write as another configuration wants it.
	UseLog func(configs.Log)
	// WatchLoads, if not nil, shows how loads go, until ctx ends or all tables
	// are loaded.
	WatchLoads func(ctx context.Context, loads func() []Load)
	// Serving, if not nil, is called with the address once it answers there.
	Serving func(address string)
}

// A Load is a table's initial load at one moment.
type Load struct {
	Table  string
	Loaded bool
	progress.Reading
}

// A daemon is what stays while engines come and go.
type daemon struct {
	Options
	cfg    *configs.Config
	front  *front.Front
	orders chan order
	pauses *backoff.ExponentialBackOff // between attempts to open what failed
	reach  reach
	// movedFrom names the store that had the pages before the last move; "": none
	movedFrom string
	// reloading keeps the regular READY from ending a reload early, which the
	// service manager was notified of.
	reloading atomic.Bool
}

// Run runs a daemon on the data directory of a configuration until ctx ends. It
// fails with an *OwnerError where the directory belongs to another user, with
// faults of the configuration where it has any that can be found at once, and
// where the storage fails for good.
func Run(ctx context.Context, cfg *configs.Config, o Options) error {
	if err := datadir.Make(cfg); err != nil {
		return err
	}
	if err := datadir.CheckOwner(cfg); err != nil {
		return err
	}
	e, err := openToRun(ctx, cfg, o.Log, connectShared)
	if err != nil {
		return err
	}
	l, err := e.listen(ctx)
	if err != nil || l == nil {
		return errors.Join(err, e.Close())
	}
	d := &daemon{Options: o, cfg: cfg, orders: make(chan order, maxOrders), pauses: newPauses()}
	d.front = front.New(front.LimitConnections(cfg, l, o.Log), cfg.HTTP, o.Log)
	o.Log.Info("indexerd serves", "url", d.front.Base, "data", cfg.Data)
	if d.front.OpenSearch != "" {
		o.Log.Info("indexerd serves the OpenSearch API", "url", front.URL(d.front.OpenSearch, cfg.HTTP.TLS.Pair != nil))
	}
	front.WarnOpen(cfg, o.Log)
	if o.Serving != nil {
		o.Serving(l.Addr().String())
	}
	e.started, e.orders, e.log, e.getenv = time.Now(), d.orders, o.Log, o.Getenv
	if e.frozen != nil {
		d.logFrozen(e.frozen)
	} else {
		d.logTerm(e)
	}
	d.front.Show(e, cfg.HTTP)
	var notifying sync.WaitGroup
	notifying.Go(func() { notifySystemd(ctx, d.front, d.front.Address, d.front.Own, &d.reloading, o.Log) })
	err = errors.Join(d.live(ctx, e), d.front.Close())
	notifying.Wait()
	o.Log.Info("indexerd stopped")
	return err
}

// describeWithin is how long a start waits for the databases to describe the
// tables. A database that is down then is tried again while running.
const describeWithin = 10 * time.Second

// listen checks the configuration against the databases that are up, and takes
// the address. It returns nil where ctx has ended.
func (e *Engine) listen(ctx context.Context) (net.Listener, error) {
	if err := e.OpenDatabases(ctx); err != nil {
		return nil, err
	}
	if err := e.checkTables(ctx); ctx.Err() != nil {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return front.Bind(e.cfg)
}

// loads returns how far the initial load of each table has come.
func (e *Engine) loads() []Load {
	all := make([]Load, len(e.tables))
	for i, t := range e.tables {
		marks, _ := e.trace.Table(t.Conf.Name)
		all[i] = Load{t.Conf.Name, marks.Loaded, t.Progress.Reading()}
	}
	return all
}
