package mysql

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// needsMySQL skips a test of what only MySQL has.
func needsMySQL(t *testing.T) {
	t.Helper()
	if !mariatest.IsMySQL() {
		t.Skip("MySQL's own: SERVER=mysql")
	}
}

// TestLogins logs in with every kind of account and transport. A new MySQL has TLS with
// an authority and a certificate of its own, which has no name, and a pair of keys for
// passwords that travel without TLS. An error says what to do.
func TestLogins(t *testing.T) {
	needsMySQL(t)
	t.Parallel()
	server := mariatest.New(t)
	dsn := server.DB(t)
	root := mariatest.Connect(t, dsn)
	execute(t, root, `CREATE TABLE doc (id INT PRIMARY KEY);
		CREATE USER caching IDENTIFIED WITH caching_sha2_password BY 'pa:ss w0rd';
		CREATE USER sha256 IDENTIFIED WITH sha256_password BY 'pa:ss w0rd';
		CREATE USER blank IDENTIFIED WITH caching_sha2_password BY '';
		CREATE USER ssl_only IDENTIFIED BY 'pa:ss w0rd' REQUIRE SSL;
		CREATE USER x509_only IDENTIFIED BY 'pa:ss w0rd' REQUIRE X509;
		CREATE USER late IDENTIFIED BY 'pa:ss w0rd' PASSWORD EXPIRE;
		CREATE USER shut IDENTIFIED BY 'pa:ss w0rd' ACCOUNT LOCK;
		CREATE USER bare IDENTIFIED BY 'pa:ss w0rd';
		GRANT SELECT ON *.* TO caching, sha256, blank, ssl_only, x509_only, late, shut`)
	defer execute(t, root, "SET GLOBAL require_secure_transport = OFF") // of which the end of the test has none
	var dir string
	if err := root.QueryRowContext(t.Context(), "SELECT @@datadir").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	ca, key, otherKey := "ssl-ca="+url.QueryEscape(dir+"ca.pem"), "tls=false&server-public-key-path="+url.QueryEscape(dir+"public_key.pem"), "tls=false&server-public-key-path="+newPublicKey(t)
	const refused = "correct user, password and host"
	for _, secure := range []string{"OFF", "ON"} {
		execute(t, root, "SET GLOBAL require_secure_transport = "+secure)
		for _, c := range []struct{ account, params, want, secure string }{ // secure: of require_secure_transport, if it differs
			{"caching", "", "", ""},
			{"caching", "tls=false", "", "remove tls=false"},
			{"caching", key, "", "remove tls=false"},
			{"caching", otherKey, refused, ""},
			{"caching", "tls=skip-verify", "", ""},
			{"caching", "tls=verify-ca&" + ca, "", ""},
			{"caching", "tls=true&" + ca, "tls=verify-ca", ""},
			{"caching", ca, "tls=verify-ca", ""},
			{"caching", "tls=true", "certificate", ""},
			{"sha256", "", "", ""},
			{"sha256", "tls=false", "", "remove tls=false"},
			{"sha256", key, "", "remove tls=false"},
			{"sha256", "tls=verify-ca&" + ca, "", ""},
			{"blank", "", "", ""},
			{"blank", "tls=false", "", "remove tls=false"},
			{"ssl_only", "", "", ""},
			{"ssl_only", "tls=false", refused + " of the account; one that requires SSL is refused with tls=false", ""},
			{"x509_only", "", "and one that requires X509 always", ""},
			{"late", "", "give it a new one", ""},
			{"shut", "", "unlock it by ALTER USER", ""},
			{"bare", "", "GRANT SELECT ON it", ""},
			{"nobody", "", refused, ""},
		} {
			login := url.UserPassword(c.account, map[bool]string{false: "pa:ss w0rd"}[c.account == "blank"])
			if secure == "ON" && c.secure != "" {
				c.want = c.secure
			}
			execute(t, root, "FLUSH PRIVILEGES") // no digest is cached: the first login sends the password, the second one a digest
			for _, digest := range []string{"", " again"} {
				err := loginError(t, strings.Replace(dsn, "root@", login.String()+"@", 1)+"?"+c.params)
				if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, doc.ErrUnavailable) || !strings.Contains(err.Error(), c.want)) || err != nil && strings.Contains(err.Error(), "w0rd") {
					t.Errorf("%s by %q%s, secure transport %s: got %v, want %q", c.account, c.params, digest, secure, err, c.want)
				}
			}
		}
	}
}

// loginError opens a database and describes a table of it.
func loginError(t *testing.T, dsn string) error {
	t.Helper()
	d, err := open(dsn, 1, time.Second)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}})
	return err
}

// newPublicKey writes an RSA key that no server has, and returns the escaped name of the file.
func newPublicKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "other_key.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600); err != nil {
		t.Fatal(err)
	}
	return url.QueryEscape(name)
}

// A connection is verified if the authority is, whatever the names of the certificate.
func TestVerifiedLogins(t *testing.T) {
	needsMySQL(t)
	t.Parallel()
	dsn := mariatest.DB(t)
	var dir string
	if err := mariatest.Open(t, dsn).QueryRowContext(t.Context(), "SELECT @@datadir").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]bool{"": false, "?tls=skip-verify": false, "?tls=verify-ca&ssl-ca=" + url.QueryEscape(dir+"ca.pem"): true} {
		server, err := source.New(openDB(t, dsn+params, time.Second), pace.Limits{}).Server(t.Context())
		if err != nil || server.Verified != want || !strings.HasPrefix(server.TLS, "TLSv1.") {
			t.Errorf("%q: got TLS %q, verified %v, %v, want %v", params, server.TLS, server.Verified, err, want)
		}
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	foreign := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, foreign, foreign, public, private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "foreign.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := loginError(t, dsn+"?tls=verify-ca&ssl-ca="+url.QueryEscape(file)); err == nil || !strings.Contains(err.Error(), "ssl-ca=FILE") {
		t.Errorf("another authority: got %v, want an error that names ssl-ca", err)
	}
}
