package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
)

// sized is a writer that keeps how much to expect.
type sized struct {
	bytes.Buffer
	expected int64
}

func (s *sized) Expect(bytes int64) { s.expected = bytes }

// Runs count all they do: a verify of several tables the rows of all, with content too. A
// backup announces about how large it will be.
func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	tables, rows := "", 0
	for i := range 3 {
		name := fmt.Sprintf("t%d", i)
		var b strings.Builder
		fmt.Fprintf(&b, "CREATE TABLE %s (id INTEGER PRIMARY KEY, body TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP); BEGIN;", name)
		for range 20 * (i + 1) {
			fmt.Fprintf(&b, "INSERT INTO %s (body) VALUES ('a house and a ship');", name)
			rows++
		}
		execSQLite(t, path, b.String()+"COMMIT;")
		tables += bodyTable(name, "")
	}
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+tables), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	serve(t, e, slog.New(slog.DiscardHandler))
	eventually(t, soon, "the loads", func() error {
		if waiting := e.Waiting(); len(waiting) > 0 {
			return fmt.Errorf("waiting: %v", waiting)
		}
		return nil
	})
	ended := func(run httpapi.Run, err error) (r httpapi.Run) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, soon, "the end of the run", func() error {
			if r, err = e.Run(run.Run); err == nil && r.State == "running" {
				err = errors.New("it runs")
			}
			return err
		})
		return r
	}
	for _, content := range []bool{false, true} {
		if r := ended(e.Verify(httpapi.VerifyRequest{Content: content})); r.State != "done" || r.Done != int64(rows) || r.Of != int64(rows) {
			t.Errorf("verify, content %t: got %+v, want %d of %d rows", content, r, rows, rows)
		}
	}
	for what, run := range map[string]func() (httpapi.Run, error){
		"reindex": func() (httpapi.Run, error) { return e.Reindex("t2") },
		"sweep":   func() (httpapi.Run, error) { return e.Sweep("t2", 0) },
	} {
		if r := ended(run()); r.State != "done" || r.Done != 60 || r.Of != 60 {
			t.Errorf("%s: got %+v, want 60 of 60", what, r)
		}
	}
	var out sized
	if err := e.Backup(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if got := int64(out.Len()); out.expected < got/4 || out.expected > 4*got {
		t.Errorf("got a backup of %d bytes, and %d announced", got, out.expected)
	}
}
