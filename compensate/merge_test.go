package compensate_test

import (
	"context"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/compensate"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	_ "indexerd/internal/test/nofailfile"
)

// An observer wraps a comparison's source and sink, and counts the calls by key.
type observer struct {
	compensate.Source
	compensate.Sink
	asked   map[doc.OID]int // of Docs
	removed map[doc.OID]int // of Delete
	windows int             // calls of Stamps
	most    int             // keys or stamps of one call
}

// observe puts an observer into a comparison.
func observe(c *compensate.Comparison) *observer {
	o := &observer{Source: c.Source, Sink: c.Sink, asked: map[doc.OID]int{}, removed: map[doc.OID]int{}}
	c.Source, c.Sink = o, o
	return o
}

func (o *observer) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	o.windows++
	return o.Source.Stamps(ctx, w)
}

func (o *observer) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	o.most = max(o.most, len(oids))
	for _, oid := range oids {
		o.asked[oid]++
	}
	return o.Source.Docs(ctx, oids)
}

func (o *observer) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	o.most = max(o.most, len(stamps))
	return o.Sink.Different(stamps)
}

func (o *observer) Delete(ctx context.Context, stamps []doc.Stamp, seq doc.FetchSeq, of int) (doc.Report, error) {
	o.most = max(o.most, len(stamps))
	for _, s := range stamps {
		o.removed[s.OID]++
	}
	return o.Sink.Delete(ctx, stamps, seq, of)
}

// crawl puts a row into the index as if it had been fetched.
func (w *world) crawl(t rapid.TB, rows map[doc.OID]fakeworld.Row) {
	t.Helper()
	seq, err := w.Sink.Begin(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Sink.End(seq)
	b := doc.Batch{Fetch: seq, At: w.Table.Clock()}
	for oid, r := range rows {
		b.Docs = append(b.Docs, r.Doc(oid, seq, b.At))
	}
	if _, err := w.Sink.Put(context.Background(), b); err != nil {
		t.Fatal(err)
	}
}

// sides is the content of the database, the pages and the tree. The tree has the
// stamps of its rows.
type sides struct{ database, pages, tree map[doc.OID]fakeworld.Row }

func drawSides(t *rapid.T, begin time.Time) sides {
	row := rapid.Custom(func(t *rapid.T) fakeworld.Row {
		at := begin.Add(time.Duration(rapid.IntRange(-2, 8).Draw(t, "minute")) * time.Minute)
		return fakeworld.Row{Updated: at, Title: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "title")}
	})
	s := sides{map[doc.OID]fakeworld.Row{}, map[doc.OID]fakeworld.Row{}, map[doc.OID]fakeworld.Row{}}
	for n := range rapid.IntRange(0, 6*batch).Draw(t, "rows") {
		oid := fakeworld.Key(n)
		for _, side := range []map[doc.OID]fakeworld.Row{s.database, s.pages, s.tree} {
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				side[oid] = row.Draw(t, "row")
			}
		}
		switch page, crawled := s.pages[oid]; rapid.IntRange(0, 3).Draw(t, "agree") {
		case 0: // all three as drawn
		case 1: // the tree has the page's stamp
			delete(s.tree, oid)
			if crawled {
				s.tree[oid] = page
			}
		default: // tree and database have the page's stamp
			if crawled {
				s.tree[oid], s.database[oid] = page, page
			}
		}
	}
	return s
}

