package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/clients"
)

// scrapeWithin bounds the status of one scrape.
const scrapeWithin = 5 * time.Second

// TableMetrics are the metrics of a table that are not in its status. A table
// without stored data has none.
type TableMetrics struct {
	Table        string
	IndexBytes   uint64
	Pages        int
	PageVersions int    // pages and their older versions
	PageBytes    int64  // on disk
	PageGarbage  int64  // on disk, until a compaction
	PageMemory   int64  // bytes
	PagesAsked   uint64 // of the filter before pages on other machines
	PagesSaved   uint64 // look-ups that the filter made unnecessary
	Scrubbed     time.Time
	Damaged      uint64 // files that were found damaged since the start
	Lateness     doc.Lateness
}

// SourceLoad are the metrics of a source that are not in its status.
type SourceLoad struct {
	Statements uint64
	BusyS      float64
	Slow       bool
	Quiet      bool
}

// metricsHandler serves /metrics. The metrics of the Go runtime and of the
// process have their usual names with the prefix indexerd_.
func metricsHandler(e Engine, limits *Limits) http.Handler {
	handler := sync.OnceValue(func() http.Handler { // not needed for calls in process
		m := e.Meters()
		registry := prometheus.NewRegistry()
		registry.MustRegister(collector{e, limits}, m.searches, m.searchErrors, m.passes, m.failed, m.moved)
		prometheus.WrapRegistererWithPrefix("indexerd_", registry).MustRegister(
			collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

// A metric is a number of a T with its name and help.
type metric[T any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(T) float64
}

// newMetric returns a metric. It is a counter if its name ends in _total, and a
// gauge otherwise.
func newMetric[T any](labels []string, name, help string, value func(T) float64) metric[T] {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	return metric[T]{prometheus.NewDesc("indexerd_"+name, help, labels, nil), kind, value}
}

// send sends the metrics of v.
func send[T any](out chan<- prometheus.Metric, metrics []metric[T], v T, labels ...string) {
	for _, m := range metrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(v), labels...)
	}
}

// The labels of metrics.
var (
	noLabels     []string
	sourceLabels = []string{"source"}
	tableLabels  = []string{"table"}
	passLabels   = []string{"table", "pass", "tier"}
)

var buildMetrics = []metric[Status]{
	newMetric([]string{"version", "go_version"}, "build_info", "always 1; the labels are the version and the Go version", func(Status) float64 { return 1 }),
}

var statusMetrics = []metric[Status]{
	newMetric(noLabels, "ready", "1 when every table is loaded", func(s Status) float64 { return oneIf(s.Ready) }),
}

var leaderMetrics = []metric[LeaderStatus]{
	newMetric(noLabels, "leader", "1 while this daemon leads, 0 while it stands by; of daemons that share marks", func(l LeaderStatus) float64 { return oneIf(l.This) }),
	newMetric(noLabels, "leader_term", "number of elections so far, 0 while no daemon leads", func(l LeaderStatus) float64 { return float64(l.Term) }),
	newMetric(noLabels, "standbys", "daemons that can take over from the leader", func(l LeaderStatus) float64 { return float64(l.ready()) }),
	newMetric(noLabels, "takeovers_total", "terms that this daemon has begun", func(l LeaderStatus) float64 { return float64(l.Takeovers) }),
}

var limitMetrics = []metric[*Limits]{
	newMetric(noLabels, "http_wrong_tokens_total", "requests with an unknown token", func(l *Limits) float64 { return float64(l.failures.Count()) }),
	newMetric(noLabels, "http_answers_cut_total", "responses aborted because their client did not read them while other searches waited", func(l *Limits) float64 { return float64(l.searches.aborted.Load()) }),
}

var listenerMetrics = []metric[clients.Stats]{
	newMetric(noLabels, "http_connections", "open connections", func(s clients.Stats) float64 { return float64(s.Open) }),
	newMetric(noLabels, "http_connections_limit", "maximum of open connections", func(s clients.Stats) float64 { return float64(s.Total) }),
	newMetric(noLabels, "http_connections_refused_total", "connections rejected at the limit of their client or of the server", func(s clients.Stats) float64 { return float64(s.Rejected) }),
	newMetric(noLabels, "http_connections_evicted_total", "connections closed for a client with fewer", func(s clients.Stats) float64 { return float64(s.Evicted) }),
}

var sourceMetrics = []metric[SourceStatus]{
	newMetric(sourceLabels, "source_connected", "1 while the database answers", func(s SourceStatus) float64 { return oneIf(s.Connected) }),
	newMetric(sourceLabels, "source_pin_age_seconds", "age of the transaction that holds the horizon back, 0 for none", func(s SourceStatus) float64 {
		if s.PinnedBy == nil {
			return 0
		}
		return s.PinnedBy.AgeS
	}),
	newMetric(sourceLabels, "source_statements_total", "statements sent to the database", func(s SourceStatus) float64 { return float64(s.Load.Statements) }),
	newMetric(sourceLabels, "source_statement_seconds_total", "duration of all statements", func(s SourceStatus) float64 { return s.Load.BusyS }),
	newMetric(sourceLabels, "source_slow", "1 while the database is slow and gets fewer statements: see limits.slow", func(s SourceStatus) float64 { return oneIf(s.Load.Slow) }),
	newMetric(sourceLabels, "source_quiet", "1 in quiet hours, when loads and sweeps wait: see limits.quiet", func(s SourceStatus) float64 { return oneIf(s.Load.Quiet) }),
}

var tableMetrics = []metric[TableStatus]{
	newMetric(tableLabels, "documents", "documents in the index", func(t TableStatus) float64 { return float64(t.Documents) }),
	newMetric(tableLabels, "failing", "1 while a pass of the table fails", func(t TableStatus) float64 { return oneIf(t.State == "failing") }),
	newMetric(tableLabels, "unverified", "1 until a full sweep has verified the table, and while a standby hides what may have been committed", func(t TableStatus) float64 { return oneIf(t.Settled.Unverified) }),
	newMetric(tableLabels, "held_removals", "removals that the guard holds until a user allows them", func(t TableStatus) float64 {
		if t.Held == nil {
			return 0
		}
		return float64(t.Held.Removals)
	}),
	newMetric(tableLabels, "partial_rows", "documents that lack values of their rows", func(t TableStatus) float64 { return float64(t.Partial) }),
	newMetric(tableLabels, "quarantined_rows", "rows that can't become documents", func(t TableStatus) float64 { return float64(t.Quarantined) }),
	newMetric(tableLabels, "out_of_range_rows", "rows with an implausible updateTime, whose changes only the sweep finds", func(t TableStatus) float64 { return float64(t.OutOfRange) }),
	newMetric(tableLabels, "silent_changes_total", "rows that a comparison found changed without a moved updateTime", func(t TableStatus) float64 { return float64(t.Silent) }),
	newMetric(tableLabels, "skipped_documents_total", "unchanged documents that were not written", func(t TableStatus) float64 { return float64(t.Skipped) }),
	newMetric(tableLabels, "stamps", "stamps in the tree", func(t TableStatus) float64 { return float64(t.Tree.Entries) }),
	newMetric(tableLabels, "stamps_bytes", "memory of the tree of stamps", func(t TableStatus) float64 { return float64(t.Tree.Bytes) }),
	newMetric(tableLabels, "stamps_spilled_bytes", "stamps spilled to disk", func(t TableStatus) float64 { return float64(t.Tree.SpilledBytes) }),
}

var openingMetrics = []metric[TableStatus]{
	newMetric(tableLabels, "opening", "1 while a table is being opened; its other figures are not known then", func(t TableStatus) float64 { return oneIf(t.Opening != nil) }),
}

var lagMetrics = []metric[*float64]{
	newMetric(tableLabels, "lag_seconds", "time since the end of the last durable window", func(s *float64) float64 { return *s }),
}

var settledMetrics = []metric[*Time]{
	newMetric([]string{"table", "mode"}, "settled_timestamp_seconds", "the time to which the table is settled", func(t *Time) float64 { return seconds(*t) }),
}

var loadMetrics = []metric[*LoadStatus]{
	newMetric(tableLabels, "load_rows", "rows that the initial load has read", func(l *LoadStatus) float64 { return float64(l.Done) }),
	newMetric(tableLabels, "load_expected_rows", "rows that the initial load expects", func(l *LoadStatus) float64 { return float64(l.Of) }),
}

var passMetrics = []metric[PassStatus]{
	newMetric(passLabels, "pass_failed", "1 when the last run of a pass failed", func(p PassStatus) float64 { return oneIf(p.Error != nil) }),
}

var lastRunMetrics = []metric[PassStatus]{
	newMetric(passLabels, "pass_last_duration_seconds", "duration of the last run of a pass", func(p PassStatus) float64 { return p.TookMS / 1000 }),
	newMetric(passLabels, "pass_last_timestamp_seconds", "start of the last run of a pass", func(p PassStatus) float64 { return seconds(*p.Last) }),
}

var storageMetrics = []metric[TableMetrics]{
	newMetric(tableLabels, "index_bytes", "size of the index on disk", func(t TableMetrics) float64 { return float64(t.IndexBytes) }),
	newMetric(tableLabels, "pages", "stored pages", func(t TableMetrics) float64 { return float64(t.Pages) }),
	newMetric(tableLabels, "page_versions", "versions of stored pages, the newest included", func(t TableMetrics) float64 { return float64(t.PageVersions) }),
	newMetric(tableLabels, "pages_bytes", "size of the pages on disk", func(t TableMetrics) float64 { return float64(t.PageBytes) }),
	newMetric(tableLabels, "pages_garbage_bytes", "bytes that a compaction of the pages would free", func(t TableMetrics) float64 { return float64(t.PageGarbage) }),
	newMetric(tableLabels, "pages_memory_bytes", "memory of the page directory", func(t TableMetrics) float64 { return float64(t.PageMemory) }),
	newMetric(tableLabels, "pages_filter_keys_total", "keys that the filter before pages on other machines was asked for", func(t TableMetrics) float64 { return float64(t.PagesAsked) }),
	newMetric(tableLabels, "pages_filter_excluded_total", "keys that this filter excluded, each a read less", func(t TableMetrics) float64 { return float64(t.PagesSaved) }),
	newMetric(tableLabels, "scrub_last_timestamp_seconds", "when the checksums of all files were read last, or the table was loaded, 0 for never", func(t TableMetrics) float64 {
		if t.Scrubbed.IsZero() {
			return 0
		}
		return float64(t.Scrubbed.UnixMilli()) / 1000
	}),
	newMetric(tableLabels, "damaged_files_total", "files that were found damaged since the start", func(t TableMetrics) float64 { return float64(t.Damaged) }),
	newMetric(tableLabels, "lateness_max_seconds", "how late the latest row was first found, over the runs in the history", func(t TableMetrics) float64 { return t.Lateness.Max.Seconds() }),
}

// A collector reads status and measures at each scrape.
type collector struct {
	engine Engine
	limits *Limits
}

// Describe implements prometheus.Collector. The metrics depend on the
// configuration, so none is described.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	s := c.engine.Status(ctx)
	send(out, buildMetrics, s, s.Version, runtime.Version())
	send(out, statusMetrics, s)
	if s.Leader != nil {
		send(out, leaderMetrics, *s.Leader)
	}
	send(out, limitMetrics, c.limits)
	if l := c.limits.listener; l != nil {
		send(out, listenerMetrics, l.Stats())
	}
	for _, source := range s.Sources {
		send(out, sourceMetrics, source, source.Source)
	}
	for _, t := range s.Tables {
		t.collect(out)
	}
	for _, t := range c.engine.TableMetrics() {
		send(out, storageMetrics, t, t.Table)
		out <- t.lateness()
	}
}

func (t TableStatus) collect(out chan<- prometheus.Metric) {
	send(out, openingMetrics, t, t.Table)
	if t.Opening != nil {
		return
	}
	send(out, tableMetrics, t, t.Table)
	if t.LagS != nil {
		send(out, lagMetrics, t.LagS, t.Table)
	}
	if t.Settled.At != nil {
		send(out, settledMetrics, t.Settled.At, t.Table, t.Settled.Mode)
	}
	if t.Load != nil {
		send(out, loadMetrics, t.Load, t.Table)
	}
	for _, p := range t.Passes {
		tier := ""
		if p.Tier != nil {
			tier = *p.Tier
		}
		send(out, passMetrics, p, t.Table, p.Pass, tier)
		if p.Last != nil {
			send(out, lastRunMetrics, p, t.Table, p.Pass, tier)
		}
	}
}

var lateness = prometheus.NewDesc("indexerd_lateness_seconds", "how late rows were first found, over the runs in the history; the sum is up to a fifth too large", tableLabels, nil)

// The bounds of the histogram of lateness. Each bound is four times the one
// before. doc.Lateness counts exactly at these.
const firstBound, lastBound = 16 * time.Millisecond, 1 << 20 * 16 * time.Millisecond

// lateness returns the distribution as a histogram.
func (t TableMetrics) lateness() prometheus.Metric {
	count, within := t.Lateness.Count(), map[float64]uint64{}
	for bound := firstBound; bound <= lastBound; bound *= 4 {
		within[bound.Seconds()] = uint64(count - t.Lateness.Beyond(bound))
	}
	return prometheus.MustNewConstHistogram(lateness, uint64(count), t.Lateness.Sum().Seconds(), within, t.Table)
}

func seconds(t Time) float64 { return float64(time.Time(t).UnixMicro()) / 1e6 }

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
