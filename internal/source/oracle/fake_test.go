package oracle

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/fakedriver"
)

// fake returns a database whose driver plays answers.
func fake(t *testing.T, answers ...fakedriver.Answer) (*DB, *fakedriver.Server) {
	t.Helper()
	server := fakedriver.New(t, append(answers, clockAnswer, fakedriver.Answer{To: "ALTER SESSION"}, fakedriver.Answer{To: "SET TRANSACTION READ ONLY"})...)
	d := open(address{host: "db.example", port: 1521, service: "shop"}, server.Connector(), 4)
	t.Cleanup(d.Close)
	return d, server
}

var clockAnswer = fakedriver.Values("SELECT TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP)", []driver.Value{"2026-11-23 09:00:00.123456789"})

func acquire(t *testing.T, d *DB) dialect.Session {
	t.Helper()
	s, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.End)
	return s
}

func ora(code int, text string) error {
	return &network.OracleError{ErrCode: code, ErrMsg: fmt.Sprintf("ORA-%05d: %s", code, text)}
}

// TestSession compares what the server receives: the clock before the snapshot, which
// begins in a transaction of the driver, and the settings before everything.
func TestSession(t *testing.T) {
	d, server := fake(t, fakedriver.Values("SELECT 1", []driver.Value{"1"}))
	s := acquire(t, d)
	snapshot, err := s.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 11, 23, 9, 0, 0, 123456789, time.UTC); !snapshot.At.Equal(want) || snapshot.Epoch != tokenVersion {
		t.Errorf("got snapshot %+v, want it at %v with epoch %s", snapshot, want, tokenVersion)
	}
	if _, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT 1"}, func([]any) bool { return true }); err != nil {
		t.Error(err)
	}
	s.End()
	if got, want := server.Sent(), []string{"CONNECT", sessionSQL, string(clockSQL), "BEGIN", "SET TRANSACTION READ ONLY", "SELECT 1", "ROLLBACK"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTypes plays values as the driver returns them.
func TestTypes(t *testing.T) {
	berlin := time.FixedZone("", 2*60*60) // the server's offset when the driver connected
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, berlin)
	for _, c := range []struct {
		typ   string
		scale int64
		value driver.Value
		name  string
		kind  doc.Kind
		want  any
	}{
		{"NUMBER", 0, "12", "NUMBER", doc.Integer, int64(12)},
		{"NUMBER", 255, "99999999999999999999", "NUMBER", doc.Integer, json.Number("99999999999999999999")},
		{"NUMBER", 2, "-0.5", "NUMBER", doc.Decimal, json.Number("-0.5")},
		{"NUMBER", 254, "1200", "NUMBER", doc.Integer, int64(1200)},
		{"NCHAR", 0, "ab ", "VARCHAR2", doc.Text, "ab "},
		{"CHAR", 0, "ab   ", "CHAR", doc.Text, "ab"},
		{"OCIClobLocator", 0, "text", "CLOB", 0, "text"},
		{"OCIBlobLocator", 0, []byte{1, 0xff}, "BLOB", 0, `\x01ff`},
		{"RAW", 0, []byte("0123456789abcdef"), "RAW", doc.UUID, "30313233-3435-3637-3839-616263646566"},
		{"RAW", 0, []byte{7}, "RAW", doc.UUID, `\x07`},
		{"IBDouble", 0, 0.1, "BINARY_DOUBLE", 0, 0.1},
		{"IBFloat", 0, float64(float32(0.5)), "BINARY_FLOAT", 0, 0.5},
		{"DATE", 0, at, "DATE", 0, "2026-01-02T03:04:05.678901"},
		{"TimeStampDTY", 0, at, "TIMESTAMP", 0, "2026-01-02T03:04:05.678901"},
		{"TimeStampTZ_DTY", 0, at, zonedTime, 0, "2026-01-02T01:04:05.678901Z"},
		{"IntervalDS_DTY", 0, "+01 02:03:04.500000", "INTERVAL", 0, "+01 02:03:04.500000"},
		{"TNSType(252)", 0, true, "BOOLEAN", 0, true},
	} {
		d, _ := fake(t, fakedriver.Answer{To: "SELECT", Columns: []fakedriver.Column{{Name: "FILM_ID", Type: c.typ, Scale: c.scale}}, Rows: [][]driver.Value{{c.value}}})
		s := acquire(t, d)
		columns, err := s.Describe(t.Context(), dialect.Wrapped{SQL: "SELECT film_id FROM film", Alias: "x"})
		if err != nil {
			t.Fatalf("%s: %v", c.typ, err)
		}
		col := columns[0]
		if col.Name != "film_id" || col.Type != c.name || col.Kind != c.kind {
			t.Errorf("%s: got column %+v, want film_id of %s, as a key %v", c.typ, col, c.name, c.kind)
		}
		if _, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT film_id"}, func(raw []any) bool {
			if got, err := col.Value(raw[0]); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %#v, %v, want %#v", c.typ, got, err, c.want)
			}
			return true
		}); err != nil {
			t.Error(err)
		}
	}
	for _, typ := range []string{"LONG", "LongRaw", "OCIFileLocator", "REFCURSOR"} {
		d, _ := fake(t, fakedriver.Answer{To: "SELECT", Columns: []fakedriver.Column{{Name: "C", Type: typ}}})
		_, err := acquire(t, d).Describe(t.Context(), dialect.Wrapped{SQL: "SELECT c FROM film", Alias: "x"})
		var fault *dialect.Fault
		if !errors.As(err, &fault) || fault.Subject != dialect.AboutStatement || !strings.Contains(fault.Text, "column c has the type") {
			t.Errorf("%s: got %v, want a fault of the statement that names the column", typ, err)
		}
	}
}