// newWorld makes a world of these sides.
func (s sides) newWorld(t *testing.T) *world {
	w := newWorld(t)
	x := w.Table.Begin()
	for oid, r := range s.database {
		x.PutAt(oid, r.Title, r.Updated)
	}
	x.Commit()
	w.crawl(t, s.pages)
	if err := w.Tree.Delete(slices.Collect(maps.Keys(s.pages))); err != nil {
		t.Fatal(err)
	}
	for oid, r := range s.tree {
		if err := w.Tree.Put([]doc.Stamp{r.Stamp(oid)}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// expect returns, key by key, what must be fetched and what must be removed.
func (s sides) expect(in func(time.Time) bool) (asked, removed map[doc.OID]int) {
	asked, removed = map[doc.OID]int{}, map[doc.OID]int{}
	for n := range 6 * batch {
		oid := fakeworld.Key(n)
		row, there := s.database[oid]
		page, crawled := s.pages[oid]
		known, remembered := s.tree[oid]
		switch listed := there && in(row.Updated); {
		case listed && remembered && in(known.Updated) && known == row:
		case listed && crawled && page == row:
		case listed:
			asked[oid]++
		case remembered && in(known.Updated):
			asked[oid]++
			if !there {
				removed[oid]++
			}
		}
	}
	return asked, removed
}

// For any content of database, pages and tree, exactly the rows that differ are
// fetched, once each, and exactly the documents of gone rows are removed.
func TestMergeAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSides(rt, time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC))
		w := s.newWorld(t)
		w.Table.Page = rapid.IntRange(1, 2*batch).Draw(rt, "page")
		c := w.comparison()
		o := observe(c)
		minute := func(m int) time.Time { return time.Date(2026, 1, 2, 3, m, 0, 0, time.UTC) }
		window := doc.Window{From: minute(0), To: minute(rapid.IntRange(0, 6).Draw(rt, "to"))}
		in := func(u time.Time) bool { return !u.Before(window.From) && u.Before(window.To) }
		if _, err := c.Run(t.Context(), window); err != nil {
			rt.Fatal(err)
		}
		asked, removed := s.expect(in)
		if !maps.Equal(o.asked, asked) {
			rt.Errorf("fetched: got %v, want %v", o.asked, asked)
		}
		if !maps.Equal(o.removed, removed) {
			rt.Errorf("removed: got %v, want %v", o.removed, removed)
		}
		if o.most > batch {
			rt.Errorf("keys in one call: got %d, want at most %d", o.most, batch)
		}
		for oid := range asked {
			row, there := s.database[oid]
			page, paged := w.Pages.Page(oid)
			// A document whose page is not what the tree said stays for the sweep.
			if there && (!paged || !page.Same(row.Stamp(oid))) || !there && paged && s.pages[oid] == s.tree[oid] {
				rt.Errorf("row %v: the database has %+v (%t), the pages %+v (%t)", oid, row, there, page.Meta, paged)
			}
		}
	})
}

// For an empty window neither database nor index is read.
func TestEmptyWindow(t *testing.T) {
	w := newWorld(t)
	w.Before(func(step string) error {
		t.Errorf("an empty window took the step %q", step)
		return nil
	})
	report, err := w.comparison().Run(t.Context(), doc.Window{From: w.begin, To: w.begin})
	if err != nil || report.Compared != 0 {
		t.Errorf("got %+v, %v, want nothing", report, err)
	}
}

// However many rows differ, memory holds a page and two batches of stamps.
func TestMemoryIsBounded(t *testing.T) {
	w := newWorld(t)
	const rows = 200 * batch
	known, gone := map[doc.OID]fakeworld.Row{}, map[doc.OID]fakeworld.Row{}
	x := w.Table.Begin()
	for n := range rows {
		r := fakeworld.Row{Updated: w.begin, Title: "row"}
		switch oid := fakeworld.Key(n); n % 3 {
		case 0:
			known[oid] = r
			x.PutAt(oid, r.Title, r.Updated)
		case 1:
			gone[oid] = r
		case 2:
			x.PutAt(oid, r.Title, r.Updated)
		}
	}
	x.Commit()
	w.crawl(t, known)
	w.crawl(t, gone)
	c := w.comparison()
	o := observe(c)
	report, err := c.Run(t.Context(), doc.Window{From: w.begin, To: w.begin.Add(hour)})
	if err != nil {
		t.Fatal(err)
	}
	if o.most != batch {
		t.Errorf("stamps or keys in one call: got %d, want at most a batch, %d", o.most, batch)
	}
	fresh := rows - len(known) - len(gone)
	want := fakeworld.Counts{Read: fresh, Compared: rows - len(gone), Added: fresh, Deleted: len(gone)}
	if got := fakeworld.CountsOf(report); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
}

// With a Batch of 0 a comparison works row by row.
func TestWithoutSettings(t *testing.T) {
	w := newWorld(t)
	for n := range 2 * batch {
		w.Table.Put(fakeworld.Key(n), "row")
	}
	w.crawl(t, map[doc.OID]fakeworld.Row{fakeworld.Key(100): {Updated: w.begin, Title: "gone"}})
	c := w.comparison()
	c.Batch = 0
	if _, err := c.Run(t.Context(), doc.Window{From: w.begin, To: w.begin.Add(hour)}); err != nil {
		t.Fatal(err)
	}
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
}
