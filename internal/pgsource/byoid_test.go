package pgsource

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

func TestStampsByOIDAreOfOneSnapshot(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 20) i", TableConfig{})
	table.stampPage = 3
	n := 0
	for page, err := range table.StampsByOID(t.Context(), doc.Window{To: maxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 || len(page) > 3 {
			t.Errorf("got a page of %d, want 1 to 3", len(page))
		}
		n += len(page)
		pgtest.Exec(t, dsn, "DELETE FROM doc WHERE id > 5; INSERT INTO doc VALUES (21, '2024-01-01Z')")
	}
	if n != 20 {
		t.Errorf("got %d stamps, want 20", n)
	}
}

// The connection is returned however the iteration ends.
func TestStampsByOIDReturnsItsConnection(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 50000) i", TableConfig{})
	table.stampPage = 10
	for range table.StampsByOID(t.Context(), doc.Window{To: maxTime}) {
		break
	}
	for deadline := time.Now().Add(10 * time.Second); table.src.pool.Stat().AcquiredConns() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("got a connection still in use, want none")
		}
	}
	if own, _ := table.src.own.arrays(); own != "{}" {
		t.Errorf("got own transactions %s, want none", own)
	}
	for page := range table.StampsByOID(t.Context(), doc.Window{}) {
		t.Errorf("got %v of an empty window, want nothing", page)
	}
}

// otherDatabase returns the DSN of another database of the server.
func otherDatabase(t testing.TB, dsn, name string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// If an encoding does not order text as UTF-8 does, the result is an error.
func TestStampsByOIDRefusesAnotherOrder(t *testing.T) {
	t.Parallel()
	server := pgtest.DB(t)
	name := "test_euc_" + strings.ToLower(pgtest.Value[string](t, server, "SELECT md5(random()::text)"))
	pgtest.Exec(t, server, "CREATE DATABASE "+name+" ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	t.Cleanup(func() { pgtest.Exec(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	dsn := otherDatabase(t, server, name) + "&client_encoding=UTF8"
	// EUC_JP orders a full-width A before the ideograph for one, Unicode after.
	table := tableIn(t, dsn, "CREATE TABLE doc (id text, u timestamptz); INSERT INTO doc VALUES ('Ａ', '2024-01-01Z'), ('一', '2024-01-01Z')", TableConfig{})
	var last error
	for _, err := range table.StampsByOID(t.Context(), doc.Window{To: maxTime}) {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "the database's encoding does not order text as UTF-8 does") {
		t.Errorf("got %v, want an error about the encoding", last)
	}
}
