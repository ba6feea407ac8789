// Package front answers requests on the addresses of a daemon while engines come and
// go: it listens, limits connections, admits callers, and has requests wait while the
// next engine is opened.
package front

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/rarely"
	"indexerd/internal/serve/clients"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi"
)

// A Front answers requests on the daemon's address with the present engine. While
// the daemon opens the next engine, requests wait. Those for status and metrics wait for
// a moment only: then the engine that is being opened answers.
type Front struct {
	Address    string
	OpenSearch string                          // address of the OpenSearch API; "" for none
	Base       string                          // its URL, as this machine reaches it
	Own        string                          // the token of the daemon's own requests
	pair       atomic.Pointer[tls.Certificate] // the certificate in use; nil without TLS
	server     *http.Server
	conns      *clients.Listener
	limits     *httpapi.Limits
	cursors    *osapi.Cursors
	Failed     chan error                   // it can't listen any more
	admitted   atomic.Pointer[configs.HTTP] // whose tokens are accepted; nil: none were yet
	log        *slog.Logger

	mu  sync.Mutex
	now *generation
}

// A served engine answers all requests.
type served interface {
	httpapi.Engine
	osapi.Engine
}

// A generation is the time of one engine at the front.
type generation struct {
	engine    served         // behind the handler; nil: none
	handler   http.Handler   // nil: requests wait for the next generation
	opening   http.Handler   // answers for the engine that is being opened; nil: none is
	answering sync.WaitGroup // added to under the front's mu, while it is the present generation
	over      chan struct{}
}

// HoldWithin is how long a request waits for an engine that is being opened.
const HoldWithin = 10 * time.Second

// ShowWithin is how long one for status or metrics waits for it: longer than most openings
// take.
const ShowWithin = time.Second

// What a client may take of a connection's time. Answers that take longer set
// other deadlines: a search's answer, and a backup's stream.
const (
	headersWithin = 5 * time.Second
	requestWithin = headersWithin + 30*time.Second // with its body
	answeredBy    = 2 * time.Minute                // from the end of the headers to the end of the answer
	idleWithin    = 2 * time.Minute
)

// New begins to serve on a listener. Requests are rejected as not ready until Show.
func New(l *clients.Listener, h configs.HTTP, log *slog.Logger) *Front {
	secure := h.TLS.Pair != nil
	f := &Front{Address: l.Addr().String(), Own: rand.Text(), Failed: make(chan error, 1), conns: l, limits: httpapi.NewLimits(l), cursors: osapi.NewCursors(), log: log}
	f.Base = URL(f.Address, secure)
	if p, ok := l.Listener.(*pair); ok {
		f.OpenSearch = p.second.Addr().String()
	}
	f.pair.Store(h.TLS.Pair)
	f.swap(nil, http.HandlerFunc(f.notYet))
	f.server = &http.Server{
		Handler:           f,
		ReadHeaderTimeout: headersWithin,
		ReadTimeout:       requestWithin,
		WriteTimeout:      answeredBy,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    64 << 10,
		ConnState:         l.ConnState,
		ConnContext:       l.ConnContext,
		// One request at a time on a connection, so that a share of connections
		// is a share of requests: HTTP/2 has 250 on each.
		Protocols: new(http.Protocols),
		ErrorLog:  slog.NewLogLogger(rarely.New(log.Handler()), slog.LevelWarn),
	}
	f.server.Protocols.SetHTTP1(true)
	go func() {
		serve := f.server.Serve
		if secure {
			f.server.TLSConfig = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.pair.Load(), nil }}
			serve = func(l net.Listener) error { return f.server.ServeTLS(l, "", "") }
		}
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			f.Failed <- fmt.Errorf("serve %s: %w", f.Base, err)
		}
	}()
	return f
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	within := HoldWithin
	if f.shows(r) {
		within = ShowWithin
	}
	waiting, stop := context.WithTimeout(r.Context(), within)
	s, handler := f.enter(waiting)
	stop()
	if s == nil {
		f.opening(r).ServeHTTP(w, r)
		return
	}
	defer s.answering.Done()
	handler.ServeHTTP(w, r)
}

