// Package bloom provides Bloom filters. A filter avoids a slow lookup of a key
// that was never stored: in runs of stamps on disk, or in pages on other machines.
// (The slots of FileMap are in memory and need no filter.)
//
// There are two filters with the same answers: Local is in memory, Redis is shared
// by several daemons. SizeFor computes the size from the expected number of keys
// and the rate of false positives.
//
// The answer "no" is certain, the answer "maybe" may be wrong: the caller looks up
// the key in its store. So a full filter, or one with wrong ones, costs time and
// loses no row. A filter that may have lost ones returns ErrLost instead of "no",
// and must be rebuilt from the store.
//
// Cost: Size.Bits/8 bytes; for a rate of 1 % 9.6 bits per key and 7 hashes. Local
// takes about 0.3 µs per key, Redis one round trip per batch.
package bloom

import (
	"errors"
	"fmt"

	"github.com/bits-and-blooms/bloom/v3"
)

// ErrLost: the filter may lack keys that were added. Every key may have been seen
// until the filter is rebuilt.
var ErrLost = errors.New("bloom filter lost")

// A Size is the size of a filter.
type Size struct {
	Bits   uint64
	Hashes int
}

// SizeFor returns the smallest size for n keys and a rate of false positives.
func SizeFor(n uint64, rate float64) (Size, error) {
	if n == 0 || !(rate > 0 && rate < 1) {
		return Size{}, fmt.Errorf("bloom filter for %d keys at a rate of %v: want at least one key, and a rate between 0 and 1", n, rate)
	}
	bits, hashes := bloom.EstimateParameters(uint(n), rate)
	return Size{uint64(bits), int(hashes)}, nil
}
