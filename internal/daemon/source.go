package daemon

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/httpapi"
)

// A source is one database: open in a daemon, and only named where a command
// asks about what is stored.
type source struct {
	database.Database
	conf  configs.Source
	loads chan struct{} // held by each range of a load while it is read and indexed

	mu   sync.Mutex
	err  error // of the last try to reach it
	slow bool  // the log says so
}

func newSource(cfg *configs.Config, conf configs.Source) *source {
	tables := 0
	for _, t := range cfg.Tables {
		if t.Source == conf.Name {
			tables++
		}
	}
	return &source{conf: conf, loads: make(chan struct{}, loadsAtOnce(conf.Limits.Connections, tables))}
}

// mostLeft is how many connections loads leave to others at most.
const mostLeft = 4

// loadsAtOnce leaves a connection to each other table, at most half of them.
func loadsAtOnce(connections, tables int) int {
	return max(connections-min(max(tables, 1), connections/2, mostLeft), 1)
}

// seen notes whether the database could be reached: a table that is locked says
// nothing of it.
func (s *source) seen(err error) {
	if err != nil && (!errors.Is(err, doc.ErrUnavailable) || errors.Is(err, doc.ErrLocked)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *source) lastError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// load is what was asked of it.
func (s *source) load() httpapi.SourceLoad {
	_, quiet := s.conf.Limits.Quiet.Until(time.Now())
	if s.Database == nil {
		return httpapi.SourceLoad{Quiet: quiet}
	}
	f := s.Figures()
	return httpapi.SourceLoad{Statements: f.Statements, BusyS: f.Busy.Seconds(), Slow: f.Slow, Quiet: quiet}
}

// sayPace says once that the database is slow, and once that it is no more.
func (s *source) sayPace(log *slog.Logger) {
	slow := s.Figures().Slow
	s.mu.Lock()
	said := s.slow
	s.slow = slow
	s.mu.Unlock()
	log = log.With("source", s.conf.Name)
	switch {
	case slow && !said:
		log.Warn("indexerd spares a slow database", "why", "statements take longer than limits.slow", "slow", s.conf.Limits.Slow)
	case said && !slow:
		log.Info("indexerd goes on at full pace")
	}
}

// waitQuietHours waits for the end of the quiet hours.
func (s *source) waitQuietHours(ctx context.Context, log *slog.Logger, pass string) error {
	for {
		end, quiet := s.conf.Limits.Quiet.Until(time.Now())
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

// loading is the rows of a table as its load reads them: in sharedHorizon with the other
// loads of the source, so that connections are left for tables that follow, and
// not in quiet hours.
type loading struct {
	database.Rows
	source *source
	log    *slog.Logger
}

// Range implements initial.Source.
func (l loading) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		if err := l.turn(ctx); err != nil {
			yield(doc.Batch{}, err)
			return
		}
		defer func() { <-l.source.loads }()
		l.Rows.Range(ctx, r)(yield)
	}
}

// turn takes a turn.
func (l loading) turn(ctx context.Context) error {
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
