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
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// settings are for speed, and enable logical decoding and prepared
// transactions, which tests of the daemon need.
const settings = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off" +
	" -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" +
	" -c max_connections=100 -c max_prepared_transactions=20 -c wal_level=logical"

// A Cluster is a running server.
type Cluster struct {
	dir     string
	port    int
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
	dir, err := os.MkdirTemp(parentDir(), "indexerd-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if c.account, err = giveUpRoot(dir); err == nil {
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

// parentDir returns the directory of clusters: /dev/shm, where a new database
// takes 40 ms instead of 260, or "" for the directory of temporary files if
// TMPDIR is set or less than 4 GiB of memory are free, as in most containers.
func parentDir() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < 4<<30 {
		return ""
	}
	return memory
}

// listen starts the server on a free port. Another process may take the port
// before the server does; then listen tries the next one.
func (c *Cluster) listen(ctx context.Context) (err error) {
	for range 5 {
		if c.port, err = freePort(); err != nil {
			return err
		}
		if err = c.start(ctx); err == nil {
			return nil
		}
	}
	return err
}

// start starts the server on its port.
func (c *Cluster) start(ctx context.Context) error {
	options := fmt.Sprintf("-p %d %s", c.port, settings)
	return c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-l", filepath.Join(c.dir, "log"), "-o", options, "start")
}

// giveUpRoot gives the directory to the account postgres, since PostgreSQL and
// its pooler refuse to run as root. It returns nil if the tests do not run as
// root.
func giveUpRoot(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: as root the server runs as the account postgres, which Debian's package makes", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
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
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", c.port)
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

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Restart stops the server as a crash does and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	err := c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "-l", filepath.Join(c.dir, "log"), "restart")
	if err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}
