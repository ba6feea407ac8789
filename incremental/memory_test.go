package incremental_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/incremental"
	"indexerd/internal/base/doc"
)

// A gauge is a sink that counts the rows between the source and itself.
type gauge struct {
	incremental.Sink
	took time.Duration // of each Put

	mu            sync.Mutex
	ahead         int // stamps that were read, and whose rows are not put
	mostAhead     int
	putting       int // batches
	mostPutting   int
	rows, batches int
}

func (g *gauge) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	g.mu.Lock()
	g.ahead += len(stamps)
	g.mostAhead = max(g.mostAhead, g.ahead)
	g.mu.Unlock()
	return g.Sink.Different(stamps)
}

func (g *gauge) Put(ctx context.Context, b doc.Batch) (doc.Report, error) {
	g.mu.Lock()
	g.putting++
	g.mostPutting = max(g.mostPutting, g.putting)
	g.batches++
	g.rows += len(b.Docs)
	g.mu.Unlock()
	time.Sleep(g.took)
	defer func() {
		g.mu.Lock()
		g.putting--
		g.ahead -= len(b.Docs)
		g.mu.Unlock()
	}()
	return g.Sink.Put(ctx, b)
}

// However many rows a window has, at most a batch per worker and a page of stamps
// are in memory, and all workers work.
func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Table.Page = 4 * batch
		const rows = 100 * batch
		w.put(0, rows, "bulk")
		g := &gauge{Sink: w.Sink, took: time.Second}
		w.pass.Sink = g
		began := time.Now()
		w.run(t)
		w.WantAll(t)
		if most := w.Table.Page + workers*batch; g.mostAhead > most {
			t.Errorf("rows in flight: got %d, want at most %d", g.mostAhead, most)
		}
		if g.mostPutting != workers {
			t.Errorf("batches in flight: got %d, want %d", g.mostPutting, workers)
		}
		if g.batches != rows/batch || g.rows != rows {
			t.Errorf("got %d rows in %d batches, want each row once, %d in %d", g.rows, g.batches, rows, rows/batch)
		}
		if got, want := time.Since(began), time.Duration((rows/batch+workers-1)/workers)*time.Second; got != want {
			t.Errorf("got %v, want %v with %d workers", got, want, workers)
		}
	})
}

// With Batch and Workers of 0 a pass works row by row.
func TestWithoutSettings(t *testing.T) {
	w := newWorld(t)
	w.put(0, 2*batch, "a")
	w.pass.Batch, w.pass.Workers = 0, 0
	w.run(t)
	w.WantAll(t)
}
