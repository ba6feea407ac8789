package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	loadRounds = 3
	loadTarget = 0.8 // CPU of a load over CPU of FTS5 on the same rows
)

// A cost is what indexing all rows took.
type cost struct {
	CPU, Wall time.Duration
	PeakMB    float64 // of anonymous memory; 0 if it was not measured
}

func (c cost) perRow(rows int) float64 { return float64(c.CPU.Microseconds()) / float64(rows) }

// BenchmarkLoad loads 100,000 rows from PostgreSQL, beside SQLite's FTS5 and beside
// bleve on the same rows in memory, interleaved in one run, medians of three. No side
// drops a word. Each is a process alone, and CPU is the user and system time of that
// process, which other programs change little. The daemon's CPU is that of the whole
// daemon, until its merges have ended; FTS5's is with a table of the metadata and
// their indexes; bleve's is with a mapping that does without all that can be left out.
// It then prints the daemon's share that is the index alone, and the default mapping
// of bleve on some of the rows.
func BenchmarkLoad(b *testing.B) {
	for range b.N {
		english := loadCase{name: "English", file: "en.jsonl.gz", analyzer: "standard", tokenizer: "unicode61"}
		ratio := english.run(b)
		rows := len(english.texts(b))
		printCost("index alone", rows, indexAlone(b, "same", english))
		printCost("bleve, default mapping", rows/defaultShare, indexAlone(b, "default", english))
		for _, c := range []loadCase{
			{name: "English, en", file: "en.jsonl.gz", analyzer: "en", tokenizer: "porter unicode61"},
			{name: "English, no positions", file: "en.jsonl.gz", analyzer: "standard", more: "    positions: false\n", tokenizer: "unicode61", detail: "none"},
			{name: "Chinese, cjk", file: "zh.jsonl.gz", analyzer: "cjk", tokenizer: "trigram"},
		} {
			c.run(b)
		}
		if ratio > loadTarget {
			b.Errorf("CPU is %.2f times FTS5's, target %.2f", ratio, loadTarget)
		}
		fmt.Printf("load: rows=%d cpu_over_fts5=%.2f target=%.2f %s\n", rows, ratio, loadTarget, outcome(b.Failed()))
		b.ReportMetric(ratio, "cpu-over-fts5")
	}
}

// BenchmarkLoadWorkers loads the same rows with 1, 2 and 4 workers by turns, and prints
// medians. On more cores, more workers take no more CPU for a row.
func BenchmarkLoadWorkers(b *testing.B) { loadWith(b, "workers", 1, 2, 4) }

// BenchmarkLoadBatches does so with batches of several sizes. Larger ones are merged
// less, and take more memory.
func BenchmarkLoadBatches(b *testing.B) { loadWith(b, "batch", 2000, 5000, 10_000, 20_000) }

// loadWith loads the same rows with each value of a key of the table, by turns, and
// prints medians.
func loadWith(b *testing.B, key string, values ...int) {
	all := outsideTexts(b, "en.jsonl.gz")
	dsn := textTable(b, all)
	for range b.N {
		loads := map[int][]cost{}
		for range loadRounds {
			for _, n := range values {
				loads[n] = append(loads[n], loadOnce(b, textConfig(dsn, "DATA")+fmt.Sprintf("    %s: %d\n", key, n)))
			}
		}
		for _, n := range values {
			printCost(fmt.Sprintf("%s: %d on %d cores", key, n, runtime.NumCPU()), len(all), median(loads[n]))
		}
	}
}

// A loadCase is a text, an analyzer and what is nearest to it in FTS5.
type loadCase struct {
	name, file        string
	analyzer, more    string // more lines of the table's configuration
	tokenizer, detail string
}

func (c loadCase) texts(b *testing.B) []bodyText { return outsideTexts(b, c.file) }

// config is the configuration of the table.
func (c loadCase) config(dsn, data string) string {
	return strings.Replace(textConfig(dsn, data), "fields: [body]", "fields: [body], analyzer: "+c.analyzer, 1) + c.more
}

