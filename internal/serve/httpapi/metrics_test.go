package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/clients"
)

// A measuredEngine has one table, with all metrics.
type measuredEngine struct{ fakeEngine }

func (*measuredEngine) Status(context.Context) Status {
	at, lag, tier, failure := Time(time.Unix(1_700_000_000, 500_000_000)), 0.4, "1m", "down"
	return Status{
		Ready:   true,
		Leader:  &LeaderStatus{This: true, Term: 5, Takeovers: 2, Standbys: []DaemonStatus{{}, {Unfit: &failure}, {Unreached: &failure}}},
		Sources: []SourceStatus{{Source: "pagila", Connected: true, PinnedBy: &Pin{AgeS: 9.5}}},
		Tables: []TableStatus{{
			Table: "film", State: "failing", Documents: 1000, LagS: &lag, Settled: SettledStatus{At: &at, Mode: "exact", Unverified: true},
			Held: &Held{Removals: 990}, Quarantined: 3, OutOfRange: 2, Skipped: 12, Tree: TreeStatus{Entries: 7, Bytes: 168, SpilledBytes: 24},
			Load: &LoadStatus{Done: 5, Of: 10}, LatenessMS: &LatenessStatus{Count: 8, P50: 900, P99: 6100, Max: 6200},
			Passes: []PassStatus{{Pass: "compensate", Tier: &tier, Last: &at, TookMS: 4, Error: &failure}},
		}},
	}
}

func (*measuredEngine) TableMetrics() []TableMetrics {
	m := TableMetrics{Table: "film", IndexBytes: 750, Pages: 1000, PageVersions: 2000, PageBytes: 400, PageGarbage: 40, PageMemory: 11, Scrubbed: time.Unix(1763700000, 0), Damaged: 2}
	for _, late := range []time.Duration{900 * time.Millisecond, 900 * time.Millisecond, 6 * time.Second} {
		m.Lateness.Note(late)
	}
	return []TableMetrics{m}
}

