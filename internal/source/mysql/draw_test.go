package mysql

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"indexerd/internal/base/doc"
)

// These draw keys in SQL for sourcetest.KeyType.

func oneOf(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

func drawDecimal(r *rand.Rand) string {
	digits := func(n int) (s string) {
		for range n {
			s += oneOf(r, "0", "0", "1", "9", fmt.Sprint(r.IntN(10)))
		}
		return s
	}
	return oneOf(r, "", "-") + "0" + digits(r.IntN([]int{3, 3, 34}[r.IntN(3)])) + "." + digits(1+r.IntN([]int{3, 29}[r.IntN(2)]))
}

func drawReal(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return oneOf(r, "-0e0", "0e0", "1e-37", "-1e-37", "3.4e38", "16777216e0", "16777217e0")
	case 1:
		return fmt.Sprintf("%de0", r.IntN(20)-10)
	case 2:
		return fmt.Sprintf("%.17e", math.Float32frombits(r.Uint32()&^(0xff<<23)|uint32(64+r.IntN(100))<<23))
	}
	return fmt.Sprintf("%ve0", float64(r.IntN(400)-200)/16)
}

func drawBytes(r *rand.Rand) string {
	b := make([]byte, r.IntN(5))
	for i := range b {
		b[i] = []byte{0x00, 0x01, 0xfe, 0xff, 'a'}[r.IntN(5)]
	}
	return "x'" + hex.EncodeToString(b) + "'"
}

func drawDate(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return oneOf(r, "'0001-01-01'", "'2000-02-29'", "'9999-12-31'")
	}
	return fmt.Sprintf("'%04d-%02d-%02d'", 1990+r.IntN(4), 1+r.IntN(12), 1+r.IntN(28))
}

func drawTime(r *rand.Rand) string { return strings.TrimSuffix(drawDate(r), "'") + drawClock(r) }

func drawTimestamp(r *rand.Rand) string {
	return fmt.Sprintf("'%04d-%02d-%02d", 1990+r.IntN(4), 1+r.IntN(12), 1+r.IntN(28)) + drawClock(r)
}

func drawClock(r *rand.Rand) string {
	return fmt.Sprintf(" %02d:%02d:%02d.%06d'", r.IntN(24), 59*r.IntN(2), r.IntN(60), []int{0, 1, 999999, 500000, r.IntN(1000000)}[r.IntN(5)])
}

func parsed(kind doc.Kind, text string) any {
	part, err := doc.ParsePart(text, kind)
	if err != nil {
		panic(err)
	}
	return part
}
