package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A row without a usable key that commits late is set aside by the comparison
// that finds it: what S passes is in the index, or in quarantine.
func TestUnusableKeysAreSetAside(t *testing.T) {
	w := newWorld(t)
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}}
	w.Table.NoKeyAt = w.Table.Clock()
	w.Table.Advance(time.Second)
	earlier := doc.Window{From: w.begin.Add(-time.Hour), To: w.begin}
	if report, err := w.comparison().Run(t.Context(), earlier); err != nil || report.Quarantined != 0 {
		t.Errorf("got %+v, %v of the window before, want none", report, err)
	}
	report, err := w.comparison().Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock()})
	if err != nil || report.Quarantined != 1 || report.Compared != 0 {
		t.Errorf("got %+v, %v, want one set aside and none compared", report, err)
	}
	if got := w.Quarantine.Reasons()[""]; got != "the key is NULL" {
		t.Errorf("got quarantine %v, want the reason", w.Quarantine.Reasons())
	}
}
