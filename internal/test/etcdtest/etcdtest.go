// Package etcdtest starts a private etcd for tests: one member, or a Cluster of several, on
// free loopback ports, each with a separate directory, and no syncs.
//
// One member answers within a second, several within a few. If the process is killed, so are
// the servers. Without etcd a test is skipped with the command that installs it. If CI is
// set, the test fails instead.
package etcdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// A Server is a member of etcd.
type Server struct {
	*process.Process

	Endpoint string // host:port of clients
	name     string
	peer     string // host:port of the other members
	cluster  string // all members: "NAME=PEER,NAME=PEER"
	flags    []string
}

var shared process.Shared[*Server]

// Main runs the tests of a package, and ends the server that they shared. It returns the
// exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// Shared returns the endpoint of a server that the tests of a package share, each below a
// separate prefix. The first call starts it. The package's TestMain calls Main.
func Shared(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := shared.Get(func() (*Server, error) { return Start() })
	need(t, err)
	return s.Endpoint
}

// New starts a server for one test, which ends with it. Flags are added to its own.
func New(t testing.TB, flags ...string) *Server {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := Start(flags...)
	need(t, err)
	t.Cleanup(s.Stop)
	return s
}

var errMissing = fmt.Errorf("etcd is %w: apt-get install etcd-server", process.ErrMissing)

func need(t testing.TB, err error) {
	t.Helper()
	process.Need(t, err, os.Getenv("CI") != "")
}

// Start starts a server. On error nothing remains.
func Start(flags ...string) (*Server, error) {
	members, err := start(1, flags...)
	if err != nil {
		return nil, err
	}
	return members[0], nil
}

// start starts members of one etcd.
func start(n int, flags ...string) (members []*Server, err error) {
	// Another process may take a port before a server does.
	for range 5 {
		if members, err = startOnce(n, flags); err == nil || errors.Is(err, errMissing) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	return members, nil
}

func startOnce(n int, flags []string) (members []*Server, err error) {
	defer func() {
		if err != nil {
			stop(members)
		}
	}()
	ports, err := process.FreePorts(2 * n)
	if err != nil {
		return nil, err
	}
	var peers []string
	for i := range n {
		dir, err := os.MkdirTemp("", "indexerd-etcd-")
		if err != nil {
			return members, err
		}
		s := &Server{Process: &process.Process{Dir: dir}, name: fmt.Sprint("member", i+1), Endpoint: "127.0.0.1:" + ports[i], peer: "127.0.0.1:" + ports[n+i], flags: flags}
		members, peers = append(members, s), append(peers, s.name+"=http://"+s.peer)
	}
	for _, s := range members {
		s.cluster = strings.Join(peers, ",")
		if err := s.launch(); err != nil {
			return members, err
		}
	}
	for _, s := range members {
		if err := s.wait(); err != nil {
			return members, err
		}
	}
	return members, nil
}

func stop(members []*Server) {
	for _, s := range members {
		s.Stop()
	}
}

// startWithin limits how long a server takes to answer.
const startWithin = time.Minute

// Run starts the server again after Kill, with what it has stored, and waits until it
// answers. One of several answers when most members run.
func (s *Server) Run() error {
	if err := s.launch(); err != nil {
		return err
	}
	return s.wait()
}

// launch starts the process.
func (s *Server) launch() error {
	program, err := exec.LookPath("etcd")
	if err != nil {
		return errMissing
	}
	client, peer := "http://"+s.Endpoint, "http://"+s.peer
	return s.Process.Start(exec.Command(program, append([]string{
		"--name", s.name, "--data-dir", filepath.Join(s.Dir, "data"), "--unsafe-no-fsync",
		"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-metrics-urls", "http://127.0.0.1:0",
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", s.cluster,
	}, s.flags...)...))
}

// wait waits until the server has a leader.
func (s *Server) wait() error { return s.WaitFor("http://"+s.Endpoint+"/health", startWithin) }

// Wipe makes the server lose everything: it starts again with nothing, at the same endpoint.
func (s *Server) Wipe() error {
	s.Kill()
	if err := os.RemoveAll(filepath.Join(s.Dir, "data")); err != nil {
		return err
	}
	return s.Run()
}
