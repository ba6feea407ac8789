package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"indexerd/configs"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/runs"
)

// maxOrders is how many orders wait while one is carried out.
const maxOrders = 16

// An order is to read the configuration file again and to open the next engine
// with it: at SIGHUP, or to reload a table, which is forgotten in between.
type order struct {
	ctx   context.Context // cancelled where the caller has cancelled its run; nil at SIGHUP
	table string          // to be forgotten
	job   *runs.Job       // that the caller follows; nil at SIGHUP
	move  *moves.Live     // to be finished; nil: none
}

// takeOrders waits for an order that can be carried out, and ends the engine for
// it. A fault of a configuration is found before anything is closed: then the
// engine goes on as it was.
func (d *daemon) takeOrders(ctx context.Context, e *Engine, end context.CancelCauseFunc) {
	for {
		var o order
		select {
		case <-ctx.Done():
			return
		case <-d.Hangups:
		case o = <-d.orders:
		}
		d.reloading.Store(true)
		d.notifyManager(systemd.SdNotifyReloading + "\n" + systemd.SdNotifyMonotonicUsec() + "STATUS=reading the configuration")
		cfg, err := d.consider(ctx, e, o)
		if err == nil {
			err = d.settleRuns(ctx, e, o)
		}
		if err == nil {
			next := &renewal{o, cfg}
			if end(next); context.Cause(ctx) == error(next) {
				return
			}
		}
		if ctx.Err() != nil { // something else has ended the engine
			d.leave(o)
			return
		}
		d.refuse(o, err)
		if o.move != nil {
			e.continueMove() // of an engine before
		}
	}
}

// leaveUnused leaves the order that has ended an engine, if the engine had ended before for
// another cause, such as a storage that broke.
func (d *daemon) leaveUnused(ended, cause error) {
	if next := (*renewal)(nil); errors.As(ended, &next) && !errors.As(cause, new(*renewal)) {
		d.leave(next.order)
	}
}

// leave leaves an order to the next engine, or to the next start if there is none.
func (d *daemon) leave(o order) {
	select {
	case d.orders <- o:
	default:
		d.refuse(o, errors.New("too many tables wait to be reloaded"))
	}
}

// consider reads the configuration and checks all of it that can be checked while
// the old one serves. Tokens and certificate of a file without faults take effect
// at once, before databases and runs are waited for: a removed token is invalid
// from then on.
func (d *daemon) consider(ctx context.Context, e *Engine, o order) (*configs.Config, error) {
	if o.ctx != nil && o.ctx.Err() != nil {
		return nil, o.ctx.Err()
	}
	if o.move != nil {
		return o.move.Next(d.cfg, e.trace)
	}
	cfg, err := configs.Load(d.cfg.File, d.Getenv)
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
		if marks, ok := e.trace.Table(t.Conf.Name); ok && t.Conf.Name != o.table {
			faults = append(faults, t.CheckMarks(marks))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	defer next.closeDatabases()
	if err := next.OpenDatabases(ctx); err != nil {
		return nil, err
	}
	return cfg, next.checkTables(ctx)
}

// admit applies the http section of a configuration. The rest is applied later, or
// rejected.
func (d *daemon) admit(h configs.HTTP) {
	cfg := *d.cfg
	cfg.HTTP = h
	d.cfg = &cfg
	d.front.Admit(h)
}

// keepPlace keeps the data directory and the address, which only a restart
// changes, and the store that pages were moved to since the start.
func (d *daemon) keepPlace(cfg *configs.Config) {
	var kept []string
	before, after := d.cfg.HTTP, cfg.HTTP
	if before.Listen != after.Listen || d.cfg.OpenSearch != cfg.OpenSearch || (before.TLS.Pair == nil) != (after.TLS.Pair == nil) {
		// Tokens and TLS stay with their addresses: another address may be open to all
		// without them.
		kept = append(kept, "http.tokens, http.tls")
		cfg.HTTP = before
		cfg.HTTP.Listen = after.Listen
	}
	for _, place := range []struct {
		key     string
		is, new *string
	}{{"data", &d.cfg.Data, &cfg.Data}, {"http.listen", &d.cfg.HTTP.Listen, &cfg.HTTP.Listen}, {"opensearch_api.listen", &d.cfg.OpenSearch, &cfg.OpenSearch}} {
		if *place.is != *place.new {
			kept = append(kept, place.key+" "+cmp.Or(*place.is, "off"))
			*place.new = *place.is
		}
	}
	if d.movedFrom != "" && d.movedFrom == cfg.PageStore.Name() {
		kept = append(kept, "pages "+d.cfg.PageStore.Name())
		cfg.PageStore, cfg.Bloom = d.cfg.PageStore, d.cfg.Bloom
	}
	if !reflect.DeepEqual(d.cfg.Marks, cfg.Marks) {
		kept = append(kept, "marks")
		cfg.Marks = d.cfg.Marks
	}
	if kept != nil {
		d.Log.Warn("indexerd keeps what only a restart changes", "keeps", strings.Join(kept, ", "), "do", "restart it for the new one")
	}
}

// settleRuns waits for the runs that callers began, such as a reindex or a
// verify. It ends the backup, which takes as long as its client reads, and the
// copy of a move, which the next engine continues. No run and no backup can begin any
// more.
func (d *daemon) settleRuns(ctx context.Context, e *Engine, o order) error {
	e.runs.End()
	e.moving.endBut(o.move)
	if e.runs.Busy() {
		d.Log.Info("indexerd takes the new configuration when the runs that were asked for have ended")
	}
	e.runs.Drain(ctx)
	e.backups.end(ctx, errRenewed)
	return ctx.Err()
}

// refuse logs why the configuration stays as it is: a line for each fault.
func (d *daemon) refuse(o order, err error) {
	for line := range strings.Lines(err.Error()) {
		d.Log.Error("indexerd keeps its configuration", "error", strings.TrimSuffix(line, "\n"))
	}
	if o.move != nil {
		err = errors.Join(err, o.move.Close())
		if !errors.Is(err, moves.ErrCut) {
			err = errors.Join(err, endMove(d.cfg.Data))
		}
	}
	if o.table != "" {
		err = errors.Join(err, endReload(d.cfg.Data, o.table))
	}
	if o.job != nil {
		o.job.End(nil, false, err)
	}
	d.endReloading()
}

// endReloading reports to the service manager that a reload has ended.
func (d *daemon) endReloading() {
	d.reloading.Store(false)
	d.notifyManager(systemd.SdNotifyReady)
}

// notifyManager sends a message to the service manager, if there is one.
func (d *daemon) notifyManager(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		d.Log.Warn("indexerd can't reach the service manager", "error", err)
	}
}
