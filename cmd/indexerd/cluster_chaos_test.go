package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

const (
	// detectWithin is how long the daemon may take to notice what others did to its index.
	detectWithin = 30 * time.Second

	// statusWithin is how long status may take to answer, whatever is away.
	statusWithin = 30 * time.Second

	// restWithin is how long after the faults of a round S may take to pass the last commit.
	restWithin = 4 * time.Minute
)

// TestOpenSearchKill keeps notes of a private PostgreSQL in a cluster of real nodes,
// while sessions write. In each of OPENSEARCH_KILL_N rounds it kills or pauses nodes,
// the daemon or the database, disturbs what passes between daemon and cluster, or
// changes the index as an operator may. While that lasts, and when each round has
// come to rest, every row that S claims is compared with what the cluster holds.
//
// Without OPENSEARCH_KILL_N one round kills the daemon while the node that all tests share
// is busy.
func TestOpenSearchKill(t *testing.T) {
	t.Parallel()
	if os.Getenv("OPENSEARCH_KILL_N") == "" {
		k := newClusterChaos(t, pgtest.DB(t), nodetest.URL(t))
		k.run(t, 1, func(int) []clusterFault { return clusterFaults[:2] })
		return
	}
	n := rounds(t, "OPENSEARCH_KILL_N", 200, 200)
	k := startClusterChaos(t, rounds(t, "OPENSEARCH_KILL_NODES", 3, 3))
	k.run(t, n, k.choose)
	fmt.Printf("opensearch-kill: seed=%d rounds=%d nodes=%d kills=%d faults=%d met=%d zombies=%d writes=%d looks=%d detections=%d detected_max_s=%.1f rest_max_s=%.1f status_max_s=%.1f S_back=%d lost=%d stale=%d ghost=%d torn=%d %s\n",
		k.seed, n, len(k.cluster.Nodes), k.kills, k.done, k.doors.met.Load(), k.risen, k.commits, k.looks, k.detections, k.detected.Seconds(), k.rested.Seconds(), k.status.Seconds(), k.fell,
		k.found.lost, k.found.stale, k.found.ghost, k.found.torn, outcome(t.Failed()))
}

// A clusterChaos is a TestOpenSearchKill under way.
type clusterChaos struct {
	*chaos
	db      writeDB
	cluster *nodetest.Cluster // nil: the node is not the test's own
	shared  string            // that node
	server  *cluster.Cluster  // nil: nor is the database
	doors   *doors
	alias   string // of the notes
	daemon  *proc
	stop    func() int64 // the writers

	phase     string
	settled   time.Time // the last S that was seen
	changed   time.Time // when the index was changed last
	healed    time.Time // when the last faults ended
	rewinds   uint64    // of the marks before the faults
	silent    time.Time // since when status has no S that counts; zero: it has one
	suspended bool      // the index was changed, and the daemon may not have noticed

	hung []*nodetest.Node // or did a moment ago

	kills, done, risen, looks, detections, fell int
	commits                                     int64
	detected, rested, status                    time.Duration // the longest
	found                                       verdict
}

// startClusterChaos starts the servers.
func startClusterChaos(t *testing.T, nodes int) *clusterChaos {
	t.Helper()
	own := nodetest.NewCluster(t, nodes)
	server, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	// What was committed stays, also after a kill: what is lost then is another test's.
	pgtest.Exec(t, server.DSN(), "ALTER DATABASE postgres SET synchronous_commit = on")
	var urls []string
	for _, n := range own.Nodes {
		urls = append(urls, n.URL())
	}
	k := newClusterChaos(t, server.DSN(), urls...)
	k.cluster, k.server = own, server
	k.must(t, "PUT", "/_snapshot/chaos", map[string]any{"type": "fs", "settings": map[string]any{"location": own.Repository}})
	return k
}

func newClusterChaos(t *testing.T, dsn string, nodes ...string) *clusterChaos {
	t.Helper()
	k := &clusterChaos{chaos: newChaos(t, dsn, dsn, freshData(t)), db: openWriter(t, dsn), doors: newDoors(t, nodes...), shared: nodes[0]}
	prefix := fmt.Sprintf("k%d-", time.Now().UnixNano())
	k.alias = prefix + "note"
	rewrite(t, k.file, "http:", fmt.Sprintf("index: {engine: opensearch, url: [%s], prefix: %s, replicas: %d}\nhttp:", strings.Join(k.doors.urls, ", "), prefix, min(len(nodes)-1, 1)))
	t.Cleanup(func() { _, _ = k.call("DELETE", "/"+k.alias+"-g*", nil) }) // the node may be gone
	return k
}

