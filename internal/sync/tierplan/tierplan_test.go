package tierplan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

const classic = "1m:1m,3m:3m,10m:10m:settled"

func mustParse(t testing.TB, s string) []Tier {
	t.Helper()
	tiers, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return tiers
}

// The costs of two plans over 10 minutes, as the JSON that users read.
func TestCostsAsJSON(t *testing.T) {
	tests := []struct {
		tiers string
		want  string
	}{
		{"2m:10m", `{"span_min":10,"tiers":[{"every_min":2,"timeout_min":10,"end":"latest","visits":5,"read_min":60,"delay_max_min":2}],` +
			`"visits":5,"read_min":60,"compared_min":60,"memory_min":11,"memory_shared_min":11}`},
		{classic, `{"span_min":10,"tiers":[{"every_min":1,"timeout_min":1,"end":"latest","visits":10,"read_min":20,"delay_max_min":1},` +
			`{"every_min":3,"timeout_min":3,"end":"latest","visits":3,"read_min":20,"delay_max_min":3},` +
			`{"every_min":10,"timeout_min":10,"end":"settled","visits":1,"read_min":10,"delay_max_min":18}],` +
			`"visits":14,"read_min":50,"compared_min":50,"memory_min":17,"memory_shared_min":11}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(Compute(mustParse(t, tt.tiers), 10*time.Minute, time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.tiers, got, tt.want)
		}
	}
}

func TestNoTiersAreAnEmptyList(t *testing.T) {
	got, err := json.Marshal(Compute(nil, 10*time.Minute, time.Minute))
	if want := `{"span_min":10,"tiers":[],"visits":0,"read_min":0,"compared_min":0,"memory_min":0,"memory_shared_min":0}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// A third of a visit is not rounded before it is added.
func TestVisitsAreAddedAsFractions(t *testing.T) {
	plan := Compute(mustParse(t, "3m:3m,3m:3m,3m:3m"), 10*time.Minute, time.Minute)
	if plan.Visits != 10 || plan.Tiers[0].Visits != 3 {
		t.Errorf("got %d visits in all and %d of one tier, want 10 and 3", plan.Visits, plan.Tiers[0].Visits)
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want Tier
		end  string
	}{
		{"1m:2m", Tier{time.Minute, 2 * time.Minute, 0}, "latest"},
		{"1m:2m:latest", Tier{time.Minute, 2 * time.Minute, 0}, "latest"},
		{"1m:2m:settled", Tier{time.Minute, 2 * time.Minute, 2 * time.Minute}, "settled"},
		{" 90s:1.5d:1d12h ", Tier{90 * time.Second, 36 * time.Hour, 36 * time.Hour}, "settled"},
		{"1m:1h30m:20s", Tier{time.Minute, 90 * time.Minute, 20 * time.Second}, "20s"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err != nil || len(got) != 1 || got[0] != tt.want {
			t.Errorf("%q: got %v, %v, want %v", tt.text, got, err, tt.want)
		} else if end := Compute(got, time.Hour, time.Minute).Tiers[0].End; end != tt.end {
			t.Errorf("%q: got end %s, want %s", tt.text, end, tt.end)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const shape, duration = "write every:timeout[:end], as 10m:10m:settled", "write a duration above zero, as 90s, 10m or 1d12h"
	tests := []struct{ text, want string }{
		{"", `tier 1 "": ` + shape},
		{"1m", `tier 1 "1m": ` + shape},
		{"1m:1m,", `tier 2 "": ` + shape},
		{"1m:1m:settled:1m", `tier 1 "1m:1m:settled:1m": ` + shape},
		{"1m:1m,x:3m", `tier 2 "x:3m": every "x": ` + duration},
		{"0:1m", `tier 1 "0:1m": every "0": ` + duration},
		{"1m:-1m", `tier 1 "1m:-1m": timeout "-1m": ` + duration},
		{"1m:1d-1h", `tier 1 "1m:1d-1h": timeout "1d-1h": ` + duration},
		{"1m:1h1d", `tier 1 "1m:1h1d": timeout "1h1d": ` + duration},
		{"1m:999999d", `tier 1 "1m:999999d": timeout "999999d": ` + duration},
		{"1m:", `tier 1 "1m:": timeout "": ` + duration},
		{"1m:1m:setled", `tier 1 "1m:1m:setled": end "setled": write latest, settled or a duration, as 90s, 10m or 1d12h`},
		{"1m:1m:2m", `tier 1 "1m:1m:2m": end 2m is longer than the timeout 1m`},
	}
	for _, tt := range tests {
		tiers, err := Parse(tt.text)
		if err == nil || err.Error() != tt.want || tiers != nil {
			t.Errorf("%q: got %v, error %v, want %s", tt.text, tiers, err, tt.want)
		}
	}
}

// The worst delay agrees with a simulation of incremental marks, visits of the tier
// and rows with any lateness.
func TestWorstDelayAgreesWithASimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := func(name string, least, most int64) time.Duration {
			return time.Duration(rapid.Int64Range(least, most).Draw(t, name)) * time.Minute
		}
		incremental := drawn("incremental", 1, 3)
		var tiers []Tier
		for range rapid.IntRange(1, 3).Draw(t, "tiers") {
			timeout := drawn("timeout", 1, 8)
			tiers = append(tiers, Tier{drawn("every", 1, 8), timeout, drawn("end", 0, int64(timeout/time.Minute))})
		}
		plan := Compute(tiers, time.Hour, incremental)
		for i, tier := range tiers {
			played := worstDelay(t, tier, shorter(tier, tiers), incremental).Minutes()
			if got := plan.Tiers[i].DelayMax; got < played || got > played+incremental.Minutes()+0.5 {
				t.Fatalf("%v beside %v: got worst delay %v, played %v", tier, tiers, got, played)
			}
		}
	})
}

func shorter(tier Tier, tiers []Tier) (d time.Duration) {
	for _, other := range tiers {
		if other.Timeout < tier.Timeout {
			d = max(d, other.Timeout)
		}
	}
	return d
}

// worstDelay simulates a tier for rows that commit later than a shorter timeout and
// within the tier's own.
func worstDelay(t *rapid.T, tier Tier, shorter, incremental time.Duration) (worst time.Duration) {
	const start = time.Hour // a mark, whatever the incremental period
	for u := start; u < start+incremental; u += 7 * time.Second {
		for phase := time.Duration(0); phase < tier.Every; phase += 13 * time.Second {
			for commit := u + shorter + time.Second; commit <= u+tier.Timeout; commit += 17 * time.Second {
				if commit.Truncate(incremental) <= u {
					continue // the incremental pass will see the row
				}
				worst = max(worst, foundAt(t, tier, u, commit, phase, incremental)-commit)
			}
		}
	}
	return worst
}

// foundAt returns when a tier reads a row, with visits a phase after multiples of
// its period.
func foundAt(t *rapid.T, tier Tier, u, commit, phase, incremental time.Duration) time.Duration {
	mark := func(now time.Duration) time.Duration { return now.Truncate(incremental) }
	now := commit.Truncate(tier.Every) + phase
	for now < commit || mark(now)-tier.End <= u {
		now += tier.Every
	}
	if from := mark(now-tier.Every) - tier.Timeout; from > u {
		t.Fatalf("a row of %v that commits at %v is never read by %v, whose visit at %v begins with %v", u, commit, tier, now, from)
	}
	return now
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, Compute(mustParse(t, classic+",30s:40m:20m"), 10*time.Minute, time.Second)); err != nil {
		t.Fatal(err)
	}
	want := `
      every  timeout      end  visits     read  compared  worst delay
      1 min    1 min   latest      10   20 min    20 min        1 min
      3 min    3 min   latest       3   20 min    20 min        3 min
     10 min   10 min  settled       1   10 min    10 min    17.02 min
    0.5 min   40 min      20m      20  410 min   410 min    10.52 min
  in 10 min                        34  460 min   460 min    17.02 min

Stamps in memory: of 40.02 min in the tree that all tiers share; of 54.07 min if each had its own.
Worst delay: from its commit until a row is found that commits within this timeout
and not within a shorter one. Rows that commit later than every timeout wait for
the sweep.
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

type fullDisk struct{ room int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestWriteReturnsErrors(t *testing.T) {
	for _, room := range []int{0, 300} {
		err := Write(&fullDisk{room}, Compute(mustParse(t, "1m:1m"), time.Hour, time.Second))
		if err == nil || err.Error() != "print the plan: no space left" {
			t.Errorf("room for %d bytes: got %v, want the error of the writer", room, err)
		}
	}
}

// FuzzParse: any text is an error of one line, or tiers that can be computed.
func FuzzParse(f *testing.F) {
	for _, s := range []string{classic, "2m:10m", "1d:1d12h:settled", "1e9h:1m", "1m:1m:", ":::", "9999999h:1ns"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tiers, err := Parse(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("got error %q, want one line", err)
			}
			return
		}
		for _, tier := range tiers {
			if tier.Every <= 0 || tier.Timeout <= 0 || tier.End < 0 || tier.End > tier.Timeout {
				t.Fatalf("%q: got %v, which can't be run", s, tier)
			}
		}
		plan := Compute(tiers, 10*time.Minute, time.Minute)
		if plan.Read < 0 || plan.Memory < plan.MemoryShared || plan.MemoryShared <= 0 {
			t.Fatalf("%q: got %+v", s, plan)
		}
	})
}
