package pgsource

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// What was committed before a fetch asked for its number is in the fetch; what
// was committed after is not.
func TestNumberAndSnapshotAreOne(t *testing.T) {
	t.Parallel()
	n := &numbers{}
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{Numbers: n})
	n.before = func() { pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (1, now())") }
	n.after = func() { pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (2, now())") }
	fetches := map[string]func(func(doc.Batch, error) bool){
		"range": table.Range(t.Context(), doc.Range{}),
		"docs":  table.Docs(t.Context(), []doc.OID{oid(t, int64(1)), oid(t, int64(2))}),
	}
	for name, fetch := range fetches {
		pgtest.Exec(t, dsn, "TRUNCATE doc")
		began := pgtest.Value[time.Time](t, dsn, "SELECT clock_timestamp()")
		docs, _ := readAll(t, fetch)
		if got, want := sortedKeys(docs), []string{"1"}; !slices.Equal(got, want) {
			t.Errorf("%s: got rows %v, want %v", name, got, want)
		}
		d := docs["1"]
		if d.Fetch != n.last || d.Fetched.Before(began) || d.Fetched.Before(d.Updated) {
			t.Errorf("%s: got number %d of %v, want %d, after %v", name, d.Fetch, d.Fetched, n.last, d.Updated)
		}
	}
}

func TestBatchesAreOfOneSnapshot(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz, v int); INSERT INTO doc SELECT n, now(), 0 FROM generate_series(1, 20000) n",
		TableConfig{Batch: 50, Numbers: &numbers{}})
	rows := 0
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 {
			pgtest.Exec(t, dsn, "UPDATE doc SET v = 1")
		}
		for _, d := range b.Docs {
			rows++
			if v, _ := d.Row.Get("v"); v != int64(0) {
				t.Fatalf("got v = %v in row %v, want 0, as when the first batch was read", v, d.OID)
			}
		}
	}
	if rows != 20000 {
		t.Errorf("got %d rows, want 20000", rows)
	}
}

func TestTransactionsAreReadOnlySnapshots(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	table, err := openSource(t, dsn).Table(t.Context(), TableConfig{
		Name: "doc",
		SQL: `SELECT 1 AS id, now() AS u, current_setting('transaction_isolation') AS isolation, current_setting('transaction_read_only') AS read_only,
			current_setting('application_name') AS application, current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
			current_setting('idle_in_transaction_session_timeout') AS idle`,
		Key: []string{"id"}, Updated: "u",
	})
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := readAll(t, table.Range(t.Context(), doc.Range{}))
	for column, want := range map[string]string{
		"isolation": "repeatable read", "read_only": "on", "application": "indexerd", "statement": "5min", "lock": "10s", "idle": "5min",
	} {
		if got, _ := docs["1"].Row.Get(column); got != want {
			t.Errorf("got %s %v, want %s", column, got, want)
		}
	}
}

func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz, v text); INSERT INTO doc SELECT n, now(), repeat('x', 3 << 19) FROM generate_series(1, 5) n; INSERT INTO doc SELECT n, now() FROM generate_series(6, 25) n",
		TableConfig{Batch: 10})
	var sizes []int
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(b.Docs))
	}
	// Two rows of 1.5 MiB fit into 4 MiB of text. Then ten rows are a batch.
	if want := []int{2, 2, 10, 10, 1}; !slices.Equal(sizes, want) {
		t.Errorf("got batches of %v rows, want %v", sizes, want)
	}
}

func TestEmptyFetchYieldsOneBatch(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{Numbers: &numbers{}})
	batches := 0
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		batches++
		if b.Fetch != 1 || b.At.IsZero() || len(b.Docs) != 0 {
			t.Errorf("got %+v, want an empty batch of fetch 1", b)
		}
	}
	if batches != 1 {
		t.Errorf("got %d batches, want 1", batches)
	}
}

