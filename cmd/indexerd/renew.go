package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"indexerd/configs"
)

// maxOrders is how many orders wait while one is carried out.
const maxOrders = 16

// An order is to read the configuration file anew and to open the engine with
// it: at SIGHUP, or to reload a table, which is forgotten in between.
type order struct {
	ctx   context.Context // cancelled where nobody wants it any more; nil at SIGHUP
	table string          // to be forgotten
	run   *errand         // that who ordered follows
}

// A renewal ends an engine for the next one, which has another configuration.
type renewal struct {
	order
	cfg *configs.Config
}

func (*renewal) Error() string { return "the configuration is read anew" }

// takeOrders waits for an order that can be carried out and ends the engine for
// it. What is wrong with a configuration is found before anything is closed:
// then the engine goes on as it was.
func (d *daemonRun) takeOrders(ctx context.Context, e *engine, end context.CancelCauseFunc) {
	for {
		var o order
		select {
		case <-ctx.Done():
			return
		case <-d.hangups:
		case o = <-d.orders:
		}
		d.reloading.Store(true)
		d.tellManager(systemd.SdNotifyReloading + "\n" + systemd.SdNotifyMonotonicUsec() + "STATUS=reading the configuration")
		cfg, err := d.consider(ctx, e, o)
		if err == nil {
			err = d.settleRuns(ctx, e)
		}
		if err == nil {
			end(&renewal{o, cfg})
			return
		}
		if ctx.Err() != nil {
			select {
			case d.orders <- o: // for the next engine, if there is one
			default:
				d.refuse(o, errors.New("too many tables wait to be reloaded"))
			}
			return
		}
		d.refuse(o, err)
	}
}

