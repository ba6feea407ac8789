package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// Rows of a table of followRows change for followSeconds at each of followRates a second,
// once while CPU is measured and once while syncs are counted. FOLLOW_ROWS, FOLLOW_SECONDS
// and FOLLOW_RATES set them.
var (
	followRows    = 20_000
	followSeconds = 20
	followRates   = []int{1, 10, 100, 1000}
)

func setFollow(b *testing.B) {
	b.Helper()
	followSeconds = rounds(b, "FOLLOW_SECONDS", followSeconds, followSeconds)
	followRows = rounds(b, "FOLLOW_ROWS", followRows, followRows)
	if texts := strings.Fields(os.Getenv("FOLLOW_RATES")); len(texts) > 0 {
		followRates = nil
		for _, text := range texts {
			rate, err := strconv.Atoi(text)
			if err != nil {
				b.Fatal(err)
			}
			followRates = append(followRates, rate)
		}
	}
}

// syncCalls are the system calls that wait for a disk.
const syncCalls = "fsync,fdatasync,sync_file_range,msync,syncfs"

// BenchmarkFollow changes rows of a table of texts at several rates, and prints what
// the daemon takes for a row: CPU, which is user and system time of the daemon with
// its merges; what it writes, of which the row's texts are about half a kilobyte; and how
// often it waits for the disk, which strace counts in a run of its own, since tracing
// takes CPU. The first changes after a load or a start have the whole table compared once:
// they come before the others, and what they take is divided by the rows of the table.
func BenchmarkFollow(b *testing.B) {
	setFollow(b)
	dsn := textTable(b, generatedTexts(followRows))
	p := start(b, "run", "-c", writeFile(b, textConfig(dsn, filepath.Join(b.TempDir(), "data"))))
	p.readyWithin(b, time.Hour)
	settledCPU(b, p, func() {})
	before := p.cpu(b)
	<-time.After(time.Duration(followSeconds) * time.Second)
	idle := p.cpu(b) - before
	fmt.Printf("follow: rows=%d rows_per_s=0 cpu_pct=%.2f\n", followRows, 100*idle/float64(followSeconds))
	before = p.cpu(b)
	changeTexts(b, dsn, followRates[0])
	p.waitForPasses(b) // a comparison that waits for the database takes no CPU
	settledCPU(b, p, func() {})
	fmt.Printf("follow: first rows_per_s=%d cpu_us_table_row=%.2f\n", followRates[0], 1e6*(p.cpu(b)-before)/float64(followRows))
	for range b.N {
		for _, rate := range followRates {
			before, wrote := p.cpu(b), p.written(b)
			changeTexts(b, dsn, rate)
			cpu, written := p.cpu(b)-before, p.written(b)-wrote
			syncs := syncsOf(b, p, func() { changeTexts(b, dsn, rate) })
			rows := float64(rate * followSeconds)
			fmt.Printf("follow: rows_per_s=%d cpu_us_row=%.0f cpu_us_row_above_idle=%.0f cpu_pct=%.2f written_kb_row=%.1f syncs_row=%s syncs_s=%s\n", rate, 1e6*cpu/rows,
				1e6*(cpu-idle)/rows, 100*cpu/float64(followSeconds), float64(written)/1000/rows, perUnit(syncs, rows), perUnit(syncs, float64(followSeconds)))
		}
	}
	p.stop(b)
}

// waitForPasses waits until no pass of the first table runs.
func (p *proc) waitForPasses(b *testing.B) {
	b.Helper()
	eventually(b, time.Hour, "no pass runs", func() error {
		for _, pass := range p.status(b).Tables[0].Passes {
			if pass.Running {
				return errors.New(pass.Pass)
			}
		}
		return nil
	})
}

// perUnit divides, or returns that nothing was counted.
func perUnit(n int, by float64) string {
	if n < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.3f", float64(n)/by)
}

// changeTexts changes rows at a rate, up to fifty at a time and all over the table, and
// waits a little until the daemon has indexed the last ones.
func changeTexts(b *testing.B, dsn string, rate int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, uint64(rate)))
	keys := make([]int, max(1, rate/20))
	conn := pgtest.Connect(b, dsn)
	tick := time.NewTicker(time.Second * time.Duration(len(keys)) / time.Duration(rate))
	defer tick.Stop()
	for n := 0; n < rate*followSeconds; n += len(keys) {
		<-tick.C
		for i := range keys {
			keys[i] = 1 + random.IntN(followRows)
		}
		if _, err := conn.Exec(context.Background(), "UPDATE text SET updated = clock_timestamp(), body = body || ' again' WHERE oid = ANY($1)", keys); err != nil {
			b.Fatal(err)
		}
	}
	<-time.After(2 * time.Second)
}

// syncsOf counts the syncs of a process while f runs; -1: there is no strace.
func syncsOf(b *testing.B, p *proc, f func()) int {
	b.Helper()
	name := filepath.Join(b.TempDir(), "syncs")
	trace := exec.Command("strace", "-f", "-q", "-e", "trace="+syncCalls, "-o", name, "-p", fmt.Sprint(p.cmd.Process.Pid))
	if err := trace.Start(); err != nil {
		return -1
	}
	f()
	if err := trace.Process.Signal(syscall.SIGINT); err != nil {
		b.Fatal(err)
	}
	_ = trace.Wait() // it ends by the signal
	text, err := os.ReadFile(name)
	if err != nil {
		return -1
	}
	calls := 0
	for line := range bytes.Lines(text) {
		if strings.Contains(string(line), "sync") && !strings.Contains(string(line), "resumed") {
			calls++
		}
	}
	return calls
}
