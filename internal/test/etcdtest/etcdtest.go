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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// A Server is a member of etcd.
type Server struct {
	Endpoint string // host:port of clients
	dir      string
	name     string
	peer     string // host:port of the other members
	cluster  string // all members: "NAME=PEER,NAME=PEER"
	flags    []string
	process  *exec.Cmd
	ended    chan error
}

var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Main runs the tests of a package, and ends the server that they shared. It returns the
// exit code.
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Stop()
	}
	return code
}

// Shared returns the endpoint of a server that the tests of a package share, each below a
// separate prefix. The first call starts it. The package's TestMain calls Main.
func Shared(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = Start()
	}
	missing(t, shared.err)
	return shared.server.Endpoint
}

// New starts a server for one test, which ends with it. Flags are added to its own.
func New(t testing.TB, flags ...string) *Server {
	t.Helper()
	pgtest.NeedsServers(t)
	s, err := Start(flags...)
	missing(t, err)
	t.Cleanup(s.Stop)
	return s
}

// errMissing reports that the server is not installed.
var errMissing = errors.New("etcd is not installed: apt-get install etcd-server")

// missing skips a test without a server, or fails it if CI is set.
func missing(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errMissing) && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
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
	addresses, err := free(2 * n)
	if err != nil {
		return nil, err
	}
	var peers []string
	for i := range n {
		dir, err := os.MkdirTemp("", "indexerd-etcd-")
		if err != nil {
			return members, err
		}
		s := &Server{dir: dir, name: fmt.Sprint("member", i+1), Endpoint: addresses[i], peer: addresses[n+i], flags: flags}
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

// free returns addresses on which no process listens.
func free(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the last one is found
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
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
	s.process = exec.Command(program, append([]string{
		"--name", s.name, "--data-dir", filepath.Join(s.dir, "data"), "--unsafe-no-fsync",
		"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-metrics-urls", "http://127.0.0.1:0",
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", s.cluster,
	}, s.flags...)...)
	s.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	s.ended = make(chan error, 1)
	started := make(chan error)
	go func() {
		// The server is killed when the thread that started it ends.
		runtime.LockOSThread()
		err := s.process.Start()
		if started <- err; err == nil {
			s.ended <- s.process.Wait()
		}
	}()
	return <-started
}

// wait waits until the server has a leader.
func (s *Server) wait() error {
	for deadline := time.Now().Add(startWithin); ; {
		answer, err := http.Get("http://" + s.Endpoint + "/health")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(answer.Status)
		}
		select {
		case ended := <-s.ended:
			s.ended <- ended
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("etcd ended: %v: %s", ended, log[max(0, len(log)-1000):])
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			s.Kill()
			return err
		}
	}
}

// Signal sends a signal to the server, such as SIGSTOP.
func (s *Server) Signal(sig syscall.Signal) { _ = s.process.Process.Signal(sig) }

// Kill kills the server as a crash does.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	s.ended <- <-s.ended
}

// Wipe makes the server lose everything: it starts again with nothing, at the same endpoint.
func (s *Server) Wipe() error {
	s.Kill()
	if err := os.RemoveAll(filepath.Join(s.dir, "data")); err != nil {
		return err
	}
	return s.Run()
}

// Stop kills the server, if it runs, and removes its directory.
func (s *Server) Stop() {
	if s.process != nil && s.process.Process != nil {
		s.Kill()
	}
	_ = os.RemoveAll(s.dir)
}
