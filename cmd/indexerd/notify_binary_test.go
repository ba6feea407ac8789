package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestServiceTellsSystemd runs the binary as a unit of Type=notify does.
func TestServiceTellsSystemd(t *testing.T) {
	conn := notifySocket(t)
	t.Setenv("WATCHDOG_USEC", "1000000")
	dir := t.TempDir()
	p := start(t, "run", "-c", writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\n", filepath.Join(dir, "data"), filepath.Join(dir, "none.sqlite"))+
		"tables:\n  note: {source: db, sql: SELECT * FROM note, key: id, updated: u, content: {fields: [text]}}\n"))
	if got, want := receive(t, conn), "READY=1\nSTATUS=note: waiting for its database"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	p.stop(t)
	for got := ""; got != "STOPPING=1"; {
		if got = receive(t, conn); !strings.HasPrefix(got, "READY=1\n") && got != "STOPPING=1" {
			t.Errorf("got %q", got)
		}
	}
}
