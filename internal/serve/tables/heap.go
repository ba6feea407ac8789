package tables

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// While tables are loaded, Go's heap may grow beyond twice what is in use, since
// collecting garbage is a tenth of the CPU of a load otherwise. A large heap grows by less:
// merges of a load of millions of rows have 400 MB in use.
const (
	loadHeap     = 160 << 20 // heap up to which garbage is left
	loadGarbage  = 128 << 20 // the most garbage that is left
	leastPercent = 30        // but for a heap that is larger than that allows
	loadShare    = 2         // it is at most this part of Go's memory limit
	loadPercent  = 400       // the most that the heap may grow over what is in use
	loadEvery    = 500 * time.Millisecond
	liveInMetric = "/gc/heap/live:bytes"
)

// loads is the collector of the process, which has one heap.
var loads collector

// A collector sets how often Go collects garbage.
type collector struct {
	mu      sync.Mutex
	running int // loads
	usual   int // percent without loads
	stop    chan struct{}
}

// begin lets the heap grow until the function that it returns is called for each
// begin. It does nothing if the environment has GOGC.
func (c *collector) begin() (end func()) {
	if _, set := os.LookupEnv("GOGC"); set {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running++; c.running == 1 {
		c.usual = debug.SetGCPercent(loadPercent)
		c.stop = make(chan struct{})
		go c.follow(c.usual, c.stop)
	}
	return sync.OnceFunc(c.end)
}

func (c *collector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 {
		c.stop <- struct{}{} // received by follow, which sets nothing from here on
		debug.SetGCPercent(c.usual)
	}
}

// follow sets the percent for what is in use as that changes, until stop.
func (c *collector) follow(usual int, stop chan struct{}) {
	ticks := time.NewTicker(loadEvery)
	defer ticks.Stop()
	for last := loadPercent; ; {
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
		if percent := percentFor(live(), debug.SetMemoryLimit(-1), usual); percent != last {
			debug.SetGCPercent(percent)
			last = percent
		}
	}
}

// live returns the bytes of the heap that were in use at the last collection.
func live() uint64 {
	sample := []metrics.Sample{{Name: liveInMetric}}
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
	return max(usual, int(min(100*(heap-used)/used, loadPercent)))
}
