package sqlitesource

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/doc"
)

// A testDB is a SQLite file with a writer's connection to it.
type testDB struct {
	t      testing.TB
	path   string
	writer *sql.DB
}

// newDB creates a database in WAL mode and runs statements in it.
func newDB(t testing.TB, statements ...string) *testDB {
	t.Helper()
	db := &testDB{t: t, path: filepath.Join(t.TempDir(), "test.db")}
	var err error
	if db.writer, err = OpenWritable(db.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.writer.Close() })
	// One connection, so that a transaction can be spread over statements.
	db.writer.SetMaxOpenConns(1)
	db.exec("PRAGMA synchronous = OFF")
	for _, s := range statements {
		db.exec(s)
	}
	return db
}

func (db *testDB) exec(statement string, args ...any) {
	db.t.Helper()
	if _, err := db.writer.Exec(statement, args...); err != nil {
		db.t.Fatalf("%s: %v", statement, err)
	}
}

func (db *testDB) source() *Source {
	db.t.Helper()
	s, err := Open(db.t.Context(), Config{Name: "test", DSN: db.path})
	if err != nil {
		db.t.Fatal(err)
	}
	db.t.Cleanup(s.Close)
	return s
}

// table describes a table; the default SQL selects all columns of t.
func (db *testDB) table(c TableConfig) *Table {
	db.t.Helper()
	t, err := db.source().Table(db.t.Context(), withDefaults(c))
	if err != nil {
		db.t.Fatal(err)
	}
	return t
}

func withDefaults(c TableConfig) TableConfig {
	c.Name = "t"
	if c.SQL == "" {
		c.SQL = "SELECT * FROM t"
	}
	if c.Key == nil {
		c.Key = []string{"id"}
	}
	if c.Updated == "" {
		c.Updated = "u"
	}
	return c
}

// readBatches reads all batches.
func readBatches(t testing.TB, batches iter.Seq2[doc.Batch, error]) (docs []doc.Doc, rejects []doc.Reject) {
	t.Helper()
	for b, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		docs, rejects = append(docs, b.Docs...), append(rejects, b.Rejects...)
	}
	return docs, rejects
}

func rangeOf(t testing.TB, table *Table, r doc.Range) ([]doc.Doc, []doc.Reject) {
	t.Helper()
	return readBatches(t, table.Range(t.Context(), r))
}

func docsOf(t testing.TB, table *Table, oids ...doc.OID) ([]doc.Doc, []doc.Reject) {
	t.Helper()
	return readBatches(t, table.Docs(t.Context(), oids))
}

func stampsOf(t testing.TB, table *Table, from, to time.Time) []doc.Stamp {
	t.Helper()
	return collect(t, table.Stamps(t.Context(), doc.Window{From: from, To: to}))
}

func oid(t testing.TB, parts ...any) doc.OID {
	t.Helper()
	for i, p := range parts {
		if n, ok := p.(int); ok {
			parts[i] = int64(n)
		}
	}
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func keysOf(docs []doc.Doc) string {
	var keys []string
	for _, d := range docs {
		keys = append(keys, d.OID.String())
	}
	return strings.Join(keys, " ")
}

func stampKeys(stamps []doc.Stamp) string {
	var keys []string
	for _, s := range stamps {
		keys = append(keys, s.OID.String())
	}
	return strings.Join(keys, " ")
}

func reasons(rejects []doc.Reject) string {
	var lines []string
	for _, r := range rejects {
		lines = append(lines, fmt.Sprintf("%v: %s", r.OID, r.Reason))
	}
	return strings.Join(lines, "\n")
}

// testNumbers numbers fetches and records the open ones.
type testNumbers struct {
	mu    sync.Mutex
	last  doc.FetchSeq
	open  map[doc.FetchSeq]bool
	begun func() // called before each snapshot is taken
}

func (n *testNumbers) Begin(open func() error) (doc.FetchSeq, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	if n.begun != nil {
		n.begun()
	}
	if err := open(); err != nil {
		return 0, err
	}
	if n.open == nil {
		n.open = map[doc.FetchSeq]bool{}
	}
	n.open[n.last] = true
	return n.last, nil
}

func (n *testNumbers) End(seq doc.FetchSeq) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, seq)
}

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
		{"file:", "", "name a file"},
		{"file::memory:", "", "name a file"},
		{"file:a%2.db", "", "bad %-escape"},
		{"file:a.db?mode=rwc", "", "remove the parameters"},
		{"file:a.db?_pragma=journal_mode(OFF);DROP TABLE t", "", "remove the parameters"},
	} {
		path, err := parseDSN(c.dsn)
		if path != c.path || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("parseDSN(%q) = %q, %v, want %q, error with %q", c.dsn, path, err, c.path, c.err)
		}
	}
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
	s, err := Open(t.Context(), Config{Name: "odd", DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping = %v, want nil", err)
	}
	if got, want := s.Address(), filepath.Base(path); got != want {
		t.Errorf("Address = %q, want %q", got, want)
	}
}

func TestMissingFileIsUnavailableAndNotCreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.db")
	s, err := Open(t.Context(), Config{Name: "missing", DSN: path})
	if err != nil {
		t.Fatalf("Open = %v, want nil: the file may come", err)
	}
	defer s.Close()
	err = s.Ping(t.Context())
	if want := "missing.db: connect: database unavailable: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("Ping = %v, want %s", err, want)
	}
	if !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("Ping = %v, want doc.ErrUnavailable", err)
	}
	if files, err := filepath.Glob(path + "*"); err != nil || len(files) != 0 {
		t.Errorf("files after Ping = %v, %v, want none", files, err)
	}
}

func TestConnectionsAreReadOnly(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER)")
	s := db.source()
	for _, statement := range []string{"INSERT INTO t VALUES (1)", "CREATE TABLE x (id INTEGER)", "PRAGMA query_only = 0; DELETE FROM t"} {
		if _, err := s.db.ExecContext(t.Context(), statement); primaryCode(err) != sqlite3.SQLITE_READONLY {
			t.Errorf("%s: %v, want SQLITE_READONLY", statement, err)
		}
	}
}

func TestFileThatIsNotADatabaseIsNotRetried(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("not a database\n"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{Name: "notes", DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Ping(t.Context())
	if want := "notes.db: connect: file is not a database (26)"; err == nil || err.Error() != want || errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("Ping = %v, want %s", err, want)
	}
}

// A writer with a rollback journal locks readers out while it commits.
func TestLockedDatabaseIsUnavailable(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lock as long as the daemon does")
	}
	db := newDB(t, "PRAGMA journal_mode = DELETE", "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 1700000000)")
	table := db.table(TableConfig{})
	db.exec("BEGIN EXCLUSIVE")
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if !errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("Range of a locked database: %v, want doc.ErrUnavailable", err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "test.db: read a range of t: database unavailable: database is locked") {
			t.Errorf("Range of a locked database: %v, want the file and what was done", err)
		}
	}
	db.exec("COMMIT")
	if docs, _ := rangeOf(t, table, doc.Range{}); keysOf(docs) != "1" {
		t.Errorf("Range afterwards = %s, want 1", keysOf(docs))
	}
}

func TestFaultMarksRetryableErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&fs.PathError{Op: "stat", Path: "/data/a.db", Err: fs.ErrNotExist}, true},
		{driver.ErrBadConn, true},
		{errors.New("SQL logic error"), false},
		{&ConfigError{"sql", "what", "do"}, false},
	} {
		if got := unavailable(c.err); got != c.want {
			t.Errorf("unavailable(%v) = %v, want %v", c.err, got, c.want)
		}
	}
	s := &Source{path: "/data/a.db"}
	got := s.fault("read", &fs.PathError{Op: "stat", Path: "/data/a.db", Err: errors.New("no\nfile")}).Error()
	if want := "a.db: read: database unavailable: no file"; got != want {
		t.Errorf("fault = %q, want %q", got, want)
	}
}
