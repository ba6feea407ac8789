package bloom

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/bits-and-blooms/bloom/v3"

	"indexerd/internal/base/doc"
)

// A Local filter is in memory. Its methods may be called concurrently.
type Local struct {
	mu     sync.RWMutex
	filter *bloom.BloomFilter
}

// NewLocal returns an empty filter.
func NewLocal(size Size) *Local {
	return &Local{filter: bloom.New(uint(size.Bits), uint(size.Hashes))}
}

// Size returns the filter's size.
func (l *Local) Size() Size { return Size{uint64(l.filter.Cap()), int(l.filter.K())} }

// Add adds keys. The error is always nil.
func (l *Local) Add(_ context.Context, keys []doc.OID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		l.filter.AddString(string(key))
	}
	return nil
}

// Rebuild adds every key of the store. A filter in memory is never lost: what was
// added stays.
func (l *Local) Rebuild(ctx context.Context, keys iter.Seq2[[]doc.OID, error]) error {
	for batch, err := range keys {
		if err == nil {
			err = l.Add(ctx, batch)
		}
		if err != nil {
			return fmt.Errorf("bloom filter in memory: %w", err)
		}
	}
	return nil
}

// Name returns "": no other process has the filter.
func (l *Local) Name() string { return "" }

// Maybe reports for each key whether it may have been added. The error is always
// nil.
func (l *Local) Maybe(_ context.Context, keys []doc.OID) ([]bool, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	maybe := make([]bool, len(keys))
	for i, key := range keys {
		maybe[i] = l.filter.TestString(string(key))
	}
	return maybe, nil
}
