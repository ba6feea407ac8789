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
// it. SIGHUP ends the backup; a token that was removed is no longer valid, also if the
// configuration has a fault that only the database knows; what people ask for is done.
func TestReloadDoesNotWaitForABackup(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	// More than the kernel keeps of an answer, and does not get small. A text without a
	// blank is one overlong word, which costs the index nothing.
	pgtest.Exec(t, dsn, `INSERT INTO note (id, body)
		SELECT 1000 + i, (SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 1000) j) FROM generate_series(1, 400) i`)
	file := writeFile(t, lateConfig(dsn, freshData(t), "{every: 500ms}"))
	const old, faulty = "    old: {token: " + unknownToken + ", admin: true}\n", "    faulty: {token: " + salesToken + ", admin: true}\n"
	rewrite(t, file, "http: {listen: 127.0.0.1:0}\n", "http:\n  listen: 127.0.0.1:0\n  tokens:\n    ops: {token: "+opsToken+", admin: true}\n"+old+faulty)
	p := follow(t, file)
	stall(t, p.base, "POST /api/v1/backup", unknownToken)

	answers := func(token string, want int) {
		t.Helper()
		eventually(t, soon/2, fmt.Sprintf("status %d", want), func() error {
			if got := p.as(token).status(t); got != want {
				return fmt.Errorf("got %d", got)
			}
			return nil
		})
	}
	rewrite(t, file, old, "")
	p.hangUp(t)
	answers(unknownToken, http.StatusUnauthorized)
	p.waitForLog(t, took, 1)
	p.waitForLog(t, "broke a backup off", 1)
	answers(opsToken, http.StatusOK)
	ops := withToken(t, opsToken)
	verifies(ops, 0, file, "--wait", "1m")
	sweeps(ops, 0, file, "note")
	commands(ops, 0, "reload", "-c", file, "note")

	rewrite(t, file, faulty, "", "fields: [body]", "fields: [bdy]")
	p.hangUp(t)
	p.waitForLog(t, kept, 1)
	answers(salesToken, http.StatusUnauthorized)
	answers(opsToken, http.StatusOK)
}
