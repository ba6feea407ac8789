package stored

import (
	"testing"
	"testing/synctest"
	"time"
)

// slowIndex counts its documents when it is asked to answer.
type slowIndex struct {
	Index
	answers chan uint64
}

func (s slowIndex) Count() (uint64, error) { return <-s.answers, nil }

// A cluster that does not answer delays status for a moment, and only the first one. Then
// status has the last number that is known.
func TestStatusDoesNotWaitForTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ix, c := slowIndex{answers: make(chan uint64, 1)}, newCounter()
		counts := func(want uint64, within time.Duration) {
			t.Helper()
			began := time.Now()
			if got, took := c.count(ix), time.Since(began); got != want || took != within {
				t.Errorf("got %d after %v, want %d after %v", got, took, want, within)
			}
		}
		ix.answers <- 7
		counts(7, 0)
		counts(7, CountWithin) // it does not answer
		counts(7, 0)           // it has not answered yet
		ix.answers <- 8        // to the one that waits
		synctest.Wait()
		ix.answers <- 9
		counts(9, 0)
	})
}
