package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/tables"
)

// A pass that does not end is waited for as long as what comes next needs it.
func TestStopJobs(t *testing.T) {
	for _, c := range []struct {
		name  string
		cause error
		takes time.Duration // of the pass, after its context has ended
		stuck bool          // want that said
	}{
		{"a signal", nil, time.Hour, false},
		{"another configuration", &renewal{}, time.Hour, false},
		{"a storage that failed", fmt.Errorf("%w: film", tables.ErrBroken), brokenWithin - time.Second, false},
		{"a storage that failed, and a pass that is stuck", fmt.Errorf("%w: film", tables.ErrBroken), time.Hour, true},
		{"another failure", errors.New("the address is taken"), time.Hour, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				jobs, err := schedule.New(slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				jobs.Every("pass", time.Minute, 0, func(ctx context.Context) error {
					<-ctx.Done()
					time.Sleep(c.takes)
					return nil
				})
				time.Sleep(time.Second)
				if err := stopJobs(jobs, c.cause); errors.Is(err, schedule.ErrRunning) != c.stuck {
					t.Errorf("got %v", err)
				}
				time.Sleep(2 * time.Hour)
				if err := jobs.Stop(); err != nil { // gocron's goroutines have to end
					t.Error(err)
				}
			})
		})
	}
}
