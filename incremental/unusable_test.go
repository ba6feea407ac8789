package incremental_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// Rows of a window whose key is unusable are quarantined by their reasons. Without
// such rows the database is not asked for them.
func TestUnusableKeys(t *testing.T) {
	w := newWorld(t)
	asked := 0
	w.Table.Before = func(step string) error {
		if step == "unusable" {
			asked++
		}
		return nil
	}
	w.put(0, 3, "a")
	if got := w.run(t); got.Quarantined != 0 || asked != 0 {
		t.Errorf("got %+v, asked %d times, want none quarantined, and no query", got, asked)
	}
	w.put(3, 3*batch, "b")
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}}
	w.Table.NoKeyAt = w.Table.Clock()
	if got := w.run(t); got.Added != 3*batch || got.Quarantined != 1 || asked != 1 {
		t.Errorf("got %+v, asked %d times, want %d added, one quarantined, and one query", got, asked, 3*batch)
	}
	if got := w.Quarantine.Reasons(); len(got) != 1 || got[""] != "the key is NULL" {
		t.Errorf("got quarantine %v, want the reason", got)
	}
	w.WantAll(t)
	w.Table.Advance(time.Minute)
	w.run(t)
	if w.run(t); asked > 2 {
		t.Errorf("asked %d times, want no question once the rows lie behind the window", asked)
	}
}

// If these rows can't be listed the window fails, and is read again.
func TestUnusableKeysThatCannotBeListed(t *testing.T) {
	w := newWorld(t)
	w.put(0, 1, "a")
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}}
	w.Table.NoKeyAt = w.Table.Clock()
	before := w.Marks().Incremental
	w.failAt("unusable")
	w.Table.Advance(time.Second)
	if _, err := w.pass.Run(t.Context()); err == nil || !w.Marks().Incremental.Equal(before) {
		t.Errorf("got %v and the mark at %v, want an error and %v", err, w.Marks().Incremental, before)
	}
	w.Table.Before = nil
	if got := w.run(t); got.Quarantined != 1 {
		t.Errorf("got %+v, want one quarantined", got)
	}
}

// failAt fails a step of the table.
func (w *world) failAt(step ...string) {
	w.Table.Before = func(s string) error {
		if slices.Contains(step, s) {
			return errors.New("the disk is gone")
		}
		return nil
	}
}
