package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// withTokens gives a configuration of lateConfig tokens.
func withTokens(t *testing.T, file string) {
	t.Helper()
	rewrite(t, file, "http: {listen: 127.0.0.1:0}\n", "http:\n  listen: 127.0.0.1:0\n  tokens:\n"+
		"    ops: {token: "+opsToken+", admin: true}\n    old: {token: "+unknownToken+", admin: true}\n")
}

// stall asks for something and reads no more than the status of the answer.
func stall(t *testing.T, base, request, token string) net.Conn {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	_ = conn.SetDeadline(time.Now().Add(soon))
	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", request, u.Host, token)
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%s: got %q, %v, want an answer that begins", request, line, err)
	}
	return conn
}

// TestReloadDoesNotWaitForABackup: a client takes a backup and does not read
// it. SIGHUP ends the backup; a token that was removed is no longer valid; what
// people ask for is done.
func TestReloadDoesNotWaitForABackup(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	// More than the kernel keeps of an answer, and does not get small. A text without a
	// blank is one overlong word, which costs the index nothing.
	pgtest.Exec(t, dsn, `INSERT INTO note (id, body)
		SELECT 1000 + i, (SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 1000) j) FROM generate_series(1, 400) i`)
	file := writeFile(t, lateConfig(dsn, freshData(t), "{every: 500ms}"))
	withTokens(t, file)
	p := start(t, "run", "-c", file)
	p.ready(t)
	stall(t, p.base, "POST /api/v1/backup", unknownToken)

	rewrite(t, file, "    old: {token: "+unknownToken+", admin: true}\n", "")
	p.hangUp(t)
	asks := func(token string) int {
		status, _ := visitor{http.DefaultClient, p.base, token}.ask(t, "GET", "/api/v1/status", "")
		return status
	}
	eventually(t, soon/2, "the removed token is refused", func() error {
		if got := asks(unknownToken); got != http.StatusUnauthorized {
			return fmt.Errorf("got %d, want 401", got)
		}
		return nil
	})
	p.waitForLog(t, took, 1)
	p.waitForLog(t, "broke a backup off", 1)
	eventually(t, soon/2, "the other token is answered", func() error {
		if got := asks(opsToken); got != http.StatusOK {
			return fmt.Errorf("got %d, want 200", got)
		}
		return nil
	})
	ops := withToken(t, opsToken)
	verifies(ops, 0, file, "--wait", "1m")
	sweeps(ops, 0, file, "note")
	commands(ops, 0, "reload", "-c", file, "note")
}

// TestRemovedTokenAndAFaultySQL: the configuration has a fault that only
// the database knows, and a token less.
func TestRemovedTokenAndAFaultySQL(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	file := writeFile(t, lateConfig(dsn, freshData(t), "{every: 500ms}"))
	withTokens(t, file)
	p := start(t, "run", "-c", file)
	p.ready(t)
	rewrite(t, file, "    old: {token: "+unknownToken+", admin: true}\n", "", "fields: [body]", "fields: [bdy]")
	p.hangUp(t)
	p.waitForLog(t, kept, 1)
	for token, want := range map[string]int{unknownToken: 401, opsToken: 200} {
		if got, _ := (visitor{http.DefaultClient, p.base, token}).ask(t, "GET", "/api/v1/status", ""); got != want {
			t.Errorf("%s: got %d, want %d", token, got, want)
		}
	}
}
