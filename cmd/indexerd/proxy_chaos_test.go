package main

import (
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A proxy stands between a daemon and a server, and does to what passes what
// networks do.
type proxy struct {
	address  string // host:port where it listens
	listener *net.TCPListener
	to       string
	dialled  atomic.Int64 // how often the daemon has connected
	mishap   atomic.Pointer[mishap]

	mu    sync.Mutex
	links map[*net.TCPConn]bool
}

// A mishap is what the network does for a while, on the links that there are
// and on new ones.
type mishap struct {
	kind  string
	delay time.Duration // of each piece, where it is late
	left  atomic.Int64  // bytes of the server's that still pass, where it is cut or stalls
	over  chan struct{} // closed when it has passed
}

// newProxy makes a proxy to the server of a DSN, and returns the DSN that goes
// through it.
func newProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p := proxyTo(t, u.Host)
	u.Host = p.address
	return p, u.String()
}

// proxyTo makes a proxy to host:port.
func proxyTo(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: l.Addr().String(), listener: l, to: server, links: map[*net.TCPConn]bool{}}
	go p.serve()
	t.Cleanup(func() { l.Close(); p.heal(); p.reset() })
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.AcceptTCP()
		if err != nil {
			return // the test has ended
		}
		p.dialled.Add(1)
		server, err := net.Dial("tcp", p.to)
		if err != nil {
			breakOff(client)
			continue
		}
		p.join(client, server.(*net.TCPConn))
	}
}

func (p *proxy) join(client, server *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links[client], p.links[server] = true, true
	go p.carry(client, server, true)
	go p.carry(server, client, false)
}

// carry passes on what comes, until either end is closed or cut off.
func (p *proxy) carry(to, from *net.TCPConn, fromServer bool) {
	defer p.part(to, from)
	b := make([]byte, 16<<10)
	for {
		n, err := from.Read(b)
		if !p.pass(to, b[:n], fromServer) {
			breakOff(to)
			breakOff(from)
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) pass(to io.Writer, b []byte, fromServer bool) bool {
	for len(b) > 0 {
		n, goesOn := p.mishap.Load().lets(len(b), fromServer)
		if _, err := to.Write(b[:n]); err != nil || !goesOn {
			return false
		}
		b = b[n:]
	}
	return true
}

// lets returns how many of n bytes pass now, and whether the link lives on.
func (f *mishap) lets(n int, fromServer bool) (int, bool) {
	if f == nil {
		return n, true
	}
	switch f.kind {
	case "late":
		f.wait(f.delay)
	case "trickle":
		if !f.wait(time.Second) {
			return 1, true
		}
	case "hold": // what was sent arrives when it is over, as over a network that loses packets for a while
		<-f.over
	case "hole":
		<-f.over
		return 0, false // what was lost is never sent again
	case "stall":
		if fromServer && f.left.Load() >= 0 && f.left.Add(-int64(n)) < 0 {
			<-f.over // this link alone, and for ever
			return 0, false
		}
	case "cut":
		if fromServer {
			left := f.left.Add(-int64(n))
			return max(n+int(min(left, 0)), 0), left >= 0
		}
	}
	return n, true
}

// wait reports whether the fault has passed meanwhile.
func (f *mishap) wait(d time.Duration) bool {
	select {
	case <-f.over:
		return true
	case <-time.After(d):
		return false
	}
}

func (p *proxy) part(links ...*net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, link := range links {
		link.Close()
		delete(p.links, link)
	}
}

// breakOff closes a link as a crash does, with a reset.
func breakOff(link *net.TCPConn) {
	_ = link.SetLinger(0) // it may be closed
	link.Close()
}

// reset breaks every link off.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for link := range p.links {
		breakOff(link)
	}
}

func (p *proxy) suffers(f *mishap) {
	f.over = make(chan struct{})
	p.mishap.Store(f)
}

// heal ends the fault.
func (p *proxy) heal() {
	if f := p.mishap.Swap(nil); f != nil {
		close(f.over)
	}
}
