package sqlite

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"

	"indexerd/internal/test/sourcetest/dialecttest"
)

// These draw keys in SQL for sourcetest.KeyType.

// drawNumber draws integers and reals, many of them near each other where reals
// begin to have no fraction, and where integers end.
func drawNumber(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		return []string{"9e999", "-9e999", "-0.0", "0", "9223372036854775807", "-9223372036854775808", "9223372036854775808.0", "9223372036854774784.0", "5e-324", "0.1", "0.5"}[r.IntN(11)]
	case 1:
		return fmt.Sprint(1<<53 - 5 + r.Int64N(10))
	case 2:
		return fmt.Sprintf("%d.0", 1<<uint(50+r.IntN(12))+r.Int64N(5000))
	case 3:
		return fmt.Sprintf("%.17e", math.Ldexp(r.Float64()-0.5, r.IntN(140)-70))
	}
	return fmt.Sprintf("%d.%d", r.IntN(9)-4, r.IntN(30))
}

func drawBytes(r *rand.Rand) string {
	return "x'" + hex.EncodeToString(dialecttest.Bytes(r)) + "'"
}
