package deletecheck_test

import (
	"errors"
	"fmt"
	"testing"

	"indexerd/internal/doc"
)

// What can't be told is an error, and never equal.
func TestVerifyCantTell(t *testing.T) {
	down := fmt.Errorf("%w: the server is down", doc.ErrUnavailable)
	for _, step := range []string{"now", "stamps in range", "documents", "meta", "count documents"} {
		w := loaded(t, 5)
		w.Before(func(s string) error {
			if s == step {
				return down
			}
			return nil
		})
		if _, err := w.verify().Run(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("%s: got %v, want the error", step, err)
		}
	}
}

// An empty table is equal to an empty index; to an index that still has what
// was deleted it is as equal as any other.
func TestVerifyOfAnEmptyTable(t *testing.T) {
	got, err := newWorld(t).verify().Run(t.Context())
	if err != nil || !got.Equal() || got.Compared != 0 {
		t.Errorf("empty: got %+v, %v, want equal", got, err)
	}
	w := loaded(t, 5)
	for n := range 5 {
		w.Table.Delete(w.key(n))
	}
	if got, err := w.verify().Run(t.Context()); err != nil || got.Pending != 5 {
		t.Errorf("emptied: got %+v, %v, want 5 pending", got, err)
	}
}
