package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A keeper maintains a map in the background: it compacts segments that are
// half garbage, and saves the index each time a segment is full. It has a goroutine
// only while it does so: most maps never need it.
type keeper struct {
	fault atomic.Pointer[error] // the last round's; points at nil after a round without

	mu      sync.Mutex
	m       *FileMap // nil until started, and after the last round
	wanted  bool     // another round was requested
	running bool
	rounds  sync.WaitGroup
}

func (k *keeper) start(m *FileMap) {
	k.mu.Lock()
	k.m = m
	k.mu.Unlock()
	if m.keysStale {
		k.wake()
	}
}

// wake requests a round. Requests do not add up.
func (k *keeper) wake() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil {
		return
	}
	if k.wanted = true; !k.running {
		k.running = true
		k.rounds.Go(k.run)
	}
}

func (k *keeper) run() {
	for m := k.next(); m != nil; m = k.next() {
		err := m.maintain(m.life)
		k.fault.Store(&err)
	}
}

// next returns the map if another round is wanted.
func (k *keeper) next() *FileMap {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil || !k.wanted || k.m.life.Err() != nil {
		k.running = false
		return nil
	}
	k.wanted = false
	return k.m
}

// wait returns when the keeper has ended, after the end of m.life.
func (k *keeper) wait() {
	k.mu.Lock()
	k.m = nil
	k.mu.Unlock()
	k.rounds.Wait()
}

// maintain is one round of the keeper.
func (m *FileMap) maintain(ctx context.Context) error {
	if err := m.compact(ctx, halfGarbage); err != nil {
		return err
	}
	return m.saveIndex()
}

func halfGarbage(garbage, size int64) bool { return garbage > 0 && garbage*2 >= size }

// plan groups the closed segments to rewrite: those with enough garbage, and
// runs of small neighbours, which become one segment.
func (m *FileMap) plan(enough func(garbage, size int64) bool) (groups [][]*segment) {
	order := *m.order.Load()
	var g group
	clean := true // the segments before hold no garbage, or lose it in this compaction
	for _, s := range order[:len(order)-1] {
		size := s.end.Load()
		garbage := s.garbage(clean)
		wanted := enough(garbage, size)
		if !wanted && s.dead.Load() > 0 {
			clean = false
		}
		small := size < m.options.SegmentBytes/8
		if len(g.segments) > 0 && (!wanted && !small || g.live+size-garbage > m.options.SegmentBytes) {
			groups = g.appendTo(groups)
			g = group{}
		}
		if wanted || small {
			g.segments = append(g.segments, s)
			g.live += size - garbage
			g.wanted = g.wanted || wanted
		}
	}
	return g.appendTo(groups)
}

// A group is a run of neighbouring segments that fit into one.
type group struct {
	segments []*segment
	live     int64
	wanted   bool // one of them has enough garbage
}

// appendTo appends the group if it is worth rewriting.
func (g *group) appendTo(groups [][]*segment) [][]*segment {
	if g.wanted || len(g.segments) > 1 {
		groups = append(groups, g.segments)
	}
	return groups
}

// A pacer limits the rate of copying.
type pacer struct {
	rate  int64 // bytes per second; below 0: unlimited
	start time.Time
	bytes int64
}

func (p *pacer) wait(ctx context.Context, n int) error {
	p.bytes += int64(n)
	if p.rate < 0 {
		return ctx.Err()
	}
	due := p.start.Add(time.Duration(float64(p.bytes) / float64(p.rate) * float64(time.Second)))
	t := time.NewTimer(time.Until(due))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
