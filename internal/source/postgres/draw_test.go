package postgres

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"indexerd/internal/test/sourcetest/dialecttest"
)

// These draw keys in SQL for sourcetest.KeyType.

func drawDate(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return dialecttest.OneOf(r, "'infinity'", "'-infinity'", "'4714-11-24 BC'", "'0001-01-01'", "'0001-12-31 BC'", "'2000-01-01'", "'9999-12-31'", "'10000-01-01'")
	}
	year, era := r.IntN(30), dialecttest.OneOf(r, "", " BC")
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
	text := fmt.Sprintf("%s %02d:%02d:%02d.%06d%s", date, r.IntN(24), 59*r.IntN(2), r.IntN(60), dialecttest.Microsecond(r), dialecttest.OneOf(r, "", "+00", "-00:30"))
	if bc {
		text += " BC"
	}
	return "'" + text + "'"
}

func drawDecimal(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return dialecttest.OneOf(r, "0", "-0.00", "1", "10", "1.0", "-1", "0.1")
	}
	most := []int{3, 3, 40, 390}[r.IntN(4)]
	return dialecttest.Decimal(r, most, most)
}

func drawReal(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return dialecttest.OneOf(r, "'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "'0'", "'1e-37'", "'-1e-37'", "'3.4e38'")
	case 1:
		return fmt.Sprintf("'%d'", r.IntN(20)-10)
	case 2:
		return fmt.Sprintf("'%v'", math.Float32frombits(r.Uint32()&^(0x7f<<23)|uint32(64+r.IntN(100))<<23))
	}
	return fmt.Sprintf("'%v'", float64(r.IntN(400)-200)/16)
}

func drawBytes(r *rand.Rand) string {
	return `'\x` + hex.EncodeToString(dialecttest.Bytes(r)) + "'"
}

func drawPadded(r *rand.Rand) string {
	return "'" + dialecttest.OneOf(r, "", " ", "a", "A", "b") + dialecttest.OneOf(r, "", "  ", "a", "ab") + dialecttest.OneOf(r, "", " ", "é") + "'"
}
