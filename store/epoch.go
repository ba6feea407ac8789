package store

import (
	"sync/atomic"
	"time"
)

// epochs lets readers work without a lock: a reader pins the epoch while it
// uses an address. A compaction removes a segment from every slot and then
// calls drain: readers that may have seen an old slot have left when drain
// returns, and later readers find none.
type epochs struct {
	now  atomic.Uint32
	pins [2][pinStripes]pin // by the epoch's parity
}

const pinStripes = 64 // more than cores, so that readers rarely share a cache line

type pin struct {
	n atomic.Int32
	_ [60]byte // one pin per cache line
}

// enter pins the present epoch. The hash spreads readers over the stripes.
func (e *epochs) enter(hash uint64) *pin {
	for {
		now := e.now.Load()
		p := &e.pins[now&1][hash>>12%pinStripes]
		p.n.Add(1)
		// If the epoch ended between the two lines, drain may have missed this
		// pin.
		if e.now.Load() == now {
			return p
		}
		p.n.Add(-1)
	}
}

func (p *pin) leave() { p.n.Add(-1) }

// drain waits until every reader that entered before the call has left. Only
// one drain may run at a time: the two parities distinguish two epochs.
func (e *epochs) drain() {
	old := e.now.Add(1) - 1
	for i := range e.pins[old&1] {
		for p := &e.pins[old&1][i]; p.n.Load() != 0; {
			time.Sleep(50 * time.Microsecond)
		}
	}
}