// run prints the medians of all sides, and returns the daemon's CPU over that of FTS5.
func (c loadCase) run(b *testing.B) float64 {
	b.Helper()
	all := c.texts(b)
	config := c.config(textTable(b, all), "DATA")
	var loads, fts, bleves []cost
	for range loadRounds {
		loads = append(loads, loadOnce(b, config))
		fts = append(fts, ftsOnce(b, c))
		bleves = append(bleves, indexAlone(b, "bleve", c))
	}
	load, other, library := median(loads), median(fts), median(bleves)
	printCost(c.name+", daemon", len(all), load)
	printCost(c.name+", FTS5 "+c.tokenizer, len(all), other)
	printCost(c.name+", bleve", len(all), library)
	ratio := float64(load.CPU) / float64(other.CPU)
	fmt.Printf("%-40s %6.2f of FTS5's CPU, %.2f of bleve's\n", c.name, ratio, float64(load.CPU)/float64(library.CPU))
	return ratio
}

func printCost(name string, rows int, c cost) {
	fmt.Printf("%-40s %6.1f CPU µs/row %7.0f rows/s %5.1f s %4.0f %% of a core, peak RssAnon %4.0f MB\n", name,
		c.perRow(rows), float64(rows)/c.Wall.Seconds(), c.Wall.Seconds(), 100*c.CPU.Seconds()/c.Wall.Seconds(), c.PeakMB)
}

func median(costs []cost) cost {
	slices.SortFunc(costs, func(a, b cost) int { return int(a.CPU - b.CPU) })
	return costs[len(costs)/2]
}

// loadOnce runs the daemon on an empty data directory until it is ready and its merges
// have ended. The time is that until it is ready.
func loadOnce(b *testing.B, config string) (c cost) {
	b.Helper()
	file := writeFile(b, strings.Replace(config, "DATA", filepath.Join(b.TempDir(), "data"), 1))
	began := time.Now()
	p := start(b, "run", "-c", file)
	sample := func() { c.PeakMB = max(c.PeakMB, p.memory(b, "RssAnon")) }
	eventually(b, time.Hour, "ready", func() error {
		sample()
		_, err := get(p.base + "/readyz")
		return err
	})
	c.Wall = time.Since(began)
	c.CPU = settledCPU(b, p, sample)
	p.stop(b)
	return c
}

// settledCPU waits until a process needs less than a fortieth of a core, twice in a
// row, since it may get little of a busy machine. It returns the CPU that it took.
func settledCPU(b *testing.B, p *proc, sample func()) time.Duration {
	b.Helper()
	const step, few, quiet = 2 * time.Second, 0.05, 2
	before := -few
	for n := 0; ; {
		now := p.cpu(b)
		if n++; now-before >= few {
			n = 0
		}
		if n == quiet {
			return time.Duration(now * float64(time.Second))
		}
		before = now
		for end := time.Now().Add(step); time.Now().Before(end); time.Sleep(step / 20) {
			sample()
		}
	}
}

// ftsOnce loads the texts into FTS5, by SQLite's own C library.
func ftsOnce(b *testing.B, c loadCase) (taken cost) {
	b.Helper()
	rows := filepath.Join(b.TempDir(), "rows.jsonl")
	f, err := os.Create(rows)
	if err != nil {
		b.Fatal(err)
	}
	lines := json.NewEncoder(f)
	for _, one := range c.texts(b) {
		if err := lines.Encode(one); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	detail := "full"
	if c.detail != "" {
		detail = c.detail
	}
	cmd := exec.Command("python3", "testdata/fts5.py", rows, b.TempDir(), c.tokenizer, detail)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("FTS5 by python3: %v", err)
	}
	if err := json.Unmarshal(out, &taken); err != nil {
		b.Fatalf("FTS5 printed %q: %v", out, err)
	}
	return taken
}

// indexAlone runs TestIndexAlone in a separate process.
func indexAlone(b *testing.B, mapping string, of loadCase) (c cost) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestIndexAlone$", "-test.v")
	cmd.Env = append(os.Environ(), "INDEXERD_INDEX_ALONE="+mapping, "INDEXERD_INDEX_TEXTS="+of.file, "INDEXERD_INDEX_ANALYZER="+of.analyzer)
	if of.detail == "none" {
		cmd.Env = append(cmd.Env, "INDEXERD_INDEX_POSITIONS=false")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("index alone: %v: %s", err, out)
	}
	_, after, ok := strings.Cut(string(out), "cost ")
	if !ok || json.Unmarshal([]byte(strings.SplitN(after, "\n", 2)[0]), &c) != nil {
		b.Fatalf("index alone printed no cost: %s", out)
	}
	return c
}
