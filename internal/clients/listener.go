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

// writeBuffer bounds what the kernel keeps of answers that a client does not
// read, and makes a client that has stopped reading visible soon.
const writeBuffer = 256 << 10

// A Listener accepts connections up to a total, and up to a share of it from
// one client. At the total it closes a connection of the client that holds
// most, so that a client that holds few is always accepted. Connections that
// have shown a valid token are closed last, and only while they are idle.
//
// Cost: at the total each accepted connection looks at all others.
type Listener struct {
	net.Listener
	total, share int
	proxies      atomic.Pointer[Proxies]

	refused, evicted atomic.Uint64

	mu    sync.Mutex
	conns map[*Conn]struct{}
	all   map[netip.Prefix]int // connections of each client
	fresh map[netip.Prefix]int // of these, those that have shown no token
}

// A Conn is an accepted connection.
type Conn struct {
	*net.TCPConn
	listener *Listener
	client   netip.Prefix

	// Guarded by the listener's mu.
	vouched bool      // it has shown a valid token, or is a trusted proxy's
	idle    bool      // no request is under way
	since   time.Time // when it was accepted, or became idle
	closed  bool
}

// NewListener accepts from l up to total connections, and a quarter of them
// from one client.
func NewListener(l net.Listener, total int) *Listener {
	n := &Listener{
		Listener: l, total: total, share: max(total/4, 1),
		conns: map[*Conn]struct{}{}, all: map[netip.Prefix]int{}, fresh: map[netip.Prefix]int{},
	}
	n.Trust(nil)
	return n
}

// Trust replaces the trusted proxies. Their connections count in the total
// alone.
func (l *Listener) Trust(p Proxies) { l.proxies.Store(&p) }

// Accept implements net.Listener. A connection that is not accepted is closed.
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
		l.refused.Add(1)
		_ = tcp.Close() // refused: its end is of no interest
	}
}

// admit counts a connection, and makes room for it; nil: it is refused.
func (l *Listener) admit(tcp *net.TCPConn) *Conn {
	_ = tcp.SetWriteBuffer(writeBuffer) // without it the kernel keeps more
	addr := tcp.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
	c := &Conn{TCPConn: tcp, listener: l, client: Of(addr), vouched: l.proxies.Load().Contains(addr), idle: true, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.vouched && l.all[c.client] >= l.share {
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
	if !c.vouched {
		l.fresh[c.client]++
	}
	return c
}

// victim finds the connection that gives way to a newcomer: of the client with
// most connections without a token, the idle or else the oldest one; where
// there are none, an idle one of the client with most. A client gives way only
// to one that holds fewer.
func (l *Listener) victim(newcomer netip.Prefix) (victim *Conn) {
	for c := range l.conns {
		if !c.vouched && l.fresh[c.client] > l.fresh[newcomer] && (victim == nil || l.before(c, victim, l.fresh)) {
			victim = c
		}
	}
	if victim != nil {
		return victim
	}
	for c := range l.conns {
		if c.vouched && c.idle && l.all[c.client] > l.all[newcomer] && (victim == nil || l.before(c, victim, l.all)) {
			victim = c
		}
	}
	return victim
}

// before reports whether a gives way before b.
func (l *Listener) before(a, b *Conn, held map[netip.Prefix]int) bool {
	if ha, hb := held[a.client], held[b.client]; ha != hb {
		return ha > hb
	}
	if a.idle != b.idle {
		return a.idle
	}
	return a.since.Before(b.since)
}

// forget no longer counts a connection.
func (l *Listener) forget(c *Conn) {
	if c.closed {
		return
	}
	c.closed = true
	delete(l.conns, c)
	less(l.all, c.client)
	if !c.vouched {
		less(l.fresh, c.client)
	}
}

// less counts one less; a client without connections takes no memory.
func less(held map[netip.Prefix]int, client netip.Prefix) {
	if held[client]--; held[client] <= 0 {
		delete(held, client)
	}
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	err := c.TCPConn.Close() // first, so that no handle is given out twice
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.forget(c)
	return err
}

// State is the ConnState of an http.Server.
func (l *Listener) State(conn net.Conn, state http.ConnState) {
	c := of(conn)
	if c == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.idle = state == http.StateNew || state == http.StateIdle; c.idle {
		c.since = time.Now()
	}
}

// connKey is the key of a request's connection.
type connKey struct{}

// Context is the ConnContext of an http.Server.
func (*Listener) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, of(conn))
}

// Vouch notes whether the request of a context showed a valid token. It does
// nothing where a request came by no Listener.
func Vouch(ctx context.Context, valid bool) {
	c, _ := ctx.Value(connKey{}).(*Conn)
	if c == nil {
		return
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed || c.vouched == valid || !c.listener.fromClient(c) {
		return
	}
	c.vouched = valid
	if valid {
		less(l.fresh, c.client)
	} else {
		l.fresh[c.client]++
	}
}

// fromClient reports whether a connection is not a trusted proxy's: one of
// those carries the requests of many, with tokens and without.
func (l *Listener) fromClient(c *Conn) bool {
	return !l.proxies.Load().Contains(c.client.Addr())
}

// of is the Conn that the server made a connection of.
func of(conn net.Conn) *Conn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c, _ := conn.(*Conn)
	return c
}

// Stats are figures of a Listener.
type Stats struct {
	Open, Total      int
	Refused, Evicted uint64
}

// Stats returns how many connections are open, refused and closed for others.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Open: len(l.conns), Total: l.total, Refused: l.refused.Load(), Evicted: l.evicted.Load()}
}
