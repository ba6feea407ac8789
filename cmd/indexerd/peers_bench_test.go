package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/redistest"
)

const (
	peersRounds = 3
	peersTarget = 2.0 // documents a second over PGSync's
)

// A peerLoad is what one load took.
type peerLoad struct {
	wall, cpu, clusterCPU time.Duration
}

// BenchmarkPeers loads the same rows of one PostgreSQL into one OpenSearch node by
// indexerd and by PGSync, one after the other, and compares the medians, once each has
// warmed the node up. The time is
// that of the process, until a refreshed index has all rows: indexerd's from its start
// until the table is ready, PGSync's from its start to its end, without that of its
// bootstrap. Both make one shard without replicas, and durable writes. A third load is
// that of an index without source. PGSYNC is the directory of PGSync's programs, PEERS_N
// the number of rows.
func BenchmarkPeers(b *testing.B) {
	programs := os.Getenv("PGSYNC")
	if programs == "" {
		b.Skip("PGSYNC is not set: run make bench-peers")
	}
	for range b.N {
		p := newPeers(b, programs)
		var ours, lean, theirs []peerLoad
		p.printed("indexerd, not counted", p.indexerd(b, true)) // the node compiles what it runs often
		p.printed("PGSync, not counted", p.pgsync(b))
		for range peersRounds {
			ours = append(ours, p.printed("indexerd", p.indexerd(b, true)))
			lean = append(lean, p.printed("indexerd, source: false", p.indexerd(b, false)))
			theirs = append(theirs, p.printed("PGSync", p.pgsync(b)))
		}
		us, less, them := medianLoad(ours), medianLoad(lean), medianLoad(theirs)
		ratio := them.wall.Seconds() / us.wall.Seconds()
		if ratio < peersTarget {
			b.Errorf("documents a second: %.2f times those of PGSync, want %.2f", ratio, peersTarget)
		}
		fmt.Printf("peers: rows=%d indexerd_docs_per_second=%.0f without_source=%.0f pgsync_docs_per_second=%.0f ratio=%.2f target=%.2f daemon_cpu_us_per_row=%.1f pgsync_cpu_us_per_row=%.1f cpu_with_opensearch_us_per_row=%.1f pgsync=%.1f %s\n",
			p.rows, p.rate(us), p.rate(less), p.rate(them), ratio, peersTarget, p.perRow(us.cpu), p.perRow(them.cpu), p.perRow(us.cpu+us.clusterCPU), p.perRow(them.cpu+them.clusterCPU), outcome(b.Failed()))
	}
}

// peers are the servers that both use.
type peers struct {
	programs, dsn, node, redis string
	rows                       int
}

func newPeers(b *testing.B, programs string) *peers {
	b.Helper()
	texts := peerTexts(b, rounds(b, "PEERS_N", 100_000, 100_000))
	return &peers{programs: programs, dsn: textTable(b, texts), node: nodetest.URL(b), redis: redistest.New(b).URL, rows: len(texts)}
}

// peerTexts are those of TESTDATA, or else generated ones.
func peerTexts(b *testing.B, n int) []bodyText {
	b.Helper()
	if name := filepath.Join(os.Getenv("TESTDATA"), "en.jsonl.gz"); os.Getenv("TESTDATA") != "" {
		if _, err := os.Stat(name); err == nil {
			all := readTexts(b, name)
			return all[:min(n, len(all))]
		}
	}
	return generatedTexts(n)
}

// indexerd loads the rows once, with or without what clients of the cluster read.
func (p *peers) indexerd(b *testing.B, source bool) (l peerLoad) {
	b.Helper()
	prefix := "peer" + strings.ToLower(rand.Text()) + "-"
	file := writeFile(b, fmt.Sprintf("index: {engine: opensearch, url: %q, prefix: %s, replicas: 0, source: %t}\n", p.node, prefix, source)+textConfig(p.dsn, filepath.Join(b.TempDir(), "data")))
	before, began := p.clusterCPU(b), time.Now()
	daemon := start(b, "run", "-c", file)
	daemon.readyWithin(b, time.Hour)
	p.loaded(b, prefix+"text")
	l.wall = time.Since(began)
	l.cpu = time.Duration(daemon.cpu(b) * float64(time.Second))
	l.clusterCPU = p.clusterCPU(b) - before
	daemon.stop(b)
	p.ask(b, http.MethodDelete, "/"+prefix+"*", nil)
	return l
}

