package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

// A failoverFault hinders a daemon or a server, and ends when the function that it returns was
// called.
type failoverFault struct {
	name      string
	begin     func(f *failover, t *testing.T, leads int) (end func())
	takesOver bool                          // the other daemon leads then
	after     time.Duration                 // it may, once this has passed
	lasts     func(*failover) time.Duration // nil: until the other daemon leads
}

var failoverFaults = []failoverFault{
	{name: "the leader is killed", begin: (*failover).killed, takesOver: true},
	{name: "the leader is paused", begin: (*failover).paused, takesOver: true, lasts: func(f *failover) time.Duration { return f.pause }},
	{name: "no network from the leader to etcd", begin: cuts("etcd"), takesOver: true},
	{name: "a short cut from the leader to the index", begin: cuts("index"), lasts: briefly},
	{name: "the leader steps down", begin: (*failover).stepsDown, takesOver: true},
	{name: "a short cut from the leader to the pages", begin: cuts("pages"), lasts: briefly},
	{name: "etcd is killed", begin: (*failover).etcdKilled, lasts: briefly},
	{name: "no network from the leader to the pages", begin: cuts("pages"), takesOver: true, after: unreachedAfter},
	{name: "Redis is emptied", begin: (*failover).filterEmptied},
	{name: "the leader is killed without Redis", begin: (*failover).killedWithoutFilter, takesOver: true},
	{name: "no network from the leader to the index", begin: cuts("index"), takesOver: true, after: unreachedAfter},
	{name: "a short cut from the leader to the database", begin: cuts("database"), lasts: briefly},
	{name: "the leader is cut off from everything", begin: cuts("etcd", "index", "pages", "database", "filter"), takesOver: true},
	{name: "no network from the leader to the database", begin: cuts("database"), takesOver: true, after: unreachedAfter},
	{name: "the leader is stopped", begin: (*failover).stopped, takesOver: true},
	{name: "Redis is restarted from an older RDB", begin: (*failover).filterRestored},
	{name: "Redis is restarted from an older RDB, and the leader is killed", begin: (*failover).killedWithOlderFilter, takesOver: true},
	{name: "a short cut from the leader to Redis", begin: cuts("filter"), lasts: briefly},
	{name: "the standby is killed", begin: standsBy((*failover).killed), lasts: briefly},
	{name: "the standby is stopped", begin: standsBy((*failover).stopped), lasts: briefly},
	{name: "the standby is paused", begin: standsBy((*failover).paused), lasts: func(f *failover) time.Duration { return f.pause }},
	{name: "a cut from the standby to etcd", begin: standsBy(cuts("etcd")), lasts: briefly},
	{name: "a cut from the standby to the index", begin: standsBy(cuts("index")), lasts: briefly},
	{name: "a cut from the standby to the pages", begin: standsBy(cuts("pages")), lasts: briefly},
	{name: "a cut from the standby to the database", begin: standsBy(cuts("database")), lasts: briefly},
	{name: "a cut from the standby to Redis", begin: standsBy(cuts("filter")), lasts: briefly},
}

// choose returns the fault of a round: without FAILOVER_N the first ones, otherwise one that
// has not come in this turn.
func (f *failover) choose(i int) failoverFault {
	all := failoverFaults
	if os.Getenv("FAILOVER_N") == "" {
		return all[i]
	}
	turn := rand.New(rand.NewPCG(f.seed, uint64(i/len(all)))).Perm(len(all))
	return all[turn[i%len(all)]]
}

// unreachedAfter is how long a leader waits for what does not answer.
const unreachedAfter = 40 * time.Second

func briefly(f *failover) time.Duration { return time.Second + f.within(9*time.Second) }

// cuts cuts links of the leader. What it has sent arrives when the cut ends.
func cuts(names ...string) func(*failover, *testing.T, int) func() {
	return func(f *failover, _ *testing.T, leads int) func() {
		for _, name := range names {
			f.daemons[leads].links[name].suffers(&mishap{kind: "hold"})
		}
		return func() {
			for _, name := range names {
				f.daemons[leads].links[name].heal()
			}
		}
	}
}

func (f *failover) killed(t *testing.T, leads int) func() {
	f.daemons[leads].kill()
	return func() { f.start(t, leads) }
}

func (f *failover) paused(t *testing.T, leads int) func() {
	signal := func(s syscall.Signal) {
		if err := f.daemons[leads].cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}

func (f *failover) stepsDown(t *testing.T, leads int) func() {
	eventually(t, soon, f.phase, func() error {
		if stdout, stderr, code := ask(t, "step-down", "-c", f.daemons[leads].file); code != 0 {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
	return func() {}
}

func (f *failover) etcdKilled(t *testing.T, _ int) func() {
	f.etcd.Kill()
	return func() {
		if err := f.etcd.Run(); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *failover) filterEmptied(t *testing.T, _ int) func() {
	f.filter.built(t, f.phase+": the filter is complete", 0)
	if answer, err := f.filter.ask("FLUSHALL"); answer != "OK" {
		t.Fatalf("FLUSHALL: got %q, %v", answer, err)
	}
	return func() { f.filter.built(t, f.phase+": the filter is built again", 0) }
}

// filterRestored kills Redis, and starts it with what it had before the last writes. Only a
// filter that is built again has another run than the RDB.
func (f *failover) filterRestored(t *testing.T, _ int) func() {
	run := f.filter.built(t, f.phase+": the filter is complete", 0)
	if answer, err := f.filter.ask("SAVE"); answer != "OK" {
		t.Fatalf("SAVE: got %q, %v", answer, err)
	}
	<-time.After(time.Second + f.within(2*time.Second))
	f.filter.Kill()
	if err := f.filter.Run(); err != nil {
		t.Fatal(err)
	}
	return func() { f.filter.built(t, f.phase+": the filter is built again", run) }
}

// killedWithOlderFilter has the standby take over, which finds a filter without the last
// writes.
func (f *failover) killedWithOlderFilter(t *testing.T, leads int) func() {
	built := f.filterRestored(t, leads)
	start := f.killed(t, leads)
	return func() {
		start()
		built()
	}
}

// standsBy is a fault of the daemon that does not lead.
func standsBy(fault func(*failover, *testing.T, int) func()) func(*failover, *testing.T, int) func() {
	return func(f *failover, t *testing.T, leads int) func() { return fault(f, t, 1-leads) }
}

func (f *failover) stopped(t *testing.T, i int) func() {
	f.daemons[i].stop(t)
	return func() { f.start(t, i) }
}

// killedWithoutFilter has the standby take over while Redis does not answer it.
func (f *failover) killedWithoutFilter(t *testing.T, leads int) func() {
	filter := f.daemons[1-leads].links["filter"]
	filter.suffers(&mishap{kind: "hold"})
	start := f.killed(t, leads)
	return func() {
		filter.heal()
		start()
	}
}
