package runs

import (
	"context"
	"testing"
	"time"
)

// Runs that callers began end before another configuration takes effect. A run
// that a caller requests meanwhile is rejected, and run numbers continue.
func TestRunsEndBeforeTheNext(t *testing.T) {
	r := New()
	release := make(chan struct{})
	work := func(ctx context.Context, _ *Job) (any, bool, error) {
		select {
		case <-release:
			return nil, false, nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	if _, err := r.Start("film", "reindex", work); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() { r.Drain(t.Context()); close(drained) }()
	for t.Context().Err() == nil { // until no run may begin
		if _, err := r.Start("actor", "deletecheck", func(context.Context, *Job) (any, bool, error) { return nil, false, nil }); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !r.Busy() {
		t.Error("not busy, while a reindex runs")
	}
	select {
	case <-drained:
		t.Error("drained, while a reindex runs")
	default:
	}
	close(release)
	<-drained
	one, err := r.Next().Find("1")
	if err != nil {
		t.Fatal(err)
	}
	if got := one.Answer(); got.State != "done" || got.Pass != "reindex" {
		t.Errorf("in the next runs: got %+v, want the reindex, done", got)
	}
	again, err := r.Next().Start("film", "reindex", work)
	if err != nil || again.Run == "1" {
		t.Errorf("another run: got %+v, %v, want another number", again, err)
	}
}
