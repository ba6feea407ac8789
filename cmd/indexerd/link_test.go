package main

import (
	"net"
	"sync"
	"testing"
)

// A link carries connections to one server, until it is cut. What was sent meanwhile
// arrives when it is whole again, as over a network that loses packets for a while.
type link struct {
	address string
	server  string
	gate    sync.RWMutex // locked while it is cut

	mu    sync.Mutex
	ends  map[net.Conn]struct{}
	isCut bool
}

// newLink returns a link to host:port.
func newLink(t testing.TB, server string) *link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &link{address: l.Addr().String(), server: server, ends: map[net.Conn]struct{}{}}
	go k.serve(l)
	t.Cleanup(func() {
		_ = l.Close()
		k.heal()
		k.hangUp()
	})
	return k
}

func (k *link) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go k.join(client)
	}
}

func (k *link) join(client net.Conn) {
	k.gate.RLock()
	server, err := net.Dial("tcp", k.server)
	k.gate.RUnlock()
	if err != nil {
		_ = client.Close()
		return
	}
	k.mu.Lock()
	k.ends[client], k.ends[server] = struct{}{}, struct{}{}
	k.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { k.carry(server, client) })
	both.Go(func() { k.carry(client, server) })
	both.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.ends, client)
	delete(k.ends, server)
}

func (k *link) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			k.gate.RLock()
			_, writeErr := to.Write(b[:n])
			k.gate.RUnlock()
			if writeErr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut stops everything on the link.
func (k *link) cut() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isCut {
		k.isCut = true
		k.gate.Lock()
	}
}

// heal ends a cut.
func (k *link) heal() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isCut {
		k.isCut = false
		k.gate.Unlock()
	}
}

// hangUp closes all connections.
func (k *link) hangUp() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for c := range k.ends {
		_ = c.Close()
	}
}
