package sqlserver

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/sourcetest"
)

// TestServer runs the suite of all sources on the server of SQLSERVER_DSN, whose login
// may create databases. Each behaviour has a database of its own, which is dropped. The
// last line is for a report.
func TestServer(t *testing.T) {
	dsn := os.Getenv("SQLSERVER_DSN")
	if dsn == "" {
		t.Skip("NOT RUN ON A REAL SERVER: make sqlserver DSN='sqlserver://user:password@host?database=master'")
	}
	var opened atomic.Int64
	h := harness(func(t testing.TB) sourcetest.Database {
		opened.Add(1)
		return newReal(t, dsn).connect()
	})
	h.Facts.Fold = "varchar(100) COLLATE Latin1_General_100_CI_AI"
	h.Facts.Marks = append(h.Facts.Marks, sourcetest.Mark{Type: "char(3)", Live: "'n'", Dead: "'y'", Values: []any{"y"}})
	h.Facts.Values = append(h.Facts.Values,
		sourcetest.Value{Type: "tinyint", SQL: "255", Want: int64(255)},
		sourcetest.Value{Type: "datetime", SQL: "'2024-02-29T01:02:03.123'", Want: "2024-02-29T01:02:03.123"},
		sourcetest.Value{Type: "datetime", SQL: "'2024-02-29T01:02:03.999'", Want: "2024-02-29T01:02:04.000"},
		sourcetest.Value{Type: "smalldatetime", SQL: "'2024-02-29T01:02:03'", Want: "2024-02-29T01:02:00"},
		sourcetest.Value{Type: "time(3)", SQL: "'01:02:03.123'", Want: "01:02:03.123000"},
		sourcetest.Value{Type: "binary(16)", SQL: "0xa0eebc999c0b4ef8bb6d6bb9bd380a11", Want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		sourcetest.Value{Type: "xml", SQL: "'<a>1</a>'", Want: "<a>1</a>"},
		sourcetest.Value{Type: "sql_variant", SQL: "CAST(1.5 AS decimal(5,2))", Want: "1.50"},
		sourcetest.Value{Type: "hierarchyid", SQL: "'/1/2/'", Want: "/1/2/"},
		sourcetest.Value{Type: "varchar(9) COLLATE Greek_CI_AS", SQL: "N'αβγ'", Want: "αβγ"},
		sourcetest.Value{Type: "text", SQL: "'text'", Want: "text"},
		sourcetest.Value{Type: "image", SQL: "0x00ff", Want: `\x00ff`})
	h.Lacks["a lock makes the table unavailable, and the next read works"] = "a read with SNAPSHOT waits for no lock"
	h.Lacks["session settings change no token and no value"] = "the driver resets sessions, and each transaction sets them"
	version := newReal(t, dsn).version()
	ok := t.Run("suite", func(t *testing.T) { sourcetest.Run(t, h) })
	t.Logf("RESULT: %s: the suite on %d databases, passed: %v", version, opened.Load(), ok)
}

// A real is a sourcetest.Database on a server.
type real struct {
	testing.TB
	dsn    string // of its database
	writer *sql.DB
	source *source.Source
}

// newReal creates a database, which is dropped at the end of the test.
func newReal(t testing.TB, dsn string) *real {
	t.Helper()
	ctx := context.Background()
	server := openWriter(t, dsn)
	name := "indexerd_test_" + strings.ToLower(rand.Text()[:10])
	for _, s := range []string{"CREATE DATABASE " + name, "ALTER DATABASE " + name + " SET ALLOW_SNAPSHOT_ISOLATION ON"} {
		if _, err := server.ExecContext(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	t.Cleanup(func() {
		for _, s := range []string{"ALTER DATABASE " + name + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE", "DROP DATABASE " + name} {
			if _, err := server.ExecContext(ctx, s); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
	})
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("SQLSERVER_DSN is not a URL")
	}
	query := u.Query()
	query.Set("database", name)
	u.RawQuery = query.Encode()
	return &real{TB: t, dsn: u.String(), writer: openWriter(t, u.String())}
}

func openWriter(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	conf, err := parseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conf.AppName = "writer"
	db := sql.OpenDB(mssql.NewConnectorConfig(conf))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (r *real) version() (text string) {
	if err := r.writer.QueryRowContext(context.Background(), "SELECT CONCAT('SQL Server ', CAST(SERVERPROPERTY('ProductVersion') AS varchar(50)), ', ', CAST(SERVERPROPERTY('Edition') AS varchar(100)))").Scan(&text); err != nil {
		r.Fatal(err)
	}
	return text
}

func (r *real) connect() *real {
	d, err := Open(context.Background(), r.dsn, 4)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(d.Close)
	next := *r
	next.source = source.New(d, pace.Limits{})
	return &next
}

// Connect implements sourcetest.Database.
func (r *real) Connect() sourcetest.Database { return r.connect() }

// Kill implements sourcetest.Killer.
func (r *real) Kill() error {
	ctx := context.Background()
	var kill sql.NullString
	err := r.writer.QueryRowContext(ctx, "SELECT STRING_AGG(CONCAT('KILL ', session_id), '; ') FROM sys.dm_exec_sessions WHERE database_id = DB_ID() AND program_name LIKE 'indexerd %'").Scan(&kill)
	if err != nil || kill.String == "" {
		return err
	}
	_, err = r.writer.ExecContext(ctx, kill.String)
	return err
}

// Exec implements sourcetest.Database.
func (r *real) Exec(statements ...string) error {
	ctx := context.Background()
	tx, err := r.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, one := range statements {
		if _, err := tx.ExecContext(ctx, one); err != nil {
			_ = tx.Rollback()
			return errors.Join(fmt.Errorf("%s", one), err)
		}
	}
	return tx.Commit()
}

// Open implements sourcetest.Database.
func (r *real) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	return c.Open(context.Background(), r.source, "doc")
}