// scrape returns the metrics of a measuredEngine after some passes and searches.
func scrape(t *testing.T) string {
	t.Helper()
	e := &measuredEngine{}
	report := doc.Report{Read: 7, Compared: 6, Added: 5, Updated: 4, Deleted: 3, Skipped: 2, Quarantined: 1}
	e.Meters().Pass("film", "incremental", "", 30*time.Millisecond, report, nil)
	e.Meters().Pass("film", "incremental", "", 30*time.Millisecond, report, errors.New("down"))
	e.Meters().Pass("film", "incremental", "", time.Hour, report, fmt.Errorf("read: %w", context.Canceled))
	for _, path := range []string{"film/search?q=a", "film/search?q=b", "film/search?size=x", "made_up/search?q=a", "made_up/search?size=x"} {
		serve(e, "GET", "/api/v1/tables/"+path, "")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := serveWith(e, Access{Listen: "127.0.0.1:7700", Limits: NewLimits(clients.NewListener(l, 100))}, "GET", "/metrics", "")
	if w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	got := scrape(t)
	for _, want := range strings.Split(`indexerd_ready 1
indexerd_leader 1
indexerd_leader_term 5
indexerd_standbys 1
indexerd_takeovers_total 2
indexerd_http_connections 0
indexerd_http_connections_limit 100
indexerd_http_connections_refused_total 0
indexerd_http_connections_evicted_total 0
indexerd_http_wrong_tokens_total 0
indexerd_http_answers_cut_total 0
indexerd_source_connected{source="pagila"} 1
indexerd_source_pin_age_seconds{source="pagila"} 9.5
indexerd_opening{table="film"} 0
indexerd_documents{table="film"} 1000
indexerd_failing{table="film"} 1
indexerd_lag_seconds{table="film"} 0.4
indexerd_settled_timestamp_seconds{mode="exact",table="film"} 1.7000000005e+09
indexerd_unverified{table="film"} 1
indexerd_held_removals{table="film"} 990
indexerd_quarantined_rows{table="film"} 3
indexerd_out_of_range_rows{table="film"} 2
indexerd_skipped_documents_total{table="film"} 12
indexerd_stamps{table="film"} 7
indexerd_stamps_bytes{table="film"} 168
indexerd_stamps_spilled_bytes{table="film"} 24
indexerd_load_rows{table="film"} 5
indexerd_load_expected_rows{table="film"} 10
indexerd_index_bytes{table="film"} 750
indexerd_pages{table="film"} 1000
indexerd_page_versions{table="film"} 2000
indexerd_pages_bytes{table="film"} 400
indexerd_pages_garbage_bytes{table="film"} 40
indexerd_pages_memory_bytes{table="film"} 11
indexerd_scrub_last_timestamp_seconds{table="film"} 1.7637e+09
indexerd_damaged_files_total{table="film"} 2
indexerd_lateness_seconds_bucket{table="film",le="0.256"} 0
indexerd_lateness_seconds_bucket{table="film",le="1.024"} 2
indexerd_lateness_seconds_bucket{table="film",le="16.384"} 3
indexerd_lateness_seconds_bucket{table="film",le="+Inf"} 3
indexerd_lateness_seconds_count{table="film"} 3
indexerd_lateness_max_seconds{table="film"} 6
indexerd_pass_duration_seconds_bucket{pass="incremental",table="film",tier="",le="0.01"} 0
indexerd_pass_duration_seconds_bucket{pass="incremental",table="film",tier="",le="0.05"} 2
indexerd_pass_duration_seconds_count{pass="incremental",table="film",tier=""} 2
indexerd_pass_failures_total{pass="incremental",table="film",tier=""} 1
indexerd_pass_rows_total{outcome="read",pass="incremental",table="film",tier=""} 14
indexerd_pass_rows_total{outcome="compared",pass="incremental",table="film",tier=""} 12
indexerd_pass_rows_total{outcome="added",pass="incremental",table="film",tier=""} 10
indexerd_pass_rows_total{outcome="updated",pass="incremental",table="film",tier=""} 8
indexerd_pass_rows_total{outcome="deleted",pass="incremental",table="film",tier=""} 6
indexerd_pass_rows_total{outcome="skipped",pass="incremental",table="film",tier=""} 4
indexerd_pass_rows_total{outcome="quarantined",pass="incremental",table="film",tier=""} 2
indexerd_search_duration_seconds_count{table="film"} 2
indexerd_search_errors_total{code="bad_query",table=""} 2
indexerd_search_errors_total{code="unknown_table",table=""} 1
indexerd_pass_last_duration_seconds{pass="compensate",table="film",tier="1m"} 0.004
indexerd_pass_last_timestamp_seconds{pass="compensate",table="film",tier="1m"} 1.7000000005e+09
indexerd_pass_failed{pass="compensate",table="film",tier="1m"} 1`, "\n") {
		if !strings.Contains(got, "\n"+want+"\n") && !strings.HasPrefix(got, want+"\n") {
			t.Errorf("missing %s", want)
		}
	}
	if strings.Contains(got, "made_up") {
		t.Error("got metrics of an unknown table: callers could create any number of them")
	}
	sum := regexp.MustCompile(`(?m)^indexerd_lateness_seconds_sum\{table="film"\} (\S+)$`).FindStringSubmatch(got)
	if sum == nil {
		t.Fatal("lateness has no sum")
	}
	if v, err := strconv.ParseFloat(sum[1], 64); err != nil || v < 7.8 || v > 7.8*1.2 {
		t.Errorf("sum of lateness: got %s, want 7.8 to 9.36", sum[1])
	}
}

// All names begin with indexerd_ and follow the conventions of Prometheus.
func TestMetricNames(t *testing.T) {
	got := scrape(t)
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "indexerd_") {
			t.Errorf("got %q, want the prefix", line)
		}
	}
	problems, err := promlint.New(strings.NewReader(got)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, want := range []string{
		fmt.Sprintf("\nindexerd_build_info{go_version=%q,version=\"\"} 1\n", runtime.Version()),
		"\nindexerd_go_goroutines ", "\nindexerd_process_open_fds ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s", want)
		}
	}
}

func TestDropDeletesTheMetricsOfATable(t *testing.T) {
	e := &fakeEngine{}
	for _, table := range []string{"film", "actor"} {
		e.Meters().Pass(table, "incremental", "", time.Second, doc.Report{}, nil)
		e.Meters().Search(table, time.Second, nil)
		e.Meters().Search(table, time.Second, errors.New("broken"))
		e.Meters().Search(table, time.Second, context.Canceled)
	}
	e.Meters().Drop("film")
	got := serve(e, "GET", "/metrics", "").Body.String()
	if strings.Contains(got, `table="film"`) || !strings.Contains(got, `indexerd_search_errors_total{code="internal",table="actor"} 1`) {
		t.Errorf("got %s", got)
	}
	e.Meters().Pass("film", "incremental", "", time.Second, doc.Report{}, errors.New("down"))
	if got := serve(e, "GET", "/metrics", "").Body.String(); !strings.Contains(got, `indexerd_pass_failures_total{pass="incremental",table="film",tier=""} 1`) {
		t.Errorf("a table of the same name again: got %s, want its metrics", got)
	}
}
