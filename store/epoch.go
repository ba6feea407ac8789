package store

import (
	"sync/atomic"
	"time"
)

// Readers take no lock: they pin the epoch while they hold an address or a
// mapped slice. Whoever takes a segment away first makes every slot forget it,
// then drains: a reader that could have seen an old slot has left, and a later
// one finds none.
type epochs struct {
	now  atomic.Uint32
	pins [2][pinStripes]pin // by the epoch's parity
}

const pinStripes = 64 // more than cores, so that readers rarely share a line

type pin struct {
	n atomic.Int32
	_ [60]byte // one pin a cache line
}

// enter pins the present epoch; the hash spreads readers over the stripes.
func (e *epochs) enter(hash uint64) *pin {
	for {
		now := e.now.Load()
		p := &e.pins[now&1][hash>>12%pinStripes]
		p.n.Add(1)
		// The epoch may have ended between the two: then drain may not have
		// seen this pin.
		if e.now.Load() == now {
			return p
		}
		p.n.Add(-1)
	}
}

func (p *pin) leave() { p.n.Add(-1) }

// drain waits until every reader that entered before it was called has left.
// One drain at a time: two parities tell only two epochs apart.
func (e *epochs) drain() {
	old := e.now.Add(1) - 1
	for i := range e.pins[old&1] {
		for p := &e.pins[old&1][i]; p.n.Load() != 0; {
			time.Sleep(50 * time.Microsecond)
		}
	}
}
