package sink

import (
	"context"
	"errors"
	"testing"

	"indexerd/internal/base/doc"
)

// The tree gets a stamp after the document is durable, because passes do not read
// the index for a row whose stamp is in the tree.
func TestTreeKnowsOnlyWhatIsDurable(t *testing.T) {
	for _, step := range []string{"apply", "put pages"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld()
			s := w.start()
			fetch(t, s, map[doc.OID]string{one: "a"})
			if got := w.tree.Stamps()[one]; !got.Same(stampOf(one, "a")) {
				t.Fatalf("after a put: got %+v", got)
			}
			w.before(failAt(step))
			if _, err := s.Put(context.Background(), batchOf(begin(t, s), map[doc.OID]string{one: "b", two: "b"})); !errors.Is(err, errFault) {
				t.Fatalf("got %v, want %v", err, errFault)
			}
			stamps := w.tree.Stamps()
			if _, ok := stamps[two]; ok || !stamps[one].Same(stampOf(one, "a")) {
				t.Errorf("after a failed put: got %+v, want what it was", stamps)
			}
		})
	}
}

func TestTreeLosesTheStampsOfRemovedRows(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
	if _, err := s.Delete(context.Background(), []doc.Stamp{stampOf(one, "a")}, begin(t, s), 1); err != nil {
		t.Fatal(err)
	}
	stamps := w.tree.Stamps()
	if _, ok := stamps[one]; ok || len(stamps) != 1 {
		t.Errorf("after a removal: got %+v, want only the other row", stamps)
	}
}

func TestTreeHasTheStampsOfSkippedRows(t *testing.T) {
	w := newWorld()
	fetch(t, w.start(), map[doc.OID]string{one: "a"})
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	if _, ok := w.tree.Stamps()[one]; !ok {
		t.Error("a skipped row is not in the tree")
	}
}
