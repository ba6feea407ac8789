package front

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"indexerd/configs"
)

// Bind takes the addresses of the APIs.
func Bind(cfg *configs.Config) (net.Listener, error) {
	l, err := net.Listen("tcp", cfg.HTTP.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: end what listens there, or name another address in http.listen", cfg.HTTP.Listen, errors.Unwrap(err))
	}
	if cfg.OpenSearch == "" {
		return l, nil
	}
	second, err := net.Listen("tcp", cfg.OpenSearch)
	if err != nil {
		_ = l.Close() // it has no connection yet
		return nil, fmt.Errorf("listen on %s: %w: end what listens there, or name another address in opensearch_api.listen", cfg.OpenSearch, errors.Unwrap(err))
	}
	return newPair(l, second), nil
}

// byPort returns a handler that answers requests on the port of address with other,
// and all others with h.
func byPort(address string, other, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cameBy(address, r) {
			other.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// cameBy reports whether a request came by the port of address.
func cameBy(address string, r *http.Request) bool {
	to, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, _ := net.SplitHostPort(address)
	_, at, _ := net.SplitHostPort(to.String())
	return at == port
}

// A pair of listeners accepts the connections of both. Its address is that of the
// first. One limit of connections is for both.
type pair struct {
	net.Listener
	second   net.Listener
	accepted chan accepted
	closed   chan struct{}
	close    sync.Once
}

type accepted struct {
	conn net.Conn
	err  error
}

func newPair(first, second net.Listener) *pair {
	p := &pair{Listener: first, second: second, accepted: make(chan accepted), closed: make(chan struct{})}
	go p.acceptFrom(first)
	go p.acceptFrom(second)
	return p
}

func (p *pair) acceptFrom(l net.Listener) {
	for {
		conn, err := l.Accept()
		select {
		case p.accepted <- accepted{conn, err}:
		case <-p.closed:
			if err == nil {
				_ = conn.Close()
			}
			return
		}
	}
}

// Accept implements net.Listener.
func (p *pair) Accept() (net.Conn, error) {
	select {
	case a := <-p.accepted:
		return a.conn, a.err
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pair) Close() error {
	p.close.Do(func() { close(p.closed) })
	_ = p.second.Close() // the first one's error is the same
	return p.Listener.Close()
}
