// Package cluster runs a private PostgreSQL server for tests: a separate data
// directory, in memory if there is room, a free loopback port, no socket file,
// and no passwords. Stop removes everything.
//
// The server runs with fsync=off, so it must hold no data that is needed later.
// It starts in about a second.
package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"indexerd/internal/test/process"
)

// settings are for speed, and enable logical decoding and prepared
// transactions, which tests of the daemon need.
const settings = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off" +
	" -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" +
	" -c max_connections=100 -c max_prepared_transactions=20 -c wal_level=logical"

// A Cluster is a running server.
type Cluster struct {
	dir     string
	port    string
	account *syscall.Credential // runs the server; nil: the account of the tests
}

// Start creates a cluster and starts its server. On error nothing remains.
func Start(ctx context.Context) (*Cluster, error) {
	c, err := create(ctx, func(c *Cluster) error {
		return c.run(ctx, "initdb", "-D", c.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N")
	})
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return c, nil
}

// create creates a cluster, whose data directory fill makes, and starts its
// server.
func create(ctx context.Context, fill func(*Cluster) error) (*Cluster, error) {
	dir, err := process.MemoryDir("indexerd-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if c.account, err = process.GiveUpRoot(dir, "postgres"); err == nil {
		err = fill(c)
	}
	if err == nil {
		err = c.listen(ctx)
	}
	if err != nil {
		c.Stop() // err is reported
		return nil, err
	}
	return c, nil
}

// listen starts the server on a free port. Another process may take the port
// before the server does; then listen tries the next one.
func (c *Cluster) listen(ctx context.Context) error {
	for i := 0; ; i++ {
		ports, err := process.FreePorts(1)
		if err != nil {
			return err
		}
		c.port = ports[0]
		if err = c.start(ctx); err == nil || i == 4 {
			return err
		}
	}
}

// start starts the server on its port.
func (c *Cluster) start(ctx context.Context) error {
	options := fmt.Sprintf("-p %s %s", c.port, settings)
	return c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-l", filepath.Join(c.dir, "log"), "-o", options, "start")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run runs a program of the server. Its error is the last line printed.
func (c *Cluster) run(ctx context.Context, name string, args ...string) error {
	program, err := Tool(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.dir
	// A separate session: Ctrl-C on the terminal must not reach the server,
	// which is stopped after its users.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %w: %s", name, err, lines[len(lines)-1])
	}
	return nil
}

// DSN returns the superuser's connection string.
func (c *Cluster) DSN() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%s/postgres?sslmode=disable", c.port)
}

// Stop stops the server, if it runs, and removes the cluster.
func (c *Cluster) Stop() error {
	var stopErr error
	if _, err := os.Stat(filepath.Join(c.data(), "postmaster.pid")); err == nil {
		stopErr = c.halt(context.Background(), "immediate")
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	if stopErr != nil {
		return fmt.Errorf("stop PostgreSQL: %w", stopErr)
	}
	return nil
}

func (c *Cluster) halt(ctx context.Context, mode string) error {
	return c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-m", mode, "stop")
}

// Tool returns the path of a program of PostgreSQL: in PATH, or in the newest
// version of Debian's packages.
func Tool(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is not installed: apt-get install postgresql", name)
	}
	return slices.MaxFunc(found, func(a, b string) int { return major(a) - major(b) }), nil
}

// major returns the version in /usr/lib/postgresql/<version>/bin/<name>.
func major(path string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		return 0
	}
	return n
}

// Restart stops the server as a crash does and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	err := c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "-l", filepath.Join(c.dir, "log"), "restart")
	if err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}