// pgsync loads the rows once, into an index with the same fields.
func (p *peers) pgsync(b *testing.B) (l peerLoad) {
	b.Helper()
	address, err := url.Parse(p.dsn)
	if err != nil {
		b.Fatal(err)
	}
	index, dir := "peer"+strings.ToLower(rand.Text()), b.TempDir()
	schema, err := json.Marshal([]any{map[string]any{
		"database": strings.TrimPrefix(address.Path, "/"), "index": index,
		"setting": map[string]any{"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "1s"},
		"mapping": map[string]any{
			"oid": map[string]string{"type": "long"}, "body": map[string]string{"type": "text"}, "kind": map[string]string{"type": "keyword"},
			"n": map[string]string{"type": "double"}, "written": map[string]string{"type": "date"}, "updated": map[string]string{"type": "date"},
			"_meta": map[string]any{"type": "object", "enabled": false},
		},
		"nodes": map[string]any{"table": "text", "columns": []string{"oid", "body", "kind", "n", "written"}},
	}})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(dir, "schema.json")
	if err := os.WriteFile(file, schema, 0o600); err != nil {
		b.Fatal(err)
	}
	run := func(program string, more ...string) *os.ProcessState {
		cmd := exec.Command(filepath.Join(p.programs, program), append([]string{"-c", file}, more...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OPENSEARCH=true", "ELASTICSEARCH=false", "ELASTICSEARCH_URL="+p.node, "REDIS_URL="+p.redis, "CHECKPOINT_PATH="+dir, "ELASTICSEARCH_TIMEOUT=600", // it gives up otherwise on a busy machine

			"PG_HOST="+address.Hostname(), "PG_PORT="+address.Port(), "PG_USER="+cmp.Or(address.User.Username(), "postgres"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s %s: %v: %s", program, more, err, out[max(0, len(out)-2000):])
		}
		return cmd.ProcessState
	}
	run("bootstrap")
	before, began := p.clusterCPU(b), time.Now()
	ended := run("pgsync")
	p.loaded(b, index)
	l.wall, l.cpu = time.Since(began), ended.UserTime()+ended.SystemTime()
	l.clusterCPU = p.clusterCPU(b) - before
	run("bootstrap", "--teardown") // and its slot, which would keep the WAL and the database
	p.ask(b, http.MethodDelete, "/"+index+"?ignore_unavailable=true", nil)
	return l
}

// loaded checks that all rows are in an index.
func (p *peers) loaded(b *testing.B, index string) {
	b.Helper()
	p.ask(b, http.MethodPost, "/"+index+"/_refresh", nil)
	var counted struct{ Count int }
	p.ask(b, http.MethodGet, "/"+index+"/_count", &counted)
	if counted.Count != p.rows {
		b.Fatalf("index %s: got %d documents, want %d", index, counted.Count, p.rows)
	}
}

// clusterCPU is what the node has used.
func (p *peers) clusterCPU(b *testing.B) (used time.Duration) {
	b.Helper()
	var stats struct {
		Nodes map[string]struct {
			Process struct {
				CPU struct {
					Millis int64 `json:"total_in_millis"`
				}
			}
		}
	}
	p.ask(b, http.MethodGet, "/_nodes/stats/process", &stats)
	for _, node := range stats.Nodes {
		used += time.Duration(node.Process.CPU.Millis) * time.Millisecond
	}
	return used
}

func (p *peers) ask(b *testing.B, method, path string, answer any) {
	b.Helper()
	nodeAnswers(b, p.node, method, path, nil, answer)
}

// printed prints a load.
func (p *peers) printed(name string, l peerLoad) peerLoad {
	fmt.Printf("%-23s %7.0f docs/s %6.1f s, CPU a row: %6.1f µs of the process, %6.1f µs of OpenSearch\n", name, p.rate(l), l.wall.Seconds(), p.perRow(l.cpu), p.perRow(l.clusterCPU))
	return l
}

// medianLoad is the load of the median time.
func medianLoad(loads []peerLoad) peerLoad {
	slices.SortFunc(loads, func(a, b peerLoad) int { return cmp.Compare(a.wall, b.wall) })
	return loads[len(loads)/2]
}

func (p *peers) rate(l peerLoad) float64 { return float64(p.rows) / l.wall.Seconds() }

func (p *peers) perRow(d time.Duration) float64 { return float64(d.Microseconds()) / float64(p.rows) }
