// Package redistest starts a private Redis for tests, on a free loopback port and on a
// socket. It saves only when a test asks it to.
//
// Without Redis a test is skipped with the command that installs it. If CI is set, the
// test fails instead.
package redistest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// A Server is a Redis.
type Server struct {
	*process.Process

	Port string // on 127.0.0.1
	URL  string // of its socket
}

// New starts a server for one test, which ends with it.
func New(t testing.TB) *Server {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := Start()
	process.Need(t, err, os.Getenv("CI") != "")
	t.Cleanup(s.Stop)
	return s
}

// Start starts a server. On error nothing remains.
func Start() (*Server, error) {
	ports, err := process.FreePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "redis-") // a socket's path is short
	if err != nil {
		return nil, err
	}
	s := &Server{&process.Process{Dir: dir}, ports[0], "unix://" + filepath.Join(dir, "s")}
	if err := s.Run(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	return s, nil
}

// Run starts the server, also after Kill, with what it has saved last, and waits until it
// answers.
func (s *Server) Run() error {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return fmt.Errorf("%w: apt-get install redis-server", process.ErrMissing)
	}
	err = s.Start(exec.Command(program, "--bind", "127.0.0.1", "--port", s.Port, "--unixsocket", "s", "--save", "", "--appendonly", "no"))
	if err != nil {
		return err
	}
	return s.Wait(time.Minute, s.ping)
}

// ping returns nil when the server has loaded what it had saved.
func (s *Server) ping() error {
	conn, err := net.Dial("tcp", "127.0.0.1:"+s.Port)
	if err != nil {
		return err
	}
	defer conn.Close()
	answer := make([]byte, len("+PONG"))
	if _, err := fmt.Fprint(conn, "PING\r\n"); err != nil {
		return err
	}
	if _, err := conn.Read(answer); err != nil || string(answer) != "+PONG" {
		return fmt.Errorf("PING: got %q, %v", answer, err)
	}
	return nil
}
