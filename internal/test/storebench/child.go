package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
)

// A result has the figures of one store. Figures that a store does not have are 0.
type result struct {
	Load       float64 `json:"load,omitempty"`        // pages per second
	PutMax     float64 `json:"put_max_ms,omitempty"`  // the longest batch
	ReopenDead float64 `json:"reopen_dead,omitempty"` // seconds, after the loading process ended (FileMap: without Close)
	Reopen     float64 `json:"reopen,omitempty"`      // seconds, after Close
	Get10k     float64 `json:"get10k_ms,omitempty"`
	Get        float64 `json:"get,omitempty"`  // per second, 1 thread
	Get2       float64 `json:"get2,omitempty"` // per second, 2 threads
	View       float64 `json:"view,omitempty"` // as Get: FileMap.View, which allocates nothing
	View2      float64 `json:"view2,omitempty"`
	P50        float64 `json:"p50_us,omitempty"`
	P99        float64 `json:"p99_us,omitempty"`
	Cold       float64 `json:"cold,omitempty"` // gets per second after the page cache was emptied
	Miss       float64 `json:"miss,omitempty"`
	Update     float64 `json:"update,omitempty"` // pages per second
	Disk       float64 `json:"disk_mb,omitempty"`
	Anon       float64 `json:"anon_mb,omitempty"`     // maximum anonymous memory of the process
	Index      float64 `json:"index_bytes,omitempty"` // bytes of memory per entry
}

const batchSize = 2000

// runChild runs one phase of one store in a child process.
func runChild(arg string) error {
	var p plan
	if err := json.Unmarshal([]byte(arg), &p); err != nil {
		return err
	}
	var r result
	memory := watchMemory()
	var err error
	if p.Phase == "load" {
		err = load(p, &r)
	} else {
		err = read(p, &r)
	}
	if err != nil {
		return err
	}
	r.Anon = memory()
	return json.NewEncoder(os.Stdout).Encode(r)
}

func load(p plan, r *result) error {
	s, err := openStore(p.Store, p.Dir, p.N)
	if err != nil {
		return err
	}
	if r.Load, r.PutMax, err = putAll(s, p, p.N, 0); err != nil {
		return err
	}
	if i, ok := s.(interface{ IndexBytes() int64 }); ok {
		r.Index = float64(i.IndexBytes()) / float64(p.N)
	}
	if _, ok := s.(*fileMap); ok {
		return nil // as after a kill
	}
	return s.Close()
}

// putAll puts n pages in durable batches. It returns pages per second, and the
// time of the longest batch in ms.
func putAll(s store, p plan, n, round int) (rate, longest float64, err error) {
	make := newPages(p.Size)
	var took, most time.Duration
	for from := 0; from < n; from += batchSize {
		var batch []doc.Page
		for i := from; i < min(from+batchSize, n); i++ {
			batch = append(batch, make.page(i, round))
		}
		start := time.Now()
		if err := s.Put(batch); err != nil {
			return 0, 0, err
		}
		took += time.Since(start)
		most = max(most, time.Since(start))
	}
	return float64(n) / took.Seconds(), most.Seconds() * 1000, nil
}

func read(p plan, r *result) error {
	start := time.Now()
	s, err := openStore(p.Store, p.Dir, p.N)
	if err != nil {
		return err
	}
	r.ReopenDead = time.Since(start).Seconds()
	if c, ok := s.(coldStore); ok {
		if r.Cold, err = cold(c, p.N); err != nil {
			return err
		}
	}
	if err := warm(s, p.N); err != nil {
		return err
	}
	runtime.GC()
	rate, err := gets(s.Get, p.N, 10_000, 1, 6)
	if err != nil {
		return err
	}
	r.Get10k = 10_000 / rate * 1000
	if r.Get, r.Get2, err = hits(s.Get, p); err != nil {
		return err
	}
	if m, ok := s.(*fileMap); ok {
		if r.View, r.View2, err = hits(m.view, p); err != nil {
			return err
		}
	}
	if r.P50, r.P99, err = latency(s, p); err != nil {
		return err
	}
	if r.Miss, err = misses(s, p); err != nil {
		return err
	}
	if r.Update, _, err = putAll(s, p, min(p.N, 1_000_000)/2, 1); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if r.Disk, err = diskMB(p.Dir); err != nil {
		return err
	}
	start = time.Now()
	if s, err = openStore(p.Store, p.Dir, p.N); err != nil {
		return err
	}
	r.Reopen = time.Since(start).Seconds()
	return s.Close()
}

// A get returns a page's body, or nil if there is no page.
type get func(key doc.OID) ([]byte, error)

// hits returns random gets per second with one and with two threads.
func hits(g get, p plan) (one, two float64, err error) {
	if one, err = gets(g, p.N, p.Gets, 1, 1); err != nil {
		return 0, 0, err
	}
	two, err = gets(g, p.N, p.Gets, 2, 2)
	return one, two, err
}

// cold empties the page cache, returns random gets per second, and fills the
// cache again, file by file: single gets would take minutes.
func cold(s coldStore, n int) (float64, error) {
	if err := s.EmptyCache(); err != nil {
		return 0, err
	}
	rate, err := gets(s.Get, n, 20_000, 1, 77)
	if err != nil {
		return 0, err
	}
	return rate, s.FillCache()
}

// gets returns random gets per second with a number of threads.
func gets(g get, n, count, threads int, seed uint64) (float64, error) {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	start := time.Now()
	for t := range threads {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(t)))
			for range count / threads {
				i := rng.IntN(n)
				body, err := g(key(i))
				if err == nil && len(body) < 20 {
					err = fmt.Errorf("get of page %d: %d bytes", i, len(body))
				}
				if err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(count) / time.Since(start).Seconds(), nil
}

// warm gets every page once, so that the page cache has it.
func warm(s store, n int) error {
	for i := range n {
		if _, err := s.Get(key(i)); err != nil {
			return err
		}
	}
	return nil
}

// latency returns the median and the 99th percentile of the time of a get in µs.
func latency(s store, p plan) (p50, p99 float64, err error) {
	rng := rand.New(rand.NewPCG(3, 3))
	took := make([]time.Duration, p.Sample)
	for i := range took {
		k := key(rng.IntN(p.N))
		start := time.Now()
		if _, err := s.Get(k); err != nil {
			return 0, 0, err
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2].Seconds() * 1e6, took[len(took)*99/100].Seconds() * 1e6, nil
}

// misses returns gets per second of missing keys.
func misses(s store, p plan) (float64, error) {
	rng := rand.New(rand.NewPCG(4, 4))
	start := time.Now()
	for range p.Gets {
		body, err := s.Get(key(p.N + 1 + rng.IntN(p.N)))
		if err != nil || body != nil {
			return 0, fmt.Errorf("get of a missing page: %d bytes, %v", len(body), err)
		}
	}
	return float64(p.Gets) / time.Since(start).Seconds(), nil
}

func diskMB(dir string) (float64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return float64(n) / 1e6, err
}

// watchMemory samples the anonymous memory of the process. The returned function
// returns the maximum in MB.
func watchMemory() func() float64 {
	var most atomic.Int64
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			most.Store(max(most.Load(), anonymous()))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 {
		close(done)
		return float64(most.Load()) / 1e6
	}
}

func anonymous() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	field, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kb, _ := strconv.ParseInt(field, 10, 64)
	return kb * 1024
}
