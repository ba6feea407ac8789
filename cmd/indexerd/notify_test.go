package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServiceTellsSystemd runs the binary as a unit of Type=notify does. What it
// asks itself needs no token.
func TestServiceTellsSystemd(t *testing.T) {
	conn := notifySocket(t)
	t.Setenv("WATCHDOG_USEC", "1000000")
	dir := t.TempDir()
	file := writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0, tokens: {ops: {token: 0123456789abcdef, admin: true}}}\nsources:\n  db: {driver: sqlite, dsn: %s}\n", filepath.Join(dir, "data"), filepath.Join(dir, "none.sqlite"))+
		"tables:\n  note: {source: db, sql: SELECT * FROM note, key: id, updated: u, content: {fields: [text]}}\n")
	p := start(t, "run", "-c", file)
	// The first attempt to connect may fail before the message.
	got, want := strings.Replace(receive(t, conn), "; failing: note", "", 1), "READY=1\nSTATUS=note: waiting for its database\nWATCHDOG=1"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Run("a reload", func(t *testing.T) {
		p.hangUp(t)
		hears(t, conn, "RELOADING=1\nMONOTONIC_USEC=")
		hears(t, conn, "READY=1")
		p.waitForLog(t, took, 1)
	})
	t.Run("a reload that is refused", func(t *testing.T) {
		replace(t, file, "data: [")
		p.hangUp(t)
		hears(t, conn, "RELOADING=1\nMONOTONIC_USEC=")
		hears(t, conn, "READY=1")
		p.waitForLog(t, kept, 1)
	})
	p.stop(t)
	for got := ""; got != "STOPPING=1"; {
		if got = receive(t, conn); !strings.HasPrefix(got, "READY=1\n") && got != "STOPPING=1" {
			t.Errorf("got %q", got)
		}
	}
}

// hears waits for a message that begins so. Between them come those of a daemon
// that lives.
func hears(t *testing.T, conn *net.UnixConn, want string) {
	t.Helper()
	eventually(t, time.Minute, want, func() error {
		if got := receive(t, conn); !strings.HasPrefix(got, want) {
			return fmt.Errorf("got %q", got)
		}
		return nil
	})
}

// notifySocket is where this process reports to for as long as the test runs.
func notifySocket(t *testing.T) *net.UnixConn {
	t.Helper()
	name := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	return conn
}

// receive waits for the next message.
func receive(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := conn.Read(b)
	if err != nil {
		t.Fatalf("no further state is sent: %v", err)
	}
	return string(b[:n])
}
