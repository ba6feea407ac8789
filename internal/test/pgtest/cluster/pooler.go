package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"indexerd/internal/test/process"
)

// A Pooler is a running PgBouncer in front of a server, in transaction mode: a
// client has a server connection only for a transaction, or for a statement
// outside one. Each gets another connection than the last one had, if it can.
type Pooler struct {
	process process.Process
	port    string
}

// poolerConfig has few server connections for each role and database, so that
// clients share them. A role of the server needs no entry in a file.
const poolerConfig = `[databases]
* = host=%s port=%s auth_user=%s

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
pool_mode = transaction
server_round_robin = 1
default_pool_size = 6
max_client_conn = 500
server_idle_timeout = 5
auth_type = trust
auth_file = %s
auth_query = SELECT rolname, '' FROM pg_catalog.pg_roles WHERE rolname = $1
`

// StartPooler starts a pooler in front of the server of a DSN, for all its
// databases and roles. On error nothing remains.
func StartPooler(dsn string) (*Pooler, error) {
	server, err := url.Parse(dsn)
	if err != nil {
		return nil, errors.New("start PgBouncer: the server's address is not a URL")
	}
	dir, err := os.MkdirTemp("", "indexerd-pooler-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{process: process.Process{Dir: dir}}
	err = p.start(server)
	if err == nil {
		err = p.process.Wait(time.Minute, func() error {
			conn, err := net.Dial("tcp", p.Address())
			if err != nil {
				return err
			}
			return conn.Close()
		})
	}
	if err != nil {
		p.process.Stop()
		return nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	return p, nil
}

// start writes the configuration and starts PgBouncer.
func (p *Pooler) start(server *url.URL) (err error) {
	program, err := poolerProgram()
	if err != nil {
		return err
	}
	account, err := process.GiveUpRoot(p.process.Dir, "postgres")
	if err != nil {
		return err
	}
	ports, err := process.FreePorts(1)
	if err != nil {
		return err
	}
	p.port = ports[0]
	users, config := filepath.Join(p.process.Dir, "users"), filepath.Join(p.process.Dir, "config")
	text := fmt.Sprintf(poolerConfig, server.Hostname(), server.Port(), server.User.Username(), p.port, users)
	user := fmt.Sprintf("%q \"\"\n", server.User.Username())
	if err := errors.Join(os.WriteFile(users, []byte(user), 0o644), os.WriteFile(config, []byte(text), 0o644)); err != nil {
		return err
	}
	cmd := exec.Command(program, config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	return p.process.Start(cmd)
}

// poolerProgram returns the path of pgbouncer, which may be in a directory that
// is not in PATH.
func poolerProgram() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("pgbouncer is not installed: apt-get install pgbouncer")
}

// Address returns host:port, for a DSN that leads through the pooler.
func (p *Pooler) Address() string { return "127.0.0.1:" + p.port }

// Stop ends PgBouncer and removes its files.
func (p *Pooler) Stop() { p.process.Stop() }
