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
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"indexerd/internal/test/javatest"
	"indexerd/internal/test/pgtest"
)

//go:embed HBase.java
var program []byte

const version = "2.6.1"

var shared struct {
	sync.Mutex
	program *javatest.Program
	url     string
	err     error
}

// Main runs the tests of a package, and ends the HBase that they used. It returns the
// exit code.
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.program != nil {
		shared.program.Stop()
	}
	return code
}

// URL returns the address of the gateway, which the first call starts. The package's
// TestMain calls Main.
func URL(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	if url := os.Getenv("HBASE_REST"); url != "" {
		return url
	}
	fetch := os.Getenv("HBASE") != ""
	shared.Lock()
	defer shared.Unlock()
	if shared.program == nil && shared.err == nil {
		shared.url, shared.program, shared.err = Start(fetch)
	}
	switch {
	case errors.Is(shared.err, javatest.ErrMissing) && !fetch:
		t.Skip("HBase is not installed: make hbase installs and tests it")
	case shared.err != nil:
		t.Fatalf("start HBase: %v", shared.err)
	}
	return shared.url
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

// Start starts HBase and returns the address of its gateway. With fetch, Maven fetches the
// jars where they are missing.
func Start(fetch bool) (url string, _ *javatest.Program, _ error) {
	dir, err := jars(fetch)
	if err != nil {
		return "", nil, err
	}
	port, err := javatest.FreePort()
	if err != nil {
		return "", nil, err
	}
	machine := []string{"-Xmx512m", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"}
	for _, p := range []string{"lang", "lang.reflect", "io", "net", "nio", "util", "util.concurrent", "math", "text"} {
		machine = append(machine, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	p, err := javatest.Start("HBase", program, dir, machine, "data", port)
	if err != nil {
		return "", nil, err
	}
	url = "http://127.0.0.1:" + port
	if err := p.Answers(url+"/version/cluster", 5*time.Minute); err != nil {
		p.Stop()
		return "", nil, err
	}
	return url, p, nil
}
