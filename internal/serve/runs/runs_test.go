package daemon

import (
	"context"
	"testing"
	"time"
)

// Runs that callers began end before another configuration takes effect. A run
// that a caller requests meanwhile is rejected, and run numbers continue.
func TestRunsEndBeforeTheNext(t *testing.T) {
	r := newRuns()
	release := make(chan struct{})
	work := func(ctx context.Context, _ *job) (any, bool, error) {
		select {
		case <-release:
			return nil, false, nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	if _, err := r.start("film", "reindex", work); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() { r.drain(t.Context()); close(drained) }()
	for t.Context().Err() == nil { // until no run may begin
		if _, err := r.start("actor", "deletecheck", func(context.Context, *job) (any, bool, error) { return nil, false, nil }); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !r.busy() {
		t.Error("not busy, while a reindex runs")
	}
	select {
	case <-drained:
		t.Error("drained, while a reindex runs")
	default:
	}
	close(release)
	<-drained
	one, err := r.next().find("1")
	if err != nil {
		t.Fatal(err)
	}
	if got := one.answer(); got.State != "done" || got.Pass != "reindex" {
		t.Errorf("in the next runs: got %+v, want the reindex, done", got)
	}
	again, err := r.next().start("film", "reindex", work)
	if err != nil || again.Run == "1" {
		t.Errorf("another run: got %+v, %v, want another number", again, err)
	}
}