// TestFaults plays errors of statements.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		err     error
		subject dialect.Subject
		text    string
	}{
		{ora(1555, "snapshot too old: rollback segment number 9"), dialect.AboutServer, "snapshot too old: rollback segment number 9 (ORA-01555)"},
		{ora(3113, "end-of-file on communication channel"), dialect.AboutServer, "(ORA-03113)"},
		{io.ErrUnexpectedEOF, dialect.AboutServer, "unexpected EOF"},
		{driver.ErrBadConn, dialect.AboutServer, "the connection was lost"},
		{ora(54, "resource busy and acquire with NOWAIT specified"), dialect.AboutLock, "resource busy"},
		{ora(942, "table or view \"SECRET\".\"T\" does not exist"), dialect.AboutMissing, "a table or view does not exist, or the account may not read it (ORA-00942)"},
		{ora(904, "\"X\".\"B\": invalid identifier"), dialect.AboutMissing, "invalid identifier (ORA-00904)"},
		{ora(1031, "insufficient privileges"), dialect.AboutMissing, "the account lacks a privilege (ORA-01031)"},
		{ora(933, "SQL command not properly ended"), dialect.AboutStatement, "(ORA-00933)"},
		{ora(1456, "may not perform insert/delete/update operation inside a READ ONLY transaction"), dialect.AboutStatement, "READ ONLY"},
		{ora(1722, "invalid number\nORA-06512: at \"APP.F\", line 3"), dialect.AboutRow, "invalid number (ORA-01722)"},
		{ora(20001, "raised by a function"), dialect.AboutRow, "raised by a function (ORA-20001)"},
		{ora(1017, "invalid username/password for user SCOTT"), dialect.AboutStatement, "the login was refused: correct user and password (ORA-01017)"},
	} {
		d, _ := fake(t, fakedriver.Answer{To: "SELECT id", Err: c.err})
		s := acquire(t, d)
		if _, err := s.Begin(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		_, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT id"}, nil)
		var fault *dialect.Fault
		if !errors.As(err, &fault) || fault.Subject != c.subject || !strings.Contains(fault.Text, c.text) || strings.Contains(fault.Text, "SCOTT") {
			t.Errorf("%v: got %#v, want subject %v and %q", c.err, err, c.subject, c.text)
		}
	}
}

