package pgsource

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/pgtest/cluster"
)

// certificate returns a self-signed certificate of 127.0.0.1.
func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// encrypts makes a server accept TLS and returns the file of its authority.
func encrypts(t *testing.T, dsn string) (authority string) {
	t.Helper()
	cert, key := certificate(t)
	dir := pgtest.Value[string](t, dsn, "SHOW data_directory")
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	for name, text := range map[string][]byte{"server.crt": cert, "server.key": key} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(file, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Exec(t, dsn, "ALTER SYSTEM SET ssl = on")
	pgtest.Exec(t, dsn, "SELECT pg_reload_conf()")
	authority = filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(authority, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	return authority
}

func TestServerOverTLS(t *testing.T) {
	t.Parallel()
	pgtest.DB(t) // skips without a server
	c, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop() })
	authority := encrypts(t, c.DSN())
	for mode, want := range map[string]doc.Server{
		"disable":                              {},
		"require":                              {TLS: "TLS 1.3"},
		"verify-ca&sslrootcert=" + authority:   {TLS: "TLS 1.3", Verified: true},
		"verify-full&sslrootcert=" + authority: {TLS: "TLS 1.3", Verified: true},
	} {
		s := openSource(t, strings.Replace(c.DSN(), "sslmode=disable", "sslmode="+mode, 1))
		var got doc.Server
		// The server reloads its settings in the background.
		for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
			if got, err = s.Server(t.Context()); err == nil {
				break
			}
		}
		if err != nil || got.TLS != want.TLS || got.Verified != want.Verified || got.Remote {
			t.Errorf("sslmode=%s: got %+v, %v, want %+v on this machine", mode, got, err, want)
		}
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	got, err := openSource(t, dsn).Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Version, "PostgreSQL ") || got.Role != "postgres" || !got.Superuser || !got.SeesTransactions || got.IdleTimeout != 0 || time.Since(got.Now).Abs() > time.Minute {
		t.Errorf("got %+v, want what this server is", got)
	}
	database := filepath.Base(strings.Split(dsn, "?")[0])
	pgtest.Exec(t, dsn, "ALTER DATABASE "+database+" SET idle_in_transaction_session_timeout = '90s'")
	if got, err = openSource(t, dsn).Server(t.Context()); err != nil || got.IdleTimeout != 90*time.Second {
		t.Errorf("got %v, %v, want the timeout that sessions begin with", got.IdleTimeout, err)
	}
}

// A plan lists the tables it reads completely with their sizes, including
// partitions and tables never analysed.
func TestPlansListFullScans(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for name, c := range map[string]struct {
		setup string
		rows  int64 // within a factor of two
	}{
		"analysed":     {"CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n; ANALYZE doc", 3000},
		"not analysed": {"CREATE TABLE doc (id int, u timestamptz) WITH (autovacuum_enabled = off); INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n", 1400},
		"grown": {"CREATE TABLE doc (id int, u timestamptz) WITH (autovacuum_enabled = off); INSERT INTO doc SELECT n, now() FROM generate_series(1, 1000) n; ANALYZE doc; " +
			"INSERT INTO doc SELECT n, now() FROM generate_series(1, 2000) n", 3000},
		"partitions": {`CREATE TABLE doc (id int, u timestamptz) PARTITION BY RANGE (id); CREATE TABLE a PARTITION OF doc FOR VALUES FROM (1) TO (1000); CREATE TABLE b PARTITION OF doc FOR VALUES FROM (1000) TO (9000);
			INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n; ANALYZE doc`, 3000},
	} {
		table := tableIn(t, dsn, emptied+c.setup, TableConfig{})
		plans, err := table.Plans(t.Context(), doc.Window{From: time.Now().Add(-time.Second), To: time.Now()}, nil)
		if err != nil || len(plans) != 1 || len(plans[0].FullScans) != 1 {
			t.Fatalf("%s: got %+v, %v, want one plan that reads one table whole", name, plans, err)
		}
		if got := plans[0].FullScans[0]; got.Table != "doc" || got.Rows < c.rows/2 || got.Rows > c.rows*2 {
			t.Errorf("%s: got %+v, want about %d rows of doc", name, got, c.rows)
		}
	}
}

// An index counts only if it covers the whole table and begins with the
// columns.
func TestPlansKnowIndexes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for index, want := range map[string]bool{
		"":                               false,
		"(a, b)":                         true,
		"(b, a)":                         false,
		"(a, b, u)":                      true,
		"(a)":                            false,
		"(a, u, b)":                      false,
		"(a, b) WHERE a > 0":             false,
		"((a + 0), b)":                   false,
		"USING brin (a, b)":              true,
		"(a, b); DROP INDEX doc_a_b_idx": false,
	} {
		setup := emptied + "CREATE TABLE doc (a int, b int, u timestamptz); INSERT INTO doc VALUES (1, 1, now())"
		if index != "" {
			setup += "; CREATE INDEX ON doc " + index
		}
		table := tableIn(t, dsn, setup, TableConfig{Key: []string{"a", "b"}})
		oids, err := table.Sample(t.Context(), 10)
		if err != nil || len(oids) != 1 {
			t.Fatalf("got %v, %v, want one key", oids, err)
		}
		plans, err := table.Plans(t.Context(), doc.Window{From: time.Now().Add(-time.Second), To: time.Now()}, oids)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(plans, func(p doc.Plan) bool { return p.Asks == doc.AsksKeys })
		if got := plans[i]; got.Indexed != want || !slices.Equal(got.By, []doc.Column{{Table: "doc", Name: "a"}, {Table: "doc", Name: "b"}}) {
			t.Errorf("%q: got %+v, want indexed %t by a and b of doc", index, got, want)
		}
	}
}

func TestCancelledQueryEndsOnTheServer(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, now())", TableConfig{SQL: "SELECT id, u, pg_sleep(600) FROM doc"})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := table.Sample(ctx, 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want %v", err, context.DeadlineExceeded)
	}
	const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
	for end := time.Now().Add(time.Minute); pgtest.Value[int64](t, dsn, running) > 0; <-time.After(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the question is still being answered")
		}
	}
}
