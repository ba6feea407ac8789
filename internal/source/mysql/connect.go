package mysql

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// parseDSN reads mysql://user:password@host:port/database?parameters. The
// parameters are tls (true, skip-verify, preferred, false; the default is
// preferred) and ssl-ca, a file with the certificates that tls=true trusts. A
// password that the URL lacks is that of MYSQL_PWD, as for the server's own
// clients. Errors contain no part of the DSN, which may be a part of the password.
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
	c.Timeout, c.Logger = 10*time.Second, &mysql.NopLogger{}
	c.TLSConfig = "preferred"
	for name, values := range u.Query() {
		switch value := values[len(values)-1]; {
		case name == "tls" && (value == "true" || value == "false" || value == "skip-verify" || value == "preferred"):
			c.TLSConfig = value
		case name == "ssl-ca":
			if c.TLS, err = trusting(value, u.Hostname()); err != nil {
				return nil, err
			}
		default:
			return nil, errors.New("has a parameter that is not known: write tls=true, skip-verify, preferred or false, and ssl-ca=FILE")
		}
	}
	return c, nil
}

// trusting returns the TLS configuration that verifies a host by the certificates of
// a file.
func trusting(file, host string) (*tls.Config, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.New("ssl-ca: the file can't be read")
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("ssl-ca: the file has no certificate in PEM form")
	}
	return &tls.Config{RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12}, nil
}

// sessionSQL returns the settings of every session. sql_select_limit would cut a
// result off. From 1,000 values on, MariaDB would make a list a subquery, and read
// whole tables for a SQL with UNION or DISTINCT. A merge of indexes would sort all rows
// that are left for each page.
func sessionSQL(lock, statement time.Duration) string {
	return fmt.Sprintf("SET NAMES utf8mb4, time_zone = '+00:00', lock_wait_timeout = %d, sql_select_limit = 18446744073709551615, optimizer_switch = 'index_merge=off'"+
		" /*M!100300 , in_predicate_conversion_threshold = 0, max_statement_time = %g, tx_isolation = 'REPEATABLE-READ' */"+
		" /*!80000 , max_execution_time = %d, transaction_isolation = 'REPEATABLE-READ', information_schema_stats_expiry = 0 */"+
		" /*!80032 , explain_format = 'TRADITIONAL' */ /*!80300 , explain_json_format_version = 1 */", int(lock.Seconds()), statement.Seconds(), statement.Milliseconds())
}