// TestFailingRow plays an error after the first row: what was read is not the result.
func TestFailingRow(t *testing.T) {
	d, _ := fake(t, fakedriver.Answer{To: "SELECT id", Columns: []fakedriver.Column{{Name: "ID", Type: "NUMBER"}}, Rows: [][]driver.Value{{"1"}, {ora(1476, "divisor is equal to zero")}}})
	s := acquire(t, d)
	rows := 0
	_, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT id"}, func([]any) bool {
		rows++
		return true
	})
	var fault *dialect.Fault
	if rows != 1 || !errors.As(err, &fault) || fault.Subject != dialect.AboutRow || fault.Code != "ORA-01476" {
		t.Errorf("got %d rows, %v, want one and the fault of a row", rows, err)
	}
}

// TestLine has an error in the third line of the user's SQL.
func TestLine(t *testing.T) {
	const sql = "SELECT id\nFROM film\nWHERE nothing = 1"
	prefix := len("SELECT x.* FROM (")
	if got := lineOf(sql, prefix+strings.Index(sql, "nothing")-prefix); got != 3 {
		t.Errorf("got line %d, want 3", got)
	}
	if got := lineOf(sql, -1); got != 0 {
		t.Errorf("got line %d of a position before the SQL, want 0", got)
	}
}

// TestConnectFaults has logins that fail: no text has the user's name.
func TestConnectFaults(t *testing.T) {
	for code, want := range map[int]string{1017: "correct user and password", 12514: "no such service", 28000: "locked", 12345: "refused the connection"} {
		if got := faults.Refusal(ora(code, "for user SCOTT")); !strings.Contains(got.Error(), want) || strings.Contains(got.Error(), "SCOTT") {
			t.Errorf("%d: got %q, want %q in it and no user", code, got.Text, want)
		}
	}
}

func number(n int) driver.Value { return fmt.Sprint(n) }

// TestSample has an open transaction, one without a session, a running statement, and
// sessions that wait.
func TestSample(t *testing.T) {
	sessions := fakedriver.Answer{To: "s.last_call_et", Columns: make([]fakedriver.Column, 5), Rows: [][]driver.Value{
		{number(1000007), "APP", number(1), number(11), number(60)}, // waits in a transaction
		{number(1000008), "APP", number(0), number(12), number(3)},  // runs a statement
		{number(1000009), "APP", number(1), number(13), number(60)}, // idle
	}}
	transactions := fakedriver.Answer{To: "gv$transaction", Columns: make([]fakedriver.Column, 3), Rows: [][]driver.Value{
		{number(1000007), "5.6.700", "APP"}, {number(-327687), "5.6.701", nil},
	}}
	for _, a := range []*fakedriver.Answer{&sessions, &transactions} {
		for i := range a.Columns {
			a.Columns[i] = fakedriver.Column{Name: "C", Type: "NCHAR"}
		}
	}
	for _, i := range []int{0, 2, 3, 4} {
		sessions.Columns[i].Type = "NUMBER"
	}
	transactions.Columns[0].Type = "NUMBER"
	d, server := fake(t, sessions, transactions)
	var got horizon.Sample
	err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) (err error) {
		got, err = c.Sample(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	byPID := map[int]horizon.Tx{}
	for _, tx := range got.Open {
		byPID[tx.PID] = tx
	}
	clock := time.Date(2026, 11, 23, 9, 0, 0, 123456789, time.UTC)
	want := map[int]horizon.Tx{
		1000007: {PID: 1000007, ID: "transaction 5.6.700", User: "APP", Waiting: true},
		1000008: {PID: 1000008, ID: "statement of session 12", User: "APP", Start: clock.Add(-8 * time.Second)},
		-327687: {PID: -327687, ID: "transaction 5.6.701", Waiting: true},
	}
	if !reflect.DeepEqual(byPID, want) || !got.Clock.Equal(clock) {
		t.Errorf("got %+v at %v, want %+v at %v", byPID, got.Clock, want, clock)
	}
	sent := server.Sent()
	if len(sent) != 5 || sent[2] != string(clockSQL) || sent[3] != runningSQL || sent[4] != openSQL {
		t.Errorf("got %q, want the clock, then the sessions, then the transactions", sent)
	}
}

// TestNoSight has an account that may not read the views.
func TestNoSight(t *testing.T) {
	d, _ := fake(t, fakedriver.Answer{To: "gv$session", Err: ora(942, "table or view does not exist")})
	err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
		_, err := c.Sample(ctx)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "GRANT "+sightGrant) {
		t.Errorf("got %v, want the GRANT", err)
	}
}

