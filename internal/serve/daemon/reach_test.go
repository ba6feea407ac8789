package daemon

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/leader"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/simtest/servers"
)

// sees waits until the status of a daemon says who leads as is wanted, and returns how long
// that took.
func (d *peaceful) sees(t *testing.T, within time.Duration, what string, want func(l *httpapi.LeaderStatus) bool) time.Duration {
	t.Helper()
	began := time.Now()
	for ; ; time.Sleep(200 * time.Millisecond) {
		s, _ := d.tables(t)
		if took := time.Since(began); s.Leader != nil && s.Leader.Error == nil && want(s.Leader) {
			return took
		} else if took > within {
			t.Fatalf("%s: not that %s within %v: %+v", d.process.name, what, within, s.Leader)
		}
	}
}

// leads waits until the daemon leads in a term.
func (d *peaceful) leads(t *testing.T, within time.Duration, term uint64) time.Duration {
	t.Helper()
	return d.sees(t, within, fmt.Sprint("it leads in term ", term), func(l *httpapi.LeaderStatus) bool { return l.This && l.Term == term })
}

// leadsOn checks that the daemon leads in a term all the time.
func (d *peaceful) leadsOn(t *testing.T, during time.Duration, term uint64) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(time.Second) {
		if s, _ := d.tables(t); s.Leader == nil || !s.Leader.This || s.Leader.Term != term {
			t.Fatalf("%s, %v before the end of %v: got %+v, want that it leads in term %d", d.process.name, time.Until(end), during, s.Leader, term)
		}
	}
}

// standsBy waits until the status of the leader shows one standby, and what that does not
// reach.
func (d *peaceful) standsBy(t *testing.T, unreached string) {
	t.Helper()
	d.sees(t, 30*time.Second, "its standby does not reach "+unreached, func(l *httpapi.LeaderStatus) bool {
		return l.This && len(l.Standbys) == 1 && l.Standbys[0].Unfit == nil && (unreached == "" && l.Standbys[0].Unreached == nil ||
			unreached != "" && l.Standbys[0].Unreached != nil && strings.HasPrefix(*l.Standbys[0].Unreached, unreached))
	})
}

// A leader that does not reach its database, its index or its pages leads for 30 seconds
// more, and then as long as no standby reaches all of them. As soon as one does, that one
// leads, and the table goes on.
func TestLeaderWithout(t *testing.T) {
	oneCollector(t)
	const long = 24 * time.Hour
	for _, c := range []struct{ server, unreached string }{
		{simDB, "source db: "},
		{servers.OpenSearch, "index: "},
		{servers.Pages, "pages: "},
	} {
		t.Run(c.server, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newPeace(t)
				a := w.run(t, "a")
				a.follows(t)
				w.takeAway("a "+c.server, long)
				a.leadsOn(t, 2*stepDownAfter, 1) // alone
				w.heal()
				time.Sleep(3 * reachEvery) // until the leader has noticed
				b := w.run(t, "b")
				a.standsBy(t, "")

				w.takeAway("b "+c.server, long)
				a.standsBy(t, c.unreached)
				w.takeAway("a "+c.server, long)
				a.leadsOn(t, 2*stepDownAfter, 1) // none reaches it
				w.takeAway("b "+c.server, 0)
				b.leads(t, stepDownAfter, 2)
				if !w.says("a standby reaches what this daemon does not: " + c.unreached) {
					t.Errorf("the log does not say that the leader does not reach %s", c.unreached)
				}
				b.standsBy(t, c.unreached)
				w.table.Put(fakeworld.Key(30), "30")
				b.finds(t, 31)
				w.heal()
				b.standsBy(t, "")

				w.takeAway("b "+c.server, long)
				b.leadsOn(t, stepDownAfter-time.Second, 2)
				a.leads(t, stepDownAfter, 3)
				w.heal()
				a.standsBy(t, "")
			})
		})
	}
}

// finds waits until both tables have a number of documents.
func (d *peaceful) finds(t *testing.T, n uint64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		_, tables := d.tables(t)
		if tables["film"].Documents == n && tables["actor"].Documents == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: got %+v, want %d documents in each table", d.process.name, tables, n)
		}
	}
}

// heal ends all cuts.
func (w *simWorld) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.cut)
}

// If the standby dies in the moment in which the leader steps down, that one leads again soon,
// in the next term. Its status is answered all the time.
func TestStandbyDiesAtAStepDown(t *testing.T) {
	oneCollector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newPeace(t)
		a := w.run(t, "a")
		a.follows(t)
		b := w.run(t, "b")
		a.standsBy(t, "")
		if code, body, _ := a.asks("POST", "/api/v1/step-down"); code >= 300 {
			t.Fatalf("got %d, %s, want that it steps down for the standby", code, body)
		}
		b.process.kill()
		stepped := time.Now()
		a.leads(t, 15*time.Second, 2)
		if took := time.Since(stepped); took < leader.YieldFor {
			t.Errorf("it leads again after %v, want that it leaves the election to others for %v", took, leader.YieldFor)
		}
		a.follows(t)
	})
}

// Only what was not reached for long enough, without an answer in between, is a reason to
// step down.
func TestReach(t *testing.T) {
	var r reach
	start := time.Now()
	for _, step := range []struct {
		after time.Duration
		why   string
		want  string
	}{
		{0, "pages", ""},
		{29 * time.Second, "pages", ""},
		{30 * time.Second, "index", "index"},
		{31 * time.Second, "", ""},
		{32 * time.Second, "index", ""},
		{61 * time.Second, "index", ""},
		{62 * time.Second, "index", "index"},
	} {
		r.note(step.why, true, start.Add(step.after))
		if got := r.lacks(start.Add(step.after)); got != step.want {
			t.Errorf("after %v: got %q, want %q", step.after, got, step.want)
		}
	}
}
