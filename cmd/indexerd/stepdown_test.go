package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
)

// standby waits until the status of a daemon shows one standby of which want is true.
func (p *pair) standby(d *proc, what string, want func(httpapi.DaemonStatus) bool) {
	p.t.Helper()
	eventually(p.t, soon, what, func() error {
		l := d.status(p.t).Leader
		if l == nil || len(l.Standbys) != 1 || !want(l.Standbys[0]) {
			return fmt.Errorf("got %+v", l)
		}
		return nil
	})
}

// A deposedEngine is that of a leader in term 5. When it has stepped down, no daemon leads for
// a while, and then next.
type deposedEngine struct {
	loadingEngine
	next  httpapi.LeaderStatus
	asked atomic.Int32 // for its status, since it has stepped down; 0: it has not
}

func (e *deposedEngine) StepDown(context.Context) error {
	e.asked.Store(1)
	return nil
}

func (e *deposedEngine) Status(ctx context.Context) httpapi.Status {
	s := e.loadingEngine.Status(ctx)
	s.Leader = &httpapi.LeaderStatus{This: true, Host: "a", Address: "127.0.0.1:1", Term: 5}
	if e.asked.Load() > 0 {
		s.Leader = &httpapi.LeaderStatus{}
		if e.asked.Add(1) > 3 {
			s.Leader = &e.next
		}
	}
	return s
}

// The command waits for the next leader. If that is the daemon that has stepped down, since
// the standby has died, the command fails and names the new term.
func TestNextLeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		next httpapi.LeaderStatus
		code int
		want string
	}{
		{httpapi.LeaderStatus{Host: "b", Address: "127.0.0.1:2", Term: 6}, 0, "the daemon on b (127.0.0.1:2) leads, in term 6"},
		{httpapi.LeaderStatus{This: true, Host: "a", Address: "127.0.0.1:1", Term: 6}, exitNo, "no other daemon took over, and this one leads again, in term 6: see status"},
	} {
		e := &deposedEngine{next: c.next}
		data := t.TempDir()
		holder := datadir.Holder{PID: "1", Base: serveFake(t, e)}
		replace(t, filepath.Join(data, "lock"), holder.String())
		file := writeFile(t, fmt.Sprintf("data: %s\nsources:\n  db: {driver: sqlite, dsn: x}\ntables:\n  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [body]}}\n", data))
		says(t, c.code, c.want, "step-down", "-c", file)
		if e.asked.Load() < 4 {
			t.Errorf("the command has asked %d times for the next leader, want until there is one", e.asked.Load()-1)
		}
	}
}

// status prints what a table that is being opened waits for, and why a standby does not lead.
func TestStatusOfWhatDoesNotAnswer(t *testing.T) {
	since := httpapi.Time(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	pages := "pages: no answer"
	var out strings.Builder
	printStatus(&out, httpapi.Status{
		Version: "1", Leader: &httpapi.LeaderStatus{This: true, Host: "a", Term: 5, Since: &since, Standbys: []httpapi.DaemonStatus{{Host: "b", Address: "b:1", Version: "1", Started: &since, Unreached: &pages}}},
		Tables: []httpapi.TableStatus{{
			Table: "film", State: "opening", Opening: &httpapi.OpeningStatus{WaitsFor: "the index", Since: since},
			Settled: httpapi.SettledStatus{At: &since, Mode: "exact", Reason: "it is being opened", Unverified: true},
		}},
	})
	for _, want := range []string{
		"this daemon leads since 2026-11-25 12:00:00Z, in term 5\n", "  it does not reach pages: no answer\n",
		"film: opening, waiting for the index since 2026-11-25 12:00:00Z, settled to 2026-11-25 12:00:00Z (exact), unverified: it is being opened\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s, want %q", out.String(), want)
		}
	}
}

