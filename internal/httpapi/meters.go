package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"indexerd/internal/doc"
)

// Meters are the metrics that are counted when something happens: searches and
// runs of passes. A daemon has one Meters for its lifetime.
type Meters struct {
	searches, passes            *prometheus.HistogramVec
	searchErrors, failed, moved *prometheus.CounterVec
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
	m.passes.WithLabelValues(table, pass, tier).Observe(took.Seconds())
	failed := m.failed.WithLabelValues(table, pass, tier) // creates the metric at 0
	if err != nil {
		failed.Inc()
	}
	for outcome, n := range map[string]int{
		"read": r.Read, "compared": r.Compared, "added": r.Added, "updated": r.Updated,
		"deleted": r.Deleted, "skipped": r.Skipped, "quarantined": r.Quarantined,
	} {
		m.moved.WithLabelValues(table, pass, tier, outcome).Add(float64(n))
	}
}

// search counts one search that ended with err. took is the time until its
// response started. A search whose client has gone is not counted. Unknown tables
// share the empty name, so that callers can't create any number of metrics.
func (m *Meters) search(table string, took time.Duration, err error) {
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
	of := prometheus.Labels{"table": table}
	m.searches.DeletePartialMatch(of)
	m.searchErrors.DeletePartialMatch(of)
	m.passes.DeletePartialMatch(of)
	m.failed.DeletePartialMatch(of)
	m.moved.DeletePartialMatch(of)
}
