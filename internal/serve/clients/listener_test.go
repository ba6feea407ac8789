package clients

import (
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

// A testServer serves HTTP behind a Listener of 8 connections, 2 per client. It
// answers /slow when the test ends and everything else at once. A request with
// an Authorization header counts as authenticated.
type testServer struct {
	*Listener
	t *testing.T
}

func newTestServer(t *testing.T, trusted ...netip.Prefix) testServer {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, 8)
	l.Trust(trusted)
	ended := make(chan struct{})
	s := &http.Server{ConnState: l.ConnState, ConnContext: l.ConnContext, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		SetAuthenticated(r.Context(), r.Header.Get("Authorization") != "")
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
			t.Errorf("after closing all connections: got %d open, want 0", got)
		}
	})
	return testServer{l, t}
}

// dial connects from 127.0.0.n.
func (s testServer) dial(n byte) *net.TCPConn {
	s.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}
	c, err := d.DialContext(s.t.Context(), "tcp", s.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // so that a hanging test fails
	return c.(*net.TCPConn)
}

// fill opens 2 connections from each of 127.0.0.2 to 127.0.0.5.
func (s testServer) fill() (conns []*net.TCPConn) {
	s.t.Helper()
	for n := byte(2); n < 6; n++ {
		conns = append(conns, s.dial(n), s.dial(n))
	}
	s.wait(8, 0, 0)
	return conns
}

// wait waits for the listener's counts.
func (s testServer) wait(open int, rejected, evicted uint64) {
	s.t.Helper()
	want := Stats{Open: open, Total: 8, Rejected: rejected, Evicted: evicted}
	waitUntil(s.t, func() error {
		if got := s.Stats(); got != want {
			return fmt.Errorf("got %+v, want %+v", got, want)
		}
		return nil
	})
}

// waitUntil fails the test if check does not succeed within a minute.
func waitUntil(t *testing.T, check func() error) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// send sends a request.
func send(c net.Conn, path, token string) {
	header := ""
	if token != "" {
		header = "Authorization: " + token + "\r\n"
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, header)
}

// get sends a request and reads its answer.
func get(t *testing.T, c net.Conn, token string) {
	t.Helper()
	send(c, "/", token)
	answer := make([]byte, 4096)
	if n, err := c.Read(answer); err != nil || !strings.HasSuffix(string(answer[:n]), "answered") {
		t.Fatalf("got %q, %v, want an answer", answer[:n], err)
	}
}

// isOpen reports whether the server has not closed a connection.
func isOpen(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	return os.IsTimeout(err)
}

func TestListenerRejectsAClientBeyondItsLimit(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	first, second := s.dial(2), s.dial(2)
	s.wait(2, 0, 0)
	third := s.dial(2)
	s.wait(2, 1, 0)
	if !isOpen(first) || !isOpen(second) || isOpen(third) {
		t.Error("got the third connection of a client open or an earlier one closed")
	}
	get(t, first, "")
	first.Close()
	s.wait(1, 1, 0)
	get(t, s.dial(2), "")
}

// A client without connections is accepted at the total limit. The oldest
// unauthenticated connections of others are closed for it, the authenticated
// connection stays open.
func TestListenerEvictsUnauthenticatedConnectionsFirst(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	first := s.fill()
	authenticated := s.dial(1)
	s.wait(8, 0, 1)
	get(t, authenticated, "token")
	for n := byte(10); n < 60; n++ {
		s.dial(n)
		s.wait(8, 0, uint64(n)-8)
	}
	if !isOpen(authenticated) {
		t.Fatal("the authenticated connection was closed")
	}
	get(t, authenticated, "token")
	for i, c := range first {
		if isOpen(c) {
			t.Errorf("connection %d of the first 8 is open, want it closed", i)
		}
	}
}

func TestListenerEvictsOnlyForAClientWithFewerConnections(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	s.fill()
	s.dial(1)
	s.wait(8, 0, 1)
	s.dial(1)
	s.wait(8, 0, 2)
	s.dial(1)
	s.wait(8, 1, 2)
}

func TestListenerEvictsTheUnauthenticatedConnectionOfAClientWithBoth(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	var authenticated []*net.TCPConn
	for n := byte(2); n < 6; n++ {
		c := s.dial(n)
		get(t, c, "token")
		authenticated = append(authenticated, c)
		s.dial(n)
	}
	s.wait(8, 0, 0)
	s.dial(1)
	s.wait(8, 0, 1)
	for i, c := range authenticated {
		if !isOpen(c) {
			t.Errorf("authenticated connection %d was closed, want an unauthenticated one", i)
		}
	}
}

func TestListenerKeepsRunningAuthenticatedRequests(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, c := range s.fill() {
		send(c, "/slow", "token")
	}
	waitUntil(t, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if n := len(s.anonymous); n > 0 {
			return fmt.Errorf("%d clients have unauthenticated connections, want 0", n)
		}
		return nil
	})
	s.dial(1)
	s.wait(8, 1, 0)
}

// A trusted proxy may use all connections. An idle one is closed for another
// client.
func TestListenerHasNoLimitForTrustedProxies(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, netip.MustParsePrefix("127.0.0.9/32"))
	for range 8 {
		s.dial(9)
	}
	s.wait(8, 0, 0)
	get(t, s.dial(1), "")
	s.wait(8, 0, 1)
}

func TestSetAuthenticatedIgnoresInProcessCalls(t *testing.T) {
	SetAuthenticated(t.Context(), true) // must not panic
}
