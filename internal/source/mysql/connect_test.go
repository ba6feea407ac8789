package mysql

import (
	"errors"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
	"indexerd/internal/test/mariatest"
)

func TestParseDSN(t *testing.T) {
	t.Setenv("MYSQL_PWD", "from the environment")
	for dsn, want := range map[string]mysql.Config{
		"mysql://reader@db.example.com/shop":                       {User: "reader", Passwd: "from the environment", Addr: "db.example.com:3306", DBName: "shop", TLSConfig: "preferred"},
		"mariadb://r:s%40e%2Fcret@[::1]:3307/shop?tls=skip-verify": {User: "r", Passwd: "s@e/cret", Addr: "[::1]:3307", DBName: "shop", TLSConfig: "skip-verify"},
	} {
		got, err := parseDSN(dsn)
		if err != nil || got.User != want.User || got.Passwd != want.Passwd || got.Addr != want.Addr || got.DBName != want.DBName || got.TLSConfig != want.TLSConfig {
			t.Errorf("%s: got %+v, %v, want %+v", dsn, got, err, want)
		}
	}
	for dsn, want := range map[string]string{
		"mysql://secret":                                             "names no database",
		"mysql:///shop":                                              "not an address",
		"secret@tcp(host)/shop":                                      "not an address",
		"mysql://u:se/cret@host/shop":                                "not an address",
		"mysql://u:secret@host/shop/more":                            "names no database",
		"mysql://u@host/shop?multiStatements=1":                      "parameter that is not known",
		"mysql://u@host/shop?tls=secret":                             "parameter that is not known",
		"mysql://u@host/shop?ssl-ca=/no/file":                        "can't be read",
		"mysql://u@host/shop?tls=verify-ca":                          "needs ssl-ca=FILE",
		"mysql://u@host/shop?server-public-key-path=/no/file":        "can't be read",
		"mysql://u@host/shop?server-public-key-path=connect_test.go": "no RSA public key",
	} {
		if _, err := parseDSN(dsn); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error with %q and no part of the DSN", dsn, err, want)
		}
	}
}

// An error of a connection names the server and the reason, and not the user.
func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	dsn := mariatest.DB(t)
	server := strings.TrimPrefix(dsn, "mysql://root@")
	for dsn, want := range map[string]string{
		"mysql://secret:secret@" + nobody + "/shop":                  "connect to " + nobody + "/shop: database unavailable: connection refused: start the database, or correct host and port",
		"mysql://secret:secret@" + server:                            "connect to " + server + ": the login was refused, Access denied (using password: YES) (error 1045): correct user, password and host of the account; one that requires SSL is refused with tls=false, and one that requires X509 always",
		"mysql://root@" + strings.Split(server, "/")[0] + "/nowhere": "there is no such database, Unknown database 'nowhere' (error 1049): create it, or correct its name",
	} {
		_, err := openDB(t, dsn, time.Second).Acquire(t.Context())
		if !errors.Is(err, doc.ErrUnavailable) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", dsn, err, want)
		}
	}
}

// A server that has no TLS, or no certificate of its name, is not trusted.
func TestUntrustedServer(t *testing.T) {
	dsn := mariatest.DB(t)
	if _, err := openDB(t, dsn+"?tls=true", time.Second).Acquire(t.Context()); !errors.Is(err, doc.ErrUnavailable) || !regexp.MustCompile("TLS|certificate").MatchString(err.Error()) {
		t.Errorf("got %v, want an error of TLS", err)
	}
}

// The settings of a session are what values and statements depend on, whatever the
// server's are.
func TestSessionSettings(t *testing.T) {
	d := openDB(t, mariatest.DB(t), 3*time.Second)
	s, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	if _, err := s.Begin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	limit, full, isolation := "@@max_statement_time", any(300.0), "@@tx_isolation"
	if mariatest.IsMySQL() {
		limit, full, isolation = "@@max_execution_time", int64(300_000), "@@transaction_isolation"
	}
	rows, err := stdsql.Query(t.Context(), s, "SELECT @@time_zone, @@character_set_results, @@lock_wait_timeout, "+limit+", "+isolation+", @@optimizer_switch LIKE '%index_merge=off%' /*M! , @@in_predicate_conversion_threshold */")
	if err != nil || len(rows) != 1 {
		t.Fatalf("got %v, %v, want a row", rows, err)
	}
	for i, got := range rows[0] {
		if want := []any{"+00:00", "utf8mb4", int64(3), full, "REPEATABLE-READ", int64(1), int64(0)}[i]; got != want {
			t.Errorf("setting %d: got %#v, want %#v", i, got, want)
		}
	}
	if mariatest.IsMySQL() {
		return // the limit of a slow statement is a hint in it
	}
	slow := dialect.Statement{SQL: "SELECT @@max_statement_time", Slow: true}
	if _, err := s.Query(t.Context(), slow, func(raw []any) bool {
		if raw[0] != 0.0 {
			t.Errorf("a slow statement: got the limit %v, want none", raw[0])
		}
		return true
	}); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		err     error
		subject dialect.Subject
		grant   string
	}{
		{&mysql.MySQLError{Number: 1205}, dialect.AboutLock, ""},
		{&mysql.MySQLError{Number: 1412}, dialect.AboutServer, ""},
		{&mysql.MySQLError{Number: 1969}, dialect.AboutServer, ""},
		{&mysql.MySQLError{Number: 1054}, dialect.AboutMissing, ""},
		{&mysql.MySQLError{Number: 1064}, dialect.AboutStatement, ""},
		{&mysql.MySQLError{Number: 1690}, dialect.AboutRow, ""},
		{&mysql.MySQLError{Number: 1142, Message: "SELECT command denied to user 'secret'@'host' for table `shop`.`film`"}, dialect.AboutMissing, "SELECT ON `shop`.`film`"},
		{&mysql.MySQLError{Number: 1142, Message: "SELECT command denied to user 'secret'@'host' for table 'film'"}, dialect.AboutMissing, "SELECT ON `film`"},
		{&mysql.MySQLError{Number: 1045, Message: "Access denied for user 'secret'@'host'"}, dialect.AboutStatement, ""},
		{&mysql.MySQLError{Number: 1449, Message: "The user specified as a definer ('secret'@'host') does not exist"}, dialect.AboutStatement, ""},
		{&mysql.MySQLError{Number: 4031}, dialect.AboutServer, ""},
		{&mysql.MySQLError{Number: 1227, Message: "secret"}, dialect.AboutStatement, ""},
		{mysql.ErrInvalidConn, dialect.AboutServer, ""},
	} {
		f := faults.Classify(c.err)
		if f.Subject != c.subject || f.Grant != c.grant || strings.Contains(f.Error(), "secret") {
			t.Errorf("%v: got %+v, want subject %d and grant %q", c.err, f, c.subject, c.grant)
		}
	}
}
