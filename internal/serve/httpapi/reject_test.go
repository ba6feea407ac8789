package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/index/search"
)

// Responses to unknown tokens are delayed and then rejected as busy. Requests of
// the same client with a valid token or without any are not delayed.
func TestUnknownTokensAreDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withTokens
		a.Limits = NewLimits(nil)
		request := func(authorization string) (code int, took time.Duration) {
			began := time.Now()
			w := serveWith(&fakeEngine{}, a, "GET", "/api/v1/tables/film/search", authorization)
			return w.Code, time.Since(began)
		}
		var last time.Duration
		for i := range 10 {
			code, took := request(fmt.Sprintf("Bearer guess-number-%d", i))
			if code != 401 || took < last || i == 9 && took == 0 {
				t.Errorf("guess %d: got %d after %v, want 401 after %v or more", i, code, took, last)
			}
			last = took
		}
		for range 10 {
			go request("Bearer guess-number-eleven")
		}
		synctest.Wait()
		if code, took := request("Bearer guess-number-twelve"); code != 429 || took != 0 {
			t.Errorf("too many guesses: got %d after %v, want 429 at once", code, took)
		}
		for _, token := range []string{adminToken, searchToken} {
			if code, took := request("Bearer " + token); code != 200 || took != 0 {
				t.Errorf("valid token from the same client: got %d after %v, want 200 at once", code, took)
			}
		}
		if code, took := request(""); code != 401 || took != 0 {
			t.Errorf("no token: got %d after %v, want 401 at once", code, took)
		}
		time.Sleep(time.Minute) // until the guesses have their responses
	})
}

// A rejected request gets its response before its body has arrived, and the
// connection is closed.
func TestBodyOfARejectedRequestIsNotRead(t *testing.T) {
	address := listen(t, 0) // no read deadline
	const find = "POST /api/v1/tables/film/search HTTP/1.1\r\n"
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"no token", find + "Content-Length: 100\r\n\r\n", 401},
		{"no token, half a body", find + "Content-Length: 100\r\n\r\n{\"q\":", 401},
		{"no token, large body", find + "Content-Length: 100000000\r\n\r\n{", 401},
		{"no token, chunked body", find + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"q\":\r\n", 401},
		{"no token, body after 100-continue", find + "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", 401},
		{"unknown token", find + "Authorization: Bearer t0ken-that-is-unknown\r\nContent-Length: 100\r\n\r\n", 401},
		{"token that may only search", "POST /api/v1/verify HTTP/1.1\r\nAuthorization: Bearer " + searchToken + "\r\nContent-Length: 100\r\n\r\n", 403},
		{"page of another site", find + "Origin: http://evil.example\r\nContent-Length: 100\r\n\r\n", 403},
		{"body too large", find + "Authorization: Bearer " + adminToken + "\r\nContent-Length: 100000000\r\n\r\n" + strings.Repeat(" ", maxBody+1), 413},
		{"no token, no body", "GET /api/v1/status HTTP/1.1\r\n\r\n", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, response, text := sendRaw(t, address, c.request)
			if response.StatusCode != c.status || !response.Close || !strings.Contains(text, `{"error":{`) {
				t.Errorf("got %d, close: %t, %s; want %d and close", response.StatusCode, response.Close, text, c.status)
			}
			if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("after the response: got %d bytes and %v, want EOF", n, err)
			}
		})
	}
}

func TestBodyMustArriveBeforeTheReadDeadline(t *testing.T) {
	address := listen(t, 200*time.Millisecond)
	for _, path := range []string{"/api/v1/tables/film/search", "/api/v1/verify", "/api/v1/backup"} {
		_, response, text := sendRaw(t, address, "POST "+path+" HTTP/1.1\r\nAuthorization: Bearer "+adminToken+"\r\nContent-Length: 100\r\n\r\n{")
		if response.StatusCode != 400 || !strings.Contains(text, "the body did not arrive in time") {
			t.Errorf("%s: got %d %s, want 400", path, response.StatusCode, text)
		}
	}
}

// listen serves a fakeEngine with tokens and a read timeout.
func listen(t *testing.T, timeout time.Duration) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := Access{Listen: l.Addr().String(), Tokens: []Token{{adminToken, search.Caller{Admin: true}}, {searchToken, search.Caller{}}}}
	s := &http.Server{Handler: Handler(&fakeEngine{}, a), ReadTimeout: timeout, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-served })
	return a.Listen
}

// sendRaw adds a Host to a request, sends it and returns the response.
func sendRaw(t *testing.T, address, request string) (net.Conn, *http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // so that a hanging test fails
	io.WriteString(conn, strings.Replace(request, "\r\n", "\r\nHost: "+address+"\r\n", 1))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return conn, response, string(text)
}
