// Package h2test runs the statements of Oracle's and SQL Server's dialects on H2, a
// database that has modes for their SQL. Their own servers can't run here.
//
// It is a stand-in. H2 executes the forms of the statements and returns rows; it has
// none of the vendors' locks, collations, plans or views of transactions. A Vendor
// names what is rewritten for H2 and gives values and errors the types of the
// vendor's driver.
//
// H2 runs in one Java process, which the first test starts in about 3 s and which
// ends with the tests. A database is in memory and takes milliseconds. Without Java or
// H2 a test is skipped with the command that installs them. If STANDINS is set, the
// test fails instead.
package h2test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"database/sql/driver"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// A Vendor is what a dialect's tests know of its driver and of H2.
type Vendor struct {
	Mode     string   // of H2: Oracle or MSSQLServer
	Settings string   // of H2's URL, each after a semicolon
	Aliases  []string // statements that prepare a database: functions that H2 lacks
	Reader   []string // statements that prepare each connection of Connector

	Rewrite   func(sql string) string                                                 // writes a statement for H2
	Argument  func(any) any                                                           // converts a parameter of the driver's own types; nil: none
	Isolation func(driver.TxOptions) []string                                         // of H2; nil: the driver has none
	Type      func(kind string, precision, scale int) (name string, driversScale int) // of a type of H2
	Value     func(kind string, text []byte) (driver.Value, error)                    // as the driver returns it
	Fault     func(code int, text string) error                                       // as the driver returns it
}

// A DB is an empty database of one test.
type DB struct {
	server *server
	url    string
	vendor Vendor

	mu    sync.Mutex
	conns []*conn // of Connector
}

// New creates a database.
func New(t testing.TB, v Vendor) *DB {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := shared.Get(newServer)
	process.Need(t, err, os.Getenv("STANDINS") != "")
	db := &DB{server: s, vendor: v, url: fmt.Sprintf("jdbc:h2:mem:%s;MODE=%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=5000%s", rand.Text(), v.Mode, v.Settings)}
	c, err := db.Writer().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, a := range v.Aliases {
		if _, err := c.(*conn).run(t.Context(), a, nil); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
	}
	return db
}

// Connector returns the connector of a source.
func (db *DB) Connector() driver.Connector {
	return &connector{db, db.vendor.Reader, db.vendor}
}

// Kill ends the connections of Connector.
func (db *DB) Kill() {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.conns {
		_ = c.Close()
	}
	db.conns = nil
}

// Writer returns the connector of another session, whose statements are not
// rewritten.
func (db *DB) Writer() driver.Connector {
	v := db.vendor
	v.Rewrite = func(sql string) string { return sql }
	return &connector{db, nil, v}
}

//go:embed H2.java
var program []byte

// A server is the Java process.
type server struct {
	address string
	stdin   io.Closer // its end stops the process
	dir     string
}

var shared process.Shared[*server]

// Main runs the tests of a package and ends the server that they used. It returns the
// exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// Stop ends the process and removes its files.
func (s *server) Stop() {
	_ = s.stdin.Close()
	_ = os.RemoveAll(s.dir)
}

var errMissing = fmt.Errorf("H2 is %w: make standins installs and runs it", process.ErrMissing)

// Fails is an expression that fails for a v of 0, but only if a statement reads or
// digests it: H2 computes all columns of a derived table. FailsCode is the error.
const (
	Fails     = "CASE v WHEN 0 THEN 'divided by zero' ELSE '1' END"
	FailsCode = 90105
)

// InConditions writes Fails in the conditions of an SQL so that H2 fails there.
func InConditions(sql string) string {
	return strings.NewReplacer("WHERE "+Fails, "WHERE 1 / v", "AND "+Fails, "AND 1 / v", "ORDER BY "+Fails, "ORDER BY 1 / v").Replace(sql)
}

// Version is the release of H2.
const Version = "2.5.252"

// newServer compiles H2.java and starts it.
func newServer() (*server, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	jar := filepath.Join(home, ".m2/repository/com/h2database/h2", Version, "h2-"+Version+".jar")
	if _, err := os.Stat(jar); err != nil {
		return nil, errMissing
	}
	javac, err := exec.LookPath("javac")
	if err != nil {
		return nil, errMissing
	}
	dir, err := os.MkdirTemp("", "indexerd-h2-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	if err := s.run(javac, jar); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func (s *server) run(javac, jar string) error {
	file := filepath.Join(s.dir, "H2.java")
	if err := os.WriteFile(file, program, 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(context.Background(), javac, "-cp", jar, "-d", s.dir, file).CombinedOutput(); err != nil {
		return fmt.Errorf("compile H2.java: %w: %s", err, out)
	}
	java := exec.CommandContext(context.Background(), filepath.Join(filepath.Dir(javac), "java"), "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Duser.timezone=UTC", "-cp", jar+string(os.PathListSeparator)+s.dir, "H2")
	var errs bytes.Buffer
	java.Stderr = &errs
	in, err := java.StdinPipe()
	if err != nil {
		return err
	}
	s.stdin = in
	out, err := java.StdoutPipe()
	if err != nil {
		return err
	}
	if err := java.Start(); err != nil {
		return err
	}
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("start H2: %w: %s", err, &errs)
	}
	s.address = "127.0.0.1:" + strings.TrimSpace(port)
	return nil
}