// A number is in flight while the consumer has a batch. Number and connection
// are returned however the iteration ends.
func TestFetchEnds(t *testing.T) {
	t.Parallel()
	n := &numbers{}
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz, v text); INSERT INTO doc SELECT n, now(), repeat('x', 1000) FROM generate_series(1, 20000) n",
		TableConfig{Batch: 100, Numbers: n})
	ctx, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx  context.Context
		stop func() bool
		want error
	}{
		"read to the end": {t.Context(), func() bool { return false }, nil},
		"broken off":      {t.Context(), func() bool { return true }, nil},
		"cancelled":       {ctx, func() bool { cancel(); return false }, context.Canceled},
	} {
		var last error
		for _, err := range table.Range(c.ctx, doc.Range{}) {
			last = err
			if open := n.open(); err == nil && open != 1 {
				t.Errorf("%s: got %d fetches in flight inside the loop, want 1", name, open)
			}
			if c.stop() {
				break
			}
		}
		if !errors.Is(last, c.want) || errors.Is(last, doc.ErrUnavailable) {
			t.Errorf("%s: got %v at the end, want %v", name, last, c.want)
		}
		if open := n.open(); open != 0 {
			t.Errorf("%s: got %d fetches in flight, want none", name, open)
		}
		// A cancelled statement takes a moment to end.
		for deadline := time.Now().Add(10 * time.Second); table.src.pool.Stat().AcquiredConns() > 0; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: got a connection still in use, want none", name)
			}
			runtime.Gosched()
		}
	}
}

func TestFailedBeginYieldsItsError(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{Numbers: refusing{}})
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if !errors.Is(err, errRefused) {
			t.Errorf("got %v, %v, want %v", b, err, errRefused)
		}
	}
}

var errRefused = errors.New("no number left")

type refusing struct{}

func (refusing) Begin(func() error) (doc.FetchSeq, error) { return 0, errRefused }
func (refusing) End(doc.FetchSeq)                         {}

// A closed connection is a temporary error.
func TestKilledConnection(t *testing.T) {
	t.Parallel()
	n := &numbers{}
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz, v text); INSERT INTO doc SELECT n, now(), repeat('x', 1000) FROM generate_series(1, 20000) n",
		TableConfig{Batch: 100, Numbers: n})
	kill := func() {
		pgtest.Exec(t, dsn, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'indexerd' AND datname = current_database()")
	}
	var last error
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if last == nil && err == nil {
			kill()
		}
		last = err
	}
	if !errors.Is(last, doc.ErrUnavailable) {
		t.Errorf("got %v from a fetch whose connection was cut, want %v", last, doc.ErrUnavailable)
	}
	if open := n.open(); open != 0 {
		t.Errorf("got %d fetches in flight, want none", open)
	}
	if docs, _ := readAll(t, table.Range(t.Context(), doc.Range{})); len(docs) != 20000 {
		t.Errorf("got %d rows afterwards, want 20000", len(docs))
	}

	// All idle connections are closed. The first use resets the pool.
	kill()
	if _, err := table.Now(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("got %v on a dead connection, want %v", err, doc.ErrUnavailable)
	}
	if _, err := table.Now(t.Context()); err != nil {
		t.Errorf("got %v afterwards, want none", err)
	}
}

func TestFaultsOfStatements(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz); CREATE VIEW slow AS SELECT * FROM doc", TableConfig{})
	slow := tableIn(t, dsn, "", TableConfig{SQL: "SELECT * FROM slow"})
	slow.src.statementTimeout = 50 * time.Millisecond
	pgtest.Exec(t, dsn, "CREATE OR REPLACE VIEW slow AS SELECT 1 AS id, now() AS u FROM pg_sleep(60); DROP TABLE doc")
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if got, want := err.Error(), `table doc: the SQL returns other columns than it did: relation "doc" does not exist (SQLSTATE 42P01)`; got != want || errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	_, err := slow.StampsOf(t.Context(), []doc.OID{oid(t, int64(1))})
	if !errors.Is(err, doc.ErrUnavailable) || !strings.Contains(err.Error(), "statement timeout (SQLSTATE 57014)") {
		t.Errorf("got %v, want unavailable for a statement timeout", err)
	}
}
