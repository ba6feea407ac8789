package initial_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	_ "indexerd/internal/test/nofailfile"
)

// A writer changes the table while it is loaded.
type writer struct {
	mu    sync.Mutex
	table *fakeworld.Table
	draw  *rand.Rand
	n     int
}

// step makes a few changes before each step of the load.
func (w *writer) step(string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.table.Advance(time.Second)
	for range w.draw.IntN(3) {
		w.n++
		x := w.table.Begin()
		from, to := w.key(), w.key()
		switch w.draw.IntN(3) {
		case 0:
			x.Put(to, fmt.Sprintf("write %d", w.n))
		case 1:
			x.Delete(from)
		case 2: // to another key, perhaps of a range that was read before
			x.Delete(from)
			x.Put(to, fmt.Sprintf("moved %d", w.n))
		}
		x.Commit()
	}
	return nil
}

func (w *writer) key() doc.OID { return fakeworld.Key(w.draw.IntN(10 * ranges * batch)) }

// loadWhileWritten loads a table that changes during the load.
func loadWhileWritten(t *testing.T, seed uint64) *world {
	w := newWorld(t, ranges*batch)
	busy := &writer{table: w.Table, draw: rand.New(rand.NewPCG(seed, 0))}
	w.Table.Before = busy.step
	w.mustLoad(t)
	w.Table.Before = nil
	w.Table.Advance(time.Second)
	return w
}

// Rows that are inserted, changed or moved during the load are in the index after
// incremental has read from the load's mark on.
func TestNothingIsLostBetweenLoadAndIncremental(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := loadWhileWritten(t, rapid.Uint64().Draw(rt, "seed"))
		if err := w.follow(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if got := w.Missing(); len(got) > 0 {
			rt.Errorf("missing: got %v, want none", got)
		}
	})
}
