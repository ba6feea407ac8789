package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bigtableapi "cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
)

// A remote is a SQLite database whose pages are in an emulator of Bigtable.
type remote struct {
	t    *testing.T
	path string
	data string
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	server, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	t.Setenv("BIGTABLE_EMULATOR_HOST", server.Addr)
	dir := t.TempDir()
	r := &remote{t, filepath.Join(dir, "db"), filepath.Join(dir, "data")}
	r.exec("CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO item SELECT i, 1700000000 + i, 'common w' || i FROM n")
	return r
}

func (r *remote) exec(statements ...string) { execSQLite(r.t, r.path, statements...) }

func (r *remote) config(data string) *configs.Config {
	cfg, err := configs.Load(writeFile(r.t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\npages: {engine: bigtable, project: p, instance: i, table: pages}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", data, r.path)+
		bodyTable("item", ", pages: {versions: 2}")), os.LookupEnv)
	if err != nil {
		r.t.Fatal(err)
	}
	return cfg
}

// running runs a daemon while f runs.
func (r *remote) running(data string, f func(e *Engine)) {
	r.t.Helper()
	r.t.Run("run", func(t *testing.T) {
		e := openToServe(t, r.config(data))
		serve(t, e, slog.New(slog.DiscardHandler))
		f(e)
	})
}

// equal waits until verify finds index, pages and database equal, with a number of rows.
func (r *remote) equal(e *Engine, rows int) {
	r.t.Helper()
	t, wait := e.tables[0], 0.0
	eventually(r.t, soon, "verify", func() error {
		if !t.IsOpen() {
			return errors.New("nothing is stored yet")
		}
		v, err := t.Verify(r.t.Context(), httpapi.VerifyRequest{Content: true, WaitS: &wait}, true, func(_, _ int64) {})
		if err != nil {
			return err
		}
		if !v.Equal() || v.Compared != rows || v.Pending+v.Unsettled > 0 {
			return fmt.Errorf("got %+v, want %d equal rows", v, rows)
		}
		return nil
	})
}

// Pages on another machine are as good as those below data: rows are loaded, change, are
// removed and verified, also after a restart.
func TestPagesElsewhere(t *testing.T) {
	r := newRemote(t)
	r.running(r.data, func(e *Engine) {
		r.equal(e, 300)
		r.exec("UPDATE item SET body = 'changed', u = 1800000000 WHERE id = 7", "DELETE FROM item WHERE id < 6")
		r.equal(e, 295)
	})
	if _, err := os.Stat(filepath.Join(r.data, "item", "pages")); !os.IsNotExist(err) {
		t.Errorf("there are pages below data: %v", err)
	}
	r.exec("UPDATE item SET body = 'changed while no daemon ran', u = 1800000001 WHERE id = 8")
	r.running(r.data, func(e *Engine) {
		r.equal(e, 295)
		eventually(t, soon, "the filter", func() error {
			r.exec("INSERT INTO item SELECT max(id) + 1, CAST(strftime('%s', 'now') AS INTEGER), 'new' FROM item")
			if m, _ := e.tables[0].Measures(); m.PagesSaved == 0 {
				return fmt.Errorf("got %d keys and %d excluded, want a read less for a new row", m.PagesAsked, m.PagesSaved)
			}
			return nil
		})
		versions, err := e.Versions(t.Context(), "item", "7")
		if err != nil || len(versions.Versions) != 2 {
			t.Errorf("got versions %+v, %v, want two", versions, err)
		}
	})
}

// A data directory that is older than the pages, such as one from a backup, continues
// with numbers that no page has.
func TestOlderDataDirectory(t *testing.T) {
	r := newRemote(t)
	old := r.data + ".old"
	r.running(r.data, func(e *Engine) { r.equal(e, 300) })
	if err := os.CopyFS(old, os.DirFS(r.data)); err != nil {
		t.Fatal(err)
	}
	r.exec("UPDATE item SET body = 'first', u = 1800000000 + id")
	r.running(r.data, func(e *Engine) { r.equal(e, 300) })
	r.exec("UPDATE item SET body = 'second', u = 1900000000 + id")
	r.running(old, func(e *Engine) { r.equal(e, 300) })
}

// Pages that others delete are noticed, and fetched again.
func TestDeletedPages(t *testing.T) {
	r := newRemote(t)
	r.running(r.data, func(e *Engine) { r.equal(e, 300) })
	admin, err := bigtableapi.NewAdminClient(context.Background(), "p", "i")
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.DeleteTable(t.Context(), "pages"); err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, r.config(r.data))
	marks, _ := e.trace.Table("item")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(marks.Unverified, "the pages were deleted") {
		t.Errorf("got reason %q, want that the pages were deleted", marks.Unverified)
	}
	r.running(r.data, func(e *Engine) {
		eventually(t, soon, "the sweep", func() error {
			if marks, _ := e.trace.Table("item"); marks.Unverified != "" {
				return fmt.Errorf("still unverified: %s", marks.Unverified)
			}
			return nil
		})
		r.equal(e, 300)
	})
}

// A second daemon with a copy of the data directory fences the first one, which ends.
func TestCopiedDataDirectory(t *testing.T) {
	r := newRemote(t)
	copied := r.data + ".copy"
	r.running(r.data, func(e *Engine) { r.equal(e, 300) })
	if err := os.CopyFS(copied, os.DirFS(r.data)); err != nil {
		t.Fatal(err)
	}
	first := openToServe(t, r.config(r.data))
	defer first.Close()
	r.running(copied, func(e *Engine) {
		r.equal(e, 300)
		err := first.tables[0].Examine(t.Context())
		if !stored.IsAnothers(err) {
			t.Errorf("got error %v of the first daemon, want that another one has the pages", err)
		}
	})
}
