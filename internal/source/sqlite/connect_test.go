package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
)

func TestDSNIsAPathWithoutParameters(t *testing.T) {
	for _, c := range []struct{ dsn, path, err string }{
		{"data/a.db", "data/a.db", ""},
		{"/data/50%.db", "/data/50%.db", ""},
		{"file:a.db", "a.db", ""},
		{"file:a.db?mode=ro", "a.db", ""},
		{"file:///data/a%20b.db", "/data/a b.db", ""},
		{"file://localhost/data/a.db", "/data/a.db", ""},
		{"", "", "name a file"},
		{":memory:", "", "name a file"},
		{"sqlite:a.db", "a.db", ""},
		{"sqlite://a.db", "a.db", ""},
		{"sqlite:///data/a%20b.db?mode=ro", "/data/a b.db", ""},
		{"sqlite:", "", "name a file"},
		{"sqlite::memory:", "", "name a file"},
		{"sqlite:a.db?cache=shared", "", "remove the parameters"},
		{"file:", "", "name a file"},
		{"file::memory:", "", "name a file"},
		{"file:a%00b.db", "", "name a file"},
		{"file:a%2.db", "", "bad %-escape"},
		{"file:a.db?mode=rwc", "", "remove the parameters"},
		{"file:a.db?_pragma=journal_mode(OFF);DROP TABLE t", "", "remove the parameters"},
	} {
		path, err := parseDSN(c.dsn)
		if path != c.path || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("parseDSN(%q): got %q, %v, want %q, an error with %q", c.dsn, path, err, c.path, c.err)
		}
	}
	if _, err := Open(t.Context(), ":memory:", 4); err == nil || err.Error() != "dsn: name a file: a path, file:PATH or sqlite:PATH" {
		t.Errorf("Open: got %v, want an error that names the source", err)
	}
}

// sourceOf opens a file.
func sourceOf(t *testing.T, path string) *source.Source {
	t.Helper()
	d, err := Open(t.Context(), path, 4)
	if err != nil {
		t.Fatalf("got %v, want none: the file need not exist", err)
	}
	source := source.New(d, pace.Limits{})
	t.Cleanup(source.Close)
	return source
}

// No character of the name becomes a parameter.
func TestFileNameMayHaveAnyCharacter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50% a?mode=rwc#b.db")
	w, err := OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	source := sourceOf(t, path)
	if err := source.Ping(t.Context()); err != nil || source.Address() != filepath.Base(path) {
		t.Errorf("got %v from %q, want none from %q", err, source.Address(), filepath.Base(path))
	}
}

func TestMissingFileIsUnavailableAndNotCreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.db")
	err := sourceOf(t, path).Ping(t.Context())
	if want := "connect to missing.db: database unavailable: no such file or directory"; !errors.Is(err, doc.ErrUnavailable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if files, err := filepath.Glob(path + "*"); err != nil || len(files) != 0 {
		t.Errorf("got files %v, %v, want none", files, err)
	}
}

