package simtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// TestSeeds runs SIM_N seeds from SIM_FROM on, or only SIM_SEED.
func TestSeeds(t *testing.T) {
	usual := uint64(200)
	if testing.Short() {
		usual = 20
	}
	from, n := number(t, "SIM_FROM", 1), number(t, "SIM_N", usual)
	if seed := number(t, "SIM_SEED", 0); seed != 0 {
		from, n = seed, 1
	}
	total := play(t, from, n)
	if n == 1 {
		fmt.Println(total.one)
	}
	if total.PassedBy == 0 && n > 1 {
		t.Error("no job was passed by")
	}
	verdict := "ok"
	if t.Failed() {
		verdict = "FAILED"
	}
	fmt.Printf("sim: seeds=%d commits=%d settles=%d crashes=%d sweeps=%d silent=%d lost=%d stale=%d ghost=%d %s\n",
		total.seeds, total.Commits, total.Settles, total.Crashes, total.Sweeps, total.Silent, total.Lost, total.Stale, total.Ghost, verdict)
}

// A total is the sum of the results of several seeds.
type total struct {
	Result
	seeds int
	one   string
}

// play runs seeds on two goroutines, up to the first that fails.
func play(t *testing.T, from, n uint64) *total {
	t.Helper()
	var (
		mu   sync.Mutex
		sum  total
		next = from
		work sync.WaitGroup
	)
	take := func() (seed uint64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next-1 < from+n && !t.Failed()
	}
	for range 2 {
		work.Go(func() {
			for seed, ok := take(); ok; seed, ok = take() {
				r := run(t, seed)
				mu.Lock()
				sum.add(r)
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return &sum
}

func (s *total) add(r *Result) {
	s.seeds++
	s.Commits += r.Commits
	s.Settles += r.Settles
	s.Crashes += r.Crashes
	s.Sweeps += r.Sweeps
	s.Silent += r.Silent
	s.PassedBy += r.PassedBy
	s.Lost, s.Stale, s.Ghost = s.Lost+r.Lost, s.Stale+r.Stale, s.Ghost+r.Ghost
	s.one = r.String()
}

// run runs one seed in a bubble. If it fails, it prints the command that repeats it.
func run(t *testing.T, seed uint64) (r *Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = Run(t, seed) })
	if !r.OK() {
		t.Errorf("seed %d: %s\nagain: SIM_SEED=%d go test -count=1 -run '^TestSeeds$' ./internal/test/simtest", seed, strings.Join(r.Faults, "\n\t"), seed)
	}
	if os.Getenv("SIM_SEED") != "" && os.Getenv("SIM_LOG") != "" {
		fmt.Println(strings.Join(r.Log, "\n"))
	}
	return r
}

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
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

// A seed always gives the same run, and no two seeds give the same.
func TestSeedRepeatsItsRun(t *testing.T) {
	digests := map[uint64]uint64{}
	for seed := uint64(1); seed <= 10; seed++ {
		first, second := run(t, seed), run(t, seed)
		if first.Digest != second.Digest {
			t.Errorf("seed %d: digests %016x and %016x, want the same", seed, first.Digest, second.Digest)
		}
		if other, taken := digests[first.Digest]; taken {
			t.Errorf("seeds %d and %d have the same digest", other, seed)
		}
		digests[first.Digest] = seed
	}
}

// A known gap breaks the promise in a run that may meet it, and only there.
func TestKnownGapsAreStillOpen(t *testing.T) {
	for known, seed := range map[gap]uint64{ahead: 310} {
		for _, allowed := range []gap{"", known} {
			t.Setenv("SIM_KNOWN", string(allowed))
			var r *Result
			synctest.Test(t, func(t *testing.T) { r = Run(t, seed) })
			if r.OK() != (allowed == "") {
				t.Errorf("SIM_KNOWN=%s SIM_SEED=%d: got faults %q", allowed, seed, r.Faults)
			}
		}
	}
}
