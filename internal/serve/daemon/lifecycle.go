package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"indexerd/configs"
	"indexerd/internal/base/schedule"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/internal/serve/tables"
)

// errRoom ends an engine that is read-only.
var errRoom = errors.New("the disk takes writes again")

// A renewal ends an engine for the next one, which has another configuration.
type renewal struct {
	order
	cfg *configs.Config
}

func (*renewal) Error() string { return "the configuration is read again" }

// live is the state machine of the package comment: it serves one engine after
// the other, until ctx ends or none can be opened.
func (d *daemon) live(ctx context.Context, e *Engine) error {
	for {
		began := time.Now()
		cause := d.serve(ctx, e)
		if e.frozen == nil && (time.Since(began) > wellAfter || stored.IsReplaced(cause)) {
			d.pauses.Reset()
		}
		var err error
		var next *renewal
		switch {
		case ctx.Err() == nil && errors.As(cause, &next):
			e, err = d.renew(ctx, e, next)
		case ctx.Err() == nil && e.shared.IsDeposed(cause):
			e, err = d.standBy(ctx, e, cause)
		case stored.IsAnothers(cause):
			return errors.Join(cause, e.Close())
		case ctx.Err() == nil && errors.Is(cause, errMarks):
			d.close(e)
			e, err = d.openReadOnly(ctx, e, e.frozen)
		case ctx.Err() == nil && errors.Is(cause, tables.ErrBroken):
			e, err = d.freeze(ctx, e, cause)
		case ctx.Err() == nil && (errors.Is(cause, errRoom) || errors.Is(cause, errLead)):
			e, err = d.thaw(ctx, e)
		case d.isTurn(e, cause): // and a signal has come meanwhile
			return e.Close()
		default:
			return errors.Join(cause, e.Close())
		}
		if err != nil || e == nil {
			return err
		}
	}
}

// isTurn reports whether a cause ends an engine for the next one, and is no failure.
func (d *daemon) isTurn(e *Engine, cause error) bool {
	return errors.As(cause, new(*renewal)) || errors.Is(cause, errRoom) || errors.Is(cause, errLead) || errors.Is(cause, errMarks) || e.shared.IsDeposed(cause)
}

// serve runs an engine in its state until a cause ends it; nil: a signal. An order that has
// come as something else ended the engine is left for the next one.
func (d *daemon) serve(ctx context.Context, e *Engine) (cause error) {
	ctx, end := context.WithCancelCause(ctx)
	defer func() { d.leaveUnused(context.Cause(ctx), cause) }()
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	beside.Go(func() { d.takeOrders(ctx, e, end) })
	if e.shared != nil {
		beside.Go(func() { d.watchReach(ctx, e, end) })
	}
	if e.frozen != nil && e.shared != nil && e.shared.Term() == nil {
		return d.serveStandby(ctx, e)
	}
	if e.frozen != nil {
		return d.serveReadOnly(ctx, e)
	}
	if d.WatchLoads != nil {
		beside.Go(func() { d.WatchLoads(ctx, e.loads) })
	}
	return e.follow(ctx, d.front, d.Log)
}

// serveReadOnly answers until the disk takes writes again.
func (d *daemon) serveReadOnly(ctx context.Context, e *Engine) error {
	d.front.Show(e, e.cfg.HTTP)
	written := d.writeHolder(e)
	for d.wait(ctx) {
		select {
		case err := <-d.front.Failed:
			return err
		default:
		}
		if !written {
			written = d.writeHolder(e)
		}
		if datadir.Probe(d.cfg.Data, datadir.BatchSize) == nil && !d.reach.storesAway() {
			return errRoom
		}
	}
	e.runs.Stop()
	return causeOf(ctx)
}

// renew goes from either state to the same one under another configuration, or
// back to the present configuration where that can't be opened.
func (d *daemon) renew(ctx context.Context, e *Engine, r *renewal) (*Engine, error) {
	defer d.endReloading()
	var result any
	var failure error
	if r.move != nil { // no pass runs, and searches are answered until d.close
		if result, failure = d.finishMove(ctx, r.move); failure != nil {
			r.cfg = d.cfg
		}
	}
	d.close(e)
	if r.table != "" {
		if failure = e.writable(); failure == nil {
			failure = e.forget(e.trace, d.cfg.Data, r.table)
		}
		if failure != nil { // as its run says
			failure = errors.Join(failure, endReload(d.cfg.Data, r.table))
		}
	}
	next, err := d.open(ctx, e, r.cfg, e.frozen)
	if err != nil && ctx.Err() == nil {
		failure = errors.Join(failure, err)
		d.Log.Error("indexerd goes back to its last configuration", "error", configs.Message(err))
		if r.move != nil {
			failure = errors.Join(failure, r.move.Undo())
		}
		next, err = d.open(ctx, e, d.cfg, e.frozen)
	} else if err == nil {
		if r.move != nil && failure == nil {
			d.movedFrom = d.cfg.PageStore.Name()
			d.Log.Info("the pages were moved", "from", d.movedFrom, "to", r.cfg.PageStore.Name())
		}
		d.cfg = r.cfg
		if d.UseLog != nil {
			d.UseLog(d.cfg.Log)
		}
		d.Log.Info("indexerd read its configuration again", "file", d.cfg.File)
	}
	if r.job != nil {
		r.job.End(result, false, failure)
	}
	if ctx.Err() != nil {
		err = nil // signalled
	}
	if next == nil {
		return nil, errors.Join(err, e.release())
	}
	d.front.Show(next, next.cfg.HTTP)
	return next, nil
}

