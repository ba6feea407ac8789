package daemon

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/clients"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi"
)

// A front answers requests on the daemon's address with the present engine. While
// the daemon opens the next engine, requests wait. Those for status and metrics wait for
// a moment only: then the engine that is being opened answers.
type front struct {
	address    string
	openSearch string                          // address of the OpenSearch API; "" for none
	base       string                          // its URL, as this machine reaches it
	own        string                          // the token of the daemon's own requests
	pair       atomic.Pointer[tls.Certificate] // the certificate in use; nil without TLS
	server     *http.Server
	conns      *clients.Listener
	limits     *httpapi.Limits
	cursors    *osapi.Cursors
	failed     chan error                   // it can't listen any more
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

// holdWithin is how long a request waits for an engine that is being opened.
const holdWithin = 10 * time.Second

// showWithin is how long one for status or metrics waits for it: longer than most openings
// take.
const showWithin = time.Second

// What a client may take of a connection's time. Answers that take longer set
// other deadlines: a search's answer, and a backup's stream.
const (
	headersWithin = 5 * time.Second
	requestWithin = headersWithin + 30*time.Second // with its body
	answeredBy    = 2 * time.Minute                // from the end of the headers to the end of the answer
	idleWithin    = 2 * time.Minute
)

func newFront(l *clients.Listener, h configs.HTTP, log *slog.Logger) *front {
	secure := h.TLS.Pair != nil
	f := &front{address: l.Addr().String(), own: rand.Text(), failed: make(chan error, 1), conns: l, limits: httpapi.NewLimits(l), cursors: osapi.NewCursors(), log: log}
	f.base = baseURL(f.address, secure)
	if p, ok := l.Listener.(*pair); ok {
		f.openSearch = p.second.Addr().String()
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
		ErrorLog:  slog.NewLogLogger(newRarely(log.Handler()), slog.LevelWarn),
	}
	f.server.Protocols.SetHTTP1(true)
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
	within := holdWithin
	if f.shows(r) {
		within = showWithin
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
func (f *front) shows(r *http.Request) bool {
	shown := r.URL.Path == "/api/v1/status" || r.URL.Path == "/metrics"
	return shown && r.Method == http.MethodGet && (f.openSearch == "" || !cameBy(f.openSearch, r))
}

// opening returns the handler of a request for which no engine is open.
func (f *front) opening(r *http.Request) http.Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shows(r) && f.now.opening != nil {
		return f.now.opening
	}
	return http.HandlerFunc(f.notYet)
}

// enter returns the generation that answers; nil where none comes in time.
func (f *front) enter(ctx context.Context) (*generation, http.Handler) {
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

// show has an engine answer the requests that a configuration admits. Before the first
// one they are rejected as not ready.
func (f *front) show(e served, h configs.HTTP) { f.swap(e, f.handle(e, h)) }

// admit accepts other tokens and shows another certificate from now on. Requests
// under way are not affected.
func (f *front) admit(h configs.HTTP) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.engine != nil {
		f.now.handler = f.handle(f.now.engine, h)
	}
}

// handle returns the handler of an engine with the tokens of a configuration.
func (f *front) handle(e served, h configs.HTTP) http.Handler {
	f.pair.Store(h.TLS.Pair)
	f.conns.Trust(h.TrustedProxies)
	f.admitted.Store(&h)
	return f.handler(e, h)
}

func (f *front) handler(e served, h configs.HTTP) http.Handler {
	a := access(h, f.address, f.own)
	a.Limits = f.limits
	own := httpapi.Recover(httpapi.Handler(e, a), f.log)
	if f.openSearch == "" {
		return own
	}
	a.Listen = f.openSearch
	return byPort(f.openSearch, osapi.Handler(e, a, f.cursors, f.log), own)
}

// opens has an engine that is being opened answer what can't wait for it, to callers that
// were admitted before.
func (f *front) opens(e served) {
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

// hold makes requests wait until show is called. Meanwhile an engine that ends, or the one
// that opens calls, answers for what can't wait. It returns when earlier requests
// are answered, or at the deadline of a search. A response that its client does
// not read is aborted and does not delay it.
func (f *front) hold(e served) {
	before := f.swap(nil, nil)
	f.opens(e)
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
func (f *front) swap(e served, h http.Handler) (before *generation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, f.now = f.now, &generation{engine: e, handler: h, over: make(chan struct{})}
	if before != nil {
		close(before.over)
	}
	return before
}

// notYet rejects a request in the form of the API that it is for.
func (f *front) notYet(w http.ResponseWriter, r *http.Request) {
	reject := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpapi.WriteError(w, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "the storage is being opened", Hint: "ask again in a moment"})
	}))
	if f.openSearch != "" {
		reject = byPort(f.openSearch, osapi.InForm(reject), reject)
	}
	reject.ServeHTTP(w, r)
}

// close ends all connections.
func (f *front) close() error { return f.server.Close() }

// holder describes the daemon for its lock file.
func (f *front) holder() string {
	return Holder{strconv.Itoa(os.Getpid()), f.base, pinOf(f.pair.Load())}.String()
}
