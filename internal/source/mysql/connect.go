package mysql

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// parseDSN reads mysql://user:password@host:port/database?parameters:
//   - tls: true, verify-ca, skip-verify, preferred or false. The default is preferred,
//     which verifies no certificate. verify-ca ignores the certificate's names: MySQL
//     makes itself one without any.
//   - socket: the server's socket of this machine, in place of host and port.
//   - ssl-ca: a file with the certificates that tls=true and verify-ca trust.
//   - server-public-key-path: a file with the server's public key, by which a password
//     for caching_sha2_password is encrypted where there is no TLS. Without the file
//     the server is asked for its key.
//
// A password that the URL lacks is that of MYSQL_PWD, as for the server's own clients.
// Errors contain no part of the DSN, which may be a part of the password.
func parseDSN(dsn string) (*mysql.Config, error) {
	const form = "write mysql://user@host:port/database, with special characters of the password percent-encoded"
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" || u.Hostname() == "" || strings.Contains(u.Path, "@") {
		return nil, errors.New("not an address of a MySQL or MariaDB database: " + form)
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.DBName = "tcp", net.JoinHostPort(u.Hostname(), "3306"), strings.Trim(u.Path, "/")
	if u.Port() != "" {
		c.Addr = net.JoinHostPort(u.Hostname(), u.Port())
	}
	if c.DBName == "" || strings.Contains(c.DBName, "/") {
		return nil, errors.New("names no database: " + form)
	}
	c.User = u.User.Username()
	var set bool
	if c.Passwd, set = u.User.Password(); !set {
		c.Passwd = os.Getenv("MYSQL_PWD")
	}
	c.Timeout, c.Logger, c.DialFunc = 10*time.Second, &mysql.NopLogger{}, dial
	c.TLSConfig = "preferred"
	authorities := ""
	for name, values := range u.Query() {
		switch value := values[len(values)-1]; {
		case name == "tls" && slices.Contains([]string{"true", verifyCA, "skip-verify", "preferred", "false"}, value):
			c.TLSConfig = value
		case name == "socket":
			c.Net, c.Addr = "unix", value
		case name == "ssl-ca":
			authorities = value
		case name == "server-public-key-path":
			if c.ServerPubKey, err = publicKey(value); err != nil {
				return nil, err
			}
		default:
			return nil, errors.New("has a parameter that is not known: write tls=true, verify-ca, skip-verify, preferred or false, ssl-ca=FILE, server-public-key-path=FILE and socket=FILE")
		}
	}
	switch {
	case authorities != "":
		if c.TLS, err = trusting(authorities, u.Hostname(), c.TLSConfig == verifyCA); err != nil {
			return nil, err
		}
	case c.TLSConfig == verifyCA:
		return nil, errors.New("tls=verify-ca needs ssl-ca=FILE")
	}
	return c, nil
}

// verifyCA is the tls parameter that trusts any certificate of an authority.
const verifyCA = "verify-ca"

// trusting returns the TLS configuration that verifies a host by the certificates of a
// file. If anyName is set, the host's certificate may have any name.
func trusting(file, host string, anyName bool) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.New("ssl-ca: the file can't be read")
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("ssl-ca: the file has no certificate in PEM form")
	}
	c := &tls.Config{RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12}
	if anyName {
		c.InsecureSkipVerify = true // VerifyConnection does
		c.VerifyConnection = func(state tls.ConnectionState) error { return verifyChain(state.PeerCertificates, pool) }
	}
	return c, nil
}

// verifyChain verifies the first certificate, whose intermediate ones follow it.
func verifyChain(chain []*x509.Certificate, authorities *x509.CertPool) error {
	if len(chain) == 0 {
		return errors.New("the server has sent no certificate")
	}
	intermediates := x509.NewCertPool()
	for _, c := range chain[1:] {
		intermediates.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: authorities, Intermediates: intermediates})
	return err
}

// publicKey gives the driver the RSA key of a file in PEM form, and returns the name
// under which the driver finds it.
func publicKey(file string) (name string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", errors.New("server-public-key-path: the file can't be read")
	}
	if block, _ := pem.Decode(text); block != nil {
		if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			if key, ok := key.(*rsa.PublicKey); ok {
				mysql.RegisterServerPubKey(string(block.Bytes), key)
				return string(block.Bytes), nil
			}
		}
	}
	return "", errors.New("server-public-key-path: the file has no RSA public key in PEM form")
}

// sessionSQL returns the settings of every session. sql_select_limit would cut a
// result off. PAD_CHAR_TO_FULL_LENGTH would append blanks to each CHAR. From 1,000 values on, MariaDB would make a list a subquery, and read
// whole tables for a SQL with UNION or DISTINCT. A merge of indexes would sort all rows
// that are left for each page.
func sessionSQL(lock, statement time.Duration) string {
	return fmt.Sprintf("SET NAMES utf8mb4, sql_mode = REPLACE(@@sql_mode, 'PAD_CHAR_TO_FULL_LENGTH', ''), time_zone = '+00:00', lock_wait_timeout = %d, sql_select_limit = 18446744073709551615, optimizer_switch = 'index_merge=off'"+
		" /*M!100300 , in_predicate_conversion_threshold = 0, max_statement_time = %g, tx_isolation = 'REPEATABLE-READ' */"+
		" /*!80000 , max_execution_time = %d, transaction_isolation = 'REPEATABLE-READ', information_schema_stats_expiry = 0 */"+
		" /*!80032 , explain_format = 'TRADITIONAL' */ /*!80300 , explain_json_format_version = 1 */", int(lock.Seconds()), statement.Seconds(), statement.Milliseconds())
}
