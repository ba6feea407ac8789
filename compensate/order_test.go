package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
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
		if step == "stamps by key" && !committed {
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
