package format

import (
	"math"
	"strconv"
	"strings"
)

// A Decimal is a number as OpenSearch prints numbers with fractions: 3.0 and 1.0E7.
type Decimal float64

// MarshalJSON implements json.Marshaler. NaN and infinity are null.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// String implements fmt.Stringer. NaN and infinity are null.
func (d Decimal) String() string {
	n := float64(d)
	switch size := math.Abs(n); {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return "null"
	case size != 0 && (size < 1e-3 || size >= 1e7):
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
		if !strings.Contains(digits, ".") {
			digits += ".0"
		}
		e, _ := strconv.Atoi(exponent) // a number, since n is finite
		return digits + "E" + strconv.Itoa(e)
	}
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
