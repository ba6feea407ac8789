package main

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// A failoverFault hinders the leader, and ends when the function that it returns was
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
	{name: "the leader is stopped", begin: (*failover).stopped, takesOver: true},
	{name: "etcd is killed", begin: (*failover).etcdKilled, lasts: briefly},
	{name: "no network from the leader to the pages", begin: cuts("pages"), takesOver: true, after: unreachedAfter},
	{name: "Redis is emptied", begin: (*failover).filterEmptied},
	{name: "Redis restarts from an older state", begin: (*failover).filterIsOlder, lasts: briefly},
	{name: "the leader is killed, and Redis restarts from an older state", begin: (*failover).killedWithOlderFilter, takesOver: true},
	{name: "a short cut from the leader to Redis", begin: cuts("filter"), lasts: briefly},
	{name: "the leader is killed without Redis", begin: (*failover).killedWithoutFilter, takesOver: true},
	{name: "no network from the leader to the index", begin: cuts("index"), takesOver: true, after: unreachedAfter},
	{name: "a short cut from the leader to the database", begin: cuts("database"), lasts: briefly},
	{name: "the leader is cut off from everything", begin: cuts("etcd", "index", "pages", "database", "filter"), takesOver: true},
	{name: "no network from the leader to the database", begin: cuts("database"), takesOver: true, after: unreachedAfter},
}

// unreachedAfter is how long a leader waits for what does not answer.
const unreachedAfter = 40 * time.Second

func briefly(f *failover) time.Duration { return time.Second + f.within(9*time.Second) }

// cuts cuts links of the leader. What it has sent arrives when the cut ends.
func cuts(names ...string) func(*failover, *testing.T, int) func() {
	return func(f *failover, _ *testing.T, leads int) func() {
		for _, name := range names {
			f.daemons[leads].links[name].cut()
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

func (f *failover) stopped(t *testing.T, leads int) func() {
	f.daemons[leads].stop(t)
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
		if stdout, stderr, code := ask(t, nil, "step-down", "-c", f.daemons[leads].file); code != 0 {
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

// killedWithoutFilter has the standby take over while Redis does not answer it.
func (f *failover) killedWithoutFilter(t *testing.T, leads int) func() {
	filter := f.daemons[1-leads].links["filter"]
	filter.cut()
	start := f.killed(t, leads)
	return func() {
		filter.heal()
		start()
	}
}
