package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A transaction may commit after H was read and before the stamps are read. Its
// row is above H, and is found.
func TestHorizonIsReadBeforeTheStamps(t *testing.T) {
	w := newWorld(t)
	w.Table.Advance(time.Minute)
	x := w.Table.Begin()
	x.Put(fakeworld.Key(1), "late")
	w.Table.Advance(time.Minute)
	run(t, w.follow)
	committed := false
	w.Table.Before = func(step string) error {
		if step == "stamps" && !committed {
			committed = true
			x.Commit()
		}
		return nil
	}
	runExact(t, w.exact())
	w.wantHonest(t)
	w.Table.Advance(time.Minute)
	runExact(t, w.exact())
	w.WantAll(t)
}

// A transaction that began earlier and writes later sets updateTime back. Its
// version is fetched.
func TestOlderUpdateTimeIsFetched(t *testing.T) {
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
	runExact(t, w.exact())
	w.wantHonest(t)
}

// A row without a usable key that commits late is quarantined by the comparison
// that finds it: every row that S passes is in the index or in quarantine.
func TestRowsWithUnusableKeysAreQuarantined(t *testing.T) {
	w := newWorld(t)
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}}
	w.Table.NoKeyAt = w.Table.Clock()
	w.Table.Advance(time.Second)
	earlier := doc.Window{From: w.begin.Add(-time.Hour), To: w.begin}
	if report, err := w.comparison().Run(t.Context(), earlier); err != nil || report.Quarantined != 0 {
		t.Errorf("got %+v, %v of the window before, want none", report, err)
	}
	w.Table.Before = failStep("unusable")
	if _, err := w.comparison().Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock()}); err == nil {
		t.Error("the rows could not be listed: got no error")
	}
	w.Table.Before = nil
	report, err := w.comparison().Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock()})
	if err != nil || report.Quarantined != 1 || report.Compared != 0 {
		t.Errorf("got %+v, %v, want one quarantined and none compared", report, err)
	}
	if got := w.Quarantine.Reasons()[""]; got != "the key is NULL" {
		t.Errorf("got quarantine %v, want the reason", w.Quarantine.Reasons())
	}
}

// While the pages of a window are read, rows change that were read before, and rows
// that were not. One comes twice, others are missing. Each is fetched once, and none
// is lost.
func TestRowsThatChangeBetweenPages(t *testing.T) {
	w := newWorld(t)
	w.Table.Page = 2
	for n := range 8 {
		w.Table.Put(fakeworld.Key(n), "old")
		w.Table.Advance(time.Second)
	}
	run(t, w.follow)
	late := w.Table.Begin()
	late.Put(fakeworld.Key(9), "late")
	w.Table.Advance(time.Second)
	run(t, w.follow)
	e := w.exact()
	o := observe(e.Comparison)
	pages := 0
	w.Table.Before = func(step string) error {
		if step != "stamps" {
			return nil
		}
		if pages++; pages == 2 {
			x := w.Table.Begin()
			x.PutAt(fakeworld.Key(0), "was read, and comes again", w.begin.Add(5*time.Second))
			x.PutAt(fakeworld.Key(5), "was not read, and is passed", w.begin)
			x.Put(fakeworld.Key(6), "leaves the window")
			x.Delete(fakeworld.Key(7))
			x.Commit()
			late.Commit()
		}
		return nil
	}
	report := runExact(t, e)
	if pages < 4 || report.Compared != 6 {
		t.Errorf("got %d pages and %d stamps, want at least 4 and 6: rows 0 to 4 and 9, each once", pages, report.Compared)
	}
	for n, want := range map[int]int{0: 1, 1: 0, 2: 0, 3: 0, 4: 0, 5: 1, 6: 1, 7: 1, 9: 1} {
		if got := o.asked[fakeworld.Key(n)]; got != want {
			t.Errorf("row %d: got %d fetches, want %d", n, got, want)
		}
	}
	w.wantHonest(t)
	w.checkRepaired(t)
}
