package horizon

import (
	"context"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// A fakeServer is a server in memory. Its fields are what the next reading
// finds.
type fakeServer struct {
	identity string
	ahead    time.Duration // of this machine's clock
	open     []Tx
	state    State
	err      error         // of every connection, after it took
	takes    time.Duration // for each sample
	within   time.Duration // how long a connection may be read; 0: for ever
	sampled  func(n int)   // is called after the n-th sample of a reading

	readings int // the number of connections so far
	samples  int // of the last connection
}

func (f *fakeServer) Connect(ctx context.Context, read func(context.Context, Conn) error) error {
	f.readings++
	f.samples = 0
	if f.err != nil {
		time.Sleep(f.takes)
		return f.err
	}
	if f.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.within, errTooLong)
		defer cancel()
	}
	return read(ctx, f)
}

func (f *fakeServer) Identity(context.Context) (string, error) { return f.identity, nil }

func (f *fakeServer) Sample(ctx context.Context) (Sample, error) {
	s := Sample{Moment: Moment{Sent: time.Now(), Received: time.Now(), Clock: time.Now().Add(f.ahead)}, Open: slices.Clone(f.open)}
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return Sample{}, context.Cause(ctx)
	}
	f.samples++
	if f.sampled != nil {
		f.sampled(f.samples)
	}
	return s, nil
}

func (f *fakeServer) State(context.Context) (State, error) { return f.state, nil }

// exact reads a horizon, which must be exact.
func exact(t *testing.T, w *Watch) doc.Horizon {
	t.Helper()
	h, err := w.Horizon(t.Context())
	if err != nil || !h.Exact || h.At.IsZero() || h.Reason != "" {
		t.Fatalf("got %+v, %v, want it exact", h, err)
	}
	return h
}

// inexact reads a horizon, which must not be exact for this reason.
func inexact(t *testing.T, w *Watch, reason string) {
	t.Helper()
	h, err := w.Horizon(t.Context())
	if err != nil || h.Exact || !h.At.IsZero() || h.Reason != reason {
		t.Fatalf("got %+v, %v, want it inexact: %s", h, err, reason)
	}
}
