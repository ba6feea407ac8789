package sqlserver

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     mssql.Error
		subject dialect.Subject
		text    string
		grant   string
	}{
		{mssql.Error{Number: 8134, Class: 16, Message: "Divide by zero error encountered."}, dialect.AboutRow, "Divide by zero error encountered. (error 8134)", ""},
		{mssql.Error{Number: 245, Class: 16, Message: "Conversion failed when converting the varchar value 'x' to data type int."}, dialect.AboutRow, "Conversion failed", ""},
		{mssql.Error{Number: 50000, Class: 16, Message: "raised by a function"}, dialect.AboutRow, "raised by a function", ""},
		{mssql.Error{Number: 208, Class: 16, Message: "Invalid object name 'film'."}, dialect.AboutMissing, "Invalid object name 'film'.", ""},
		{mssql.Error{Number: 229, Class: 14, Message: "The SELECT permission was denied on the object 'film', database 'shop', schema 'dbo'."}, dialect.AboutMissing, "may not read a table (error 229)", "SELECT ON [dbo].[film]"},
		{mssql.Error{Number: 230, Class: 14, Message: "The SELECT permission was denied on the column 'id' of the object 'fi]lm', database 'shop', schema 'dbo'."}, dialect.AboutMissing, "may not read a table (error 230)", "SELECT ON [dbo].[fi]]lm]"},
		{mssql.Error{Number: 300, Class: 14, Message: "VIEW SERVER STATE permission was denied on object 'server', database 'master'."}, dialect.AboutStatement, "lacks a permission (error 300)", ""},
		{mssql.Error{Number: 916, Class: 14, Message: `The server principal "bob" is not able to access the database "shop" under the current security context.`}, dialect.AboutStatement, "lacks a permission (error 916)", ""},
		{mssql.Error{Number: 1205, Class: 13, Message: "Transaction (Process ID 52) was deadlocked"}, dialect.AboutServer, "deadlocked", ""},
		{mssql.Error{Number: 3961, Class: 16, Message: "Snapshot isolation transaction failed"}, dialect.AboutServer, "Snapshot", ""},
		{mssql.Error{Number: 1222, Class: 16, Message: "Lock request time out period exceeded."}, dialect.AboutLock, "Lock request", ""},
		{mssql.Error{Number: 99999, Class: 20, Message: "a fatal one"}, dialect.AboutServer, "a fatal one", ""},
		{mssql.Error{Number: 156, Class: 15, Message: "Incorrect syntax near the keyword 'LIMIT'."}, dialect.AboutStatement, "Incorrect syntax", ""},
	} {
		f := faults.Classify(fmt.Errorf("wrapped: %w", c.err))
		if f.Subject != c.subject || !strings.Contains(f.Text, c.text) || f.Grant != c.grant || f.Code != fmt.Sprint(c.err.Number) || strings.Contains(f.Text, "bob") {
			t.Errorf("%d: got %+v, want subject %d, %q and grant %q", c.err.Number, f, c.subject, c.text, c.grant)
		}
	}
	if f := faults.Classify(mssql.Error{Number: 1033, Message: "The ORDER BY clause is invalid"}); f.Hint != "remove the ORDER BY at the end" {
		t.Errorf("got hint %q of an ORDER BY in a subquery", f.Hint)
	}
	seen := map[int]bool{}
	for _, numbers := range faults.About {
		for _, n := range numbers {
			if seen[n] {
				t.Errorf("error %d is in two lists", n)
			}
			seen[n] = true
		}
	}
}

// TestConnectFaults: a failed connect is an unavailable server, in words without users.
func TestConnectFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{mssql.Error{Number: 18456, Message: "login error: Login failed for user 'bob'."}, "the login was refused (error 18456): correct user and password"},
		{mssql.Error{Number: 4060, Message: `Cannot open database "shop" requested by the login. The login failed for 'bob'.`}, "there is no such database, or the login has no user in it (error 4060): correct its name, or CREATE USER in it"},
		{mssql.Error{Number: 12345, Message: "bob is not welcome"}, "the server refused the connection (error 12345): look the number up"},
		{fmt.Errorf("unable to open tcp connection with host 'db:1433': %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}), "connection refused: start the database, or correct host and port"},
		{&net.DNSError{Name: "db"}, "no such host: correct the host of the address"},
		{driver.ErrBadConn, "the connection was lost"},
		{io.EOF, "EOF"},
	} {
		f := faults.Refusal(c.err)
		if !errors.Is(f, doc.ErrUnavailable) || !strings.HasSuffix(f.Error(), c.want) || strings.Contains(f.Error(), "bob") {
			t.Errorf("%v: got %v, want %s", c.err, f, c.want)
		}
	}
}
