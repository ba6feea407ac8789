package stamps

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// mergeTarget is for 1,000,000 stamps in the tree and 100,000 of the database.
const mergeTarget = 200 * time.Millisecond

// BenchmarkMerge does what a compensation pass does: it merges a snapshot of
// 1,000,000 stamps with a sorted stream of 100,000.
func BenchmarkMerge(b *testing.B) {
	sorted := integerStamps(b, 1_000_000)
	var database []doc.Stamp
	for i := 0; i < len(sorted); i += 10 {
		database = append(database, sorted[i])
	}
	for _, place := range []struct {
		name   string
		budget int64
	}{{"memory", maxBudget}, {"spilled", 10 << 20}} {
		b.Run(place.name, func(b *testing.B) {
			tree := benchTree(b, place.budget)
			putAll(b, tree, shuffled(sorted))
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				if same := mergeOnce(b, tree, database); same != len(database) {
					b.Fatalf("got %d equal stamps, want %d", same, len(database))
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(len(tree.runs)), "runs")
			fmt.Printf("merge: stamps=%d database=%d runs=%d best_ms=%d target_ms=%d %s\n", len(sorted), len(database), len(tree.runs),
				best.Milliseconds(), mergeTarget.Milliseconds(), verdict(b, best <= mergeTarget))
		})
	}
}

func mergeOnce(b *testing.B, tree *Tree, database []doc.Stamp) (same int) {
	b.Helper()
	s, err := tree.snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	for stamp, err := range s.window(allTime) {
		if err != nil {
			b.Fatal(err)
		}
		for len(database) > 0 && database[0].OID < stamp.OID {
			database = database[1:]
		}
		if len(database) > 0 && database[0].Same(stamp) {
			same++
		}
	}
	return same
}

// BenchmarkSpill puts INDEXERD_STAMPS stamps (default 10,000,000) in random order
// into a tree of 64 MiB, and measures the heap fifty times.
func BenchmarkSpill(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("INDEXERD_STAMPS"), "10000000"))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		before, peak := heap(), int64(0)
		tree := benchTree(b, defaultBudget)
		start := time.Now()
		for i := 0; i < n; i += 2000 {
			putAll(b, tree, scattered(b, i, min(i+2000, n), n))
			if i%(n/50) < 2000 {
				peak = max(peak, heap()-before)
			}
		}
		took := time.Since(start)
		entries, counted, spilled := tree.Stats()
		start = time.Now()
		walked := walk(b, tree)
		if walked != n {
			b.Fatalf("walked %d stamps, want %d", walked, n)
		}
		fmt.Printf("spill: stamps=%d entries=%d runs=%d spilled_mb=%d counted_mb=%d heap_peak_mb=%d budget_mb=%d put_ns=%d walk_ms=%d %s\n", n, entries, len(tree.runs),
			spilled>>20, counted>>20, peak>>20, defaultBudget>>20, took.Nanoseconds()/int64(n), time.Since(start).Milliseconds(),
			verdict(b, max(peak, counted) <= defaultBudget))
	}
}

// scattered returns the stamps from to to of n in an order that jumps about.
func scattered(b *testing.B, from, to, n int) []doc.Stamp {
	b.Helper()
	const prime = 2_654_435_761
	stamps := make([]doc.Stamp, 0, to-from)
	for i := from; i < to; i++ {
		stamps = append(stamps, doc.Stamp{OID: oid(b, int64(i*prime%n)), Updated: at(int64(i)), Token: doc.Token{Digest: uint64(i), Epoch: 1}})
	}
	return stamps
}

func walk(b *testing.B, tree *Tree) (n int) {
	b.Helper()
	s, err := tree.snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	for _, err := range s.window(allTime) {
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	return n
}

func verdict(b *testing.B, ok bool) string {
	b.Helper()
	if !ok {
		b.Error("missed its target")
		return "MISS"
	}
	return "ok"
}

func benchTree(b *testing.B, budget int64) *Tree {
	b.Helper()
	tree, err := New(Options{Dir: b.TempDir(), Budget: budget})
	if err != nil {
		b.Fatal(err)
	}
	return tree
}

func putAll(b *testing.B, tree *Tree, stamps []doc.Stamp) {
	b.Helper()
	for batch := range slices.Chunk(stamps, 2000) {
		if err := tree.Put(batch); err != nil {
			b.Fatal(err)
		}
	}
}
