package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A mob is clients at 127.0.0.2 and beyond, each of which abuses a server in
// one way, again and again.
type mob struct {
	address string
	seed    uint64

	connected, malformed atomic.Int64
}

// mobAddresses is at how many addresses a mob is. Each way to abuse is at each of them.
const mobAddresses = 12

// waysToAbuse are what a connection does until the server ends it, and how many
// of them there are at each address.
var waysToAbuse = []struct {
	count int
	abuse func(m *mob, ctx context.Context, c net.Conn, r *rand.Rand)
}{
	{4, (*mob).sayNothing},
	{4, (*mob).slowHeaders},
	{4, (*mob).halfBody},
	{4, (*mob).halfBodyWithToken},
	{6, (*mob).unreadAnswer},
	{2, (*mob).guess},
	{1, (*mob).nonsense},
}

func newMob(base string, seed uint64) *mob {
	u, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return &mob{address: u.Host, seed: seed}
}

// run abuses until ctx ends.
func (m *mob) run(ctx context.Context) {
	var going sync.WaitGroup
	defer going.Wait()
	for at := range mobAddresses {
		for way, w := range waysToAbuse {
			for i := range w.count {
				random := rand.New(rand.NewPCG(m.seed, uint64(at*10_000+way*100+i)))
				going.Go(func() {
					for ctx.Err() == nil {
						m.connect(ctx, at, random, w.abuse)
						m.pause(ctx, 20*time.Millisecond+time.Duration(random.Int64N(int64(100*time.Millisecond))))
					}
				})
			}
		}
	}
}

// connect connects from an address and abuses the connection.
func (m *mob) connect(ctx context.Context, at int, r *rand.Rand, abuse func(*mob, context.Context, net.Conn, *rand.Rand)) {
	dialer := net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+at))}}
	c, err := dialer.DialContext(ctx, "tcp", m.address)
	if err != nil {
		return // no more than refused
	}
	m.connected.Add(1)
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	abuse(m, ctx, c, r)
}

func (m *mob) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (m *mob) sayNothing(_ context.Context, c net.Conn, _ *rand.Rand) { untilClosed(c) }

func (m *mob) slowHeaders(ctx context.Context, c net.Conn, _ *rand.Rand) {
	for _, b := range []byte("GET /api/v1/status HTTP/1.1\r\nHost: " + m.address + "\r\nX-Slow: " + strings.Repeat("x", 1000)) {
		if _, err := c.Write([]byte{b}); err != nil || ctx.Err() != nil {
			return
		}
		m.pause(ctx, 300*time.Millisecond)
	}
}

func (m *mob) halfBody(_ context.Context, c net.Conn, _ *rand.Rand) {
	m.send(c, "POST /api/v1/backup HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n{")
	untilClosed(c)
}

func (m *mob) halfBodyWithToken(_ context.Context, c net.Conn, _ *rand.Rand) {
	m.send(c, "POST /api/v1/tables/note/search HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "+mobToken+"\r\nContent-Length: 1000\r\n\r\n{\"q\": ")
	untilClosed(c)
}

// unreadAnswer asks for all large documents and reads none of them.
func (m *mob) unreadAnswer(ctx context.Context, c net.Conn, _ *rand.Rand) {
	m.send(c, "GET /api/v1/tables/note/search?q=large&size=1000&highlight=false HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "+mobToken+"\r\n\r\n")
	_, _ = io.CopyN(io.Discard, c, 1000) // it has begun
	m.pause(ctx, 10*time.Second)
}

func (m *mob) guess(_ context.Context, c net.Conn, r *rand.Rand) {
	m.send(c, fmt.Sprintf("GET /api/v1/status HTTP/1.1\r\nHost: %%s\r\nAuthorization: Bearer guess-%016x\r\n\r\n", r.Uint64()))
	untilClosed(c)
}

// nonsense sends what is no request, or one that no client would send.
func (m *mob) nonsense(_ context.Context, c net.Conn, r *rand.Rand) {
	random := make([]byte, 1+r.IntN(300))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	requests := []string{
		string(random) + "\r\n\r\n",
		"GET\r\n\r\n",
		"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"GET /%%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 100_000) + "\r\n\r\n",
		"POST /api/v1/tables/note/search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz\r\n",
		"POST /api/v1/tables/note/search HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + string(random),
		"GET /api/v1/tables/" + strings.Repeat("../", 200) + " HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	if _, err := io.WriteString(c, requests[r.IntN(len(requests))]); err == nil {
		m.malformed.Add(1)
	}
	_ = c.(*net.TCPConn).CloseWrite() // it may be gone
	untilClosed(c)
}

func (m *mob) send(c net.Conn, request string) { fmt.Fprintf(c, request, m.address) }

// untilClosed reads until the server ends the connection.
func untilClosed(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func (m *mob) String() string { return fmt.Sprintf("addresses=%d", mobAddresses) }
