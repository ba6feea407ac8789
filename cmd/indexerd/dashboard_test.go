package main

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// The tests of this file use the dashboard as a person does: a real Chromium
// that types and clicks, on the real binary.

var retake = flag.Bool("update", false, "retake the screenshots of docs/images, and write the files in packaging that are generated from the command line")

func TestDashboard(t *testing.T) {
	t.Parallel()
	dsn, file := pagila(t)
	pgtest.Exec(t, dsn, `UPDATE film SET title = '<img src=x onerror="document.title=1"> hostile' WHERE film_id = 9`)
	p := follow(t, file)
	b := browse(t, p.base)
	b.sees("#ready", "ready")

	t.Run("search marks what was found", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama shark")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"drama", "shark"})))
		b.sees("#hits mark", "Drama", "Shark")
	})
	t.Run("a word that is not typed to its end", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama astrona")
		b.sees("#hits mark", "Drama", "Astronaut")
		b.search("description:astrona")
		b.sees("#hits mark", "Astronaut")
	})
	t.Run("Enter ends the word", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("dog")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"dog\\w*"})))
		b.press("\r")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"dog"})))
	})
	t.Run("the same answer again folds no hit", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.finds("drama", "Drama")
		enter := "document.querySelector('#found').textContent = ''; document.querySelector('#q').form.requestSubmit()"
		eval[any](b, enter)
		b.sees("#found", "found")
		b.click("#hits .key")
		b.sees("#hits li.open", "explain")
		eval[any](b, enter)
		b.sees("#found", "found")
		b.sees("#hits li.open", "explain")
	})
	t.Run("what is no query is text, with a note", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("rting:PG")
		b.sees("#found:not(.wrong)", "0 found", "read as text: rting: did you mean rating?")
		for _, text := range []string{`drama "mad sci`, `(drama mad scient`, "mad drama OR"} {
			b.finds(text, "Drama", "Mad")
		}
	})
	t.Run("a slip of the fingers", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama astronuat")
		b.sees("#found", "similar ones are found")
		b.sees("#hits mark", "Drama", "Astronaut")
		b.finds("atsronaut drama", "Drama", "Astronaut")
		eval[any](b, "document.querySelector('#found').textContent = ''")
		b.press("\r")
		b.sees("#found", "similar ones are found")
	})
	t.Run("arrows and Enter", func(t *testing.T) { arrows(tab{t, b.ctx}) })
	t.Run("facets filter", func(t *testing.T) { filter(tab{t, b.ctx}) })
	t.Run("more goes on where the list ends", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.finds("drama", "Drama")
		b.click("#more")
		eventually(t, soon, "twenty different hits", func() error {
			if got := eval[int](b, "new Set([...document.querySelectorAll('#hits .key')].map(e => e.innerText)).size"); got != 20 {
				return fmt.Errorf("%d hits", got)
			}
			return nil
		})
	})
	t.Run("content of a row is text", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("hostile")
		b.sees("#hits li", "<img src=x onerror=")
		b.sees("#hits mark", "hostile")
		if n, title := eval[int](b, "document.images.length"), eval[string](b, "document.title"); n != 0 || title != "indexerd" {
			t.Errorf("got %d images and the title %q, want 0 and indexerd", n, title)
		}
	})
	t.Run("run a pass", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.click("[data-run=deletecheck]")
		b.sees("output", "deletecheck: done: 1,000 compared")
		b.click("[data-run=verify]")
		b.sees("output", "verify: equal: 1,000 compared")
	})
	t.Run("dark", func(t *testing.T) { dark(tab{t, b.ctx}) })
	t.Run("a phone", func(t *testing.T) { narrow(tab{t, b.ctx}) })
	t.Run("the database is gone", func(t *testing.T) { gone(tab{t, b.ctx}, dsn) })
	t.Run("indexerd is gone", func(t *testing.T) {
		p.kill()
		tab{t, b.ctx}.sees("#alarms", "indexerd does not answer")
	})
}

// arrows goes down to the second hit and up again, and opens the first.
func arrows(b tab) {
	b.finds("drama", "Drama")
	at := func() int {
		return eval[int](b, "[...document.querySelectorAll('#hits .key')].indexOf(document.activeElement)")
	}
	for i, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowUp} {
		b.press(key)
		if got, want := at(), []int{0, 1, 0}[i]; got != want {
			b.Errorf("after %d arrows: got hit %d, want %d", i+1, got, want)
		}
	}
	b.press(kb.Enter)
	b.sees("#hits li.open", "explain", "actors", "drama in description")
	b.press(kb.ArrowUp)
	if got := eval[string](b, "document.activeElement.id"); got != "q" {
		b.Errorf("above the first hit: got %q, want the box", got)
	}
}

