package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
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

// server describes the server over a new connection.
func server(t *testing.T, db *DB) (doc.Server, error) {
	t.Helper()
	x, err := db.acquire(t.Context())
	if err != nil {
		return doc.Server{}, err
	}
	defer x.End()
	return db.Server(t.Context(), x)
}

func TestServerOverTLS(t *testing.T) {
	t.Parallel()
	c := ownCluster(t)
	authority := encrypts(t, c.DSN())
	for mode, want := range map[string]doc.Server{
		"disable":                              {},
		"require":                              {TLS: "TLS 1.3"},
		"verify-ca&sslrootcert=" + authority:   {TLS: "TLS 1.3", Verified: true},
		"verify-full&sslrootcert=" + authority: {TLS: "TLS 1.3", Verified: true},
	} {
		db := openDB(t, strings.Replace(c.DSN(), "sslmode=disable", "sslmode="+mode, 1))
		var got doc.Server
		var err error
		// The server reloads its settings in the background.
		for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
			if got, err = server(t, db); err == nil {
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
	got, err := server(t, openDB(t, dsn))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Version, "PostgreSQL ") || got.Role != "postgres" || !got.Superuser || !got.SeesTransactions || got.IdleTimeout != 0 || time.Since(got.Now).Abs() > time.Minute {
		t.Errorf("got %+v, want what this server is", got)
	}
	database := filepath.Base(strings.Split(dsn, "?")[0])
	pgtest.Exec(t, dsn, "ALTER DATABASE "+database+" SET idle_in_transaction_session_timeout = '90s'")
	if got, err = server(t, openDB(t, dsn)); err != nil || got.IdleTimeout != 90*time.Second {
		t.Errorf("got %v, %v, want the timeout that sessions begin with", got.IdleTimeout, err)
	}
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	role := "reader_" + pgtest.Value[string](t, dsn, "SELECT current_database()")
	pgtest.Exec(t, dsn, "CREATE TABLE a (id int); CREATE TABLE b (id int); CREATE TABLE c (id int); CREATE ROLE "+role+"; GRANT SELECT ON a, b, c TO "+role+"; GRANT DELETE ON b TO "+role)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	x := begun(t, openDB(t, dsn+"&options=-c%20role%3D"+role))
	got, err := x.db.Writable(t.Context(), x, []*dialect.Described{describe(t, x, "SELECT * FROM a, b b1 (b1)"), describe(t, x, "SELECT * FROM b, c c1 (c1)")})
	if err != nil || !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q, %v, want b", got, err)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	x := begun(t, openDB(t, pgtest.DB(t)))
	winter, summer := time.Date(2024, 1, 1, 12, 0, 0, 1000, time.UTC), time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)
	got, err := x.db.Shown(t.Context(), x, "Europe/Berlin", []time.Time{winter, summer})
	if want := []time.Time{winter.Add(time.Hour), summer.Add(2 * time.Hour)}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