// consider reads the configuration and asks everything of it that can be asked
// while the old one serves. Tokens and certificate of a file without faults take
// effect at once, whatever the databases say and however long runs take: a token
// that was removed is no longer valid.
func (d *daemonRun) consider(ctx context.Context, e *engine, o order) (*configs.Config, error) {
	if o.ctx != nil && o.ctx.Err() != nil {
		return nil, o.ctx.Err()
	}
	cfg, err := configs.Load(d.cfg.File, d.getenv)
	if err != nil {
		return nil, err
	}
	d.keepPlace(cfg)
	d.admit(cfg.HTTP)
	next := newEngine(cfg, e.trace)
	if o.table != "" && next.table(o.table) == nil {
		return nil, fmt.Errorf("%s has no table %s", cfg.File, o.table)
	}
	var faults []error
	for _, t := range next.tables {
		if marks, ok := e.trace.Table(t.conf.Name); ok && t.conf.Name != o.table {
			faults = append(faults, t.checkMarks(marks))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	defer next.closeDatabases()
	if err := next.openDatabases(ctx); err != nil {
		return nil, err
	}
	return cfg, next.checkTablesWithin(ctx, describeWithin)
}

// admit takes the http section of a configuration whose rest may follow.
func (d *daemonRun) admit(h configs.HTTP) {
	cfg := *d.cfg
	cfg.HTTP = h
	d.cfg = &cfg
	d.front.admit(h)
}

// keepPlace leaves data and address as they are: files and sockets that are in
// use don't move.
func (d *daemonRun) keepPlace(cfg *configs.Config) {
	var kept []string
	before, after := d.cfg.HTTP, cfg.HTTP
	if before.Listen != after.Listen || (before.TLS.Pair == nil) != (after.TLS.Pair == nil) {
		// They go with their address: without tokens another one may be open to all.
		kept = append(kept, "http.tokens, http.tls")
		cfg.HTTP = before
		cfg.HTTP.Listen = after.Listen
	}
	for _, place := range []struct {
		key     string
		is, new *string
	}{{"data", &d.cfg.Data, &cfg.Data}, {"http.listen", &d.cfg.HTTP.Listen, &cfg.HTTP.Listen}} {
		if *place.is != *place.new {
			kept = append(kept, place.key+" "+*place.is)
			*place.new = *place.is
		}
	}
	if kept != nil {
		d.log.Warn("indexerd keeps what only a restart changes", "keeps", strings.Join(kept, ", "), "do", "restart it for the new one")
	}
}

// settleRuns waits for what people asked for: a reindex, a verify. A backup is
// ended: it takes as long as its client reads. None can begin any more.
func (d *daemonRun) settleRuns(ctx context.Context, e *engine) error {
	e.runs.end()
	if e.runs.busy() {
		d.log.Info("indexerd takes the new configuration when the runs that were asked for have ended")
	}
	e.runs.drain(ctx)
	e.backing.end(ctx, errRenewed)
	return ctx.Err()
}

// refuse says why all stays as it is: a line for each fault.
func (d *daemonRun) refuse(o order, err error) {
	for line := range strings.Lines(err.Error()) {
		d.log.Error("indexerd keeps its configuration", "error", strings.TrimSuffix(line, "\n"))
	}
	if o.run != nil {
		o.run.end(nil, false, err)
	}
	d.reloaded()
}

// renew opens the engine with another configuration. Requests wait meanwhile;
// the lock stays with this process.
func (d *daemonRun) renew(ctx context.Context, e *engine, r *renewal) (*engine, error) {
	d.front.hold()
	defer d.reloaded()
	if err := e.closeStored(); err != nil {
		d.log.Warn("indexerd closed what is stored", "error", oneLine(err)) // as a crash would leave it
	}
	var failure error
	if r.table != "" {
		if failure = e.writable(); failure == nil {
			failure = forget(e.trace, d.cfg.Data, r.table)
		}
	}
	next, err := d.openNext(ctx, e, r.cfg, e.frozen)
	if err != nil && ctx.Err() == nil {
		failure = errors.Join(failure, err)
		d.log.Error("indexerd goes back to the configuration that it had", "error", oneLine(err))
		next, err = d.openNext(ctx, e, d.cfg, e.frozen)
	} else if err == nil {
		d.cfg = r.cfg
		d.sink.use(d.screen, d.cfg.Log)
		d.log.Info("indexerd took its configuration anew", "file", d.cfg.File)
	}
	if r.run != nil {
		r.run.end(nil, false, failure)
	}
	if ctx.Err() != nil {
		err = nil // signalled
	}
	if next == nil {
		return nil, errors.Join(err, e.lock.Release())
	}
	d.front.show(next)
	return next, nil
}

// openNext opens an engine after one that is closed; read-only if frozen says
// why.
func (d *daemonRun) openNext(ctx context.Context, e *engine, cfg *configs.Config, frozen error) (*engine, error) {
	next, err := openLocked(cfg, e.lock, frozen)
	if err != nil {
		return nil, err
	}
	if frozen != nil {
		next.blame(frozen)
	}
	d.inherit(next, e)
	if err := next.openDatabases(ctx); err != nil {
		return nil, errors.Join(err, next.closeStored())
	}
	return next, nil
}

// inherit gives an engine what the daemon keeps while engines come and go.
func (d *daemonRun) inherit(next, e *engine) {
	next.runs, next.started, next.orders, next.meters, next.log = e.runs.next(), e.started, d.orders, e.meters, d.log
	for _, t := range next.tables {
		t.meters = e.meters
	}
	for _, t := range e.tables {
		if next.table(t.conf.Name) == nil {
			e.meters.Drop(t.conf.Name)
		}
	}
}

// reloaded tells the service manager that all is as it will stay.
func (d *daemonRun) reloaded() {
	d.reloading.Store(false)
	d.tellManager(systemd.SdNotifyReady)
}

// tellManager tells a service manager, if there is one.
func (d *daemonRun) tellManager(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		d.log.Warn("indexerd can't reach the service manager", "error", err)
	}
}

// daemonRun is what stays while engines come and go.
type daemonRun struct {
	cfg     *configs.Config
	getenv  func(string) (string, bool)
	front   *front
	screen  *screen
	log     *slog.Logger // writes to
	sink    *logSink
	hangups <-chan os.Signal // nil where none is listened for
	orders  chan order
	// reloading keeps the regular READY from ending early what the service
	// manager was told.
	reloading atomic.Bool
}
