package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"indexerd/internal/doc"
)

// metrics is the status, and what only metrics say, as Prometheus reads it: what
// is asked for is looked at when it is asked, so nothing is counted twice and
// nothing costs anything between two scrapes.
type metrics struct {
	status   func(context.Context) Status
	measures func() []TableMeasures
	limits   *Limits
}

// TableMeasures are figures of what is stored of a table that the status does
// not have. A table of which nothing is stored has none.
type TableMeasures struct {
	Table        string
	IndexBytes   uint64
	Pages        int   // documents as they were read
	PageVersions int   // of these pages, and older ones
	PageBytes    int64 // of the pages' files
	PageGarbage  int64 // of these, what a compaction would free
	PageMemory   int64
	Lateness     doc.Lateness
}

// scrapeWithin bounds the status behind one scrape.
const scrapeWithin = 5 * time.Second

// metricsHandler serves all figures. Those of the runtime and of the process
// have the names that the world knows, behind the prefix of all others.
func metricsHandler(e Engine, limits *Limits) http.Handler {
	handler := sync.OnceValue(func() http.Handler { // a command that asks in process is never scraped
		registry := prometheus.NewRegistry()
		registry.MustRegister(metrics{e.Status, e.Measures, limits})
		e.Meters().register(registry)
		prometheus.WrapRegistererWithPrefix("indexerd_", registry).MustRegister(
			collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

// A figure is one metric: its name without the prefix, what it says, and its
// labels.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc("indexerd_"+name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc("indexerd_"+name, help, labels, nil), prometheus.CounterValue}
}

var (
	figureBuild       = gauge("build_info", "1, for the labels: what was built, and with which Go", "version", "go_version")
	figureReady       = gauge("ready", "1 when every table is loaded")
	figureConnected   = gauge("source_connected", "1 while the database answers", "source")
	figurePinned      = gauge("source_pin_age_seconds", "age of the transaction that holds the horizon back, 0 when none does", "source")
	figureDocuments   = gauge("documents", "documents in the index", "table")
	figureFailing     = gauge("failing", "1 while a pass of the table fails", "table")
	figureLag         = gauge("lag_seconds", "time since the end of the last durable window", "table")
	figureSettled     = gauge("settled_timestamp_seconds", "the time to which the table is settled", "table", "mode")
	figureUnverified  = gauge("unverified", "1 until a full sweep has verified the table, and while a standby does not show what may have been committed", "table")
	figureHeld        = gauge("held_removals", "removals that wait for a person's word", "table")
	figureQuarantined = gauge("quarantined_rows", "rows that can't become documents", "table")
	figureOutOfRange  = gauge("out_of_range_rows", "rows whose updateTime is no plausible time, so that only the sweep finds their changes", "table")
	figureSkipped     = counter("skipped_documents_total", "unchanged documents that were not written", "table")
	figureEntries     = gauge("stamps", "stamps in the tree", "table")
	figureBytes       = gauge("stamps_bytes", "memory of the tree of stamps", "table")
	figureSpilled     = gauge("stamps_spilled_bytes", "stamps spilled to disk", "table")
	figureLoaded      = gauge("load_rows", "rows that the initial load has read", "table")
	figureToLoad      = gauge("load_expected_rows", "rows that the initial load expects", "table")
	figureIndex       = gauge("index_bytes", "size of the index on disk", "table")
	figurePages       = gauge("pages", "documents that are kept as they were read", "table")
	figureVersions    = gauge("page_versions", "versions of these documents, the newest included", "table")
	figurePageBytes   = gauge("pages_bytes", "size of the pages on disk", "table")
	figureGarbage     = gauge("pages_garbage_bytes", "what a compaction of the pages would free", "table")
	figurePageMemory  = gauge("pages_memory_bytes", "memory of the addresses of pages", "table")
	figureLateness    = gauge("lateness_seconds", "how late rows were first seen, of the runs in the history; the sum is up to a fifth too large", "table")
	figureLatest      = gauge("lateness_max_seconds", "how late the latest row was first seen, of the runs in the history", "table")
	figureTook        = gauge("pass_last_duration_seconds", "how long the last run of a pass took", "table", "pass", "tier")
	figureLast        = gauge("pass_last_timestamp_seconds", "when the last run of a pass began", "table", "pass", "tier")
	figurePassError   = gauge("pass_failed", "1 when the last run of a pass failed", "table", "pass", "tier")
)

// Describe implements prometheus.Collector: what there is depends on the
// configuration, so nothing is promised.
func (metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m metrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	s := m.status(ctx)
	send := func(f figure, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...)
	}
	send(figureBuild, 1, s.Version, runtime.Version())
	send(figureReady, truth(s.Ready))
	for _, source := range s.Sources {
		send(figureConnected, truth(source.Connected), source.Source)
		age := 0.0
		if source.PinnedBy != nil {
			age = source.PinnedBy.AgeS
		}
		send(figurePinned, age, source.Source)
		source.collectLoad(send)
	}
	m.limits.collect(send)
	for _, t := range s.Tables {
		t.collect(send)
	}
	for _, t := range m.measures() {
		t.collect(send)
		out <- t.lateness()
	}
}

func (t TableMeasures) collect(send func(figure, float64, ...string)) {
	send(figureIndex, float64(t.IndexBytes), t.Table)
	send(figurePages, float64(t.Pages), t.Table)
	send(figureVersions, float64(t.PageVersions), t.Table)
	send(figurePageBytes, float64(t.PageBytes), t.Table)
	send(figureGarbage, float64(t.PageGarbage), t.Table)
	send(figurePageMemory, float64(t.PageMemory), t.Table)
	send(figureLatest, t.Lateness.Max.Seconds(), t.Table)
}

// The histogram of lateness has bounds from the first to the last, each four
// times the one before; there the distribution is known exactly.
const firstBound, lastBound = 16 * time.Millisecond, 1 << 20 * 16 * time.Millisecond

// lateness is the distribution as a histogram.
func (t TableMeasures) lateness() prometheus.Metric {
	count, within := t.Lateness.Count(), map[float64]uint64{}
	for bound := firstBound; bound <= lastBound; bound *= 4 {
		within[bound.Seconds()] = uint64(count - t.Lateness.Beyond(bound))
	}
	return prometheus.MustNewConstHistogram(figureLateness.desc, uint64(count), t.Lateness.Sum().Seconds(), within, t.Table)
}

func (t TableStatus) collect(send func(figure, float64, ...string)) {
	send(figureDocuments, float64(t.Documents), t.Table)
	send(figureFailing, truth(t.State == "failing"), t.Table)
	if t.LagS != nil {
		send(figureLag, *t.LagS, t.Table)
	}
	if t.Settled.At != nil {
		send(figureSettled, seconds(*t.Settled.At), t.Table, t.Settled.Mode)
	}
	send(figureUnverified, truth(t.Settled.Unverified), t.Table)
	held := 0
	if t.Held != nil {
		held = t.Held.Removals
	}
	send(figureHeld, float64(held), t.Table)
	send(figureQuarantined, float64(t.Quarantined), t.Table)
	send(figureOutOfRange, float64(t.OutOfRange), t.Table)
	send(figureSkipped, float64(t.Skipped), t.Table)
	send(figureEntries, float64(t.Tree.Entries), t.Table)
	send(figureBytes, float64(t.Tree.Bytes), t.Table)
	send(figureSpilled, float64(t.Tree.SpilledBytes), t.Table)
	if t.Load != nil {
		send(figureLoaded, float64(t.Load.Done), t.Table)
		send(figureToLoad, float64(t.Load.Of), t.Table)
	}
	for _, p := range t.Passes {
		tier := ""
		if p.Tier != nil {
			tier = *p.Tier
		}
		if p.Last != nil {
			send(figureTook, p.TookMS/1000, t.Table, p.Pass, tier)
			send(figureLast, seconds(*p.Last), t.Table, p.Pass, tier)
		}
		send(figurePassError, truth(p.Error != nil), t.Table, p.Pass, tier)
	}
}

func seconds(t Time) float64 { return float64(time.Time(t).UnixMicro()) / 1e6 }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
