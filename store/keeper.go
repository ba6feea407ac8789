package store

import (
	"context"
	"sync/atomic"
)

// A keeper does in the background what nobody waits for: it compacts segments
// that are half garbage, and saves the index each time a segment is full.
type keeper struct {
	signal chan struct{} // nil: there is none
	done   chan struct{}
	fault  atomic.Pointer[error] // of the last round; nil inside: none
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
				err := m.tend(m.life)
				k.fault.Store(&err)
			}
		}
	}()
	if m.keysStale {
		k.wake()
	}
}

// wake asks for a round; one that is asked for already will do.
func (k *keeper) wake() {
	select {
	case k.signal <- struct{}{}:
	default:
	}
}

// wait returns when the keeper has noticed the end of the map's life.
func (k *keeper) wait() {
	if k.done != nil {
		<-k.done
	}
}

// tend is one round of the keeper.
func (m *FileMap) tend(ctx context.Context) error {
	if err := m.compact(ctx, halfGarbage); err != nil {
		return err
	}
	return m.saveIndex()
}
