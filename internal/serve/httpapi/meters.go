package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"indexerd/internal/base/doc"
)

// Meters are the metrics that are counted when something happens: searches and
// runs of passes. A daemon has one Meters for its lifetime.
type Meters struct {
	searches, passes            *prometheus.HistogramVec
	searchErrors, failed, moved *prometheus.CounterVec

	known sync.Map // of passName to *passMeters: most runs find nothing to do, and cost no search for their metrics
}

type passName struct{ table, pass, tier string }

// passMeters are the metrics of one pass.
type passMeters struct {
	took   prometheus.Observer
	failed prometheus.Counter
	moved  [len(outcomes)]prometheus.Counter
}

// outcomes are the values of the label outcome, in the order of counts.
var outcomes = [...]string{"read", "compared", "added", "updated", "deleted", "skipped", "quarantined"}

func counts(r doc.Report) [len(outcomes)]int {
	return [...]int{r.Read, r.Compared, r.Added, r.Updated, r.Deleted, r.Skipped, r.Quarantined}
}

// NewMeters returns Meters at zero.
func NewMeters() *Meters {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "indexerd", Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "indexerd", Name: name, Help: help}, labels)
	}
	return &Meters{
		searches: histogram("search_duration_seconds", "time until the response of a successful search starts",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "table"),
		searchErrors: counter("search_errors_total", "rejected and failed searches by error code", "table", "code"),
		passes: histogram("pass_duration_seconds", "duration of runs of passes, failed ones included",
			[]float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 60, 300, 1800, 7200}, "table", "pass", "tier"),
		failed: counter("pass_failures_total", "failed runs of passes", "table", "pass", "tier"),
		moved:  counter("pass_rows_total", "rows that passes read, compared, added, updated, deleted, skipped or quarantined", "table", "pass", "tier", "outcome"),
	}
}

// Pass counts one run of a pass that ended with err. A cancelled run is not
// counted.
func (m *Meters) Pass(table, pass, tier string, took time.Duration, r doc.Report, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	of := m.of(passName{table, pass, tier})
	of.took.Observe(took.Seconds())
	if err != nil {
		of.failed.Inc()
	}
	for i, n := range counts(r) {
		if n > 0 {
			of.moved[i].Add(float64(n))
		}
	}
}

// of returns the metrics of a pass, and creates them at 0.
func (m *Meters) of(p passName) *passMeters {
	if known, ok := m.known.Load(p); ok {
		return known.(*passMeters)
	}
	of := &passMeters{took: m.passes.WithLabelValues(p.table, p.pass, p.tier), failed: m.failed.WithLabelValues(p.table, p.pass, p.tier)}
	for i, outcome := range outcomes {
		of.moved[i] = m.moved.WithLabelValues(p.table, p.pass, p.tier, outcome)
	}
	m.known.Store(p, of)
	return of
}

// Search counts one search that ended with err. took is the time until its
// response started. A search whose client has gone is not counted. Unknown tables
// share the empty name, so that callers can't create any number of metrics.
func (m *Meters) Search(table string, took time.Duration, err error) {
	if err == nil || errors.Is(err, errUnread) {
		m.searches.WithLabelValues(table).Observe(took.Seconds())
		return
	}
	if errors.Is(err, context.Canceled) {
		return // the dashboard cancels a search when the user types on
	}
	code := classify(err).Code
	if code == "unknown_table" {
		table = ""
	}
	m.searchErrors.WithLabelValues(table, code).Inc()
}

// Drop deletes the metrics of a table.
func (m *Meters) Drop(table string) {
	m.known.Range(func(p, _ any) bool {
		if p.(passName).table == table {
			m.known.Delete(p)
		}
		return true
	})
	of := prometheus.Labels{"table": table}
	m.searches.DeletePartialMatch(of)
	m.searchErrors.DeletePartialMatch(of)
	m.passes.DeletePartialMatch(of)
	m.failed.DeletePartialMatch(of)
	m.moved.DeletePartialMatch(of)
}
