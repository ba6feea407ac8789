// Package cluster runs a private PostgreSQL server for tests: its own data
// directory, in memory where there is room, a free loopback port, no socket
// file, trust for everybody who can reach it. Stop leaves nothing behind.
//
// The server trades durability for speed (fsync=off), so it must never hold
// anything that is wanted afterwards. It takes about a second to start.
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

// Settings that tests of the daemon need, beside speed: logical decoding and
// prepared transactions, which are off by default.
const settings = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off" +
	" -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" +
	" -c max_connections=100 -c max_prepared_transactions=20 -c wal_level=logical"

// A Cluster is a running server.
type Cluster struct {
	dir     string
	port    int
	account *syscall.Credential // who runs the server; nil: whoever runs the tests
}

// Start makes a cluster and starts its server. If it fails, nothing stays.
func Start(ctx context.Context) (*Cluster, error) {
	dir, err := os.MkdirTemp(parentDir(), "indexerd-pg-")
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	c := &Cluster{dir: dir}
	if err := c.start(ctx); err != nil {
		c.Stop() // the reason to report is err
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return c, nil
}

// parentDir is where clusters are made: in memory, where a new database takes
// 40 ms instead of 260, unless less than 4 GiB are free there, as in most
// containers. "" is the directory for temporary files.
func parentDir() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < 4<<30 {
		return ""
	}
	return memory
}

func (c *Cluster) start(ctx context.Context) error {
	if os.Geteuid() == 0 {
		if err := c.giveUpRoot(); err != nil {
			return err
		}
	}
	err := c.run(ctx, "initdb", "-D", c.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N")
	if err != nil {
		return err
	}
	return c.listen(ctx)
}

// listen starts the server on a free port.
func (c *Cluster) listen(ctx context.Context) (err error) {
	// Between finding a free port and listening on it another process may take
	// it; then the next one is tried.
	for range 5 {
		if c.port, err = freePort(); err != nil {
			return err
		}
		options := fmt.Sprintf("-p %d %s", c.port, settings)
		if err = c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-l", filepath.Join(c.dir, "log"), "-o", options, "start"); err == nil {
			return nil
		}
	}
	return err
}

// giveUpRoot hands the directory to the account postgres, since the server
// refuses to run as root.
func (c *Cluster) giveUpRoot() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("%w: as root the server runs as the account postgres, which Debian's package makes", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	c.account = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(c.dir, uid, gid)
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run runs one of the server's programs and returns the last line it printed
// as the error.
func (c *Cluster) run(ctx context.Context, name string, args ...string) error {
	program, err := Tool(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.dir
	// A session of its own: Ctrl-C on the terminal must not reach the server,
	// which is stopped after what uses it has ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %w: %s", name, err, lines[len(lines)-1])
	}
	return nil
}

// DSN returns the connection string of the superuser.
func (c *Cluster) DSN() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", c.port)
}

// Stop stops the server, if it runs, and removes the cluster.
func (c *Cluster) Stop() error {
	var stopErr error
	if _, err := os.Stat(filepath.Join(c.data(), "postmaster.pid")); err == nil {
		stopErr = c.run(context.Background(), "pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "stop")
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	if stopErr != nil {
		return fmt.Errorf("stop PostgreSQL: %w", stopErr)
	}
	return nil
}

// Tool finds a program that comes with PostgreSQL: in PATH, or where Debian
// keeps each major version's, the newest first.
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

// major is the version in /usr/lib/postgresql/<version>/bin/<name>.
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
