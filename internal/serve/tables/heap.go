package tables

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// While tables are loaded, Go's heap may grow beyond twice what is in use, since
// collecting garbage is a tenth of the CPU of a load otherwise. A large heap grows by less:
// merges of a load of millions of rows have 400 MB in use.
//
// While searches come, a small heap may grow too. A search leaves 0.1 MB of garbage, so that
// Go would collect 50 times a second what is left beside 13 MB in use. Searches that run
// meanwhile take several times as long, which is most of the slowest hundredth.
const (
	loadHeap      = 160 << 20 // heap up to which garbage is left
	loadGarbage   = 96 << 20  // the most garbage that is left
	leastPercent  = 24        // but for a heap that is larger than that allows
	loadShare     = 2         // it is at most this part of Go's memory limit
	mostPercent   = 400       // the most that the heap may grow over what is in use
	searchGarbage = 32 << 20  // garbage that is left between searches
	searchShare   = 8         // it is at most this part of Go's memory limit
	searchAfter   = 10 * time.Second
	followEvery   = 500 * time.Millisecond

	liveMetric    = "/gc/heap/live:bytes" // in use at the last collection
	percentMetric = "/gc/gogc:percent"
)

// heap is the collector of the process, which has one heap.
var heap collector

// A collector sets how often Go collects garbage.
type collector struct {
	searched  atomic.Int64 // when the last search began, in ns of Unix time
	following atomic.Bool  // follow runs; set under mu

	mu      sync.Mutex
	loads   int // that run
	usual   int // percent without loads and searches
	percent int // that is set
}

// Searched lets a small heap grow while searches come. A search calls it when it begins.
func Searched() { heap.search() }

func (c *collector) search() {
	c.searched.Store(time.Now().UnixNano())
	if !c.following.Load() && !isSet() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.start()
	}
}

// isSet reports whether the environment has GOGC: the percent stays as it is then.
func isSet() bool {
	_, set := os.LookupEnv("GOGC")
	return set
}

// begin lets the heap grow until the function that it returns is called for each
// begin. It does nothing if the environment has GOGC.
func (c *collector) begin() (end func()) {
	if isSet() {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start()
	if c.loads++; c.loads == 1 {
		c.set(mostPercent)
	}
	return sync.OnceFunc(c.end)
}

func (c *collector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loads--; c.loads == 0 {
		c.set(c.usual) // follow corrects it if searches come
	}
}

// start starts follow if it does not run.
func (c *collector) start() {
	if c.following.Load() {
		return
	}
	c.usual = int(min(read(percentMetric), math.MaxInt32))
	c.percent = c.usual
	c.following.Store(true)
	go c.follow()
}

// set sets the percent. It stops all goroutines for a moment, if that changes anything.
func (c *collector) set(percent int) {
	if percent != c.percent {
		debug.SetGCPercent(percent)
		c.percent = percent
	}
}

// follow sets the percent for what is in use as that changes, until nothing is loaded and no
// search has come for searchAfter.
func (c *collector) follow() {
	ticks := time.NewTicker(followEvery)
	defer ticks.Stop()
	for range ticks.C {
		if !c.adjust(read(liveMetric), debug.SetMemoryLimit(-1)) {
			return
		}
	}
}

// adjust sets the percent for what is in use, and reports whether to follow that on. Between
// searches a percent that is about right stays.
func (c *collector) adjust(live uint64, limit int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	searching := time.Since(time.Unix(0, c.searched.Load())) < searchAfter
	percent := c.usual
	switch {
	case c.loads > 0:
		percent = percentFor(live, limit, c.usual)
	case searching:
		percent = searchPercent(live, limit, c.usual)
		if diff := percent - c.percent; percent != c.usual && max(diff, -diff) <= c.percent/8 {
			percent = c.percent
		}
	}
	c.set(percent)
	c.following.Store(c.loads > 0 || searching)
	return c.following.Load()
}

// read returns a figure of the runtime, the largest number if it has none.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return math.MaxInt64
	}
	return sample[0].Value.Uint64()
}

// percentFor returns by how much the heap may grow beyond what is in use: up to
// loadHeap, or to a part of the memory limit, but as usual where that is more, and by no
// more than loadGarbage.
func percentFor(live uint64, limit int64, usual int) int {
	heap := min(loadHeap, limit/loadShare)
	used := max(int64(min(live, math.MaxInt64/100)), 1)
	usual = min(usual, max(leastPercent, int(100*loadGarbage/used)))
	return max(usual, int(min(100*(heap-used)/used, mostPercent)))
}

// searchPercent returns by how much the heap may grow beyond what is in use between searches:
// by searchGarbage, or a part of the memory limit, but as usual where that is more.
func searchPercent(live uint64, limit int64, usual int) int {
	used := max(int64(min(live, math.MaxInt64/100)), 1)
	return max(usual, int(min(100*min(searchGarbage, limit/searchShare)/used, mostPercent)))
}
