package fulltext

import (
	"testing"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/askedtest"
)

func TestAsked(t *testing.T) {
	for _, order := range []string{"plain", "tuned"} {
		t.Run(order, func(t *testing.T) {
			askedtest.Run(t, order == "tuned", func(t *testing.T, m schema.Mapping) askedtest.Index { return newIndex(t, m) })
		})
	}
}
