package store

import (
	"context"
	"sync/atomic"
)

// A keeper maintains a map in the background: it compacts segments that are
// half garbage, and saves the index each time a segment is full.
type keeper struct {
	signal chan struct{} // nil until started
	done   chan struct{}
	fault  atomic.Pointer[error] // the last round's; points at nil after a round without
}

func (k *keeper) start(m *FileMap) {
	k.done, k.signal = make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(k.done)
		for {
			select {
			case <-m.life.Done():
				return
			case <-k.signal:
				err := m.maintain(m.life)
				k.fault.Store(&err)
			}
		}
	}()
	if m.keysStale {
		k.wake()
	}
}

// wake requests a round. Requests do not add up.
func (k *keeper) wake() {
	select {
	case k.signal <- struct{}{}:
	default:
	}
}

// wait returns when the keeper has ended, after the end of m.life.
func (k *keeper) wait() {
	if k.done != nil {
		<-k.done
	}
}

// maintain is one round of the keeper.
func (m *FileMap) maintain(ctx context.Context) error {
	if err := m.compact(ctx, halfGarbage); err != nil {
		return err
	}
	return m.saveIndex()
}
