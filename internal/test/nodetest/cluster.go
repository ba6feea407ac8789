package nodetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// A Cluster is nodes that belong to one test.
type Cluster struct {
	Nodes []*Node

	// Repository is a directory of snapshots that all nodes can read.
	Repository string
}

// A Node is one node of a cluster. Its address stays the same when it is started again.
type Node struct {
	*server
	Name   string
	paused bool
}

// hasty settings make nodes notice within seconds that another one is gone or hangs.
var hasty = []string{
	"cluster.fault_detection.follower_check.interval=500ms", "cluster.fault_detection.follower_check.timeout=2s", "cluster.fault_detection.follower_check.retry_count=2",
	"cluster.fault_detection.leader_check.interval=500ms", "cluster.fault_detection.leader_check.timeout=2s", "cluster.fault_detection.leader_check.retry_count=2",
}

// NewCluster starts n nodes of the release that OPENSEARCH names, or of the default one,
// and ends them with the test. It skips the test where URL does.
func NewCluster(t testing.TB, n int) *Cluster {
	t.Helper()
	pgtest.NeedsServers(t)
	c, err := newCluster(n, t.TempDir())
	t.Cleanup(c.stop)
	need(t, err)
	return c
}

func newCluster(n int, repository string) (*Cluster, error) {
	c := &Cluster{Repository: repository}
	ports, err := process.FreePorts(2 * n)
	if err != nil {
		return c, err
	}
	var names, seeds []string
	for i := range n {
		names, seeds = append(names, fmt.Sprintf("node-%d", i+1)), append(seeds, "127.0.0.1:"+ports[n+i])
	}
	for i := range n {
		settings := append([]string{
			"node.name=" + names[i], "transport.port=" + ports[n+i], "path.repo=" + repository,
			"discovery.seed_hosts=[" + strings.Join(seeds, ",") + "]", "cluster.initial_cluster_manager_nodes=[" + strings.Join(names, ",") + "]",
		}, hasty...)
		s, err := newServer(os.Getenv("OPENSEARCH"), ports[i], settings...)
		if err != nil {
			return c, err
		}
		c.Nodes = append(c.Nodes, &Node{server: s, Name: names[i]})
		if err := s.Run(); err != nil {
			return c, err
		}
	}
	return c, c.Nodes[0].wait(fmt.Sprintf("wait_for_nodes=%d", n))
}

func (c *Cluster) stop() {
	for _, n := range c.Nodes {
		n.Stop()
	}
}

// URL returns the node's address.
func (n *Node) URL() string { return n.url }

// Start starts the node after Kill, and does not wait until it answers.
func (n *Node) Start() error { return n.Run() }

// Answers reports whether the node's process runs, and is not paused.
func (n *Node) Answers() bool {
	select {
	case <-n.Ended():
		return false
	default:
		return !n.paused
	}
}

// Pause stops the node's process with SIGSTOP: it hangs until Resume.
func (n *Node) Pause() { n.signal(syscall.SIGSTOP) }

// Resume continues a paused node.
func (n *Node) Resume() { n.signal(syscall.SIGCONT) }

func (n *Node) signal(s syscall.Signal) {
	n.paused = s == syscall.SIGSTOP
	n.Signal(s)
}

// Log returns the end of what the node has logged.
func (n *Node) Log() string { return fmt.Sprintf("%s: %s", filepath.Base(n.Dir), n.Program.Log()) }
