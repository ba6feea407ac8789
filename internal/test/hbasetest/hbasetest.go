// Package hbasetest starts a real HBase with its REST gateway for tests: one process with
// 512 MB of heap, ZooKeeper inside, on free loopback ports.
//
// Maven fetches the jars once, 101 MB, only if HBASE is set, as make hbase does.
// Otherwise a test is skipped without Java or these jars. If HBASE_REST is set, tests
// use that gateway.
package hbasetest

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/test/javatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

//go:embed HBase.java
var program []byte

const version = "2.6.1"

// A Server is a running HBase.
type Server struct {
	*javatest.Program

	URL string // of the gateway
}

var shared process.Shared[*Server]

// Main runs the tests of a package, and ends the HBase that they used. It returns the
// exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// URL returns the address of the gateway, which the first call starts. The package's
// TestMain calls Main.
func URL(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	if url := os.Getenv("HBASE_REST"); url != "" {
		return url
	}
	fetch := os.Getenv("HBASE") != ""
	s, err := shared.Get(func() (*Server, error) { return Start(fetch) })
	process.Need(t, err, fetch)
	return s.URL
}

// Install fetches the jars.
func Install() error {
	_, err := jars(true)
	return err
}

func jars(fetch bool) (string, error) {
	dir, err := javatest.Jars("hbase-"+version, fetch, "org.apache.hbase:hbase-server:"+version, "org.apache.hbase:hbase-rest:"+version)
	if err != nil {
		return "", err
	}
	// It hides the servlet API that the gateway needs.
	old, err := filepath.Glob(filepath.Join(dir, "servlet-api-2.5*.jar"))
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	return dir, err
}

// Start starts HBase. With fetch, Maven fetches the jars where they are missing.
func Start(fetch bool) (*Server, error) {
	s, err := start(fetch)
	if err != nil {
		return nil, fmt.Errorf("start HBase: %w: make hbase installs and tests it", err)
	}
	return s, nil
}

func start(fetch bool) (*Server, error) {
	dir, err := jars(fetch)
	if err != nil {
		return nil, err
	}
	ports, err := process.FreePorts(1)
	if err != nil {
		return nil, err
	}
	machine := []string{"-Xmx512m", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"}
	for _, p := range []string{"lang", "lang.reflect", "io", "net", "nio", "util", "util.concurrent", "math", "text"} {
		machine = append(machine, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	p, err := javatest.New("HBase", program, dir, machine, "data", ports[0])
	if err != nil {
		return nil, err
	}
	s := &Server{p, "http://127.0.0.1:" + ports[0]}
	if err = p.Run(); err == nil {
		err = p.WaitFor(s.URL+"/version/cluster", 5*time.Minute)
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}
