package fakeworld

import (
	"slices"
	"testing"

	"indexerd/internal/base/doc"
)

// With a case-insensitive collation, StampsInRange lists in the collation's
// order, and StampsOf matches bytes. Neither lists Marked or Outside rows.
func TestReadsUnderCaseInsensitiveOrder(t *testing.T) {
	table := NewTable(2)
	table.Order = FoldCase
	for _, key := range []string{"Bob", "alice", "carol", "bob", "Dan"} {
		table.Put(TextKey(key), "row")
	}
	table.PutRow(TextKey("Alf"), Row{Title: "marked", Marked: true})
	table.PutRow(TextKey("Cid"), Row{Title: "outside", Outside: true})
	list := func(r doc.Range) (keys []string) {
		for page, err := range table.StampsInRange(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range page {
				keys = append(keys, s.OID.String())
			}
		}
		return keys
	}
	if got, want := list(doc.Range{}), []string{"alice", "Bob", "bob", "carol", "Dan"}; !slices.Equal(got, want) {
		t.Errorf("full range: got %v, want %v", got, want)
	}
	if got, want := list(doc.Range{From: TextKey("bob"), To: TextKey("dan")}), []string{"bob", "carol", "Dan"}; !slices.Equal(got, want) {
		t.Errorf("range from bob to dan: got %v, want %v", got, want)
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{TextKey("BOB"), TextKey("bob"), TextKey("bob"), TextKey("Alf")})
	if err != nil || len(stamps) != 1 || stamps[0].OID != TextKey("bob") {
		t.Errorf("by key: got %v, %v, want bob", stamps, err)
	}
}

// Docs returns Marked rows as deleted, in the batch of their key. It does not
// return Outside rows.
func TestDocsReturnsMarkedRowsAsDeleted(t *testing.T) {
	table := NewTable(2)
	table.Numbers = &counted{}
	table.Put(Key(1), "live")
	table.PutRow(Key(2), Row{Title: "marked", Marked: true})
	table.PutRow(Key(3), Row{Title: "outside", Outside: true})
	var got doc.Batch
	for b, err := range table.Docs(t.Context(), []doc.OID{Key(1), Key(2)}) {
		if err != nil {
			t.Fatal(err)
		}
		got.Docs, got.Deleted = append(got.Docs, b.Docs...), append(got.Deleted, b.Deleted...)
	}
	if len(got.Docs) != 1 || got.Docs[0].OID != Key(1) || !slices.Equal(got.Deleted, []doc.OID{Key(2)}) {
		t.Errorf("got %d documents, %v deleted, want row 1, and 2 deleted", len(got.Docs), got.Deleted)
	}
	for b, err := range table.Docs(t.Context(), []doc.OID{Key(3)}) {
		if err != nil || len(b.Docs)+len(b.Deleted) > 0 {
			t.Errorf("outside: got %v, %v, want an empty batch", b, err)
		}
	}
}

// counted is a Numbers that counts.
type counted struct{ n doc.FetchSeq }

func (c *counted) Begin(open func() error) (doc.FetchSeq, error) {
	c.n++
	return c.n, open()
}

func (c *counted) End(doc.FetchSeq) {}
