package reindex

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// titles returns the titles that an index has for keys.
func titles(x *fakeworld.Index, keys ...doc.OID) (all [2]string) {
	for i, oid := range keys {
		all[i], _ = x.Title(oid)
	}
	return all
}

// Until the swap the old index has the rows that it had, and what is new of these;
// the new one has what was put.
func TestFill(t *testing.T) {
	w := filled(t, t.TempDir(), 3)
	old, other := w.Index, key(7)
	err := w.reindex(t).Fill(t.Context(), func(_ context.Context, swap func() error) error {
		if err := w.put(map[doc.OID]string{key(1): "again", other: "other"}); err != nil {
			return err
		}
		if got, want := titles(old, key(1), other), [2]string{"again", ""}; got != want {
			t.Errorf("in the old index: got %q, want %q", got, want)
		}
		if err := w.put(map[doc.OID]string{key(1): "again"}); err != nil {
			return err
		}
		if err := swap(); err != nil {
			return err
		}
		return w.put(map[doc.OID]string{key(2): "after"})
	})
	if err != nil {
		t.Fatal(err)
	}
	x := w.opened(t, filepath.Join(w.dir, secondName))
	if got, want := titles(x, key(1), other), [2]string{"again", "other"}; got != want {
		t.Errorf("in the new index: got %q, want %q", got, want)
	}
	if got, want := titles(x, key(0), key(2)), [2]string{"", "after"}; got != want {
		t.Errorf("in the new index: got %q, want %q", got, want)
	}
	if got, _ := old.Title(key(2)); got == "after" {
		t.Error("the old index was written after the swap")
	}
	if w.restart(t) != x {
		t.Error("the next start opens another index")
	}
}

// Without a swap, and after an error, the old index stays in use.
func TestFillWithoutSwap(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		w := filled(t, t.TempDir(), 3)
		err := w.reindex(t).Fill(t.Context(), func(context.Context, func() error) error {
			return errors.Join(w.put(map[doc.OID]string{key(7): "other"}), want)
		})
		if !errors.Is(err, want) || w.inUse() != Index(w.Index) {
			t.Errorf("got error %v, want %v, and the old index in use", err, want)
		}
		if x := w.restart(t); x != w.Index {
			t.Error("the next start opens another index")
		}
		if err := w.put(map[doc.OID]string{key(7): "other"}); err != nil {
			t.Fatal(err)
		}
		if got := titles(w.Index, key(0), key(7)); got != [2]string{"row 0", "other"} {
			t.Errorf("got %q, want the old row and the new one", got)
		}
	}
}
