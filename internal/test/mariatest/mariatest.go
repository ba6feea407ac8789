// Package mariatest gives each test an empty database on a private server, which is
// MariaDB, or MySQL if SERVER=mysql: a separate data directory, in memory if there is
// room, a free loopback port, and no passwords.
//
// The first test that needs the server starts it, which takes about 2 s. Main stops
// it and removes everything. If the process is killed, so is the server. Without the
// server a test is skipped with the command that installs it. If CI is set, the test
// fails instead.
package mariatest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// A Server is a running server.
type Server struct {
	product product
	process *process.Process
	options []string
	port    string
	killed  atomic.Bool // by Kill
}

var shared process.Shared[*Server]

// Main runs the tests of a package, and ends the server that they used. It returns
// the exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// DB creates an empty database for the test and returns its DSN. The database is
// dropped at the end of the test. The package's TestMain calls Main.
func DB(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	server, err := shared.Get(func() (*Server, error) { return start(os.Getenv("SERVER"), nil) })
	need(t, err)
	return server.DB(t)
}

func need(t testing.TB, err error) {
	t.Helper()
	process.Need(t, err, os.Getenv("CI") != "")
}

// New starts a server with options for one test, which ends with it.
func New(t testing.TB, options ...string) *Server {
	t.Helper()
	return newServer(t, os.Getenv("SERVER"), options)
}

// NewMySQL is New for MySQL, whatever SERVER names.
func NewMySQL(t testing.TB, options ...string) *Server {
	t.Helper()
	return newServer(t, "mysql", options)
}

func newServer(t testing.TB, product string, options []string) *Server {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := start(product, options)
	need(t, err)
	t.Cleanup(s.Stop)
	return s
}

// start creates a data directory and starts its server. On error nothing remains.
func start(name string, options []string) (*Server, error) {
	product, err := productOf(name)
	if err != nil {
		return nil, err
	}
	dir, err := process.MemoryDir("indexerd-maria-")
	if err != nil {
		return nil, err
	}
	s := &Server{product: product, process: &process.Process{Dir: dir}, options: options}
	ctx := context.Background()
	if err = product.dataDir(ctx, dir, options); err == nil {
		err = s.listen(ctx)
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("start %s: %w", product.name, err)
	}
	return s, nil
}

// listen starts the server on a free port. Another process may take the port before
// the server does; then listen tries the next one.
func (s *Server) listen(ctx context.Context) error {
	for i := 0; ; i++ {
		ports, err := process.FreePorts(1)
		if err != nil {
			return err
		}
		s.port = ports[0]
		if err = s.run(ctx); err == nil || i == 4 {
			return err
		}
	}
}

// startWithin limits how long a server takes to answer.
const startWithin = time.Minute

// run starts the server and waits until it answers. The server's temporary tables
// are in its own directory: MariaDB 10.11 crashes when it can't open one, as in a
// directory that is full or that is emptied meanwhile.
func (s *Server) run(ctx context.Context) error {
	dir := s.process.Dir
	options := []string{"--port=" + s.port, "--socket=" + filepath.Join(dir, "socket"), "--tmpdir=" + dir, "--bind-address=127.0.0.1", "--skip-name-resolve", "--pid-file=" + filepath.Join(dir, "pid"),
		"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--max-connections=200", "--character-set-server=utf8mb4"}
	cmd := s.product.command(context.WithoutCancel(ctx), dir, slices.Concat(options, s.product.options, s.options)...)
	db, err := open(s.DSN(""))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := s.process.Start(cmd); err != nil {
		return err
	}
	s.killed.Store(false)
	ended := s.process.Ended()
	go func() {
		if <-ended; !s.killed.Load() {
			fmt.Fprintf(os.Stderr, "%s ended by itself: %s\n", s.product.name, s.process.Log())
		}
	}()
	if err := s.process.Wait(startWithin, func() error { return db.PingContext(ctx) }); err != nil {
		s.Kill()
		return err
	}
	return nil
}

// DSN returns the URL of a database for the account root.
func (s *Server) DSN(database string) string {
	return "mysql://root@127.0.0.1:" + s.port + "/" + database
}

// Kill kills the server as a crash does.
func (s *Server) Kill() {
	s.killed.Store(true)
	s.process.Kill()
}

// Restart starts a killed server again, on its port and with its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Stop kills the server, if it runs, and removes its directory.
func (s *Server) Stop() {
	s.killed.Store(true)
	s.process.Stop()
}

// DB creates an empty database for the test and returns its DSN.
func (s *Server) DB(t testing.TB) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text())
	Exec(t, s.DSN(""), "CREATE DATABASE "+name)
	t.Cleanup(func() { Exec(t, s.DSN(""), "DROP DATABASE "+name) })
	return s.DSN(name)
}

// open opens the database of a DSN of this package. Its sessions may send several
// statements at once, have UTC, and concatenate by ||. Recursive SQLs have room.
func open(dsn string) (*sql.DB, error) {
	host, database, ok := strings.Cut(strings.TrimPrefix(dsn, "mysql://"), "/")
	login, address, found := strings.Cut(host, "@")
	if !ok || !found {
		return nil, fmt.Errorf("%s is no DSN of a test", dsn)
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = login, "tcp", address, database
	c.MultiStatements, c.Logger = true, &mysql.NopLogger{}
	c.Params = map[string]string{"/*M! max_recursive_iterations */ /*!80000 cte_max_recursion_depth */": "1000000", "time_zone": "'+00:00'", "sql_mode": "'STRICT_TRANS_TABLES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION'"}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// Open returns sessions for writing, which are closed at the end of the test.
func Open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Connect returns one session for writing, which is closed at the end of the test.
func Connect(t testing.TB, dsn string) *sql.Conn {
	t.Helper()
	conn, err := Open(t, dsn).Conn(context.Background())
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Exec runs statements in a new session.
func Exec(t testing.TB, dsn, sql string, args ...any) {
	t.Helper()
	db, err := open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Load runs a script of the client mariadb in a database of this server, with the server's
// own sql_mode.
func (s *Server) Load(t testing.TB, dsn, path string) {
	t.Helper()
	client, err := exec.LookPath("mariadb")
	if err != nil {
		need(t, fmt.Errorf("the client mariadb is %w: apt-get install mariadb-client", process.ErrMissing))
	}
	script, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	cmd := exec.Command(client, "--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--port="+s.port, "--user=root", "--default-character-set=utf8mb4", dsn[strings.LastIndex(dsn, "/")+1:])
	cmd.Stdin = script
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("load %s: %v: %s", path, err, out)
	}
}
