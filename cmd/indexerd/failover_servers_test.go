package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/hbase/hbasetest"
)

// startPages starts the store of pages, and returns its part of a configuration.
func (f *failover) startPages(t *testing.T) string {
	t.Helper()
	switch engine := os.Getenv("FAILOVER_PAGES"); engine {
	case "hbase":
		url, program, err := hbasetest.Start(true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(program.Stop)
		f.pages = strings.TrimPrefix(url, "http://")
		return `pages: {engine: hbase, rest: ["` + url + `"], table: pages}`
	case "":
		store, err := bttest.NewServer("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		f.pages = store.Addr
		return "pages: {engine: bigtable, project: p, instance: i, table: pages}"
	default:
		t.Fatalf("FAILOVER_PAGES: got %s, want hbase or nothing", engine)
		return ""
	}
}

// A redis is a server that saves what it has only when it is asked to.
type redis struct {
	address string // host:port
	dir     string
	cmd     *exec.Cmd
}

func newRedis(t *testing.T) *redis {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &redis{address: l.Addr().String(), dir: t.TempDir()}
	_ = l.Close()
	f.run(t)
	t.Cleanup(f.kill)
	return f
}

// run starts it, with what it has saved.
func (f *redis) run(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(f.address)
	f.cmd = exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", f.dir, "--save", "", "--appendonly", "no")
	if err := f.cmd.Start(); err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip("no redis-server: apt-get install redis-server")
	}
	eventually(t, soon, "Redis answers", func() error {
		c, err := net.Dial("tcp", f.address)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

func (f *redis) kill() {
	_ = f.cmd.Process.Kill()
	_ = f.cmd.Wait()
}

// do runs a command that answers OK.
func (f *redis) do(t *testing.T, command string) {
	t.Helper()
	c, err := net.Dial("tcp", f.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(command + "\r\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 3)
	if _, err := c.Read(answer); err != nil || string(answer) != "+OK" {
		t.Fatalf("%s: got %q, %v", command, answer, err)
	}
}

func (f *failover) filterEmptied(t *testing.T, _ int) func() {
	f.filter.do(t, "FLUSHALL")
	return func() {}
}

// filterIsOlder has Redis restart from what it had before the last writes.
func (f *failover) filterIsOlder(t *testing.T, _ int) func() {
	f.filter.do(t, "SAVE")
	if _, err := os.Stat(filepath.Join(f.filter.dir, "dump.rdb")); err != nil {
		t.Fatal(err)
	}
	return func() {
		f.filter.kill()
		f.filter.run(t)
	}
}

// killedWithOlderFilter has the standby take over beside a Redis that restarts from what
// it had before the last writes.
func (f *failover) killedWithOlderFilter(t *testing.T, leads int) func() {
	restart := f.filterIsOlder(t, leads)
	start := f.killed(t, leads)
	restart()
	return start
}
