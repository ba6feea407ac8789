// Package tables follows one table of a database: it has the SQLs described, loads the
// table once, and runs its passes on their schedules (incremental, compensation,
// sweep), its reindex and its verify, and says how far it has come. One pass at a time
// holds the table's lane. A panic or a fault of one pass is a failure of this pass
// alone; a storage that failed ends the engine.
package tables

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/runs"
	"indexerd/internal/serve/stored"
	"indexerd/internal/sync/passes"
)

// A Table is one configured table: what is stored of it, its rows in the
// database, and its passes.
type Table struct {
	*stored.Table
	Source   *Source
	lane     *schedule.Lane
	log      *slog.Logger
	Die      func(error) // ends the engine
	Outdated func()      // has the index rebuilt that was built with an earlier analysis; set before Live
	Meters   *httpapi.Meters

	Progress   progress.Meter
	sweeping   chan struct{}            // held by the sweep that runs; guards lossHeld
	lossHeld   time.Time                // when the guard held the loss of a new index; zero: it did not
	describing chan struct{}            // held while the database describes the SQLs
	alive      atomic.Bool              // in a running daemon
	removals   removals                 // used by its job alone
	beforeLoad *doc.Hint                // of the load of this process; nil: none
	Comparing  atomic.Pointer[runs.Job] // the run of a caller that waits for a comparison; nil: none
	scrubs     scrubs

	mu          sync.Mutex     // guards what follows
	rows        database.Rows  // as the database described them; nil: no description holds
	passes      *passes.Passes // of these rows
	jobs        []scheduledPass
	units       map[string]string // of updateTimes, by the path of their SQL, as they are kept
	unitsUnkept bool              // the marks are of a version that kept no units
	reindexing  bool
	rebuilt     atomic.Pointer[rebuilt] // nil: no reindex has written a document
	window      doc.Window              // that incremental read last
	windowAt    time.Time               // this machine's clock when the window ended
	moment      doc.Moment              // at which it was read
	skipped     int
	silent      int // rows that were found changed without their updateTime
	heldLogged  int // removals that the log reports as held
	lastError   *failure
	health      string // of an index in a cluster, as it was examined last; "" before
}

// A failure is what went wrong last, and when.
type failure struct {
	at   time.Time
	pass string
	err  error
}

// A scheduledPass is a pass on its schedule.
type scheduledPass struct {
	pass, tier string
	*schedule.Job
}

// New returns a table of a source.
func New(stored *stored.Table, s *Source) *Table {
	t := &Table{
		Table:  stored,
		Source: s, lane: schedule.NewLane(),
		sweeping: make(chan struct{}, 1), describing: make(chan struct{}, 1), log: slog.New(slog.DiscardHandler), Die: func(error) {},
	}
	t.Look = t.lookAt
	return t
}

// fail remembers a failure for status, and passes it on.
func (t *Table) fail(pass string, err error) error {
	t.Source.seen(err)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Blame(pass, err)
	}
	return err
}

// Blame makes an error the last one.
func (t *Table) Blame(pass string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastError = &failure{time.Now(), pass, err}
}

// LastWindow returns the window that incremental has read last.
func (t *Table) LastWindow() doc.Window {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.window
}

// Pause keeps passes from running until resume is called.
func (t *Table) Pause(ctx context.Context) (resume func(), err error) {
	lane, err := t.takeLane(ctx)
	if err != nil {
		return nil, err
	}
	return lane.end, nil
}
