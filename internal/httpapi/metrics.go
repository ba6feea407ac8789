package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is the status as Prometheus reads it: what is asked for is looked at
// when it is asked, so nothing is counted twice and nothing costs anything
// between two scrapes.
type metrics struct {
	status func(context.Context) Status
}

// scrapeWithin bounds the status behind one scrape.
const scrapeWithin = 5 * time.Second

func metricsHandler(status func(context.Context) Status) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics{status})
	prometheus.WrapRegistererWithPrefix("indexerd_", registry).MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
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
	figureReady       = gauge("ready", "1 when every table is loaded")
	figureConnected   = gauge("source_connected", "1 while the database answers", "source")
	figurePinned      = gauge("source_pin_age_seconds", "age of the transaction that holds the horizon back, 0 when none does", "source")
	figureDocuments   = gauge("documents", "documents in the index", "table")
	figureFailing     = gauge("failing", "1 while a pass of the table fails", "table")
	figureLag         = gauge("lag_seconds", "time since the end of the last durable window", "table")
	figureSettled     = gauge("settled_timestamp_seconds", "the time to which the table is settled", "table", "mode")
	figureUnverified  = gauge("unverified", "1 until a full sweep has verified the table", "table")
	figureHeld        = gauge("held_removals", "removals that wait for a person's word", "table")
	figureQuarantined = gauge("quarantined_rows", "rows that can't become documents", "table")
	figureSkipped     = counter("skipped_documents_total", "unchanged documents that were not written", "table")
	figureEntries     = gauge("stamps", "stamps in the tree", "table")
	figureBytes       = gauge("stamps_bytes", "memory of the tree of stamps", "table")
	figureSpilled     = gauge("stamps_spilled_bytes", "stamps spilled to disk", "table")
	figureLoaded      = gauge("load_rows", "rows that the initial load has read", "table")
	figureToLoad      = gauge("load_expected_rows", "rows that the initial load expects", "table")
	figureLateness    = gauge("lateness_seconds", "how late rows were first seen, by quantile", "table", "quantile")
	figureLateCount   = counter("lateness_rows_total", "rows that the lateness speaks of", "table")
	figureTook        = gauge("pass_duration_seconds", "how long the last run of a pass took", "table", "pass", "tier")
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
	for _, t := range s.Tables {
		t.collect(send)
	}
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
	send(figureSkipped, float64(t.Skipped), t.Table)
	send(figureEntries, float64(t.Tree.Entries), t.Table)
	send(figureBytes, float64(t.Tree.Bytes), t.Table)
	send(figureSpilled, float64(t.Tree.SpilledBytes), t.Table)
	if t.Load != nil {
		send(figureLoaded, float64(t.Load.Done), t.Table)
		send(figureToLoad, float64(t.Load.Of), t.Table)
	}
	if l := t.LatenessMS; l != nil {
		send(figureLateness, l.P50/1000, t.Table, "0.5")
		send(figureLateness, l.P99/1000, t.Table, "0.99")
		send(figureLateness, l.Max/1000, t.Table, "1")
		send(figureLateCount, float64(l.Count), t.Table)
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
