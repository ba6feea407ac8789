package postgres

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

const secret = "s3cret"

func TestAddress(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres://app:" + secret + "@db.example:5433/shop":           "db.example:5433/shop",
		"postgres://app@[::1]/shop":                                    "[::1]:5432/shop",
		"host=db.example user=app password=" + secret + " dbname=shop": "db.example:5432/shop",
	} {
		s, err := Open(t.Context(), dsn, 4)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := s.Address(); got != want {
			t.Errorf("got address %s, want %s", got, want)
		}
	}
}

func TestBadDSN(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres://app:12/" + secret + "@db/shop":                  "is not a connection string",
		"postgres://app:" + secret + "%zz@db/shop":                  "is not a connection string",
		"postgres://app:a " + secret + "@db/shop":                   "is not a connection string",
		"mysql://app:" + secret + "@db/shop":                        "is not a connection string",
		"host=db password=" + secret + " port=x":                    "is not a connection string",
		"password='" + secret:                                       "is not a connection string",
		"host=db password=" + secret + " sslmode=maybe":             "is not a connection string",
		"postgres://app:" + secret + "@one,two/shop":                "names several servers",
		"postgres://app:" + secret + "@db:1,db:2/x?sslmode=disable": "names several servers",
	} {
		s, err := Open(t.Context(), dsn, 4)
		if err == nil {
			s.Close()
			t.Errorf("%s: got no error, want one", dsn)
			continue
		}
		if got := err.Error(); !strings.Contains(got, want) || strings.Contains(got, secret) || strings.Contains(got, "app") {
			t.Errorf("%s: got %q, want %q in it, and nothing of the login", dsn, got, want)
		}
	}
	s, err := Open(t.Context(), "postgres://app@one,two/shop?target_session_attrs=primary", 4)
	if err != nil {
		t.Fatalf("got %v for several servers of which one is the primary, want none", err)
	}
	s.Close()
}

func TestServerDown(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres://app:" + secret + "@127.0.0.1:1/shop?sslmode=disable": "connect to 127.0.0.1:1/shop: database unavailable: connection refused: start the database, or correct host and port",
		"postgres://app:" + secret + "@127.0.0.1:1/shop":                 "connect to 127.0.0.1:1/shop: database unavailable: connection refused: start the database, or correct host and port",
		"host=/nowhere port=1 user=app dbname=shop password=" + secret:   "connect to /nowhere:1/shop: database unavailable: no such file or directory: start the database, or correct host and port",
	} {
		s, err := Open(t.Context(), dsn, 4)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, err = s.Acquire(t.Context())
		if !errors.Is(err, doc.ErrUnavailable) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct{ old, new, want string }{
		{"postgres@", "unknown:" + secret + "@", "the login was refused (role does not exist, SQLSTATE 28000): correct the user, or add a line for it, the database and this host to pg_hba.conf"},
		{"/test_", "/nothing_", "does not exist, SQLSTATE 3D000): create it, or correct its name"},
	} {
		_, err := openDB(t, strings.Replace(dsn, c.old, c.new, 1)).Acquire(t.Context())
		if !errors.Is(err, doc.ErrUnavailable) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if strings.Contains(fmt.Sprint(err), "unknown") || strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("got %q, want nothing of the login in it", err)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err         error
		unavailable bool
		want        string
	}{
		{&pgconn.PgError{Code: "57P01", Message: "terminating connection due to administrator command"}, true, "terminating connection due to administrator command (SQLSTATE 57P01)"},
		{&pgconn.PgError{Code: "57P03", Message: "the database system is starting up"}, true, "the database system is starting up (SQLSTATE 57P03)"},
		{&pgconn.PgError{Code: "57014", Message: "canceling statement due to user request"}, true, "canceling statement due to user request (SQLSTATE 57014)"},
		{&pgconn.PgError{Code: "40001", Message: "could not serialize access"}, true, "could not serialize access (SQLSTATE 40001)"},
		{&pgconn.PgError{Code: "40P01", Message: "deadlock detected"}, true, "deadlock detected (SQLSTATE 40P01)"},
		{&pgconn.PgError{Code: "53300", Message: "sorry, too many clients already"}, true, "sorry, too many clients already (SQLSTATE 53300)"},
		{&pgconn.PgError{Code: "53200", Message: "out of memory"}, true, "out of memory (SQLSTATE 53200)"},
		{&pgconn.PgError{Code: "55P03", Message: "canceling statement due to lock timeout"}, true, "canceling statement due to lock timeout (SQLSTATE 55P03)"},
		{&pgconn.PgError{Code: "25P03", Message: "terminating connection"}, true, "terminating connection (SQLSTATE 25P03)"},
		{&pgconn.PgError{Code: "58030", Message: "could not read"}, true, "could not read (SQLSTATE 58030)"},
		{&pgconn.PgError{Code: "08006", Message: "connection failure"}, true, "connection failure (SQLSTATE 08006)"},
		{&pgconn.PgError{Code: "08P01", Message: "bind message supplies 0 parameters"}, false, "bind message supplies 0 parameters (SQLSTATE 08P01)"},
		{&pgconn.PgError{Code: "42P01", Message: "relation \"a\"\ndoes not exist"}, false, `relation "a" does not exist (SQLSTATE 42P01)`},
		{&pgconn.PgError{Code: "22012", Message: "division by zero"}, false, "division by zero (SQLSTATE 22012)"},
		{&pgconn.PgError{Code: "XX000", Message: "cache lookup failed"}, false, "cache lookup failed (SQLSTATE XX000)"},
		{&pgconn.PgError{Code: "", Message: "odd"}, false, "odd (SQLSTATE )"},
		{fmt.Errorf("receive: %w", io.ErrUnexpectedEOF), true, "unexpected EOF"},
		{&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, true, "connection reset by peer"},
		{errors.Join(fmt.Errorf("host app: %w", syscall.ECONNREFUSED), io.EOF), true, "connection refused"},
	} {
		got := classify(c.err)
		if errors.Is(got, doc.ErrUnavailable) != c.unavailable || !strings.HasSuffix(got.Error(), c.want) {
			t.Errorf("%v: got %v, want %q, unavailable %v", c.err, got, c.want, c.unavailable)
		}
		if locked := strings.Contains(c.want, "55P03"); errors.Is(got, doc.ErrLocked) != locked {
			t.Errorf("%v: got %v, want a lock %v", c.err, got, locked)
		}
		if strings.Contains(got.Error(), "\n") {
			t.Errorf("%v: got %q, want one line", c.err, got)
		}
	}
}
