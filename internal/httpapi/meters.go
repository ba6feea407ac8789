package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"indexerd/internal/doc"
)

// Meters count what happens between two scrapes: searches and passes. One
// serves a daemon for as long as it lives, whatever runs behind the handlers.
type Meters struct {
	searches, passes            *prometheus.HistogramVec
	searchErrors, failed, moved *prometheus.CounterVec
}

// NewMeters returns meters that have counted nothing.
func NewMeters() *Meters {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "indexerd", Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "indexerd", Name: name, Help: help}, labels)
	}
	return &Meters{
		searches: histogram("search_duration_seconds", "how long searches took that were answered",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "table"),
		searchErrors: counter("search_errors_total", "searches that were refused or failed, by the code of the answer", "table", "code"),
		passes: histogram("pass_duration_seconds", "how long runs of passes took, those too that failed",
			[]float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 60, 300, 1800, 7200}, "table", "pass", "tier"),
		failed: counter("pass_failures_total", "runs of passes that failed", "table", "pass", "tier"),
		moved:  counter("pass_rows_total", "rows that passes read, compared, added, updated, deleted, skipped or set aside", "table", "pass", "tier", "outcome"),
	}
}

// Pass counts one run of a pass; err is how it ended.
func (m *Meters) Pass(table, pass, tier string, took time.Duration, r doc.Report, err error) {
	if errors.Is(err, context.Canceled) {
		return // ended with the daemon, or by a person
	}
	m.passes.WithLabelValues(table, pass, tier).Observe(took.Seconds())
	failed := m.failed.WithLabelValues(table, pass, tier) // 0 is a figure too
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

// search counts one search. A table that there is not has no figures of its own:
// callers could make up any number of them.
func (m *Meters) search(table string, took time.Duration, err error) {
	if err == nil || errors.Is(err, errUnread) {
		m.searches.WithLabelValues(table).Observe(took.Seconds())
		return
	}
	if errors.Is(err, context.Canceled) {
		return // who asked has gone: words are still being typed
	}
	code := classify(err).Code
	if code == "unknown_table" {
		table = ""
	}
	m.searchErrors.WithLabelValues(table, code).Inc()
}

// Drop forgets the figures of a table that is no longer configured.
func (m *Meters) Drop(table string) {
	of := prometheus.Labels{"table": table}
	m.searches.DeletePartialMatch(of)
	m.searchErrors.DeletePartialMatch(of)
	m.passes.DeletePartialMatch(of)
	m.failed.DeletePartialMatch(of)
	m.moved.DeletePartialMatch(of)
}

// register adds the figures to those of one handler.
func (m *Meters) register(r prometheus.Registerer) {
	r.MustRegister(m.searches, m.searchErrors, m.passes, m.failed, m.moved)
}
