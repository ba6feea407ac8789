package plan

import "testing"

// A sum is kept for one number of live documents, and there are never too many.
func TestLengths(t *testing.T) {
	var l lengths
	k := lengthKey{7, "title"}
	if _, ok := l.get(k, 3); ok {
		t.Error("got a sum that was never kept")
	}
	l.put(k, lengthSum{3, 12})
	if words, ok := l.get(k, 3); words != 12 || !ok {
		t.Errorf("got %d, %t, want 12", words, ok)
	}
	if words, ok := l.get(k, 2); ok {
		t.Errorf("after a document was deleted: got %d", words)
	}
	for n := range uint64(3 * keptLengths) {
		l.put(lengthKey{n, "title"}, lengthSum{1, 1})
	}
	if len(l.sums) > keptLengths {
		t.Errorf("got %d sums, want %d at most", len(l.sums), keptLengths)
	}
}
