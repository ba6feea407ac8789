package dialecttest

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
)

// PingOfABusyPool checks that a source finds its server while its own statements have all
// connections, and while its limits let no statement pass.
func PingOfABusyPool(t *testing.T, d dialect.Dialect) {
	t.Helper()
	holdAll(t, d)
	source := source.New(d, pace.Limits{PerSecond: 1})
	if err := source.Paced(t.Context(), 1000, func() error { return nil }); err != nil { // the next 1,000 seconds are spent
		t.Fatal(err)
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		began := time.Now()
		err := source.Ping(ctx)
		cancel()
		if took := time.Since(began); err != nil || took > 30*time.Second {
			t.Errorf("all connections are in use: got %v after %v, want an answer of the server", err, took)
		}
	}
}

// holdAll takes connections until none is free, and holds them until the test ends.
func holdAll(t *testing.T, d dialect.Dialect) {
	t.Helper()
	for range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		session, err := d.Acquire(ctx)
		cancel()
		if err != nil {
			return
		}
		t.Cleanup(session.End)
	}
	t.Fatal("the source has no limit of connections")
}
