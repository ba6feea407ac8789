package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/test/hbasetest"
)

// startPages starts the store of pages, Bigtable's emulator or with FAILOVER_PAGES=hbase a
// real HBase. It returns its host:port, and the configuration of a daemon that reaches it
// at another one.
func startPages(t *testing.T) (at string, places func(address string) string) {
	t.Helper()
	switch engine := os.Getenv("FAILOVER_PAGES"); engine {
	case "hbase":
		url, program, err := hbasetest.Start(true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(program.Stop)
		return strings.TrimPrefix(url, "http://"), func(address string) string {
			return fmt.Sprintf("{engine: hbase, rest: \"http://%s\", table: pages}", address)
		}
	case "", "bigtable":
	default:
		t.Fatalf("FAILOVER_PAGES: got %q, want bigtable or hbase", engine)
	}
	store, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store.Addr, func(string) string { return "{engine: bigtable, project: p, instance: i, table: pages}" }
}

// A filterServer is a Redis that saves only when it is asked to.
type filterServer struct {
	at      string // host:port
	dir     string
	process *exec.Cmd
}

func newFilterServer(t *testing.T) *filterServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &filterServer{at: l.Addr().String(), dir: t.TempDir()}
	_ = l.Close()
	t.Cleanup(s.kill)
	s.run(t)
	return s
}

// run starts the server with the RDB that it has saved last.
func (s *filterServer) run(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.at)
	s.process = exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no")
	if err := s.process.Start(); err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip("no redis-server: apt-get install redis-server")
	}
	eventually(t, soon, "Redis answers", func() error {
		_, err := s.ask("PING")
		return err
	})
}

// kill kills the server: it saves nothing.
func (s *filterServer) kill() {
	if s.process.Process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	}
}

// ask sends a command, and returns its answer without the last newline.
func (s *filterServer) ask(command ...string) (string, error) {
	_, port, _ := net.SplitHostPort(s.at)
	out, err := exec.Command("redis-cli", append([]string{"-p", port, "-e", "--raw"}, command...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("redis-cli %s: %w: %s", command[0], err, out)
	}
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

// marker returns what the filter has as the run of the server that it was built in; 0: it is
// not complete.
func (s *filterServer) marker() (uint64, error) {
	keys, err := s.ask("KEYS", "shop*")
	if err != nil {
		return 0, err
	}
	if keys == "" || strings.Contains(keys, "\n") {
		return 0, fmt.Errorf("got keys %q, want one filter", keys)
	}
	text, err := s.ask("GETRANGE", keys, "0", "7")
	if err == nil && len(text) < 8 {
		err = errors.New("the filter has no marker")
	}
	if err != nil {
		return 0, err
	}
	return new(big.Int).SetBytes([]byte(text[:8])).Uint64() >> 1, nil
}

// built waits until the filter is complete for another run than one, and returns its run.
func (s *filterServer) built(t *testing.T, what string, not uint64) (run uint64) {
	t.Helper()
	eventually(t, restWithin, what, func() (err error) {
		run, err = s.marker()
		if err == nil && (run == 0 || run == not) {
			err = fmt.Errorf("its run is %d", run)
		}
		return err
	})
	return run
}
