// Package dialecttest has what the tests of dialects share beside the suite of package
// sourcetest: texts of SQL, parts of keys, the statements that are sent, and a busy pool.
package dialecttest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// These draw parts of keys, of which many are near each other, for KeyType.Draw.

// OneOf draws a text.
func OneOf(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// Decimal draws a decimal of at most so many digits on either side of its point.
func Decimal(r *rand.Rand, whole, fraction int) string {
	digits := func(n int) (s string) {
		for range n {
			s += OneOf(r, "0", "0", "1", "9", fmt.Sprint(r.IntN(10)))
		}
		return s
	}
	return OneOf(r, "", "-") + "0" + digits(r.IntN(whole)) + "." + digits(1+r.IntN(fraction))
}

// Bytes draws a short blob.
func Bytes(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(5))
	for i := range b {
		b[i] = []byte{0x00, 0x01, 0xfe, 0xff, 'a'}[r.IntN(5)]
	}
	return b
}

// Microsecond draws the fraction of a second.
func Microsecond(r *rand.Rand) int { return []int{0, 1, 999999, 500000, r.IntN(1000000)}[r.IntN(5)] }

// Part returns a part of a key.
func Part(kind doc.Kind, text string) any {
	part, err := doc.ParsePart(text, kind)
	if err != nil {
		panic(err) // the key of a test is valid
	}
	return part
}

// Literal writes a value of the types that most databases write alike, and times in
// a layout.
func Literal(v any, layout string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case time.Time:
		return "'" + v.UTC().Format(layout) + "'"
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return fmt.Sprint(v)
}
