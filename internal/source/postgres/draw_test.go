package postgres

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// These draw keys in SQL for sourcetest.KeyType.

func oneOf(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

func drawDate(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return oneOf(r, "'infinity'", "'-infinity'", "'4714-11-24 BC'", "'0001-01-01'", "'0001-12-31 BC'", "'2000-01-01'", "'9999-12-31'", "'10000-01-01'")
	}
	year, era := r.IntN(30), oneOf(r, "", " BC")
	if r.IntN(2) == 0 {
		year = r.IntN(4000)
	}
	return fmt.Sprintf("'%04d-%02d-%02d%s'", year+1, 1+r.IntN(12), 1+r.IntN(28), era)
}

func drawTime(r *rand.Rand) string {
	date := strings.Trim(drawDate(r), "'")
	if strings.HasSuffix(date, "infinity") {
		return "'" + date + "'"
	}
	date, bc := strings.CutSuffix(date, " BC")
	text := fmt.Sprintf("%s %02d:%02d:%02d.%06d%s", date, r.IntN(24), 59*r.IntN(2), r.IntN(60), oneMicrosecond(r), oneOf(r, "", "+00", "-00:30"))
	if bc {
		text += " BC"
	}
	return "'" + text + "'"
}

func oneMicrosecond(r *rand.Rand) int { return []int{0, 1, 999999, 500000, r.IntN(1000000)}[r.IntN(5)] }

func drawDecimal(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return oneOf(r, "'NaN'", "0", "-0.00", "1", "10", "1.0", "-1", "0.1")
	}
	digits := func(n int) (s string) {
		for range n {
			s += oneOf(r, "0", "0", "1", "9", fmt.Sprint(r.IntN(10)))
		}
		return s
	}
	most := []int{3, 3, 40, 390}[r.IntN(4)]
	return oneOf(r, "", "-") + "0" + digits(r.IntN(most)) + "." + digits(1+r.IntN(most))
}

func drawReal(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return oneOf(r, "'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "'0'", "'1e-37'", "'-1e-37'", "'3.4e38'")
	case 1:
		return fmt.Sprintf("'%d'", r.IntN(20)-10)
	case 2:
		return fmt.Sprintf("'%v'", math.Float32frombits(r.Uint32()&^(0x7f<<23)|uint32(64+r.IntN(100))<<23))
	}
	return fmt.Sprintf("'%v'", float64(r.IntN(400)-200)/16)
}

func drawBytes(r *rand.Rand) string {
	b := make([]byte, r.IntN(5))
	for i := range b {
		b[i] = []byte{0x00, 0x01, 0xfe, 0xff, 'a'}[r.IntN(5)]
	}
	return `'\x` + hex.EncodeToString(b) + "'"
}

func drawPadded(r *rand.Rand) string {
	return "'" + oneOf(r, "", " ", "a", "A", "b") + oneOf(r, "", "  ", "a", "ab") + oneOf(r, "", " ", "é") + "'"
}