// shows reports whether a request is for what an engine shows of itself.
func (f *Front) shows(r *http.Request) bool {
	shown := r.URL.Path == "/api/v1/status" || r.URL.Path == "/metrics"
	return shown && r.Method == http.MethodGet && (f.OpenSearch == "" || !cameBy(f.OpenSearch, r))
}

// opening returns the handler of a request for which no engine is open.
func (f *Front) opening(r *http.Request) http.Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shows(r) && f.now.opening != nil {
		return f.now.opening
	}
	return http.HandlerFunc(f.notYet)
}

// enter returns the generation that answers; nil where none comes in time.
func (f *Front) enter(ctx context.Context) (*generation, http.Handler) {
	for {
		f.mu.Lock()
		s := f.now
		if handler := s.handler; handler != nil {
			s.answering.Add(1)
			f.mu.Unlock()
			return s, handler
		}
		f.mu.Unlock()
		select {
		case <-s.over:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// Show has an engine answer the requests that a configuration admits. Before the first
// one they are rejected as not ready.
func (f *Front) Show(e served, h configs.HTTP) { f.swap(e, f.handle(e, h)) }

// Admit accepts other tokens and shows another certificate from now on. Requests
// under way are not affected.
func (f *Front) Admit(h configs.HTTP) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.engine != nil {
		f.now.handler = f.handle(f.now.engine, h)
	}
}

// handle returns the handler of an engine with the tokens of a configuration.
func (f *Front) handle(e served, h configs.HTTP) http.Handler {
	f.pair.Store(h.TLS.Pair)
	f.conns.Trust(h.TrustedProxies)
	f.admitted.Store(&h)
	return f.handler(e, h)
}

func (f *Front) handler(e served, h configs.HTTP) http.Handler {
	a := access(h, f.Address, f.Own)
	a.Limits = f.limits
	own := httpapi.Recover(httpapi.Handler(e, a), f.log)
	if f.OpenSearch == "" {
		return own
	}
	a.Listen = f.OpenSearch
	return byPort(f.OpenSearch, osapi.Handler(e, a, f.cursors, f.log), own)
}

// Opens has an engine that is being opened answer what can't wait for it, to callers that
// were admitted before.
func (f *Front) Opens(e served) {
	h := f.admitted.Load()
	if h == nil {
		return
	}
	handler := f.handler(e, *h)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.handler == nil {
		f.now.opening = handler
	}
}

// Hold makes requests wait until show is called. Meanwhile an engine that ends, or the one
// that opens calls, answers for what can't wait. It returns when earlier requests
// are answered, or at the deadline of a search. A response that its client does
// not read is aborted and does not delay it.
func (f *Front) Hold(e served) {
	before := f.swap(nil, nil)
	f.Opens(e)
	answered := make(chan struct{})
	go func() { before.answering.Wait(); close(answered) }()
	look := time.NewTicker(stalledEvery)
	defer look.Stop()
	late := time.After(httpapi.SearchWithin)
	for {
		select {
		case <-answered:
			return
		case <-late:
			return
		case <-look.C:
			f.limits.AbortStalled()
		}
	}
}

// stalledEvery is how often hold looks for answers that are not read.
const stalledEvery = 100 * time.Millisecond

// swap begins the next generation and returns the one before.
func (f *Front) swap(e served, h http.Handler) (before *generation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, f.now = f.now, &generation{engine: e, handler: h, over: make(chan struct{})}
	if before != nil {
		close(before.over)
	}
	return before
}

// notYet rejects a request in the form of the API that it is for.
func (f *Front) notYet(w http.ResponseWriter, r *http.Request) {
	reject := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpapi.WriteError(w, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "the storage is being opened", Hint: "ask again in a moment"})
	}))
	if f.OpenSearch != "" {
		reject = byPort(f.OpenSearch, osapi.InForm(reject), reject)
	}
	reject.ServeHTTP(w, r)
}

// Close ends all connections.
func (f *Front) Close() error { return f.server.Close() }

// Holder describes the daemon for its lock file.
func (f *Front) Holder() string {
	return datadir.NewHolder(f.Base, f.pair.Load()).String()
}
