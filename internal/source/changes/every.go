package changes

import "time"

const (
	besideEvery       = 2500 * time.Millisecond
	besideEveryForRow = 30 * time.Microsecond
	maintainedEvery   = 10 * time.Second
	maintainedFactor  = 100
)

// EveryBeside returns the interval at which a table of so many rows is compared beside
// changes that windows find: 3 s for 100,000 rows, 30 s for a million.
func EveryBeside(rows uint64) time.Duration {
	return max(besideEvery, time.Duration(rows)*besideEveryForRow)
}

// EveryMaintained returns the interval at which a table is compared whose updateTime the
// database sets itself, where a comparison takes so long.
func EveryMaintained(takes time.Duration) time.Duration {
	return max(maintainedEvery, maintainedFactor*takes)
}
