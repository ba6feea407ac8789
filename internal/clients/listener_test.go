package clients

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
)

// A house is a server whose connections a Listener shares: 8 in all, 2 of one
// client. A request with a token is answered, one to /slow when the test ends.
type house struct {
	*Listener
	t *testing.T
}

func newHouse(t *testing.T, trusted ...string) house {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, 8)
	var proxies Proxies
	for _, p := range trusted {
		proxies = append(proxies, netip.MustParsePrefix(p))
	}
	l.Trust(proxies)
	ended := make(chan struct{})
	s := &http.Server{ConnState: l.State, ConnContext: l.Context, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Vouch(r.Context(), r.Header.Get("Authorization") != "")
		if r.URL.Path == "/slow" {
			<-ended
		}
		io.WriteString(w, "answered")
	})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		close(ended)
		s.Close()
		<-served
		if got := l.Stats().Open; got != 0 {
			t.Errorf("%d connections are counted when all are closed", got)
		}
	})
	return house{l, t}
}

// from connects from 127.0.0.n.
func (h house) from(n byte) *net.TCPConn {
	h.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}
	c, err := d.DialContext(h.t.Context(), "tcp", h.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // of a test that hangs
	return c.(*net.TCPConn)
}

// counted waits until the listener has decided on a number of connections.
func (h house) counted(open, closed int) {
	h.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		s := h.Stats()
		if s.Open == open && int(s.Refused+s.Evicted) == closed {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("got %+v, want %d open and %d closed", s, open, closed)
		}
		<-time.After(time.Millisecond)
	}
}

// ask sends a request and waits for the first bytes of its answer.
func ask(t *testing.T, c net.Conn, path, token string) {
	t.Helper()
	header := ""
	if token != "" {
		header = "Authorization: " + token + "\r\n"
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, header)
	if path == "/slow" {
		return
	}
	answer := make([]byte, 4096)
	if n, err := c.Read(answer); err != nil || !strings.HasSuffix(string(answer[:n]), "answered") {
		t.Fatalf("got %q, %v, want an answer", answer[:n], err)
	}
}

// isOpen reports whether the server has not closed a connection.
func isOpen(t *testing.T, c net.Conn) bool {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	return os.IsTimeout(err)
}

func TestAShareOfEachClient(t *testing.T) {
	h := newHouse(t)
	first, second := h.from(2), h.from(2)
	h.counted(2, 0)
	third := h.from(2)
	h.counted(2, 1)
	if !isOpen(t, first) || !isOpen(t, second) || isOpen(t, third) {
		t.Error("the third connection of a client is open, or one before it is not")
	}
	ask(t, first, "/", "")
	first.Close()
	h.counted(1, 1)
	ask(t, h.from(2), "/", "")
}

// However many clients hold connections, one that holds none is accepted.
func TestNoClientIsLockedOut(t *testing.T) {
	h := newHouse(t)
	var held []*net.TCPConn
	for n := byte(2); n < 6; n++ {
		held = append(held, h.from(n), h.from(n))
	}
	h.counted(8, 0)
	shop := h.from(1)
	h.counted(8, 1)
	ask(t, shop, "/", "token")
	for n := byte(10); n < 60; n++ { // each is one of many that hold nothing
		h.from(n)
		h.counted(8, int(n)-8)
	}
	if !isOpen(t, shop) {
		t.Fatal("the connection that showed a token was closed for those that did not")
	}
	ask(t, shop, "/", "token")
	open := 0
	for _, c := range held {
		if isOpen(t, c) {
			open++
		}
	}
	if open > 0 {
		t.Errorf("%d of the first connections are open, want those closed that are oldest", open)
	}
}

// A client gives way only to one that holds fewer.
func TestTheGreedyGetNoMore(t *testing.T) {
	h := newHouse(t)
	for n := byte(2); n < 6; n++ {
		h.from(n)
		h.from(n)
	}
	h.counted(8, 0)
	h.from(1)
	h.counted(8, 1)
	h.from(1)
	h.counted(8, 2)
	if s := h.Stats(); s.Evicted != 2 {
		t.Errorf("got %+v, want 2 closed for a client with fewer", s)
	}
	h.from(1)
	h.counted(8, 3)
	if s := h.Stats(); s.Refused != 1 {
		t.Errorf("got %+v, want the third of one client refused", s)
	}
}

// A request under way that showed a token is never given up for another.
func TestRequestsWithATokenGoOn(t *testing.T) {
	h := newHouse(t)
	for n := byte(2); n < 6; n++ {
		for range 2 {
			ask(t, h.from(n), "/slow", "token")
		}
	}
	h.counted(8, 0)
	deadline := time.Now().Add(time.Minute)
	for {
		h.mu.Lock()
		without := len(h.fresh)
		h.mu.Unlock()
		if without == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the tokens of %d clients were not noted within a minute", without)
		}
		<-time.After(time.Millisecond)
	}
	h.from(1)
	h.counted(8, 1)
	if s := h.Stats(); s.Refused != 1 || s.Evicted != 0 {
		t.Errorf("got %+v, want the newcomer refused", s)
	}
}

// A trusted proxy has as many connections as there are.
func TestTrustedProxiesHaveNoShare(t *testing.T) {
	h := newHouse(t, "127.0.0.9/32")
	for range 8 {
		h.from(9)
	}
	h.counted(8, 0)
	ask(t, h.from(1), "/", "")
	h.counted(8, 1)
	if s := h.Stats(); s.Evicted != 1 {
		t.Errorf("got %+v, want an idle connection of the proxy closed", s)
	}
}

func TestVouchInProcess(t *testing.T) {
	Vouch(context.Background(), true) // no connection: nothing to note, and no panic
}