// A file that only a person can repair is not retried, and no column has changed.
func TestBadFiles(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 1700000000)", "PRAGMA journal_mode = DELETE")
	db.source.Dialect().(*DB).Pool.SetConnMaxLifetime(time.Nanosecond) // so that no connection has read the file
	table := db.table(source.TableConfig{})
	good, err := os.ReadFile(db.path)
	if err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{
		"file is not a database (26)":           bytes.Repeat([]byte("not a database\n"), 100),
		"database disk image is malformed (11)": append(good[:100:100], bytes.Repeat([]byte{0xff}, len(good)-100)...),
	} {
		if err := os.WriteFile(db.path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		fresh := sourceOf(t, db.path)
		_, described := describe(t, fresh, source.TableConfig{})
		var read error
		for _, read = range table.Range(t.Context(), doc.Range{}) {
			break
		}
		_, now := table.Now(t.Context())
		for what, err := range map[string]error{"Ping": fresh.Ping(t.Context()), "Table": described, "Range": read, "Now": now} {
			if err == nil || !strings.HasSuffix(err.Error(), ": "+want) && err.Error() != want || errors.Is(err, doc.ErrUnavailable) || errors.Is(err, doc.ErrChangedResult) {
				t.Errorf("%s: got %v, want %s alone", what, err, want)
			}
		}
	}
	if err := os.WriteFile(db.path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if docs, _ := rangeOf(t, table, doc.Range{}); keysOf(docs) != "1" {
		t.Errorf("the file is back: got %q, want 1", keysOf(docs))
	}
}

// Text before the driver's message may be a path of this machine.
func TestErrorsOfTheSystem(t *testing.T) {
	err := fault(&os.PathError{Op: "stat", Path: "/data/a.db", Err: errors.New("no\nfile")})
	if want := "database unavailable: no file"; !errors.Is(err, doc.ErrUnavailable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := fault(context.Canceled); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestConnectionsAreReadOnly(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER)")
	for _, statement := range []string{"INSERT INTO t VALUES (1)", "CREATE TABLE x (id INTEGER)", "PRAGMA query_only = 0; DELETE FROM t"} {
		if _, err := db.source.Dialect().(*DB).Pool.ExecContext(t.Context(), statement); code(err)&0xff != sqlite3.SQLITE_READONLY {
			t.Errorf("%s: got %v, want SQLITE_READONLY", statement, err)
		}
	}
}

// SQLite would let a reading connection create another file.
func TestSecondStatementOfAnSQLDoesNotRun(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	other := filepath.Join(t.TempDir(), "other.db")
	for _, first := range []string{"SELECT * FROM t", "SELECT * FROM t WHERE id <> '?'", "SELECT * FROM t WHERE id <> ?"} {
		_, err := describe(t, db.source, source.TableConfig{SQL: first + "; PRAGMA query_only = 0; ATTACH '" + other + "' AS o; CREATE TABLE o.t (a)"})
		if !errors.As(err, new(*source.ConfigError)) {
			t.Errorf("%s: got %v, want a fault of the configuration", first, err)
		}
		if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %v of the other file, want %v", first, err, os.ErrNotExist)
		}
	}
}

// replaceable returns a source that checks at each use whether its connections are
// too old, and the files of two databases with the rows 1 and 2.
func replaceable(t *testing.T) (s *source.Source, file, other string) {
	t.Helper()
	var paths []string
	for id := range 2 {
		db := newDB(t, "PRAGMA journal_mode = DELETE", "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", fmt.Sprintf("INSERT INTO t VALUES (%d, 1700000000)", id+1))
		db.writer.Close()
		paths = append(paths, db.path)
	}
	s = sourceOf(t, paths[0])
	s.Dialect().(*DB).Pool.SetConnMaxLifetime(time.Nanosecond)
	return s, paths[0], paths[1]
}

// A restore may replace the file: connections do not live long.
func TestFileReplacedUnderItsName(t *testing.T) {
	s, file, other := replaceable(t)
	table, err := describe(t, s, source.TableConfig{})
	if err != nil {
		t.Fatal(err)
	}
	d := s.Dialect().(*DB)
	before, err := d.Changes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	if docs, _ := rangeOf(t, table, doc.Range{}); keysOf(docs) != "2" {
		t.Errorf("got the rows %q, want 2, of the new file", keysOf(docs))
	}
	d.watch.opened = d.watch.opened.Add(-2 * watchFor)
	if after, err := d.Changes(t.Context(), nil); after.Version == before.Version || err != nil {
		t.Errorf("got version %s again, %v, want another", after.Version, err)
	}
}

func TestVersionChangesWithEveryCommit(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT)")
	d := db.source.Dialect().(*DB)
	w := &d.watch
	version := func() string {
		t.Helper()
		s, err := d.Changes(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.Version
	}
	before := version()
	if again := version(); again != before {
		t.Errorf("nothing was committed: got %s, then %s", before, again)
	}
	for range 3 {
		db.exec("INSERT INTO t (u) VALUES ('2024-05-06 12:00:00')")
		after := version()
		if after == before {
			t.Errorf("got %s after a commit, too", after)
		}
		before = after
	}
	w.opened = w.opened.Add(-2 * watchFor)
	if after := version(); after == before || time.Since(w.opened) > watchFor {
		t.Errorf("got %s from a connection of %v, want another version of a new one", after, w.opened)
	}
	w.close()
	before = version()
	if again := version(); again != before {
		t.Errorf("after close: got %s, then %s", before, again)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Changes(cancelled, nil); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "test.db: watch for changes: ") {
		t.Errorf("got %v, want %v of the file", err, context.Canceled)
	}
	if after := version(); after == before {
		t.Error("got the version before an error again, want another: a commit may have been missed")
	}
}

// Many tables of one file read it through one connection and share one watch. The
// pace limits and counts their statements.
func TestManyTablesShareOneConnection(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT)", "INSERT INTO t VALUES (1, '2024-05-06 12:00:00'), (2, '2024-05-06 12:00:00')")
	d, err := Open(t.Context(), db.path, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := source.New(d, pace.Limits{PerSecond: 500})
	defer s.Close()
	began := time.Now()
	var tables sync.WaitGroup
	for range 20 {
		tables.Go(func() {
			if err := followOnce(t, s); err != nil {
				t.Error(err)
			}
		})
	}
	tables.Wait()
	f := s.Figures()
	if least := time.Duration(f.Statements-1) * time.Second / 500; f.Statements < 20*3 || time.Since(began) < least-time.Second/10 {
		t.Errorf("got %d statements in %v, want at least 60 and not before %v", f.Statements, time.Since(began), least)
	}
}

// followOnce calls what the passes of a table call.
func followOnce(t *testing.T, s *source.Source) error {
	table, err := describe(t, s, source.TableConfig{})
	if err != nil {
		return err
	}
	if _, err := s.Dialect().(*DB).Changes(t.Context(), nil); err != nil {
		return err
	}
	for stamps, err := range table.Stamps(t.Context(), doc.Window{To: instant(t, "9999-01-01T00:00:00Z")}) {
		if err != nil {
			return err
		}
		for b, err := range table.Docs(t.Context(), []doc.OID{stamps[0].OID}) {
			if err != nil || len(b.Docs) != 1 {
				return fmt.Errorf("got %d rows, %w, want 1", len(b.Docs), err)
			}
		}
	}
	return nil
}
