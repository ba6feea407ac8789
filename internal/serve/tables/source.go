package tables

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/sync/passes"
)

// A Source is one database. A command that only reads what is stored does not open
// it.
type Source struct {
	database.Database
	Conf  configs.Source
	loads chan struct{} // held by each range of a load while it is read and indexed
	Looks chan struct{} // held by each fresh search of a table while it reads

	comparisons *pace.Share // of its tables, and narrowed sweeps
	totals      *totals
	mu          sync.Mutex
	err         error // of the last try to reach it
	slow        bool  // as it was logged last
}

// NewSource returns a database that is not open yet.
func NewSource(cfg *configs.Config, conf configs.Source) *Source {
	tables := 0
	for _, t := range cfg.Tables {
		if t.Source == conf.Name {
			tables++
		}
	}
	return &Source{
		Conf:        conf,
		loads:       make(chan struct{}, loadsAtOnce(conf.Limits.Connections, tables)),
		Looks:       make(chan struct{}, max(conf.Limits.Connections/4, 1)),
		comparisons: pace.NewShare(conf.Limits.ComparisonShare),
		totals:      newTotals(),
	}
}

// Follow has the readings taken that show for all tables of the source that nothing was
// committed. Whether the database answers is shown by the passes: they run when a reading is
// missing, and none is taken that no table uses.
func (s *Source) Follow(jobs *schedule.Scheduler) {
	jobs.EveryBefore(s.Conf.Name+" readings", passes.LookEvery, func(ctx context.Context) error {
		_ = s.Refresh(ctx) // the passes report its error
		return nil
	})
}

// mostLeft is the most connections that loads leave to other tables.
const mostLeft = 4

// loadsAtOnce leaves a connection to each other table, at most half of them.
func loadsAtOnce(connections, tables int) int {
	return max(connections-min(max(tables, 1), connections/2, mostLeft), 1)
}

// seen records whether the database could be reached. An error of one table does
// not show that.
func (s *Source) seen(err error) {
	if err != nil && !doc.IsUnreachable(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// LastError returns why the database does not answer; nil: it did.
func (s *Source) LastError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Load returns what the daemon has asked of the database.
func (s *Source) Load() httpapi.SourceLoad {
	_, quiet := s.Conf.Limits.Quiet.Until(time.Now())
	if s.Database == nil {
		return httpapi.SourceLoad{Quiet: quiet}
	}
	f := s.Figures()
	return httpapi.SourceLoad{Statements: f.Statements, BusyS: f.Busy.Seconds(), Slow: f.Slow, Quiet: quiet}
}

// logPace logs once that the database is slow, and once that it is not any more.
func (s *Source) logPace(log *slog.Logger) {
	slow := s.Figures().Slow
	s.mu.Lock()
	said := s.slow
	s.slow = slow
	s.mu.Unlock()
	if slow == said {
		return
	}
	log = log.With("source", s.Conf.Name)
	if slow {
		log.Warn("indexerd spares a slow database", "why", "statements take longer than limits.slow", "slow", s.Conf.Limits.Slow)
	} else {
		log.Info("indexerd goes on at full pace")
	}
}

// waitQuietHours waits for the end of the quiet hours.
func (s *Source) waitQuietHours(ctx context.Context, log *slog.Logger, pass string) error {
	for {
		end, quiet := s.Conf.Limits.Quiet.Until(time.Now())
		if !quiet {
			return nil
		}
		log.Info(pass+" waits for the end of the quiet hours", "until", end)
		select {
		case <-time.After(time.Until(end)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loading is the rows of a table as its load reads them: outside quiet hours, and
// never so many ranges of a source at once that no connection is left to the
// tables that follow.
type loading struct {
	database.Rows
	source *Source
	log    *slog.Logger
}

// Range implements initial.Source.
func (l loading) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		if err := l.begin(ctx); err != nil {
			yield(doc.Batch{}, err)
			return
		}
		defer func() { <-l.source.loads }()
		l.Rows.Range(ctx, r)(yield)
	}
}

// begin waits until one more range may be read.
func (l loading) begin(ctx context.Context) error {
	if err := l.source.waitQuietHours(ctx, l.log, "initial"); err != nil {
		return err
	}
	select {
	case l.source.loads <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
