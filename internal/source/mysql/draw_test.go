package mysql

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"indexerd/internal/test/sourcetest/dialecttest"
)

// These draw keys in SQL for sourcetest.KeyType.

func drawDecimal(r *rand.Rand) string {
	return dialecttest.Decimal(r, []int{3, 3, 34}[r.IntN(3)], []int{3, 29}[r.IntN(2)])
}

func drawReal(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return dialecttest.OneOf(r, "-0e0", "0e0", "1e-37", "-1e-37", "3.4e38", "16777216e0", "16777217e0")
	case 1:
		return fmt.Sprintf("%de0", r.IntN(20)-10)
	case 2:
		return fmt.Sprintf("%.17e", math.Float32frombits(r.Uint32()&^(0xff<<23)|uint32(64+r.IntN(100))<<23))
	}
	return fmt.Sprintf("%ve0", float64(r.IntN(400)-200)/16)
}

func drawBytes(r *rand.Rand) string {
	return "x'" + hex.EncodeToString(dialecttest.Bytes(r)) + "'"
}

func drawDate(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return dialecttest.OneOf(r, "'0001-01-01'", "'2000-02-29'", "'9999-12-31'")
	}
	return fmt.Sprintf("'%04d-%02d-%02d'", 1990+r.IntN(4), 1+r.IntN(12), 1+r.IntN(28))
}

func drawTime(r *rand.Rand) string { return strings.TrimSuffix(drawDate(r), "'") + drawClock(r) }

func drawTimestamp(r *rand.Rand) string {
	return fmt.Sprintf("'%04d-%02d-%02d", 1990+r.IntN(4), 1+r.IntN(12), 1+r.IntN(28)) + drawClock(r)
}

func drawClock(r *rand.Rand) string {
	return fmt.Sprintf(" %02d:%02d:%02d.%06d'", r.IntN(24), 59*r.IntN(2), r.IntN(60), dialecttest.Microsecond(r))
}
