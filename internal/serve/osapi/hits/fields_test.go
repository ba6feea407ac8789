package hits

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestValuesInTheOrderOfAnIndex(t *testing.T) {
	for _, c := range []struct{ list, want []any }{
		{[]any{"b", "a", "b", "ä"}, []any{"a", "b", "ä"}},
		{[]any{json.Number("10"), json.Number("9"), json.Number("-1"), json.Number("9")}, []any{json.Number("-1"), json.Number("9"), json.Number("9"), json.Number("10")}},
		{[]any{"10", "9"}, []any{"10", "9"}},
		{[]any{true, false}, []any{false, true}},
	} {
		if got := inOrder(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.list, got, c.want)
		}
	}
}
