package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

const (
	loadRounds = 3
	loadTarget = 1.15 // CPU of a load over CPU of raw bleve with the same mapping
	loadBatch  = 2000
)

// A cost is what indexing all rows took.
type cost struct {
	CPU, Wall time.Duration
	PeakMB    float64
}

func (c cost) perRow(rows int) float64 { return float64(c.CPU.Microseconds()) / float64(rows) }

// BenchmarkLoad loads 100,000 rows from PostgreSQL until they are searchable,
// beside raw bleve on the same documents in memory, interleaved in one run:
// with the same mapping, and once with bleve's default one. Each is a process
// alone; the daemon's numbers are the whole daemon's.
func BenchmarkLoad(b *testing.B) {
	all := outsideTexts(b)
	dsn := textTable(b, all)
	var loads, raws []cost
	for range b.N {
		for range loadRounds {
			loads = append(loads, loadOnce(b, dsn))
			raws = append(raws, rawOnce(b, "same"))
		}
	}
	fallback := rawOnce(b, "default")
	load, raw := median(loads), median(raws)
	ratio := float64(load.CPU) / float64(raw.CPU)
	for _, line := range []struct {
		name string
		cost
	}{{"load from PostgreSQL", load}, {"raw bleve, same mapping", raw}, {"raw bleve, default mapping", fallback}} {
		fmt.Printf("%-28s %7.0f rows/s %6.1f CPU µs/row  %5.1f s wall  %3.0f %% of 2 cores  peak %4.0f MB\n", line.name,
			float64(len(all))/line.Wall.Seconds(), line.perRow(len(all)), line.Wall.Seconds(), 100*line.CPU.Seconds()/line.Wall.Seconds()/2, line.PeakMB)
	}
	verdict := "ok"
	if ratio > loadTarget {
		verdict = "MISS"
		b.Errorf("CPU ratio %.2f, target %.2f", ratio, loadTarget)
	}
	fmt.Printf("load: rows=%d cpu_ratio=%.2f target=%.2f wall_ratio=%.2f default_mapping_cpu_ratio=%.2f %s\n", len(all), ratio, loadTarget,
		load.Wall.Seconds()/raw.Wall.Seconds(), float64(fallback.CPU)/float64(load.CPU), verdict)
	b.ReportMetric(ratio, "cpu-ratio")
}

func median(costs []cost) cost {
	slices.SortFunc(costs, func(a, b cost) int { return int(a.CPU - b.CPU) })
	return costs[len(costs)/2]
}

// loadOnce runs the daemon on an empty data directory until it is ready.
func loadOnce(b *testing.B, dsn string) cost {
	b.Helper()
	file := writeFile(b, textConfig(dsn, filepath.Join(b.TempDir(), "data")))
	began := time.Now()
	p := start(b, "run", "-c", file)
	p.ready(b)
	wall := time.Since(began)
	p.stop(b)
	usage := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(), wall, float64(usage.Maxrss) / 1024}
}

// rawOnce runs TestRawBleve in a separate process.
func rawOnce(b *testing.B, mapping string) cost {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestRawBleve$", "-test.v")
	cmd.Env = append(os.Environ(), "INDEXERD_RAW="+mapping)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("raw bleve: %v: %s", err, out)
	}
	_, after, ok := strings.Cut(string(out), "cost ")
	var c cost
	if !ok || json.Unmarshal([]byte(strings.SplitN(after, "\n", 2)[0]), &c) != nil {
		b.Fatalf("raw bleve printed no cost: %s", out)
	}
	c.PeakMB = float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	return c
}

// TestRawBleve is the other side of BenchmarkLoad, and runs only for it.
func TestRawBleve(t *testing.T) {
	mapping := os.Getenv("INDEXERD_RAW")
	if mapping == "" {
		t.Skip("a part of BenchmarkLoad: run make bench")
	}
	all := outsideTexts(t)
	apply := applyDefault
	if mapping == "same" {
		apply = applySame
	}
	before, began := cpuTime(t), time.Now()
	apply(t, all)
	line, err := json.Marshal(cost{CPU: cpuTime(t) - before, Wall: time.Since(began)})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("cost %s\n", line)
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// applySame indexes with the mapping that the daemon would use.
func applySame(t *testing.T, all []bodyText) {
	t.Helper()
	cfg, err := configs.Parse("c.yaml", []byte(textConfig("postgres://h/d", "/d")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	index, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), database.Mapping(cfg.Tables[0]), 1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"oid", "updated", "body", "kind", "n", "written"}
	inBatches(t, all, func(batch []bodyText) error {
		docs := make([]doc.Doc, len(batch))
		for i, one := range batch {
			oid, err := doc.NewOID(one.OID)
			if err != nil {
				return err
			}
			docs[i].OID, docs[i].V = oid, doc.Version(one.OID)
			docs[i].Row = doc.Row{Names: names, Values: []any{one.OID, "", one.Text, one.Kind, one.N, time.Unix(one.T, 0).UTC().Format(time.RFC3339)}}
		}
		return index.Apply(docs, nil)
	})
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
}

// applyDefault indexes with the defaults of bleve.
func applyDefault(t *testing.T, all []bodyText) {
	t.Helper()
	index, err := bleve.New(filepath.Join(t.TempDir(), "index"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	inBatches(t, all, func(batch []bodyText) error {
		b := index.NewBatch()
		for _, one := range batch {
			fields := map[string]any{"body": one.Text, "kind": one.Kind, "n": one.N, "written": time.Unix(one.T, 0)}
			if err := b.Index(fmt.Sprint(one.OID), fields); err != nil {
				return err
			}
		}
		return index.Batch(b)
	})
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
}

// inBatches feeds two workers, as many as the daemon has on this machine.
func inBatches(t *testing.T, all []bodyText, apply func([]bodyText) error) {
	t.Helper()
	var workers errgroup.Group
	workers.SetLimit(2)
	for batch := range slices.Chunk(all, loadBatch) {
		workers.Go(func() error { return apply(batch) })
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
}
