package daemon

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/front"
	"indexerd/internal/source/sqlite"
)

// soon is how long a test waits for what takes a daemon a moment: others may use
// this machine.
const soon = 5 * time.Minute

// Eventually polls until f succeeds.
func eventually(t testing.TB, within time.Duration, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v: %v", what, within, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// writeFile writes a configuration into a directory of the test's own.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// execSQLite runs statements in a SQLite file.
func execSQLite(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// A syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// bodyTable is the configuration of a table that is searched by its body.
func bodyTable(name, more string) string {
	return fmt.Sprintf("  %s: {source: db, sql: SELECT * FROM %s, key: id, updated: u, content: {fields: [body]}%s}\n", name, name, more)
}

// openToServe opens the engine of a new data directory, and its databases.
func openToServe(t *testing.T, cfg *configs.Config) *Engine {
	t.Helper()
	if err := datadir.Make(cfg); err != nil {
		t.Fatal(err)
	}
	e, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.OpenDatabases(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// serve runs an engine until the test ends, and closes it.
func serve(t *testing.T, e *Engine, log *slog.Logger) *front.Front {
	t.Helper()
	l, err := front.Bind(e.cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	f := front.New(front.LimitConnections(e.cfg, l, log), e.cfg.HTTP, log)
	go func() { served <- e.follow(ctx, f, log) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}
