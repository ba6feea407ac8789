package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/rarely"
	"indexerd/internal/base/recovered"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/front"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/runs"
	"indexerd/internal/serve/stored"
	"indexerd/internal/serve/tables"
	"indexerd/internal/state/etcd"
	"indexerd/timetrace"
)

// An Engine is a data directory in use: its lock, its marks and its tables. The
// daemon has one at a time; a command that finds no daemon opens one for as long
// as its request takes.
type Engine struct {
	holding
	cfg     *configs.Config
	trace   *timetrace.Trace
	sources []*tables.Source
	tables  []*tables.Table
	runs    *runs.Runs
	meters  *httpapi.Meters

	pageStore *stored.PageStore // of pages on other machines

	orders    chan<- order  // to open the engine again; nil where no daemon runs
	stepDowns chan struct{} // to end the term
	backups   backups
	moving    moving
	getenv    func(string) (string, bool) // for the configuration of a move
	started   time.Time                   // zero where no daemon runs
	log       *slog.Logger                // nil where no daemon runs
	frozen    error                       // why the engine is open read-only; nil: it is not
}

// newEngine returns an engine of which nothing is open yet.
func newEngine(cfg *configs.Config, trace *timetrace.Trace) *Engine {
	e := &Engine{cfg: cfg, trace: trace, runs: runs.New(), meters: httpapi.NewMeters(), stepDowns: make(chan struct{}, 1)}
	all, pages := stored.NewAll(cfg, trace)
	e.pageStore = pages
	byName := map[string]*tables.Source{}
	for _, s := range cfg.Sources {
		byName[s.Name] = tables.NewSource(cfg, s)
		e.sources = append(e.sources, byName[s.Name])
	}
	for _, s := range all {
		t := tables.New(s, byName[s.Conf.Source])
		t.Meters = e.meters
		e.tables = append(e.tables, t)
	}
	return e
}

// writable returns the error of a request that would write, where nothing may
// be written.
func (e *Engine) writable() error {
	if e.frozen == nil {
		return nil
	}
	if standby := (*leader.StandbyError)(nil); errors.As(e.frozen, &standby) {
		return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: standby.Error(), Hint: "ask the daemon that leads"}
	}
	what, do := "nothing can be written under "+e.cfg.Data, repairDisk
	if stored.IsClusters(e.frozen) {
		what, do = "nothing can be written to the index", repairCluster
	}
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: what + ": " + configs.Message(e.frozen), Hint: do + ": " + thenOn}
}

// What ends the read-only state.
const (
	repairDisk    = "make room or repair the disk"
	repairCluster = "see why the cluster does not answer or take writes"
	thenOn        = "indexing goes on without a restart"
)

// Empty reports whether no table was ever loaded.
func (e *Engine) Empty() bool { return len(e.trace.Tables()) == 0 }

// blame makes an error the last error of every table, so that status shows why no
// pass runs. That another daemon leads is no error: status names it.
func (e *Engine) blame(err error) {
	if err == nil || errors.As(err, new(*leader.StandbyError)) {
		return
	}
	for _, t := range e.tables {
		t.Blame("storage", err)
	}
}

// Close closes what is stored, and releases the data directory.
func (e *Engine) Close() error {
	return errors.Join(e.closeStored(), e.release())
}

// closeStored closes all but what is held.
func (e *Engine) closeStored() error {
	e.runs.Stop()
	var errs []error
	for _, t := range e.tables {
		errs = append(errs, t.Close())
	}
	errs = append(errs, e.pageStore.Close())
	e.closeDatabases()
	return errors.Join(errs...)
}

func (e *Engine) closeDatabases() {
	for _, s := range e.sources {
		if s.Database != nil {
			s.Close()
		}
	}
}

// OpenDatabases prepares the databases. They need not be up; an address that is
// malformed is a fault of the configuration.
func (e *Engine) OpenDatabases(ctx context.Context) (err error) {
	for _, s := range e.sources {
		if s.Database, err = e.openDatabase(ctx, s.Conf); err != nil {
			return e.cfg.Fault("sources."+s.Conf.Name+".dsn", configs.Message(err), "correct the address")
		}
	}
	return nil
}

func (e *Engine) table(name string) *tables.Table {
	for _, t := range e.tables {
		if t.Conf.Name == name {
			return t
		}
	}
	return nil
}

