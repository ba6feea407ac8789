package deletecheck_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// All documents are read again after ten minutes, and where a listing takes seconds after a
// hundred times as long.
func TestDocumentsAreReadAgain(t *testing.T) {
	for _, c := range []struct {
		listing time.Duration
		after   time.Duration
		found   int
	}{
		{0, 9 * time.Minute, 0},
		{0, 11 * time.Minute, 1},
		{20 * time.Second, 11 * time.Minute, 0},
		{20 * time.Second, 3 * time.Hour, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := loadedSummed(t, 12)
			w.Index.Before = func(step string) error {
				if step == "documents" {
					time.Sleep(c.listing)
				}
				return nil
			}
			w.compare(t, nil)
			w.Index.Before = nil
			w.removeDocument(t, w.key(5)) // without the sums
			time.Sleep(c.after)
			if r := w.compare(t, nil); r.Read != c.found {
				t.Errorf("%v after listings of %v each: got %+v, want %d rows read", c.after, c.listing, r, c.found)
			}
		})
	}
}
