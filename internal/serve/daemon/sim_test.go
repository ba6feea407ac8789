package daemon

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// TestTwoDaemons runs SIM_N worlds with two daemons from the seed SIM_FROM on, or only
// SIM_SEED; SIM_LOG=1 prints each request. The daemons are real, from the election to the
// passes, with their clients of etcd, OpenSearch and the pages. The servers, the database,
// the Bloom filter and time are simulated. A seed draws what goes wrong:
//
//	process   killed, stopped for up to 15 s, or ended by a signal, also before any
//	          request; its clock is up to 30 % faster or slower than that of etcd
//	request   takes up to 4 s, arrives after its sender was killed, or loses its answer
//	bulk      finds its alias, and writes up to 4 s later: it may outlive the alias
//	server    does not answer one machine or both; Redis has an older RDB
//
// Each step of a server is judged: terms rise; only the leader writes marks; a version is
// not below the term of its daemon; the index is fenced before marks are read; S does not
// fall, and rows below it are in the index or in quarantine unless the table is
// unverified; the filter excludes no page. At the end the leader is killed, and after the
// sweep of the next one rows, documents, pages and quarantine are equal.
//
// Two runs of a seed need not be equal, since the goroutines of a daemon run side by side,
// and it retries after random pauses. Not simulated: a reindex, several tables, searches,
// and what package servers lists.
func TestTwoDaemons(t *testing.T) {
	t.Setenv("GOGC", "100") // so that no load starts the collector, which is one for all worlds
	usual := uint64(20)
	if testing.Short() {
		usual = 5
	}
	from, n := simNumber(t, "SIM_FROM", 1), simNumber(t, "SIM_N", usual)
	if seed := simNumber(t, "SIM_SEED", 0); seed != 0 {
		from, n = seed, 1
	}
	var (
		mu   sync.Mutex
		sum  simJudge
		next = from
		work sync.WaitGroup
	)
	for range 2 {
		work.Go(func() {
			for {
				mu.Lock()
				seed := next
				next++
				mu.Unlock()
				if seed >= from+n || t.Failed() {
					return
				}
				playSeed(t, seed, func(j simJudge) {
					mu.Lock()
					defer mu.Unlock()
					sum.add(j)
				})
			}
		})
	}
	work.Wait()
	verdict := "ok"
	if t.Failed() {
		verdict = "FAILED"
	}
	fmt.Printf("sim2: seeds=%d commits=%d takeovers=%d settles=%d writes=%d lost=%d stale=%d ghost=%d %s\n",
		sum.seeds, sum.commits, sum.takeovers, sum.settles, sum.writes, sum.lost, sum.stale, sum.ghost, verdict)
}

// playSeed runs one world in a bubble, and counts what has happened. If it fails, it prints
// the command that repeats it, and ends the goroutine.
func playSeed(t *testing.T, seed uint64, count func(simJudge)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(t, seed)
		w.play()
		w.judge.commits = w.table.Commits()
		count(w.judge)
		if len(w.faults) > 0 {
			t.Errorf("seed %d: %s\nagain: SIM_SEED=%d go test -count=1 -run '^TestTwoDaemons$' ./internal/serve/daemon", seed, strings.Join(w.faults, "\n\t"), seed)
		}
		if os.Getenv("SIM_SEED") != "" && os.Getenv("SIM_LOG") != "" {
			fmt.Println(strings.Join(w.lines, "\n"))
		}
	})
}

func (j *simJudge) add(k simJudge) {
	j.seeds++
	j.commits += k.commits
	j.takeovers += k.takeovers
	j.settles += k.settles
	j.writes += k.writes
	j.lost, j.stale, j.ghost = j.lost+k.lost, j.stale+k.stale, j.ghost+k.ghost
}

// simNumber reads a number from the environment.
func simNumber(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %q is not a number", name, text)
	}
	return n
}
