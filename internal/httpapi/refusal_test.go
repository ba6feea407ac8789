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

	"indexerd/internal/search"
)

// A browser says which site began a request; no other site's is answered, but
// a link to the dashboard is followed.
func TestOtherSites(t *testing.T) {
	const find = "/api/v1/tables/film/search?q=x"
	for _, c := range []struct {
		name, method, target string
		site, mode, dest     string
		status               int
		searched             bool
	}{
		{name: "no browser", method: "GET", target: find, status: 200, searched: true},
		{name: "own page", method: "GET", target: find, site: "same-origin", mode: "cors", dest: "empty", status: 200, searched: true},
		{name: "typed", method: "GET", target: find, site: "none", mode: "navigate", dest: "document", status: 200, searched: true},
		{name: "an image of another site", method: "GET", target: find, site: "cross-site", mode: "no-cors", dest: "image", status: 403},
		{name: "a script of another site", method: "GET", target: find, site: "cross-site", mode: "cors", dest: "empty", status: 403},
		{name: "a link of another site", method: "GET", target: find, site: "cross-site", mode: "navigate", dest: "document", status: 403},
		{name: "another port", method: "GET", target: find, site: "same-site", mode: "no-cors", dest: "image", status: 403},
		{name: "what is not known", method: "GET", target: find, site: "elsewhere", status: 403},
		{name: "a form of another site", method: "POST", target: find, site: "cross-site", mode: "navigate", dest: "document", status: 403},
		{name: "a link to the dashboard", method: "GET", target: "/", site: "cross-site", mode: "navigate", dest: "document", status: 200},
		{name: "a frame with the dashboard", method: "GET", target: "/", site: "cross-site", mode: "navigate", dest: "iframe", status: 403},
		{name: "the dashboard as an image", method: "GET", target: "/", site: "cross-site", mode: "no-cors", dest: "image", status: 403},
		{name: "a form to the dashboard", method: "POST", target: "/", site: "cross-site", mode: "navigate", dest: "document", status: 403},
		{name: "health", method: "GET", target: "/healthz", site: "cross-site", mode: "no-cors", dest: "image", status: 403},
		{name: "a file of the dashboard", method: "GET", target: "/web/api.js", site: "cross-site", mode: "no-cors", dest: "script", status: 403},
	} {
		e := &fakeEngine{}
		w := serve(e, c.method, c.target, "", "Sec-Fetch-Site", c.site, "Sec-Fetch-Mode", c.mode, "Sec-Fetch-Dest", c.dest)
		if searched := e.asked.Size > 0; w.Code != c.status || searched != c.searched {
			t.Errorf("%s: got %d, searched: %t, want %d and %t: %s", c.name, w.Code, searched, c.status, c.searched, w.Body)
		}
		if c.status == 403 && !strings.HasPrefix(w.Body.String(), `{"error":{"code":"forbidden"`) {
			t.Errorf("%s: got %s, want the contract's error", c.name, w.Body)
		}
	}
}

// Who guesses tokens is answered late, who shows a valid one never; and where
// too many guess, not at all.
func TestGuessing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := guarded
		a.Limits = NewLimits(nil)
		ask := func(authorization string) (code int, took time.Duration) {
			began := time.Now()
			w := askWith(a, "GET", "/api/v1/tables/film/search", authorization)
			return w.Code, time.Since(began)
		}
		var last time.Duration
		for i := range 10 {
			code, took := ask(fmt.Sprintf("Bearer guess-number-%d", i))
			if code != 401 || took < last {
				t.Errorf("guess %d: got %d after %v, want 401 after %v or more", i, code, took, last)
			}
			last = took
		}
		if last == 0 {
			t.Error("the tenth guess was answered at once")
		}
		for range 10 {
			go ask("Bearer guess-number-eleven")
		}
		synctest.Wait()
		if code, took := ask("Bearer guess-number-twelve"); code != 429 || took != 0 {
			t.Errorf("beside many guesses: got %d after %v, want 429 at once", code, took)
		}
		for _, token := range []string{adminToken, searchToken} {
			if code, took := ask("Bearer " + token); code != 200 || took != 0 {
				t.Errorf("a valid token from the same address: got %d after %v, want 200 at once", code, took)
			}
		}
		if code, took := ask(""); code != 401 || took != 0 {
			t.Errorf("no token: got %d after %v, want 401 at once", code, took)
		}
		time.Sleep(time.Minute) // the guesses are answered
	})
}

// A refused request's body is not waited for: the answer comes, and the
// connection ends.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	address := listening(t, 0) // without a deadline of its own
	const find = "POST /api/v1/tables/film/search HTTP/1.1\r\n"
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"no token", find + "Content-Length: 100\r\n\r\n", 401},
		{"no token, half a body", find + "Content-Length: 100\r\n\r\n{\"q\":", 401},
		{"no token, a large body", find + "Content-Length: 100000000\r\n\r\n{", 401},
		{"no token, a body in chunks", find + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"q\":\r\n", 401},
		{"no token, a body that waits", find + "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", 401},
		{"a wrong token", find + "Authorization: Bearer t0ken-of-nobody\r\nContent-Length: 100\r\n\r\n", 401},
		{"a token that only searches", "POST /api/v1/verify HTTP/1.1\r\nAuthorization: Bearer " + searchToken + "\r\nContent-Length: 100\r\n\r\n", 403},
		{"another page", find + "Origin: http://evil.example\r\nContent-Length: 100\r\n\r\n", 403},
		{"too large", find + "Authorization: Bearer " + adminToken + "\r\nContent-Length: 100000000\r\n\r\n" + strings.Repeat(" ", maxBody+1), 413},
		{"no token, no body", "GET /api/v1/status HTTP/1.1\r\n\r\n", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, response, text := sent(t, address, c.request)
			if response.StatusCode != c.status || !response.Close || !strings.Contains(text, `{"error":{`) {
				t.Errorf("got %d, close: %t, %s; want %d and close", response.StatusCode, response.Close, text, c.status)
			}
			if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("behind the answer: got %d bytes and %v, want the end", n, err)
			}
		})
	}
}

// A body that does not come is answered when its time is over, also
// where a valid token announced it.
func TestHalfBodiesEnd(t *testing.T) {
	address := listening(t, 2*time.Second)
	for _, path := range []string{"/api/v1/tables/film/search", "/api/v1/verify", "/api/v1/backup"} {
		_, response, text := sent(t, address, "POST "+path+" HTTP/1.1\r\nAuthorization: Bearer "+adminToken+"\r\nContent-Length: 100\r\n\r\n{")
		if response.StatusCode != 400 || !strings.Contains(text, "the body did not come") {
			t.Errorf("%s: got %d %s, want 400 and why", path, response.StatusCode, text)
		}
	}
}

// listening serves a fakeEngine to callers with tokens.
func listening(t *testing.T, within time.Duration) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := Access{Listen: l.Addr().String(), Tokens: []Token{{adminToken, search.Caller{Admin: true}}, {searchToken, search.Caller{}}}}
	s := &http.Server{Handler: Handler(&fakeEngine{}, a), ReadTimeout: within, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-served })
	return a.Listen
}

// sent sends a request without a Host and returns the answer.
func sent(t *testing.T, address, request string) (net.Conn, *http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // of a test that hangs
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
