package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/internal/httpapi"
)

// A front answers on the daemon's address, for whichever engine is there: an
// engine whose storage fails, or whose configuration changes, is opened anew
// behind it.
type front struct {
	address string
	base    string                          // its URL, as this machine reaches it
	own     string                          // the token of the daemon's own questions
	pair    atomic.Pointer[tls.Certificate] // that is shown; nil without TLS
	server  *http.Server
	failed  chan error // it can't listen any more
	log     *slog.Logger

	mu  sync.Mutex
	now *shift
}

// A shift is one engine's time at the front.
type shift struct {
	handler   http.Handler   // nil: requests wait for the next shift
	answering sync.WaitGroup // added to under the front's mu, while it is the shift of now
	over      chan struct{}
}

// holdWithin is how long a request waits for an engine that is being opened.
const holdWithin = 10 * time.Second

func newFront(l net.Listener, h configs.HTTP, log *slog.Logger) *front {
	secure := h.TLS.Pair != nil
	f := &front{address: l.Addr().String(), own: rand.Text(), failed: make(chan error, 1), log: log}
	f.base = baseURL(f.address, secure)
	f.pair.Store(h.TLS.Pair)
	f.show(nil)
	f.server = &http.Server{
		Handler:           f,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(newRarely(log.Handler()), slog.LevelWarn),
	}
	go func() {
		serve := f.server.Serve
		if secure {
			f.server.TLSConfig = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.pair.Load(), nil }}
			serve = func(l net.Listener) error { return f.server.ServeTLS(l, "", "") }
		}
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			f.failed <- fmt.Errorf("serve %s: %w", f.base, err)
		}
	}()
	return f
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	waiting, stop := context.WithTimeout(r.Context(), holdWithin)
	s := f.enter(waiting)
	stop()
	if s == nil {
		notYet(w, r)
		return
	}
	defer s.answering.Done()
	s.handler.ServeHTTP(w, r)
}

// enter finds who answers; nil where nobody comes in time.
func (f *front) enter(ctx context.Context) *shift {
	for {
		f.mu.Lock()
		s := f.now
		if s.handler != nil {
			s.answering.Add(1)
			f.mu.Unlock()
			return s
		}
		f.mu.Unlock()
		select {
		case <-s.over:
		case <-ctx.Done():
			return nil
		}
	}
}

// show lets an engine answer; nil: nobody does.
func (f *front) show(e *engine) {
	var h http.Handler = http.HandlerFunc(notYet)
	if e != nil {
		f.pair.Store(e.cfg.HTTP.TLS.Pair)
		h = httpapi.Recover(httpapi.Handler(e, access(e.cfg.HTTP, f.address, f.own)), f.log)
	}
	f.turn(h)
}

// hold has requests wait for what is shown next. It returns when those of
// before are answered, or late.
func (f *front) hold() {
	before := f.turn(nil)
	answered := make(chan struct{})
	go func() { before.answering.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-time.After(httpapi.SearchWithin):
	}
}

// turn begins the next shift and returns the one before.
func (f *front) turn(h http.Handler) (before *shift) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, f.now = f.now, &shift{handler: h, over: make(chan struct{})}
	if before != nil {
		close(before.over)
	}
	return before
}

func notYet(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"error":{"code":"not_ready","message":"the storage is being opened","hint":"ask again in a moment"}}`+"\n") // the caller has gone: nobody is left to tell
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
