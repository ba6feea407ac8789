package store

import (
	"context"
	"sync"
	"sync/atomic"
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