// checkTables asks each database that is up to describe its tables, so that a
// fault of the configuration is reported at once. A table that the database refuses is
// one only if it refuses all. A database that does not answer within describeWithin is
// asked again later.
func (e *Engine) checkTables(ctx context.Context) error {
	asking, done := context.WithTimeout(ctx, describeWithin)
	defer done()
	errs := make([]error, len(e.tables))
	var describing errgroup.Group
	describing.SetLimit(openedAtOnce)
	for i, t := range e.tables {
		describing.Go(func() error {
			defer recovered.Into(&errs[i])
			_, errs[i] = t.Describe(asking)
			return nil
		})
	}
	_ = describing.Wait() // the errors are those of the tables
	var faults, refused configs.Faults
	for _, err := range errs {
		var many configs.Faults
		var one configs.Fault
		var table database.TableFault
		switch {
		case errors.As(err, &many):
			faults = append(faults, many...)
		case errors.As(err, &one):
			faults = append(faults, one)
		case errors.As(err, &table):
			if !table.Rows {
				refused = append(refused, table.Fault)
			}
		case asking.Err() != nil:
			return ctx.Err()
		}
	}
	if faults != nil || len(refused) == len(e.tables) && refused != nil {
		return append(faults, refused...)
	}
	return nil
}

// follow runs the passes of all tables, and answers, until ctx ends or a storage
// breaks. It returns when no pass runs any more; then it still answers.
func (e *Engine) follow(ctx context.Context, f *front.Front, log *slog.Logger) error {
	ctx, die := context.WithCancelCause(ctx)
	defer die(nil)
	if err := e.lock.Write(f.Holder()); err != nil {
		if datadir.IsDiskFault(err) {
			err = fmt.Errorf("%w: %w", tables.ErrBroken, err)
		}
		return err
	}
	e.runs.LogTo(log)
	f.Show(e, e.cfg.HTTP)
	if term := e.shared.Term(); term != nil {
		go func() {
			select {
			case <-term.Lost():
				die(term.Err())
			case <-ctx.Done():
			}
		}()
	}
	go func() {
		select {
		case err := <-f.Failed:
			die(err)
		case <-ctx.Done():
		}
	}()
	failures := slog.New(rarely.New(log.Handler()))
	jobs, err := schedule.New(failures)
	if err != nil {
		return err
	}
	for _, s := range e.sources {
		s.Follow(jobs)
	}
	var lives sync.WaitGroup
	for _, t := range e.tables {
		t.Die = die
		t.Outdated = func() { e.upgrade(t.Conf.Name, log) }
		lives.Go(func() {
			if err := t.Live(ctx, jobs, log, failures); err != nil && ctx.Err() == nil {
				die(err)
			}
		})
	}
	e.continueMove()
	<-ctx.Done()
	cause := causeOf(ctx)
	hurry := time.AfterFunc(interruptAfter, e.interrupt)
	defer hurry.Stop()
	e.runs.Stop()
	err = errors.Join(cause, stopJobs(jobs, cause))
	lives.Wait() // each ends with the batch in hand
	// What was only noted becomes durable, so that verify need not wait for
	// a daemon to settle it again.
	return errors.Join(err, e.trace.Flush())
}

// interruptAfter is how long a batch that is written to other machines has at the end of
// an engine. Then its calls fail, as in a crash: a cluster that hangs delays no end.
const interruptAfter = 3 * time.Second

func (e *Engine) interrupt() {
	for _, t := range e.tables {
		t.InterruptCalls()
	}
}

// brokenWithin is how long a pass may take to end whose storage has failed.
const brokenWithin = 30 * time.Second

// stopJobs ends the passes. Before another engine opens the files no pass may
// write any more, so it waits: for another configuration however long a pass
// takes, after a failure of the storage for brokenWithin, after which a pass
// counts as stuck. At a signal a pass that does not end in time is left: what it
// did is done again after a start.
func stopJobs(jobs *schedule.Scheduler, cause error) error {
	began := time.Now()
	err := jobs.Stop()
	for errors.Is(err, schedule.ErrRunning) && (errors.As(cause, new(*renewal)) || (errors.Is(cause, tables.ErrBroken) || errors.Is(cause, etcd.ErrLost)) && time.Since(began) < brokenWithin) {
		err = jobs.Stop()
	}
	if cause == nil && errors.Is(err, schedule.ErrRunning) {
		return nil
	}
	return err
}

// openDatabase prepares a database.
func (e *Engine) openDatabase(ctx context.Context, s configs.Source) (database.Database, error) {
	if e.over != nil {
		return e.over.Database(s), nil
	}
	return database.Open(ctx, s)
}

// waitFor shows what all tables wait for.
func (e *Engine) waitFor(what string) {
	for _, t := range e.tables {
		t.WaitFor(what)
	}
}

// stored returns what is stored of the tables.
func (e *Engine) stored() []*stored.Table {
	all := make([]*stored.Table, len(e.tables))
	for i, t := range e.tables {
		all[i] = t.Table
	}
	return all
}
