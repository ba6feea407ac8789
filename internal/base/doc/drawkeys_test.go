package doc

import (
	"maps"
	"math"
	"slices"

	"pgregory.net/rapid"
)

// drawKinds draws the shape of a key of one to three parts.
func drawKinds(t *rapid.T) []Kind {
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kindNames)))
	return rapid.SliceOfN(kind, 1, 3).Draw(t, "kinds")
}

// keyText draws texts in which prefixes, NULs and characters that String escapes
// are common.
func keyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringOf(rapid.SampledFrom([]rune("\x00\x01ab%,/é中\U0010ffff"))),
		rapid.String(),
	)
}

func drawParts(t *rapid.T, kinds []Kind) []any {
	parts := make([]any, len(kinds))
	for i, kind := range kinds {
		switch kind {
		case Integer:
			parts[i] = rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 2)).Draw(t, "integer")
		case Text:
			parts[i] = keyText().Draw(t, "text")
		case UUID:
			parts[i] = [16]byte(rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x7f, 0xff}), 16, 16).Draw(t, "uuid"))
		case Decimal:
			parts[i] = drawNumber(t)
		case Real:
			parts[i] = rapid.OneOf(rapid.Float64(), rapid.SampledFrom(specialReals), rapid.Float64Range(-2, 2)).Draw(t, "real") + 0
		case Boolean:
			parts[i] = rapid.Bool().Draw(t, "boolean")
		case Bytes:
			parts[i] = Blob(rapid.SliceOf(rapid.SampledFrom([]byte{0x00, 0x01, 0xfe, 0xff})).Draw(t, "bytes"))
		case Date:
			day := rapid.OneOf(rapid.Int64Range(int64(firstDay), int64(endDay)-1), rapid.Int64Range(-800_000, 10_000), rapid.SampledFrom(infinities))
			parts[i] = Day(day.Draw(t, "date"))
		case Instant:
			parts[i] = UTC(drawMicrosecond(t))
		case Wall:
			parts[i] = Local(drawMicrosecond(t))
		}
	}
	return parts
}

var (
	specialReals = []float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1e21, 1e-7}
	infinities   = []int64{math.MinInt64, math.MaxInt64}
)

func drawMicrosecond(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(int64(firstMicrosecond), int64(endMicrosecond)-1), rapid.Int64Range(-2e9, 2e9), rapid.SampledFrom(infinities)).Draw(t, "microsecond")
}

// drawNumber draws decimals of which many share their digits or their exponent.
func drawNumber(t *rapid.T) Number {
	n, err := ParseNumber(rapid.OneOf(
		rapid.SampledFrom([]string{"NaN", "Infinity", "-Infinity", "0", "-0.00", "7"}),
		rapid.StringMatching(`-?[019]{1,6}(\.[019]{0,6})?`),
		rapid.StringMatching(`-?[0-9]{1,50}\.[0-9]{1,50}`),
	).Draw(t, "decimal"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
