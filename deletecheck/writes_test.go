package deletecheck_test

import (
	"iter"
	"testing"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
)

// wantSums checks that the sums are those of documents that are read now. It returns how
// often documents were listed for those that were not known.
func (w *summedWorld) wantSums(t testing.TB) (listings int) {
	t.Helper()
	w.Index.Before = func(step string) error {
		if step == "documents" {
			listings++
		}
		return nil
	}
	got, known, err := w.stored.Total(w.Index, w.Pages)
	w.Index.Before = nil
	want, _, _ := new(deletecheck.Stored).Total(w.Index, w.Pages)
	if err != nil || !known || got != want {
		t.Errorf("got the sum %+v, %t, %v, want %+v", got, known, err, want)
	}
	return listings
}

// An interrupted is the sums of documents that are read between a write and its end.
type interrupted struct {
	*deletecheck.Stored
	read func()
}

func (i interrupted) Wrote(since int, stamps iter.Seq2[doc.Stamp, doc.Stamp]) {
	i.read()
	i.Stored.Wrote(since, stamps)
}

// A write adjusts the sum of its range, which is read again only if it was read in
// between, or has grown.
func TestWritesAdjustTheSums(t *testing.T) {
	for name, world := range summedWorlds {
		w := newSummed(world(t))
		for i := range 20 {
			w.put(i)
		}
		w.load(t)
		w.wantSums(t)
		read := func() {
			if _, known, err := w.stored.Total(w.Index, w.Pages); err != nil || !known {
				t.Errorf("got %t, %v, want a known sum", known, err)
			}
		}
		for _, c := range []struct {
			what string
			row  int
			read func()
			want bool // the range is read again
		}{
			{"an update", 7, func() {}, false},
			{"the same row", 7, func() {}, false},
			{"a new row", 30, func() {}, false},
			{"an update while all is read", 7, func() { w.stored.Forget(); read() }, true},
			{"an update while its range is read", 7, func() { w.stored.Changed(w.keysOf(7)); read() }, true},
			{"an update while another range is read", 7, func() { w.stored.Changed(w.keysOf(15)); read() }, false},
		} {
			w.Sink.Sums = interrupted{w.stored, c.read}
			w.Table.Put(w.key(c.row), name+c.what)
			w.fetch(t, c.row)()
			if listings := w.wantSums(t); (listings > 0) != c.want {
				t.Errorf("%s, %s: got %d listings, want some: %t", name, c.what, listings, c.want)
			}
		}
		listings := 0
		for row := range 20 {
			w.put(40 + row)
			w.fetch(t, 40+row)()
			listings += w.wantSums(t)
		}
		if listings == 0 {
			t.Errorf("%s: a range that has grown is not read again", name)
		}
	}
}

// A range whose sum is forgotten while it is compared is listed.
func TestRangeThatIsWrittenAfterItsSumIsListed(t *testing.T) {
	w := loadedSummed(t, 20)
	w.Table.Put(w.key(7), "changed")
	if r := w.compare(t, func() { w.stored.Changed(w.keysOf(7)) }); r.Read != 1 {
		t.Errorf("got %+v, want the changed row read", r)
	}
	w.wantEqual(t)
}

// Documents of a range that is written after its sum was read are listed only if a row
// differs by then.
func TestRangeThatIsWrittenAfterItsSumIsSummedAgain(t *testing.T) {
	for _, c := range []struct {
		what   string
		before func(*summedWorld) // the sums
		reads  int
	}{
		{"nothing else", func(*summedWorld) {}, 0},
		{"a silent change before", func(w *summedWorld) { w.Table.Put(w.key(8), "silent") }, 1},
	} {
		w := loadedSummed(t, 20)
		w.wantSums(t)
		c.before(w)
		listings := 0
		w.Index.Before = func(step string) error {
			if step == "documents" {
				listings++
			}
			return nil
		}
		r := w.compare(t, func() {
			w.Table.Put(w.key(7), "changed")
			w.fetch(t, 7)()
		})
		if w.Index.Before = nil; r.Read != c.reads || (listings > 0) != (c.reads > 0) {
			t.Errorf("%s: got %+v and %d listings, want %d rows read", c.what, r, listings, c.reads)
		}
		w.wantEqual(t)
	}
}