// nodes returns the addresses of the nodes that answer.
func (k *clusterChaos) nodes() (urls []string) {
	if k.cluster == nil {
		return []string{k.shared}
	}
	for _, n := range k.cluster.Nodes {
		if n.Answers() && !slices.Contains(k.hung, n) {
			urls = append(urls, n.URL())
		}
	}
	return urls
}

// must sends a request until it succeeds.
func (k *clusterChaos) must(t *testing.T, method, path string, body any) (answer []byte) {
	t.Helper()
	eventually(t, 2*soon, k.phase+": "+method+" "+path, func() (err error) {
		answer, err = k.call(method, path, body)
		return err
	})
	return answer
}

func (k *clusterChaos) run(t *testing.T, n int, choose func(round int) []clusterFault) {
	t.Helper()
	k.phase = "the load"
	k.start(t)
	k.daemon.ready(t)
	k.stop = func() int64 { return 0 }
	for i := range n {
		k.round(t, i, choose(i))
		if t.Failed() && k.cluster != nil {
			for _, node := range k.cluster.Nodes {
				t.Log(node.Log())
			}
			return
		}
	}
	if k.commits == 0 || k.looks == 0 && n > 1 { // one round can end before the first look
		t.Errorf("%d transactions were committed and %d rows judged while they ran, want some of both", k.commits, k.looks)
	}
}

// start starts the daemon, however the cluster fares.
func (k *clusterChaos) start(t *testing.T) {
	t.Helper()
	k.daemon = start(t, "run", "-c", k.file)
}

// killDaemon kills the daemon, whose log was of no interest.
func (k *clusterChaos) killDaemon(t *testing.T) {
	t.Helper()
	if err := k.daemon.unbroken(); err != nil {
		t.Fatalf("%s: %v", k.phase, err)
	}
	k.daemon.kill()
	k.kills++
}

// examined is how long after a fault writes of others may be noticed only by the next
// sweep: the daemon examines the index every ten seconds, and again when shards come back.
const examined = 25 * time.Second

// round lets faults overlap, looks meanwhile, ends them, and judges what is left.
func (k *clusterChaos) round(t *testing.T, i int, chosen []clusterFault) {
	t.Helper()
	began := time.Now()
	k.phase = fmt.Sprintf("round %d", i)
	for _, f := range chosen {
		k.phase += ", " + f.name
	}
	k.stop = k.storm(t)
	k.looksFor(t, time.Second)
	if slices.ContainsFunc(chosen, func(f clusterFault) bool { return f.tampers }) {
		k.looksFor(t, time.Until(k.healed.Add(examined)))
	}
	k.rewinds = k.marks(t).Rewinds
	var ends []func()
	for _, f := range chosen {
		k.suspended = k.suspended || f.tampers
		ends = append(ends, f.begin(k, t))
		if f.tampers {
			k.changed, k.silent = time.Now(), time.Time{}
		}
		k.done++
		k.looksFor(t, k.within(time.Second))
	}
	k.looksFor(t, k.within(3*time.Second))
	for _, end := range ends {
		end()
	}
	if k.suspended {
		k.detects(t)
	}
	k.looksFor(t, k.within(2*time.Second))
	k.rests(t)
	k.healed = time.Now() // shards may have been away until now
	t.Logf("%s: %.1f s, %d rows judged so far", k.phase, time.Since(began).Seconds(), k.looks)
}

// looksFor watches S and judges for a while.
func (k *clusterChaos) looksFor(t *testing.T, d time.Duration) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		if k.daemon.unbroken() == nil {
			k.watches(t)
			k.judges(t)
		}
	}
}

// detects waits until the daemon doubts the index. Its marks show that also if the sweep
// has ended already. A daemon that opens another index has noticed before, and may wait
// for a cluster that hangs.
func (k *clusterChaos) detects(t *testing.T) {
	t.Helper()
	eventually(t, restWithin, k.phase+": the daemon notices", func() error {
		if err := k.daemon.unbroken(); err != nil {
			t.Fatalf("%s: %v", k.phase, err)
		}
		if k.marks(t).Rewinds == k.rewinds {
			return fmt.Errorf("status: %+v", k.table(t))
		}
		return nil
	})
	took := cmp.Or(k.silent, time.Now()).Sub(k.changed)
	k.detections++
	k.detected = max(k.detected, took)
	k.suspended = false
	if took > detectWithin {
		t.Errorf("%s: noticed after %v, want within %v", k.phase, took, detectWithin)
	}
}

// choose returns the faults of a round: one, and mostly another one beside it.
func (k *clusterChaos) choose(i int) []clusterFault {
	all := clusterFaults
	chosen := []clusterFault{all[(i+int(k.seed))%len(all)]}
	if k.random.IntN(3) > 0 {
		second := all[k.random.IntN(len(all))]
		if second.name != chosen[0].name && !(second.alone || chosen[0].alone) {
			chosen = append(chosen, second)
		}
	}
	return chosen
}
