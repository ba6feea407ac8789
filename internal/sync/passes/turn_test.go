package passes

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source/changes"
)

// A commit makes all tables unknown. They are compared before the counters come only if
// all of them take little of the database and of a core, whichever asks first. If no
// counters come that prove something, they are compared as the share of the time allows.
func TestUnknownTablesWaitForTheCounters(t *testing.T) {
	for _, test := range []struct {
		tables int
		due    changes.Due
		after  time.Duration
		comes  bool
	}{
		{10, changes.Unknown, unknownEvery, true},
		{90, changes.Unknown, unknownEvery, true},
		{110, changes.Unknown, unknownEvery, false},
		{1000, changes.Unknown, unknownEvery, false},
		{1000, changes.Unknown, time.Minute, false},
		{1000, changes.Unproven, unknownEvery, false},
		{1000, changes.Unproven, time.Minute, true},
		{1000, changes.Changed, unknownEvery, true},
		{10, changes.Unchanged, unknownEvery, false},
	} {
		t.Run(fmt.Sprintf("%d tables, due %d, after %v", test.tables, test.due, test.after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				share := pace.NewShare(0.1)
				turns := make([]Turn, test.tables)
				for i := range turns {
					turns[i] = Turn{Share: share, Name: fmt.Sprint("table ", i)}
					turns[i].Began(time.Now())
					turns[i].Took(0) // of the database; the daemon's own work is never nothing
					turns[i].Comes(changes.Unchanged)
				}
				time.Sleep(test.after)
				for i := range turns[:min(10, len(turns))] {
					if got := turns[i].Comes(test.due); got != test.comes {
						t.Fatalf("table %d: got %t, want %t", i, got, test.comes)
					}
				}
			})
		})
	}
}
