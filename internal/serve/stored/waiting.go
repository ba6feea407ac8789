package stored

import (
	"time"

	"indexerd/internal/serve/httpapi"
)

// What an engine or a table that is being opened waits for, as status shows it.
const (
	WaitEnd    = "the passes before to end"
	WaitTables = "the tables before it"
	WaitIndex  = "the index"
	WaitPages  = "the pages"
	WaitMarks  = "the marks"
	WaitAgain  = "the next attempt"
)

// A waiting is what an opening waits for.
type waiting struct {
	What  string
	since time.Time
}

// WaitFor shows what the opening of the table waits for; "": it has ended.
func (s *Table) WaitFor(what string) {
	if what == "" {
		s.Waits.Store(nil)
		return
	}
	s.Waits.Store(&waiting{what, time.Now()})
}

// Status shows a table that is being opened. Its marks are those that were stored. Whether
// index and pages are what they speak of is not known before these are open.
func (w *waiting) Status(to *httpapi.TableStatus) {
	to.State, to.Opening = "opening", &httpapi.OpeningStatus{WaitsFor: w.What, Since: httpapi.Time(w.since)}
	to.Settled.Unverified = true
	if to.Settled.Reason == "" {
		to.Settled.Reason = "it is being opened"
	}
}
