//go:build race

package store

// poolDrops is how many allocations a View may make because the race detector
// drops a quarter of the pooled buffers.
const poolDrops = 1
