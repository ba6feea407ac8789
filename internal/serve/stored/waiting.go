package daemon

import (
	"time"

	"indexerd/internal/serve/httpapi"
)

// What an engine or a table that is being opened waits for, as status shows it.
const (
	waitEnd    = "the passes before to end"
	waitTables = "the tables before it"
	waitIndex  = "the index"
	waitPages  = "the pages"
	waitMarks  = "the marks"
	waitAgain  = "the next attempt"
)

// A waiting is what an opening waits for.
type waiting struct {
	what  string
	since time.Time
}

// waitFor shows what the opening of the table waits for; "": it has ended.
func (s *storage) waitFor(what string) {
	if what == "" {
		s.waits.Store(nil)
		return
	}
	s.waits.Store(&waiting{what, time.Now()})
}

// status shows a table that is being opened. Its marks are those that were stored. Whether
// index and pages are what they speak of is not known before these are open.
func (w *waiting) status(to *httpapi.TableStatus) {
	to.State, to.Opening = "opening", &httpapi.OpeningStatus{WaitsFor: w.what, Since: httpapi.Time(w.since)}
	to.Settled.Unverified = true
	if to.Settled.Reason == "" {
		to.Settled.Reason = "it is being opened"
	}
}
