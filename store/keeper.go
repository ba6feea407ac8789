package store

import (
	"context"
	"sync"
	"sync/atomic"
)

// A keeper does in the background what nobody waits for: it compacts segments
// that are half garbage, and saves the index each time a segment is full.
type keeper struct {
	signal chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
	fault  atomic.Pointer[error] // of the last round; nil inside: none
	mu     sync.Mutex            // one compaction at a time
}

func (k *keeper) start(m *FileMap) {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel, k.done, k.signal = cancel, make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(k.done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.signal:
				err := m.tend(ctx)
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

func (k *keeper) stop() {
	if k.cancel != nil {
		k.cancel()
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
