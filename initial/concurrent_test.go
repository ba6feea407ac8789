package initial_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	_ "indexerd/internal/nofailfile"
)

// A writer changes the table while it is loaded.
type writer struct {
	mu    sync.Mutex
	table *fakeworld.Table
	draw  *rand.Rand
	n     int
}

// step makes a few changes ahead of each step of the load.
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
		case 2: // moved to another key, and so perhaps to a range that was read before
			x.Delete(from)
			x.Put(to, fmt.Sprintf("moved %d", w.n))
		}
		x.Commit()
	}
	return nil
}

func (w *writer) key() doc.OID { return fakeworld.Key(w.draw.IntN(10 * ranges * batch)) }

// loadWhileWritten loads a table that changes all the while.
func loadWhileWritten(t *testing.T, seed uint64) *world {
	w := newWorld(t, ranges*batch)
	busy := &writer{table: w.Table, draw: rand.New(rand.NewPCG(seed, 0))}
	w.Table.Before = busy.step
	w.mustLoad(t)
	w.Table.Before = nil
	w.Table.Advance(time.Second)
	return w
}

// missing returns the rows of which the index has not the newest version.
// Documents of deleted rows are the sweep's.
func (w *world) missing() []doc.OID {
	var missing []doc.OID
	rows := w.Table.Rows()
	for _, oid := range fakeworld.Different(w.Table, w.Index) {
		if _, there := rows[oid]; there {
			missing = append(missing, oid)
		}
	}
	return missing
}

// Rows that are inserted, changed or moved during the load are in the index
// when incremental has read from the load's mark on.
func TestNothingIsLostBetweenLoadAndIncremental(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := loadWhileWritten(t, rapid.Uint64().Draw(rt, "seed"))
		if err := w.follow(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if got := w.missing(); len(got) > 0 {
			rt.Errorf("missing: got %v, want none", got)
		}
	})
}

// The failing twin: a load whose mark is the time when it ends, and not when
// it began, loses what changed in ranges that were read by then.
func TestMarkOfTheEndLosesRows(t *testing.T) {
	w := loadWhileWritten(t, 1)
	missing := w.missing()
	if len(missing) == 0 {
		t.Fatal("nothing changed behind the load: this table proves nothing")
	}
	// In either case incremental begins a second before the mark; the load
	// ended a second ago.
	right, twin := w.Marks().Incremental.Add(-time.Second), w.Table.Clock().Add(-2*time.Second)
	rows, lost := w.Table.Rows(), 0
	for _, oid := range missing {
		if at := rows[oid].Updated; !at.Before(right) && at.Before(twin) {
			lost++
		}
	}
	if lost == 0 {
		t.Errorf("missing after the load: got %v, none of which the twin loses", missing)
	}
}