// freeze goes from following to read-only. A storage that can't be closed ends
// the daemon, so that the service manager starts it again.
func (d *daemon) freeze(ctx context.Context, e *Engine, broken error) (*Engine, error) {
	d.logFrozen(broken)
	err := errors.Join(broken, d.close(e))
	if isStuck(err) {
		return nil, errors.Join(err, e.release())
	}
	return d.openReadOnly(ctx, e, broken)
}

// isStuck reports whether an engine can't be followed by another one in this process.
func isStuck(err error) bool {
	return errors.Is(err, fulltext.ErrStuck) || errors.Is(err, schedule.ErrRunning)
}

// thaw goes from read-only to following; read-only again where that fails.
func (d *daemon) thaw(ctx context.Context, e *Engine) (*Engine, error) {
	d.close(e)
	next, err := d.open(ctx, e, d.cfg, nil)
	switch {
	case err == nil:
		d.Log.Info("indexerd indexes again")
		d.logTerm(next)
		return next, nil
	case e.shared.IsDeposed(err):
		return d.standBy(ctx, e, err)
	case database.IsFault(err), stored.IsAnothers(err):
		return nil, errors.Join(err, e.release())
	}
	d.Log.Error("indexerd can't open what is stored to write", "error", configs.Message(err))
	return d.openReadOnly(ctx, e, err)
}

// openReadOnly opens an engine read-only after one that is closed, however long
// that takes. It returns nil where the daemon is to end: at a signal, or where
// what is stored does not fit the configuration.
func (d *daemon) openReadOnly(ctx context.Context, closed *Engine, broken error) (*Engine, error) {
	for ctx.Err() == nil {
		e, err := d.open(ctx, closed, d.cfg, broken)
		if err == nil {
			return e, nil
		}
		if database.IsFault(err) || stored.IsAnothers(err) {
			return nil, errors.Join(err, closed.release())
		}
		d.Log.Error("indexerd can't open what is stored", "error", configs.Message(err))
		d.wait(ctx)
	}
	return nil, closed.release()
}

// close has requests wait and closes all of an engine but its lock. What can't
// be closed well is as a crash would leave it.
func (d *daemon) close(e *Engine) error {
	e.waitFor(stored.WaitEnd)
	d.front.Hold(e)
	err := e.closeStored()
	if err != nil {
		d.Log.Warn("indexerd closed what is stored", "error", configs.Message(err))
	}
	return err
}

// open opens an engine after one that is closed, and gives it what the daemon
// keeps. It opens read-only if frozen is not nil: the reason. Status has the new engine as
// soon as its marks are known. After an error it has the one that was opened last.
func (d *daemon) open(ctx context.Context, closed *Engine, cfg *configs.Config, frozen error) (*Engine, error) {
	shown := closed
	e, err := openShown(cfg, closed.holding, frozen, stages{
		waits: closed.waitFor,
		made: func(e *Engine) error {
			if err := d.handOver(ctx, closed, e); err != nil {
				return err
			}
			e.blame(frozen)
			d.front.Opens(e)
			shown = e
			return nil
		},
	})
	if err != nil {
		shown.waitFor(stored.WaitAgain)
		shown.blame(err)
		return nil, err
	}
	for _, t := range closed.tables {
		if e.table(t.Conf.Name) == nil {
			e.meters.Drop(t.Conf.Name)
		}
	}
	return e, nil
}

// handOver gives an engine that is being opened what the daemon keeps from the one before, and
// its databases.
func (d *daemon) handOver(ctx context.Context, from, to *Engine) error {
	to.runs, to.started, to.orders, to.meters, to.log, to.getenv = from.runs.Next(), from.started, d.orders, from.meters, d.Log, d.Getenv
	for _, t := range to.tables {
		t.Meters = to.meters
	}
	return to.OpenDatabases(ctx)
}

// wellAfter is how long a daemon has to follow before a failure counts as a new
// one. That an index was replaced always does.
const wellAfter = 5 * time.Minute

// newPauses returns the pauses between two attempts to open what failed.
func newPauses() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, MaxInterval: time.Minute}
}

// wait pauses, longer each time, and reports whether ctx goes on.
func (d *daemon) wait(ctx context.Context) bool {
	select {
	case <-time.After(d.pauses.NextBackOff()):
		return true
	case <-ctx.Done():
		return false
	}
}

// causeOf returns why ctx ended; nil: a signal.
func causeOf(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (d *daemon) logFrozen(broken error) {
	if errors.As(broken, new(*leader.StandbyError)) {
		d.Log.Info("indexerd stands by, and answers searches", "why", configs.Message(broken))
		return
	}
	do := repairDisk + " under " + d.cfg.Data
	if stored.IsClusters(broken) {
		do = repairCluster
	}
	d.Log.Error("indexerd stopped indexing, and answers searches", "error", configs.Message(broken), "do", do+": "+thenOn)
}

// writeHolder writes into the lock file where the daemon answers, and reports
// whether there was room for that.
func (d *daemon) writeHolder(e *Engine) bool {
	err := e.lock.Write(d.front.Holder())
	if err != nil {
		d.Log.Warn("commands can't find the daemon yet", "error", configs.Message(err))
	}
	return err == nil
}
