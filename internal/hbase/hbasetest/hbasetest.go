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

	"indexerd/internal/javatest"
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
	if url := os.Getenv("HBASE_REST"); url != "" {
		return url
	}
	fetch := os.Getenv("HBASE") != ""
	shared.Lock()
	defer shared.Unlock()
	if shared.program == nil && shared.err == nil {
		shared.err = start(fetch)
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

func start(fetch bool) error {
	dir, err := jars(fetch)
	if err != nil {
		return err
	}
	port, err := javatest.FreePort()
	if err != nil {
		return err
	}
	machine := []string{"-Xmx512m", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"}
	for _, p := range []string{"lang", "lang.reflect", "io", "net", "nio", "util", "util.concurrent", "math", "text"} {
		machine = append(machine, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	p, err := javatest.Start("HBase", program, dir, machine, "data", port)
	if err != nil {
		return err
	}
	shared.program, shared.url = p, "http://127.0.0.1:"+port
	return p.Answers(shared.url+"/version/cluster", 5*time.Minute)
}
