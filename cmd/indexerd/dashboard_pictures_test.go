package main

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"indexerd/internal/serve/httpapi"
)

// A nightEngine is a daemon in the state of a status: one table loads, or several things fail.
type nightEngine struct {
	loadingEngine
	began  time.Time
	status func(now time.Time, since float64) httpapi.Status
}

func (e *nightEngine) Status(context.Context) httpapi.Status {
	now := time.Now().UTC()
	return e.status(now, now.Sub(e.began).Seconds())
}

func (*nightEngine) History(table string, _ int, _ int64) (httpapi.History, error) {
	h := httpapi.History{Table: table, Runs: []httpapi.HistoryRun{}}
	for i := range 60 {
		h.Runs = append(h.Runs, httpapi.HistoryRun{
			Run: strconv.Itoa(900 - i), Pass: "incremental", Started: httpapi.Time(time.Now().Add(-time.Duration(i) * 9 * time.Second)),
			TookMS: float64(20 + 37*i%90), Read: i % 7, Compared: 3 * i % 11, Added: i % 3, Updated: 5 * i % 8, LateMaxMS: float64(300 + 211*i%900),
		})
	}
	return h, nil
}

func ago(now time.Time, d time.Duration) *httpapi.Time { return httpapi.TimeOrNull(now.Add(-d)) }

// following is a table without trouble.
func following(now time.Time, name string, documents uint64, lag float64) httpapi.TableStatus {
	pass := func(name string, last, next time.Duration, took float64) httpapi.PassStatus {
		return httpapi.PassStatus{Pass: name, Last: ago(now, last), TookMS: took, Next: ago(now, -next)}
	}
	lag += .2 * lag * math.Sin(float64(now.UnixMilli())/2900+float64(len(name)))
	return httpapi.TableStatus{
		Table: name, Source: "shop", State: "following", Documents: documents, FollowedBy: "updated", LagS: &lag,
		Settled: httpapi.SettledStatus{At: ago(now, 2*time.Second), Mode: "exact"},
		Marks:   httpapi.Marks{Tiers: map[string]httpapi.Time{}, Sweep: ago(now, 20*time.Minute)},
		Passes: []httpapi.PassStatus{
			pass("incremental", time.Second/2, time.Second/2, 11), pass("compensate", 2*time.Second, time.Second, 48), pass("deletecheck", 20*time.Minute, 40*time.Minute, 31_000),
		},
		Storage:    &httpapi.StorageStatus{IndexBytes: documents * 740, PagesBytes: int64(documents) * 520, GarbageBytes: int64(documents) * 31},
		LatenessMS: &httpapi.LatenessStatus{Count: 812, P50: 410, P99: 1300, Max: 2200},
	}
}

func night(now time.Time, tables ...httpapi.TableStatus) httpapi.Status {
	return httpapi.Status{
		Version: "1.0.0", Running: true, PID: 42, Started: ago(now, 11*24*time.Hour), Now: httpapi.Time(now), Ready: true,
		Disk:    &httpapi.DiskStatus{FreeBytes: 61e9, SizeBytes: 240e9},
		Sources: []httpapi.SourceStatus{{Source: "shop", Driver: "postgres", Connected: true}}, Tables: tables,
	}
}

// During a load the page shows how far it is, and the table that loads comes first.
func TestDashboardDuringALoad(t *testing.T) {
	t.Parallel()
	e := &nightEngine{began: time.Now(), status: func(now time.Time, since float64) httpapi.Status {
		load := following(now, "order_line", 4_812_400+uint64(since*9000), 0)
		load.State, load.LagS, load.LatenessMS = "loading", nil, nil
		load.Settled, load.Marks.Sweep = httpapi.SettledStatus{}, nil
		load.Load = &httpapi.LoadStatus{Done: 4_812_400 + int64(since*9000), Of: 11_700_000, RowsPerS: 9_000, ETAS: 765 - since}
		load.Passes = []httpapi.PassStatus{}
		s := night(now, following(now, "customer", 218_455, .4), following(now, "product", 36_120, .3), load)
		s.Ready = false
		return s
	}}
	b := browse(t, serveFake(t, e))
	b.scheme("light")
	b.opens("/?view=operations&table=product")
	b.sees("#ready", "not ready")
	b.sees("#sentence", "Nothing is wrong, and something is under way")
	b.sees("#problems", "order_line: is being loaded.")
	b.ordered("order_line", "customer", "product")
	b.sees("[data-f=loading]", "41 %", "of 11,700,000 rows", "9,000 rows/s", "13 min left")
	b.sees(".panel[open] h3", "product")
	b.takes("dashboard-load.png")
}

// With failures the page says first what is wrong and what to do, and the worst tables come first.
func TestDashboardOfFailures(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	e := &nightEngine{began: time.Now(), status: func(now time.Time, since float64) httpapi.Status {
		failing := following(now, "invoice", 912_004, 190+since)
		failing.Source, failing.State = "billing", "failing"
		failing.LastError = &httpapi.LastError{At: *ago(now, 3*time.Second), Pass: "incremental", What: "dial tcp 10.0.0.8:5432: connection refused"}
		failing.Passes[0].Error = &failing.LastError.What
		held := following(now, "customer", 218_455, .4)
		held.Held = &httpapi.Held{Removals: 40_112, Of: 218_455, Since: *ago(now, 9*time.Minute), Do: "indexerd sweep customer --allow 40112 -c /etc/indexerd/indexerd.yaml"}
		quarantined := following(now, "order_line", 11_702_331, .5)
		quarantined.Quarantined, quarantined.Partial = 3, 12
		s := night(now, following(now, "product", 36_120, .3), quarantined, held, failing)
		s.Sources = append(s.Sources, httpapi.SourceStatus{Source: "billing", Driver: "postgres", Error: text("10.0.0.8:5432 refuses the connection")})
		return s
	}}
	b := browse(t, serveFake(t, e))
	b.scheme("light")
	b.opens("/?view=operations")
	b.sees("#sentence", "4 things need attention")
	b.ordered("customer", "invoice", "order_line", "product")
	b.sees("#problems", "billing does not answer: 10.0.0.8:5432 refuses the connection.", "Start the database", "invoice: incremental fails", "It follows from the database",
		"customer: 40,112 removals of 218,455 documents are held", "indexerd sweep customer --allow 40112 -c /etc/indexerd/indexerd.yaml", "order_line: 3 rows are in quarantine")
	b.takes("dashboard-failure.png")
}

// ordered waits until the tables are in this order.
func (b tab) ordered(names ...string) {
	b.Helper()
	eventually(b, soon, "the order of the tables", func() error {
		if got := eval[string](b, "[...document.querySelectorAll('.panel h3')].map(e => e.innerText).join(' ')"); got != strings.Join(names, " ") {
			return errors.New(got)
		}
		return nil
	})
}

// takes takes a picture of the operations, when -update is given and the charts have a line.
func (b tab) takes(name string) {
	b.Helper()
	if !*retake {
		return
	}
	b.do(chromedp.EmulateViewport(1200, 900))
	<-time.After(30 * time.Second) // of polls
	b.picture(name)
}
