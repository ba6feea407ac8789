//go:build !race

package store

// poolDrops is how many allocations a View may make.
const poolDrops = 0
