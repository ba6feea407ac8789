package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"testing"

	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/redistest"
)

// startPages starts the store of pages, Bigtable's emulator or with FAILOVER_PAGES=hbase a
// real HBase. It returns its host:port, and the configuration of a daemon that reaches it
// at another one.
func startPages(t *testing.T) (at string, places func(address string) string) {
	t.Helper()
	switch engine := os.Getenv("FAILOVER_PAGES"); engine {
	case "hbase":
		store, err := hbasetest.Start(true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Stop)
		return strings.TrimPrefix(store.URL, "http://"), func(address string) string {
			return fmt.Sprintf("{engine: hbase, rest: \"http://%s\", table: pages}", address)
		}
	case "", "bigtable":
	default:
		t.Fatalf("FAILOVER_PAGES: got %q, want bigtable or hbase", engine)
	}
	return bigtabletest.Start(t), func(string) string { return "{engine: bigtable, project: p, instance: i, table: pages}" }
}

// A filterServer is the Redis of the filter.
type filterServer struct{ *redistest.Server }

// ask sends a command, and returns its answer without the last newline.
func (s *filterServer) ask(command ...string) (string, error) {
	out, err := exec.Command("redis-cli", append([]string{"-p", s.Port, "-e", "--raw"}, command...)...).CombinedOutput()
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