// filter chooses a value, and finds as many documents as its facet counted.
func filter(b tab) {
	b.finds("drama", "Drama")
	b.sees("#facets", "rating", "PG-13", "categories")
	all, _, _ := strings.Cut(eval[string](b, "document.querySelector('#found').innerText"), ",")
	const button = `[data-facet="rating:PG-13"]`
	counted := eval[string](b, fmt.Sprintf("document.querySelector('%s .count').innerText", button))
	b.click(button)
	b.sees("#found", counted+" found")
	b.sees("#facets [aria-pressed=true]", "PG-13")
	b.click(button)
	b.sees("#found", all)
}

func dark(b tab) {
	lightness := func() int {
		return eval[int](b, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])`)
	}
	b.scheme("dark")
	if got := lightness(); got > 60 {
		b.Errorf("dark: the background's red is %d, want at most 60", got)
	}
	b.scheme("light")
	if got := lightness(); got < 200 {
		b.Errorf("light: the background's red is %d, want at least 200", got)
	}
}

// narrow opens all there is to open on a screen of 360 pixels.
func narrow(b tab) {
	b.do(chromedp.EmulateViewport(360, 740))
	defer b.do(chromedp.EmulateViewport(1360, 1000))
	b.finds("drama", "Drama")
	eval[any](b, "document.querySelectorAll('details').forEach(d => { d.open = true })")
	eval[any](b, "document.querySelectorAll('#hits .key').forEach(k => k.click())")
	b.sees("[data-f=history]", "deletecheck")
	if got := eval[int](b, "document.documentElement.scrollWidth"); got > 360 {
		b.Errorf("the page is %d pixels wide, want at most 360", got)
	}
}

// gone takes the database away: that shows, and what is indexed is still found.
func gone(b tab, dsn string) {
	name := pgtest.Value[string](b, dsn, "SELECT current_database()")
	admin := os.Getenv("INDEXERD_TEST_PG")
	pgtest.Exec(b, admin, fmt.Sprintf("ALTER DATABASE %q ALLOW_CONNECTIONS false", name))
	pgtest.Exec(b, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	b.sees("#alarms", "pagila does not answer", "can still be searched")
	b.sees("[data-f=state]", "failing")
	b.sees("[data-f=error]", "Last error")
	b.search("shark drama")
	b.sees("#hits mark", "Drama", "Shark")
	before := eval[string](b, "document.querySelector('[data-f=lag]').innerText")
	eventually(b, soon, "the lag grows", func() error {
		if got := eval[string](b, "document.querySelector('[data-f=lag]').innerText"); got == before {
			return fmt.Errorf("it is %s", got)
		}
		return nil
	})
}

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
	b.sees("[data-f=loading]", "41 %", "41,000 of 100,000 rows", "9,000 rows/s", "90 s to go")
	if got := eval[float64](b, "document.querySelector('progress').position"); got != 0.41 {
		t.Errorf("progress bar: got %v, want 0.41", got)
	}
	b.sees("[data-f=held]", "990 removals of 1,000", "indexerd sweep film --allow 990")
	b.click("[data-list=quarantine] > summary")
	b.sees("[data-f=quarantined]", "1 rows, 1 hidden")
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
}

func (slowEngine) Status(ctx context.Context) httpapi.Status {
	s := loadingEngine{}.Status(ctx)
	s.Tables[0].Documents = 1
	return s
}

func (e slowEngine) Search(ctx context.Context, _ string, p search.Params) (search.Results, error) {
	if p.Query == "slow" {
		close(e.asked)
		<-ctx.Done()
		close(e.givenUp)
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
	e := slowEngine{asked: make(chan struct{}), givenUp: make(chan struct{})}
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

// TestDashboardOfDemo looks at what `indexerd demo` shows a newcomer. With
// -update it takes the pictures of docs/images.
func TestDashboardOfDemo(t *testing.T) {
	t.Parallel()
	p := start(t, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir(), "--rows", "5000")
	p.ready(t)
	b := browse(t, p.base)
	b.sees("#facets", "customs-hold")
	b.search("冷冻虾仁")
	b.sees("#hits mark", "冷冻虾仁")
	eventually(t, soon, "charts of the lag and of the passes", func() error {
		if got := eval[int](b, "document.querySelectorAll('figure:not(.empty) path[d]').length"); got != 4 {
			return fmt.Errorf("%d charts", got)
		}
		return nil
	})
	if *retake {
		b.pictures()
	}
}

func (b tab) pictures() {
	b.search("frozen shrimp customs")
	b.sees("#hits mark", "shrimp")
	b.click("[data-run=verify]")
	b.sees("output", "verify: equal")
	<-time.After(time.Minute) // of polls, for the charts
	b.do(chromedp.EmulateViewport(1200, 780))
	b.picture("dashboard-light.png")
	b.scheme("dark")
	b.picture("dashboard-dark.png")
	b.scheme("light")
	b.do(chromedp.EmulateViewport(360, 740))
	b.picture("dashboard-phone.png")
}
