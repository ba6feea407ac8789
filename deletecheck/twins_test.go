package deletecheck_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
)

// The tests of this file are counterexamples: a history that breaks a sweep
// without one of its rules. Each is played with the rule, which must leave
// nothing different, and by a twin without it, which must fail.

// stamped is a table whose stamps are seen otherwise.
type stamped struct {
	*fakeworld.Table
	as func(doc.Stamp) doc.Stamp
}

func (s stamped) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	stamps, err := s.Table.StampsOf(ctx, oids)
	for i := range stamps {
		stamps[i] = s.as(stamps[i])
	}
	return stamps, err
}

func (s stamped) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		for page, err := range s.Table.StampsInRange(ctx, r) {
			for i := range page {
				page[i] = s.as(page[i])
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

func (s stamped) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for b, err := range s.Table.Docs(ctx, oids) {
			for i := range b.Docs {
				b.Docs[i].Stamp = s.as(b.Docs[i].Stamp)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// play plays a history against the rule and its twin.
func play(t *testing.T, history func(testing.TB, *world), twin func(*world, *deletecheck.Sweep)) {
	t.Helper()
	for _, off := range []bool{false, true} {
		w := loaded(t, 12)
		s := w.sweep()
		if off {
			twin(w, s)
			if s.Source != w.source {
				for b, err := range s.Source.Docs(t.Context(), w.keysOf(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) {
					if err == nil {
						_, err = w.Sink.Put(t.Context(), b) // as it sees them
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		history(t, w)
		runSweep(t, s)
		if got := w.different(); (len(got) > 0) != off {
			t.Errorf("rule off: %t: got %v different", off, got)
		}
	}
}

// 03: a row whose updateTime was set back is another version. The twin takes
// what is newer.
func TestBackdated(t *testing.T) {
	play(t, func(_ testing.TB, w *world) {
		w.Table.PutRow(w.key(5), fakeworld.Row{Title: "set back", Updated: w.Table.Clock().Add(-time.Hour)})
	}, func(w *world, s *deletecheck.Sweep) {
		s.Source = stamped{w.Table, func(row doc.Stamp) doc.Stamp {
			page, ok, err := w.Pages.Meta(row.OID)
			if err == nil && ok && !row.Updated.After(page.Updated) {
				return page.Stamp
			}
			return row
		}}
	})
}

// 12: a child that changes moves nothing of its parent but the token. The
// twin's token covers the main row alone.
func TestChildChanges(t *testing.T) {
	play(t, func(_ testing.TB, w *world) {
		row := w.Table.Rows()[w.key(5)]
		row.Children = "a child"
		w.Table.PutRow(w.key(5), row)
	}, func(w *world, s *deletecheck.Sweep) {
		s.Source = stamped{w.Table, func(stamp doc.Stamp) doc.Stamp {
			row := w.Table.Rows()[stamp.OID]
			row.Children = ""
			return row.Stamp(stamp.OID)
		}}
	})
}

// 08: a clock that stepped back stamps rows below every mark. Whoever reads
// from the mark on, the twin here, never sees them.
func TestClockStepsBack(t *testing.T) {
	w := loaded(t, 12)
	mark := w.Table.Clock()
	w.Table.Advance(-5 * time.Minute)
	w.put(3, 20)
	w.Table.Advance(time.Minute)
	for page, err := range w.Table.Stamps(t.Context(), doc.Window{From: mark, To: w.Table.Clock()}) {
		t.Errorf("the twin reads %v, %v: the window is not what loses the rows", page, err)
	}
	if got := w.different(); !slices.Equal(got, w.keysOf(3, 20)) {
		t.Errorf("different: got %v, want 3 and 20", got)
	}
	runSweep(t, w.sweep())
	w.wantEqual(t)
}

// based is a table of which the listing asks the base table: it has the rows
// that have left the filter.
type based struct {
	*fakeworld.Table
	left map[doc.OID]doc.Stamp
}

func (b based) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		var all []doc.Stamp
		for page, err := range b.Table.StampsInRange(ctx, r) {
			if err != nil {
				yield(nil, err)
				return
			}
			all = append(all, page...)
		}
		for oid, s := range b.left {
			if oid >= r.From && (r.To == "" || oid < r.To) {
				all = append(all, s)
			}
		}
		slices.SortFunc(all, func(a, b doc.Stamp) int { return cmpOID(a.OID, b.OID) })
		yield(all, nil)
	}
}

func cmpOID(a, b doc.OID) int {
	if a < b {
		return -1
	}
	return 1
}

// 10: a row that has left the main SQL's filter leaves the index. The twin asks
// the base table, which has it.
func TestRowLeavesTheFilter(t *testing.T) {
	left := map[doc.OID]doc.Stamp{}
	play(t, func(_ testing.TB, w *world) {
		row := w.Table.Rows()[w.key(5)]
		left[w.key(5)] = row.Stamp(w.key(5))
		row.Outside = true
		w.Table.PutRow(w.key(5), row)
	}, func(w *world, s *deletecheck.Sweep) { s.Source = based{w.Table, left} })
}

// byTime is a table that pages by updateTime alone: the next page begins behind
// the last one's.
type byTime struct{ *fakeworld.Table }

func (b byTime) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		var last time.Time
		for page, err := range b.Table.StampsInRange(ctx, r) {
			page = slices.DeleteFunc(page, func(s doc.Stamp) bool { return !s.Updated.After(last) })
			if len(page) > 0 {
				last = page[len(page)-1].Updated
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// 15: many rows of one updateTime, over many pages, are all found.
func TestBulkOfOneTime(t *testing.T) {
	for _, off := range []bool{false, true} {
		w := newWorld(t)
		x := w.Table.Begin()
		for n := range 40 {
			x.Put(w.key(n), "bulk")
		}
		x.Commit()
		s := w.sweep()
		if off {
			s.Source = byTime{w.Table}
		}
		runSweep(t, s)
		if got := w.different(); (len(got) > 0) != off {
			t.Errorf("rule off: %t: got %v different", off, got)
		}
	}
}

// unasked is a table that is not asked again before a removal: what was listed
// is believed. It may have been listed before the index was.
type unasked struct {
	*fakeworld.Table
	listed map[doc.OID]doc.Stamp // nil: when it is asked
}

func (u unasked) Docs(ctx context.Context, _ []doc.OID) iter.Seq2[doc.Batch, error] {
	return u.Table.Docs(ctx, []doc.OID{fakeworld.Key(1000)})
}

func (u unasked) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	if u.listed == nil {
		return u.Table.StampsInRange(ctx, r)
	}
	return based{fakeworld.NewTable(batch), u.listed}.StampsInRange(ctx, r)
}

// 04: a row is born, and indexed, between the two listings. It must not be
// taken for gone, even where nothing is asked again. The twin lists the
// database first.
func TestBornBetweenTheListings(t *testing.T) {
	for _, off := range []bool{false, true} {
		w := loaded(t, 3)
		source := unasked{Table: w.Table}
		born := func() {
			w.put(7)
			w.load(t)
		}
		if off {
			source.listed = map[doc.OID]doc.Stamp{}
			for oid, row := range w.Table.Rows() {
				source.listed[oid] = row.Stamp(oid)
			}
			born()
		} else {
			once := false
			w.Table.Before = func(step string) error {
				if step == "stamps in range" && !once { // the index has been listed
					once = true
					born()
				}
				return nil
			}
		}
		s := w.sweep()
		s.Source = source
		runSweep(t, s)
		if got := w.different(); (len(got) > 0) != off {
			t.Errorf("rule off: %t: got %v different", off, got)
		}
	}
}

// reused is a sink whose rows come back, and are indexed, just before they are
// removed.
type reused struct {
	deletecheck.Sink
	back   func()
	remove func([]doc.Stamp) error // nil: on condition of their stamps
}

func (r *reused) Delete(ctx context.Context, stamps []doc.Stamp, found doc.FetchSeq, of int) (doc.Report, error) {
	r.back()
	if r.remove != nil {
		return doc.Report{}, r.remove(stamps)
	}
	return r.Sink.Delete(ctx, stamps, found, of)
}

// 05: a key that is used again between the question and the removal stays. The
// twin removes what it was told to.
func TestKeyIsReused(t *testing.T) {
	for _, off := range []bool{false, true} {
		w := loaded(t, 12)
		w.Table.Delete(w.key(5))
		sink := &reused{Sink: w.Sink, back: func() {
			w.put(5)
			w.load(t)
		}}
		if off {
			sink.remove = func(stamps []doc.Stamp) error {
				for _, s := range stamps {
					w.removeDocument(t, s.OID)
					w.removePage(t, s.OID)
				}
				return nil
			}
		}
		s := w.sweep()
		s.Sink = sink
		runSweep(t, s)
		if got := w.different(); (len(got) > 0) != off {
			t.Errorf("rule off: %t: got %v different", off, got)
		}
	}
}
