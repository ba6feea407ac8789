package compensate_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"indexerd/compensate"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/internal/faultfs"
	"indexerd/timetrace"
)

// Each test of this file runs the right order and a wrong one, its failing
// twin, through the same events: the twin shows that the order matters.

// early is a source whose stamps are of a snapshot that was taken before the
// horizon was read.
type early struct {
	*fakeworld.Table
	between func() // snapshot and horizon
	stamps  [][]doc.Stamp
}

func (e *early) Horizon(ctx context.Context) (doc.Horizon, error) {
	e.stamps = nil
	all := doc.Window{To: e.Clock().Add(hour)}
	for page, err := range e.Table.StampsByOID(ctx, all) {
		if err != nil {
			return doc.Horizon{}, err
		}
		e.stamps = append(e.stamps, page)
	}
	e.between()
	return e.Table.Horizon(ctx)
}

func (e *early) StampsByOID(_ context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		for _, page := range e.stamps {
			page = slices.DeleteFunc(slices.Clone(page), func(s doc.Stamp) bool {
				return s.Updated.Before(w.From) || !s.Updated.Before(w.To)
			})
			if !yield(page, nil) {
				return
			}
		}
	}
}

// A snapshot that is older than H vouches for rows that it can't see.
func TestHorizonBeforeSnapshot(t *testing.T) {
	for _, twin := range []bool{false, true} {
		w := newWorld(t)
		w.Table.Advance(time.Minute)
		x := w.Table.Begin()
		x.Put(fakeworld.Key(1), "late")
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		e := w.exact()
		if twin {
			source := &early{Table: w.Table, between: x.Commit}
			e.Horizon, e.Comparison.Source = source, source
		} else {
			w.Table.Before = once("stamps by key", x.Commit)
		}
		runExact(t, e)
		w.Table.Before = nil
		if got := len(w.broken()) > 0; got != twin {
			t.Errorf("twin %t: got a promise broken %t", twin, got)
		}
		w.Table.Advance(time.Minute)
		runExact(t, w.exact())
		if got := len(w.missing()) > 0; got != twin {
			t.Errorf("twin %t: got a row lost %t", twin, got)
		}
	}
}

// once acts ahead of the first step of a name.
func once(name string, act func()) func(string) error {
	return func(step string) error {
		if step == name {
			name = ""
			act()
		}
		return nil
	}
}

// newerOnly is a sink that takes for different only what looks newer.
type newerOnly struct {
	compensate.Sink
	pages *fakeworld.Pages
}

func (s newerOnly) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	var newer []doc.OID
	for _, stamp := range stamps {
		if page, ok := s.pages.Page(stamp.OID); !ok || stamp.Updated.After(page.Updated) {
			newer = append(newer, stamp.OID)
		}
	}
	return newer, nil
}

// A transaction that began earlier and writes later overwrites a newer
// updateTime.
func TestDifferentNotNewer(t *testing.T) {
	for _, twin := range []bool{false, true} {
		w := newWorld(t)
		older := w.Table.Begin()
		w.Table.Advance(time.Second)
		w.Table.Put(fakeworld.Key(1), "newer, and first")
		w.Table.Advance(time.Second)
		run(t, w.follow)
		older.Put(fakeworld.Key(1), "older, and last")
		older.Commit()
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		e := w.exact()
		if twin {
			e.Comparison.Sink = newerOnly{e.Comparison.Sink, w.Pages}
		}
		runExact(t, e)
		if got := len(w.broken()) > 0; got != twin {
			t.Errorf("twin %t: got a promise broken %t", twin, got)
		}
	}
}

// Marks that move before the data is durable are a lie after some crash.
func TestMarkLast(t *testing.T) {
	for _, twin := range []bool{false, true} {
		lies := 0
		for k := 0; ; k++ {
			w := newWorld(t)
			w.upheaval(t)
			h := w.Table.Clock()
			crash, first := fakeworld.NewCountdown(k), true
			w.Before(func(step string) error {
				if twin && step == "stamps by key" && first { // the pass has its window
					first = false
					return w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) { m.Settle(h, "exact") })
				}
				return crash.Before(step)
			})
			_, _, err := w.exact().Run(t.Context())
			w.crash(t, faultfs.Worst)
			runExact(t, w.exact())
			lies += len(w.broken())
			if err == nil {
				break
			}
		}
		if got := lies > 0; got != twin {
			t.Errorf("twin %t: got %d rows lost", twin, lies)
		}
	}
}

// allNew is a sink that takes for different whatever the tree does not have.
type allNew struct{ compensate.Sink }

func (allNew) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	oids := make([]doc.OID, len(stamps))
	for i, s := range stamps {
		oids[i] = s.OID
	}
	return oids, nil
}

// A stamp that the tree does not have is compared with the page's. To take it
// for new does no harm, and fetches every row.
func TestMissingEntryIsNoNewRow(t *testing.T) {
	const rows = 20 * batch
	for _, twin := range []bool{false, true} {
		w := newWorld(t)
		for n := range rows {
			w.Table.Put(fakeworld.Key(n), "row")
		}
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		w.Start(t) // the tree is empty
		e := w.exact()
		want := fakeworld.Counts{Compared: rows}
		if twin {
			e.Comparison.Sink = allNew{e.Comparison.Sink}
			want.Read, want.Skipped = rows, rows
		}
		if got := fakeworld.CountsOf(runExact(t, e)); got != want {
			t.Errorf("twin %t: got %+v, want %+v", twin, got, want)
		}
		w.checkRepaired(t)
	}
}

// What S has passed may be pruned. To prune what is still compared loses no
// row, since the pages know; but it costs a look at each of them, and what is
// gone is not noticed.
func TestPruneAtS(t *testing.T) {
	const rows = 20 * batch
	for _, twin := range []bool{false, true} {
		w := newWorld(t)
		w.Table.Advance(time.Minute)
		pin := w.Table.Begin() // S stays here
		w.Table.Advance(time.Minute)
		for n := range rows {
			w.Table.Put(fakeworld.Key(n), "row")
		}
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		runExact(t, w.exact())
		bound := w.Marks().Settled
		if twin {
			bound = w.Marks().Incremental
		}
		if err := w.Tree.Prune(bound); err != nil {
			t.Fatal(err)
		}
		w.late(t, 0, "late")
		w.Table.Delete(fakeworld.Key(1))
		var looks machine.Counter
		w.Pages.Before = looks.Before(nil)
		runExact(t, w.exact())
		w.wantAll(t)
		pin.Commit()
		if got := len(w.ghosts()) > 0; got != twin {
			t.Errorf("twin %t: got a removal missed %t", twin, got)
		}
		if got := looks.Of("meta") >= rows-2; got != twin {
			t.Errorf("twin %t: got %d looks at the pages of %d rows", twin, looks.Of("meta"), rows)
		}
	}
}
