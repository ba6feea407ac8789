package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"indexerd/internal/httpapi"
)

// A front answers on the daemon's address, for whichever engine is there: an
// engine whose storage fails is opened anew, and searches go on meanwhile.
type front struct {
	address string
	server  *http.Server
	handler atomic.Pointer[http.Handler]
	failed  chan error // it can't listen any more
}

func newFront(l net.Listener, log *slog.Logger) *front {
	f := &front{address: l.Addr().String(), failed: make(chan error, 1)}
	f.show(nil)
	f.server = &http.Server{
		Handler:           f,
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		if err := f.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			f.failed <- fmt.Errorf("serve http://%s: %w", f.address, err)
		}
	}()
	return f
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*f.handler.Load()).ServeHTTP(w, r)
}

// show lets an engine answer; nil: nobody does.
func (f *front) show(e *engine) {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"code":"not_ready","message":"the storage is being opened","hint":"ask again in a moment"}}`, http.StatusServiceUnavailable)
	})
	if e != nil {
		h = httpapi.Handler(e, f.address)
	}
	f.handler.Store(&h)
}

// close ends all connections.
func (f *front) close() error { return f.server.Close() }

// firstPause is how soon a storage that failed is opened again; each failure
// doubles it, up to maxPause.
const (
	firstPause = time.Second
	maxPause   = time.Minute
)

// A wait is a pause that grows.
type wait struct{ pause time.Duration }

// pass pauses, and reports whether to go on.
func (w *wait) pass(ctx context.Context) bool {
	w.pause = min(max(2*w.pause, firstPause), maxPause)
	select {
	case <-time.After(w.pause):
		return true
	case <-ctx.Done():
		return false
	}
}
