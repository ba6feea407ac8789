package tables

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/database"
)

// A reader is the rows of a table of which a range takes a second.
type reader struct {
	database.Rows
	mu            *sync.Mutex
	reading, most *int
}

// count counts ranges that are being read.
func (r reader) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.reading += n
	*r.most = max(*r.most, *r.reading)
}

func (r reader) Range(context.Context, doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		r.count(1)
		time.Sleep(time.Second)
		r.count(-1)
		yield(doc.Batch{}, nil)
	}
}

// The loads of thirty tables read as many ranges at once as leave connections to
// others, and each comes to its end.
func TestLoadsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := &configs.Config{}
		conf := configs.Source{Name: "db", Limits: configs.Limits{Connections: 10}}
		for i := range 30 {
			cfg.Tables = append(cfg.Tables, configs.Table{Name: fmt.Sprint(i), Source: "db"})
		}
		s := NewSource(cfg, conf)
		var mu sync.Mutex
		began, reading, most := time.Now(), 0, 0
		ended := make(chan error)
		for range cfg.Tables {
			l := loading{reader{nil, &mu, &reading, &most}, s, slog.New(slog.DiscardHandler)}
			go func() {
				for _, err := range l.Range(t.Context(), doc.Range{}) {
					ended <- err
				}
			}()
		}
		for range cfg.Tables {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); most != 6 || took != 5*time.Second {
			t.Errorf("got %d at once, %v in all, want 6 of 10 connections and 5 s", most, took)
		}
	})
}

// A load that waits for other loads or for the end of the quiet hours ends with
// the daemon.
func TestLoadThatWaitsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		midnight := time.Duration(time.Now().Hour()) * time.Hour
		quiet := configs.Hours{From: midnight, To: (midnight + 2*time.Hour) % (24 * time.Hour)}
		for _, limits := range []configs.Limits{{Connections: 1}, {Connections: 1, Quiet: quiet}} {
			s := NewSource(&configs.Config{}, configs.Source{Limits: limits})
			s.loads <- struct{}{}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			l := loading{reader{}, s, slog.New(slog.DiscardHandler)}
			for _, err := range l.Range(ctx, doc.Range{}) {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%+v: got %v, want %v", limits, err, context.DeadlineExceeded)
				}
			}
			cancel()
		}
	})
}

// A lock that makes a statement wait does not mean that the database is down. A
// broken connection does, until a statement succeeds.
func TestSeen(t *testing.T) {
	s := &Source{}
	for _, c := range []struct {
		err  error
		down bool
	}{
		{fmt.Errorf("table film: %w", doc.ErrLocked), false},
		{errors.New("column title does not exist"), false},
		{fmt.Errorf("connect: %w", doc.ErrUnavailable), true},
		{fmt.Errorf("table film: %w", doc.ErrLocked), true},
		{nil, false},
	} {
		if s.seen(c.err); (s.LastError() != nil) != c.down {
			t.Errorf("after %v: got %v, want it down %v", c.err, s.LastError(), c.down)
		}
	}
	if !errors.Is(doc.ErrLocked, doc.ErrUnavailable) {
		t.Error("a locked table counts as available, want it tried again")
	}
}

func TestLoadsLeaveConnections(t *testing.T) {
	for _, c := range []struct{ connections, tables, want int }{
		{1, 1, 1}, {2, 1, 1}, {3, 1, 2}, {9, 1, 8}, {2, 30, 1}, {5, 2, 3}, {5, 30, 3}, {10, 30, 6}, {17, 30, 13},
	} {
		if got := loadsAtOnce(c.connections, c.tables); got != c.want {
			t.Errorf("%d connections, %d tables: got %d ranges at once, want %d", c.connections, c.tables, got, c.want)
		}
	}
}
