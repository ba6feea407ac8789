package daemon

import (
	"net"
	"net/http"
	"sync"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi"
)

// Fields returns the fields of a table that a caller may see.
func (e *Engine) Fields(name string, c search.Caller) ([]osapi.Field, error) {
	t, err := e.searchable(name)
	if err != nil {
		return nil, err
	}
	return t.fieldsFor(c), nil
}

// Analyzer returns the analyzer of a table's text.
func (e *Engine) Analyzer(name string) (*analysis.Analyzer, error) {
	t, err := e.searchable(name)
	if err != nil {
		return nil, err
	}
	return t.newAnalyzer()
}

func (s *storage) newAnalyzer() (*analysis.Analyzer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return analysis.New(s.built.Analyzer, s.built.Stopwords)
}

func (s *storage) fieldsFor(c search.Caller) (fields []osapi.Field) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add := func(name, kind string, child bool) {
		if c.Admin || name != s.conf.ACL {
			fields = append(fields, osapi.Field{Name: name, Type: kind, Child: child})
		}
	}
	types := map[fulltext.Type]string{fulltext.Keyword: osapi.Keyword, fulltext.Number: osapi.Double, fulltext.Date: osapi.Date, fulltext.Boolean: osapi.Boolean}
	for _, name := range s.built.Content {
		add(name, osapi.Text, false)
	}
	for _, f := range s.built.Metadata {
		add(f.Name, types[f.Type], false)
	}
	for _, child := range s.built.Children {
		if child.Searched {
			add(child.Name, osapi.Text, true)
		}
		if child.Type != "" {
			add(child.Name, types[child.Type], true)
		}
	}
	return fields
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