func TestState(t *testing.T) {
	for role, want := range map[string]string{"PRIMARY": "", "PHYSICAL STANDBY": "the database is a PHYSICAL STANDBY"} {
		d, _ := fake(t, fakedriver.Values("DATABASE_ROLE", []driver.Value{role}), fakedriver.Values("dba_2pc_pending", []driver.Value{"1.2.3", "global"}))
		err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
			s, err := c.State(ctx)
			if !strings.HasPrefix(s.Reason, want) || (s.Reason == "") != (want == "") || (len(s.Prepared) == 1) != (want == "") {
				t.Errorf("%s: got %+v, want the reason %q", role, s, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestInexact(t *testing.T) {
	d, _ := fake(t)
	for sql, linked := range map[string]bool{"SELECT id FROM film": false, "SELECT id FROM film@archive": true, "SELECT id FROM t WHERE mail LIKE '% @ %'": false} {
		got, err := d.Inexact(t.Context(), nil, []*dialect.Described{{Wrapped: dialect.Wrapped{SQL: sql}}})
		if err != nil || (got != "") != linked {
			t.Errorf("%s: got %q, %v, want a reason: %t", sql, got, err, linked)
		}
	}
}

// TestTimeLimit has a statement that takes longer than its limit.
func TestTimeLimit(t *testing.T) {
	d, _ := fake(t)
	d.Timeout = -1
	s := acquire(t, d)
	_, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT 1"}, nil)
	if !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("got %v, want the database to be unavailable", err)
	}
}

// TestBounds writes the ends of windows: a DATE has no fraction, and no time is after
// the year 9999.
func TestBounds(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 1000, time.UTC)
	for typ, want := range map[string]string{"DATE": "2026-01-02 03:04:06", "TIMESTAMP": "2026-01-02 03:04:05.000001000", zonedTime: "2026-01-02 03:04:05.000001000 +00:00"} {
		if got := clock(typ).Write(at); got != want {
			t.Errorf("%s: got %v, want %s", typ, got, want)
		}
		if got := clock(typ).Write(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)); !strings.HasPrefix(got.(string), "9999-12-31 23:59:59") {
			t.Errorf("%s: got %v after the last time, want the last time", typ, got)
		}
	}
}

// TestPlaceholder has a placeholder for each type: H2 takes more of them for equal than
// Oracle does.
func TestPlaceholder(t *testing.T) {
	for typ, want := range map[string]string{
		"NUMBER": ":7", "VARCHAR2": ":7", "RAW": ":7", "CHAR": "CAST(:7 AS CHAR(2000))", "DATE": "TO_DATE(:7, 'YYYY-MM-DD HH24:MI:SS')",
		"TIMESTAMP": "TO_TIMESTAMP(:7, 'YYYY-MM-DD HH24:MI:SS.FF9')", localTime: "TO_TIMESTAMP_TZ(:7, 'YYYY-MM-DD HH24:MI:SS.FF9 TZH:TZM')",
	} {
		if got := (&DB{}).Placeholder(7, &dialect.Column{Type: typ}); got != want {
			t.Errorf("%s: got %s, want %s", typ, got, want)
		}
	}
}
