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

// A run that goes on has its step, rate and time left; one that has ended does not.
func TestRunsShowTheirProgress(t *testing.T) {
	r := New()
	counted, release := make(chan struct{}), make(chan struct{})
	run, err := r.Start("film", "reindex", func(_ context.Context, one *Job) (any, bool, error) {
		one.Meter.Step("", "documents", 0, 100)
		one.Meter.Set(40, 100)
		close(counted)
		<-release
		one.Meter.Set(100, 100)
		return nil, false, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	<-counted
	all := r.Running()
	if len(all) != 1 || all[0].Run != run.Run || all[0].Unit != "documents" || all[0].Done != 40 || all[0].Of != 100 || all[0].PerS <= 0 || all[0].ETAS <= 0 {
		t.Errorf("while it goes on: got %+v, want 40 of 100 documents with a rate", all)
	}
	close(release)
	r.Drain(t.Context())
	one, err := r.Find(run.Run)
	if err != nil {
		t.Fatal(err)
	}
	if got := one.Answer(); got.State != "done" || got.Done != 100 || got.Unit != "" || got.PerS != 0 || got.ETAS != 0 || len(r.Running()) > 0 {
		t.Errorf("after its end: got %+v, want 100 done without a rate", got)
	}
}
