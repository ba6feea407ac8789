package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A following engine has one table, about which all is known.
type following struct{ fakeEngine }

func (following) Status(context.Context) Status {
	at, lag, tier, failure := Time(time.Unix(1_700_000_000, 500_000_000)), 0.4, "1m", "down"
	return Status{
		Ready:   true,
		Sources: []SourceStatus{{Source: "pagila", Connected: true, PinnedBy: &Pin{AgeS: 9.5}}},
		Tables: []TableStatus{{
			Table: "film", State: "failing", Documents: 1000, LagS: &lag, Settled: SettledStatus{At: &at, Mode: "exact", Unverified: true},
			Held: &Held{Removals: 990}, Quarantined: 3, Skipped: 12, Tree: TreeStatus{Entries: 7, Bytes: 168, SpilledBytes: 24},
			Load: &LoadStatus{Done: 5, Of: 10}, LatenessMS: &LatenessStatus{Count: 8, P50: 900, P99: 6100, Max: 6200},
			Passes: []PassStatus{{Pass: "compensate", Tier: &tier, Last: &at, TookMS: 4, Error: &failure}},
		}},
	}
}

func TestMetrics(t *testing.T) {
	w := serve(&following{}, "GET", "/metrics", "")
	if w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	got := w.Body.String()
	for _, want := range strings.Split(`indexerd_ready 1
indexerd_source_connected{source="pagila"} 1
indexerd_source_pin_age_seconds{source="pagila"} 9.5
indexerd_documents{table="film"} 1000
indexerd_failing{table="film"} 1
indexerd_lag_seconds{table="film"} 0.4
indexerd_settled_timestamp_seconds{mode="exact",table="film"} 1.7000000005e+09
indexerd_unverified{table="film"} 1
indexerd_held_removals{table="film"} 990
indexerd_quarantined_rows{table="film"} 3
indexerd_skipped_documents_total{table="film"} 12
indexerd_stamps{table="film"} 7
indexerd_stamps_bytes{table="film"} 168
indexerd_stamps_spilled_bytes{table="film"} 24
indexerd_load_rows{table="film"} 5
indexerd_load_expected_rows{table="film"} 10
indexerd_lateness_seconds{quantile="0.5",table="film"} 0.9
indexerd_lateness_seconds{quantile="0.99",table="film"} 6.1
indexerd_lateness_seconds{quantile="1",table="film"} 6.2
indexerd_lateness_rows_total{table="film"} 8
indexerd_pass_duration_seconds{pass="compensate",table="film",tier="1m"} 0.004
indexerd_pass_last_timestamp_seconds{pass="compensate",table="film",tier="1m"} 1.7000000005e+09
indexerd_pass_failed{pass="compensate",table="film",tier="1m"} 1`, "\n") {
		if !strings.Contains(got, "\n"+want+"\n") && !strings.HasPrefix(got, want+"\n") {
			t.Errorf("missing %s", want)
		}
	}
	if strings.Contains(got, "\ngo_") || !strings.Contains(got, "\nindexerd_go_goroutines ") {
		t.Error("metrics of the runtime are not among them with the prefix of all others")
	}
}