// A standby with another configuration answers searches, and does not lead when the leader
// has ended. It leads when its configuration is that of the leader.
func TestStandbyOfAnotherConfiguration(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	fileA, fileB := p.file("a"), p.file("b")
	a := p.start(fileA)
	a.ready(t)
	p.finds(a, "common", 300)
	same := readFile(t, fileB)
	rewrite(t, fileB, "SELECT * FROM item,", "SELECT * FROM item WHERE id > 100,")
	b := p.start(fileB)
	b.waitForLog(p.t, "indexerd stands by", 1)
	p.finds(b, "common", 300)
	p.standby(a, "that the standby is unfit", func(d httpapi.DaemonStatus) bool {
		return d.Unfit != nil && strings.HasPrefix(*d.Unfit, "its configuration differs")
	})
	says(t, 0, "it does not lead: its configuration differs", "status", "-c", fileA)
	a.stop(t)
	p.standby(b, "that no daemon leads", func(d httpapi.DaemonStatus) bool { return d.Unfit != nil })
	if l := b.status(t).Leader; l.Host != "" {
		t.Errorf("got leader %+v, want none", l)
	}
	p.finds(b, "common", 300)
	replace(t, fileB, same)
	b.hangUp(t)
	p.insert(1001)
	p.finds(b, "row1001", 1)
	isEqual(p.t, fileB)
}

// stepsDown has a leader step down by the command, after which the daemon refuses.
func (p *pair) stepsDown(d *proc, file string) {
	p.t.Helper()
	eventually(p.t, soon, "step-down", func() error {
		if stdout, stderr, code := ask(p.t, "step-down", "-c", file); code != 0 || !strings.Contains(stdout, " leads, in term ") {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr) // also while the standby begins
		}
		return nil
	})
	says(p.t, exitNo, "this daemon does not lead", "step-down", "-c", file)
	eventually(p.t, soon, "the metrics", func() error {
		body, err := get(d.base + "/metrics")
		if err == nil && !strings.Contains(string(body), "\nindexerd_leader 0\n") {
			err = errors.New("indexerd_leader is not 0")
		}
		for _, name := range sharedMetrics {
			if err == nil && !strings.Contains(string(body), "\n"+name+" ") {
				err = fmt.Errorf("/metrics has no %s", name)
			}
		}
		return err
	})
}

// A row in quarantine that is not for a group any more is hidden from it on the standby too, and
// listed there.
func TestQuarantineOnAStandby(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.exec("CREATE TABLE odd (id INTEGER PRIMARY KEY, u INTEGER, body TEXT, n, grp TEXT)", "INSERT INTO odd VALUES (1, 1700000000, 'odd one', 1, 'sales'), (2, 1700000000, 'odd two', 2, 'sales')")
	const ops, sales = "ops-of-standby-test", "sales-of-standby-test"
	p.config = strings.Replace(p.config, "http: {listen: 127.0.0.1:0}", "http: {listen: 127.0.0.1:0, tokens: {ops: {token: "+ops+", admin: true}, sales: {token: "+sales+", groups: [sales]}}}", 1) +
		"  odd: {source: db, sql: SELECT * FROM odd, key: id, updated: u, content: {fields: [body]}, metadata: {n: number, grp: keyword}, acl: grp}\n"
	fileA, fileB := p.file("a"), p.file("b")
	a, b := p.start(fileA), (*proc)(nil)
	shows := func(d *proc, documents, rows int) {
		t.Helper()
		eventually(t, soon, fmt.Sprintf("%d documents, %d rows in quarantine", documents, rows), func() error {
			var found struct{ Total int }
			var list httpapi.Quarantine
			status := d.as(sales).body(t, "GET", "/api/v1/tables/odd/search?q=odd", &found)
			listed := d.as(ops).body(t, "GET", "/api/v1/tables/odd/quarantine", &list)
			if status != http.StatusOK || listed != http.StatusOK || found.Total != documents || len(list.Rows) != rows {
				return fmt.Errorf("got status %d and %d, %d documents, rows %+v", status, listed, found.Total, list.Rows)
			}
			return nil
		})
	}
	shows(a, 2, 0)
	b = p.start(fileB)
	b.waitForLog(p.t, "indexerd stands by", 1)
	shows(b, 2, 0)
	p.exec("UPDATE odd SET n = 'soon', grp = 'boss', u = 1800000000 WHERE id = 2")
	shows(a, 1, 1)
	began := time.Now()
	shows(b, 1, 1)
	t.Logf("hidden on the standby %v later", time.Since(began))
	p.exec("UPDATE odd SET n = 3, grp = 'sales', u = 1800000001 WHERE id = 2")
	shows(b, 2, 0)
}
