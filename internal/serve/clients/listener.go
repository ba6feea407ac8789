package clients

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// writeBuffer is the kernel's write buffer of a connection, in bytes. It bounds
// the memory of unread answers. A write to a client that has stopped reading
// blocks as soon as the buffer is full.
const writeBuffer = 256 << 10

// A Listener limits connections in total and per client. At the total limit it
// closes a connection of the client with the most, so that a client with few
// connections is always accepted. Authenticated connections are closed last,
// and only while they are idle.
//
// At the total limit, accepting a connection costs a scan of all others.
type Listener struct {
	net.Listener
	total, perClient int
	proxies          atomic.Pointer[Proxies]

	rejected, evicted atomic.Uint64

	mu        sync.Mutex
	conns     map[*Conn]struct{}
	all       map[netip.Prefix]int // connections by client
	anonymous map[netip.Prefix]int // unauthenticated connections by client
}

// A Conn is an accepted connection.
type Conn struct {
	*net.TCPConn
	listener *Listener
	client   netip.Prefix

	// Guarded by the listener's mu.
	authenticated bool      // its last request had a valid token, or it comes from a trusted proxy
	idle          bool      // no request is running
	since         time.Time // when it was accepted, or became idle
	closed        bool
}

// NewListener returns a Listener that accepts up to total connections from l,
// and up to a quarter of total from one client.
func NewListener(l net.Listener, total int) *Listener {
	n := &Listener{
		Listener: l, total: total, perClient: max(total/4, 1),
		conns: map[*Conn]struct{}{}, all: map[netip.Prefix]int{}, anonymous: map[netip.Prefix]int{},
	}
	n.Trust(nil)
	return n
}

// Trust replaces the trusted proxies. The limit per client does not apply to
// their connections.
func (l *Listener) Trust(p Proxies) { l.proxies.Store(&p) }

// Accept implements net.Listener. It closes connections beyond the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp := accepted.(*net.TCPConn) // the server listens on TCP
		if c := l.admit(tcp); c != nil {
			return c, nil
		}
		l.rejected.Add(1)
		_ = tcp.Close()
	}
}

// admit counts a connection, after closing another one where the total is
// reached. It returns nil if the connection is rejected.
func (l *Listener) admit(tcp *net.TCPConn) *Conn {
	_ = tcp.SetWriteBuffer(writeBuffer) // the default is larger
	addr := tcp.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
	c := &Conn{TCPConn: tcp, listener: l, client: Of(addr), authenticated: l.proxies.Load().Contains(addr), idle: true, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.authenticated && l.all[c.client] >= l.perClient {
		return nil
	}
	if len(l.conns) >= l.total {
		v := l.victim(c.client)
		if v == nil {
			return nil
		}
		l.evicted.Add(1)
		l.forget(v)
		_ = v.TCPConn.Close() // its request ends with an error
	}
	l.conns[c] = struct{}{}
	l.all[c.client]++
	if !c.authenticated {
		l.anonymous[c.client]++
	}
	return c
}

// victim returns the connection to close for a new one of newcomer, nil for
// none. First choice is the client with the most unauthenticated connections:
// its idle connection, else its oldest. Second choice is an idle connection of
// the client with the most connections. A client with no more connections than
// newcomer loses none.
func (l *Listener) victim(newcomer netip.Prefix) (victim *Conn) {
	for c := range l.conns {
		if !c.authenticated && l.anonymous[c.client] > l.anonymous[newcomer] && (victim == nil || l.before(c, victim, l.anonymous)) {
			victim = c
		}
	}
	if victim != nil {
		return victim
	}
	for c := range l.conns {
		if c.authenticated && c.idle && l.all[c.client] > l.all[newcomer] && (victim == nil || l.before(c, victim, l.all)) {
			victim = c
		}
	}
	return victim
}

// before reports whether a is closed before b.
func (l *Listener) before(a, b *Conn, held map[netip.Prefix]int) bool {
	if ha, hb := held[a.client], held[b.client]; ha != hb {
		return ha > hb
	}
	if a.idle != b.idle {
		return a.idle
	}
	return a.since.Before(b.since)
}

// forget removes a closed connection from the counts.
func (l *Listener) forget(c *Conn) {
	if c.closed {
		return
	}
	c.closed = true
	delete(l.conns, c)
	decrement(l.all, c.client)
	if !c.authenticated {
		decrement(l.anonymous, c.client)
	}
}

// decrement lowers the count of client and deletes it at zero.
func decrement(held map[netip.Prefix]int, client netip.Prefix) {
	if held[client]--; held[client] <= 0 {
		delete(held, client)
	}
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	err := c.TCPConn.Close() // before forget, so that open files never exceed the total
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.forget(c)
	return err
}

// ConnState is the ConnState hook of an http.Server.
func (l *Listener) ConnState(conn net.Conn, state http.ConnState) {
	c := unwrap(conn)
	if c == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.idle = state == http.StateNew || state == http.StateIdle; c.idle {
		c.since = time.Now()
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// ConnContext is the ConnContext hook of an http.Server.
func (*Listener) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, unwrap(conn))
}

// SetAuthenticated records whether the request of ctx had a valid token. It does
// nothing if the request did not come through a Listener.
func SetAuthenticated(ctx context.Context, valid bool) {
	c, _ := ctx.Value(connKey{}).(*Conn)
	if c == nil {
		return
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed || c.authenticated == valid || l.proxies.Load().Contains(c.client.Addr()) {
		return
	}
	c.authenticated = valid
	if valid {
		decrement(l.anonymous, c.client)
	} else {
		l.anonymous[c.client]++
	}
}

// unwrap returns the Conn below TLS, nil if there is none.
func unwrap(conn net.Conn) *Conn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c, _ := conn.(*Conn)
	return c
}

// Stats are counts of connections. Rejected ones were closed at once, evicted
// ones were closed for a client with fewer.
type Stats struct {
	Open, Total       int
	Rejected, Evicted uint64
}

// Stats returns the current counts.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Open: len(l.conns), Total: l.total, Rejected: l.rejected.Load(), Evicted: l.evicted.Load()}
}
