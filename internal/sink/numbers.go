package sink

import "sync"

// block is how many numbers are made durable at a time. A restart skips what
// is left of one: with 64 bits that costs nothing.
const block = 1 << 17

// numbers gives out increasing numbers, for fetches and for writes alike,
// that a restart never gives out again.
type numbers struct {
	reserve func(n uint64) (uint64, error)

	mu         sync.Mutex
	free, last uint64 // free..last-1 may be given out
}

// next returns the first of n consecutive numbers.
func (c *numbers) next(n uint64) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last-c.free < n {
		size := max(block, n)
		first, err := c.reserve(size)
		if err != nil {
			return 0, err
		}
		c.free, c.last = first, first+size
	}
	first := c.free
	c.free += n
	return first, nil
}
