package fakeworld

import (
	"slices"
	"testing"

	"indexerd/internal/doc"
)

// What is taken back is as it was: an update, an insert and a delete.
func TestRevert(t *testing.T) {
	table := NewTable(2)
	table.Put(Key(1), "old")
	table.Put(Key(2), "there")
	kept := table.Commits()
	table.Put(Key(1), "new")
	table.Delete(Key(2))
	table.Put(Key(3), "born")
	if got, want := table.Revert(kept), []doc.OID{Key(1), Key(2), Key(3)}; !slices.Equal(got, want) {
		t.Errorf("older: got %v, want %v", got, want)
	}
	rows := table.All()
	if len(rows) != 2 || rows[Key(1)].Title != "old" || rows[Key(2)].Title != "there" {
		t.Errorf("got %v, want the rows as they were", rows)
	}
}
