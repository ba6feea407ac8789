package horizon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeProber is a database in which tables are quiet, busy or broken.
type fakeProber struct {
	server *fakeServer
	busy   map[any]bool
	broken map[any]bool

	asked  [][]Since
	before int // readings when it was asked last
}

func (f *fakeProber) Quiet(_ context.Context, all []Since) ([]bool, error) {
	f.asked, f.before = append(f.asked, all), f.server.readings
	quiet := make([]bool, len(all))
	for i, one := range all {
		if f.broken[one.Table] {
			return nil, errors.New("a locked table")
		}
		quiet[i] = !f.busy[one.Table]
	}
	return quiet, nil
}

// tables returns a watch for each of some tables, which are asked since their number
// of seconds.
func tables(r *Readings, n int) []*Watch {
	var all []*Watch
	for i := range n {
		all = append(all, r.Watch(Options{Fresh: maxFresh, Table: i, Since: func() time.Time { return second(float64(i + 1)) }}))
	}
	return all
}

// round reads the horizon of each watch, and returns which tables are quiet.
func round(t *testing.T, watches []*Watch) string {
	t.Helper()
	time.Sleep(maxFresh)
	var mu sync.Mutex
	var all sync.WaitGroup
	quiet := make([]byte, len(watches))
	for i, w := range watches {
		all.Go(func() {
			h, err := w.Horizon(t.Context())
			mu.Lock()
			defer mu.Unlock()
			if quiet[i] = 'q'; h.Quiet.IsZero() {
				quiet[i] = '-'
			}
			if err != nil || !h.Quiet.IsZero() && !h.Quiet.Equal(second(float64(i+1))) {
				t.Errorf("table %d: got quiet since %v, error %v, want %v", i, h.Quiet, err, second(float64(i+1)))
			}
		})
	}
	all.Wait()
	return string(quiet)
}

// One statement for fifty tables, after the reading, finds which of them are quiet.
// A watch is asked about once it has used a reading.
func TestManyTablesAreProbedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{identity: "a"}
		p := &fakeProber{server: server, busy: map[any]bool{1: true}}
		watches := tables(NewReadings(server, p), 120)
		round(t, watches)
		p.asked = nil
		got := round(t, watches)
		if got[:4] != "q-qq" {
			t.Errorf("got %s, want all quiet but the second", got)
		}
		if len(p.asked) != 3 || len(p.asked[0]) != probedAtOnce || server.readings != 2 || p.before != 2 {
			t.Errorf("120 tables: got %d questions by reading %d, %d readings, want 3 after the second of 2", len(p.asked), p.before, server.readings)
		}
		for range idleReadings + 1 {
			round(t, watches[:1])
		}
		p.asked = nil
		round(t, watches[:1])
		if got := fmt.Sprint(len(p.asked), len(p.asked[0])); got != "1 1" {
			t.Errorf("with 119 watches that are not used any more: got %s questions and tables, want 1 1", got)
		}
	})
}

// A broken table keeps others from being found quiet for a few readings only, and
// is then asked about rarely.
func TestABrokenTableIsProbedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{identity: "a"}
		p := &fakeProber{server: server, broken: map[any]bool{2: true}}
		watches := tables(NewReadings(server, p), 6)
		round(t, watches)
		if got := round(t, watches); got != "------" {
			t.Errorf("after a question that failed: got %s, want no table known to be quiet", got)
		}
		round(t, watches)
		if got, want := round(t, watches), "qq-qqq"; got != want {
			t.Errorf("after two rounds alone: got %s, want %s", got, want)
		}
		p.asked = nil
		round(t, watches)
		if len(p.asked) != 1 || len(p.asked[0]) != 5 {
			t.Errorf("got %d questions, want 1 about the 5 healthy tables", len(p.asked))
		}
		delete(p.broken, 2)
		time.Sleep(restAfter)
		if got, want := round(t, watches), "qqqqqq"; got != want {
			t.Errorf("repaired: got %s, want %s", got, want)
		}
	})
}

// While nothing is committed, a quiet table is not asked about again, if only commits
// change what its SQLs return.
func TestSteadyTablesStayQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{identity: "a", state: State{Version: "1", Catalog: "1"}}
		p := &fakeProber{server: server, busy: map[any]bool{2: true}}
		readings := NewReadings(server, p)
		var watches []*Watch
		steady := true
		for i := range 3 {
			watches = append(watches, readings.Watch(Options{
				Fresh: maxFresh, Table: i, Since: func() time.Time { return second(float64(i + 1)) },
				Scope:  func(context.Context) (string, error) { return "", nil },
				Steady: func(context.Context) (bool, error) { return steady && i != 1, nil },
			}))
		}
		want := func(what, quiet string, tables ...any) {
			t.Helper()
			p.asked = nil
			if got := round(t, watches); got != quiet {
				t.Errorf("%s: got %s, want %s", what, got, quiet)
			}
			asked := map[any]bool{}
			for _, all := range p.asked {
				for _, one := range all {
					asked[one.Table] = true
				}
			}
			if got, want := fmt.Sprint(asked), fmt.Sprint(setOf(tables)); got != want {
				t.Errorf("%s: got questions about %s, want %s", what, got, want)
			}
		}
		round(t, watches)
		want("first", "qq-", 0, 1, 2)
		want("nothing committed", "qq-", 1, 2)
		delete(p.busy, 2)
		want("the busy table's row is older now", "qqq", 1, 2)
		want("nothing committed", "qqq", 1)
		server.state.Version = "2"
		p.busy[0] = true
		want("a commit", "-qq", 0, 1, 2)
		want("nothing committed since", "-qq", 0, 1)
		delete(p.busy, 0)
		want("nothing committed since", "qqq", 0, 1)
		steady, server.state.Version, server.state.Catalog = false, "3", "2"
		want("a view was replaced", "qqq", 0, 1, 2)
		want("the new view calls now()", "qqq", 0, 1, 2)
	})
}

func setOf(tables []any) map[any]bool {
	all := map[any]bool{}
	for _, table := range tables {
		all[table] = true
	}
	return all
}
