package main

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
)

// loadingEngine is half-way through a load, with removals held.
type loadingEngine struct{ httpapi.Engine }

func (loadingEngine) Status(context.Context) httpapi.Status {
	now := httpapi.Time(time.Now())
	return httpapi.Status{Now: now, Sources: []httpapi.SourceStatus{}, Tables: []httpapi.TableStatus{{
		Table: "film", State: "loading", Load: &httpapi.LoadStatus{Done: 41_000, Of: 100_000, RowsPerS: 9000, ETAS: 90},
		Marks: httpapi.Marks{Tiers: map[string]httpapi.Time{}}, Passes: []httpapi.PassStatus{},
		Held: &httpapi.Held{Removals: 990, Of: 1000, Since: now, Do: "indexerd sweep film --allow 990"}, Quarantined: 1, QuarantinedHidden: 1,
	}}}
}

func (loadingEngine) Described(search.Caller) []httpapi.TableFields {
	return []httpapi.TableFields{{Table: "film", Fields: []search.Named{}}}
}

func (loadingEngine) Waiting() []string { return []string{"film: loading 41 %"} }

func (loadingEngine) Meters() *httpapi.Meters { return httpapi.NewMeters() }

func (loadingEngine) History(string, int, int64) (httpapi.History, error) {
	return httpapi.History{Runs: []httpapi.HistoryRun{}}, nil
}

func (loadingEngine) Quarantine(string, int, string) (httpapi.Quarantine, error) {
	return httpapi.Quarantine{Rows: []httpapi.QuarantinedRow{{Reason: "the key is NULL", Tries: 3, Document: "hidden"}}}, nil
}

func TestDashboardOfWhatWaits(t *testing.T) {
	t.Parallel()
	b := browse(t, serveFake(t, loadingEngine{}))
	b.sees("#ready", "not ready")
	b.sees("#state", "Nothing to search yet", "film: loading 41 %")
	b.views("operations")
	b.sees("[data-f=loading]", "41 %", "41,000 of 100,000 rows", "9,000 rows/s", "90 s left")
	if got := eval[float64](b, "document.querySelector('progress').position"); got != 0.41 {
		t.Errorf("progress bar: got %v, want 0.41", got)
	}
	b.sees("#problems", "990 removals of 1,000", "indexerd sweep film --allow 990")
	b.click("[data-list=quarantine] > summary")
	b.sees("[data-f=quarantined]", "1 row, 1 hidden")
	b.sees("[data-f=quarantine]", "(unusable)", "the key is NULL (last document hidden)")
}

// serveFake serves an engine's API and dashboard.
func serveFake(t *testing.T, e httpapi.Engine) (base string) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = httpapi.Handler(e, httpapi.Access{Listen: s.Listener.Addr().String()})
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// slowEngine answers every query at once but slow, which it answers never.
type slowEngine struct {
	loadingEngine
	asked, givenUp chan struct{}
	once, ended    *sync.Once
}

func (slowEngine) Status(ctx context.Context) httpapi.Status {
	s := loadingEngine{}.Status(ctx)
	s.Tables[0].Documents = 1
	return s
}

func (slowEngine) Described(search.Caller) []httpapi.TableFields { return readyFilm() }

func (slowEngine) Waiting() []string { return nil }

// readyFilm is a table that can be searched.
func readyFilm() []httpapi.TableFields {
	return []httpapi.TableFields{{Table: "film", Ready: true, Fields: []search.Named{{Name: "title", Words: true}}}}
}

func (e slowEngine) Search(ctx context.Context, _ string, p search.Params) (search.Results, error) {
	if p.Query == "slow" {
		e.once.Do(func() { close(e.asked) })
		<-ctx.Done()
		e.ended.Do(func() { close(e.givenUp) })
		return search.Results{}, ctx.Err()
	}
	return search.Results{
		Total: 1, Facets: map[string][]query.Count{}, Len: 1,
		Hit: func(context.Context, int) (search.Hit, error) {
			return search.Hit{OID: "found by " + p.Query, Highlights: map[string][]string{}}, nil
		},
		Next: func(int) *string { return nil },
	}, nil
}

// What is typed on ends the question before it, here and on the server.
func TestDashboardGivesUpOldQuestions(t *testing.T) {
	t.Parallel()
	e := slowEngine{asked: make(chan struct{}), givenUp: make(chan struct{}), once: new(sync.Once), ended: new(sync.Once)}
	b := browse(t, serveFake(t, e))
	b.sees("#hits", "found by")
	b.search("slow")
	<-e.asked
	b.press("er")
	b.sees("#hits", "found by slower")
	select {
	case <-e.givenUp:
	case <-time.After(soon):
		t.Error("the older question is still under way")
	}
}
