package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"indexerd/internal/httpapi"
)

// startAt is start of a daemon that finds the emulator of Bigtable at an address.
func (p *pair) startAt(emulator, file string) *proc {
	p.t.Helper()
	cmd := exec.Command(binary(p.t), "run", "-c", file)
	cmd.Env = append(cmd.Environ(), "BIGTABLE_EMULATOR_HOST="+emulator)
	return startCmd(p.t, cmd)
}

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

// A leader that does not reach its pages goes on leading while no other daemon is there.
// When a standby is, which reaches them, that one leads.
func TestLeaderWithoutPages(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	pages := newLink(t, p.emulator)
	fileA, fileB := p.file("a"), p.file("b")
	a := p.startAt(pages.address, fileA)
	a.ready(t)
	p.finds(a, "common", 300)
	pages.cut()
	cut := time.Now()
	<-time.After(40 * time.Second)
	if l := a.status(t).Leader; l == nil || !l.This || l.Term != 1 {
		t.Errorf("alone: got leader %+v after %v, want that it leads in term 1", l, time.Since(cut))
	}
	b := p.start(fileB)
	p.logs(b, "indexerd stands by")
	began := time.Now()
	p.insert(1001)
	t.Logf("the standby has the next row after %v", p.finds(b, "row1001", 1))
	p.logs(a, "a standby reaches what this daemon does not: pages: ")
	p.standby(b, "that the daemon does not reach its pages", func(d httpapi.DaemonStatus) bool {
		return d.Unreached != nil && strings.HasPrefix(*d.Unreached, "pages: ") && d.Unfit == nil
	})
	if stdout, stderr, _ := ask(t, nil, "status", "-c", fileB); !strings.Contains(stdout, "it does not reach pages: ") {
		t.Errorf("got status %s%s, want what the standby does not reach", stdout, stderr)
	}
	t.Logf("took %v", time.Since(began))
	pages.heal()
	p.standby(b, "that the daemon reaches its pages", func(d httpapi.DaemonStatus) bool { return d.Unreached == nil })
	p.equal(fileB)
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
	same, err := os.ReadFile(fileB)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		if err := os.WriteFile(fileB, []byte(strings.Replace(string(same), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("SELECT * FROM item,", "SELECT * FROM item WHERE id > 100,")
	b := p.start(fileB)
	p.logs(b, "indexerd stands by")
	p.finds(b, "common", 300)
	p.standby(a, "that the standby is unfit", func(d httpapi.DaemonStatus) bool {
		return d.Unfit != nil && strings.HasPrefix(*d.Unfit, "its configuration differs")
	})
	if stdout, stderr, _ := ask(t, nil, "status", "-c", fileA); !strings.Contains(stdout, "it does not lead: its configuration differs") {
		t.Errorf("got status %s%s, want why the standby does not lead", stdout, stderr)
	}
	a.stop(t)
	p.standby(b, "that no daemon leads", func(d httpapi.DaemonStatus) bool { return d.Unfit != nil })
	if l := b.status(t).Leader; l.Host != "" {
		t.Errorf("got leader %+v, want none", l)
	}
	p.finds(b, "common", 300)
	change("", "")
	b.hangUp(t)
	p.insert(1001)
	p.finds(b, "row1001", 1)
	p.equal(fileB)
	p.downgrade(b, fileA, fileB)
}

// downgrade has a later version lead for a while, and then be replaced by this one: it
// answers searches, and leads when that is repaired. d leads.
func (p *pair) downgrade(d *proc, fileA, fileB string) {
	p.t.Helper()
	format := func(text string) {
		body := fmt.Sprintf(`{"key": "%s", "value": "%s"}`, base64.StdEncoding.EncodeToString([]byte("/indexerd/shop/format")), base64.StdEncoding.EncodeToString([]byte(text)))
		answer, err := http.Post("http://"+p.etcd.Endpoint+"/v3/kv/put", "application/json", strings.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			p.t.Fatalf("put the format: %s", answer.Status)
		}
	}
	second := p.start(fileA)
	p.logs(second, "indexerd stands by")
	format("2")
	later := func(s httpapi.DaemonStatus) bool {
		return s.Unfit != nil && strings.Contains(*s.Unfit, "keys of a later version")
	}
	p.standby(d, "that the standby is of an earlier version", later)
	d.kill()
	second.stop(p.t)
	second = p.start(fileB)
	p.logs(second, "this daemon does not lead: etcd has keys of a later version")
	p.standby(second, "that no daemon leads", later)
	p.finds(second, "common", 301)
	p.insert(1002)
	format("1")
	p.finds(second, "row1002", 1)
}

// stepsDown has a leader step down by the command, after which the daemon refuses.
func (p *pair) stepsDown(d *proc, file string) {
	p.t.Helper()
	eventually(p.t, soon, "step-down", func() error {
		if stdout, stderr, code := ask(p.t, nil, "step-down", "-c", file); code != 0 || !strings.Contains(stdout, " leads, in term ") {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr) // also while the standby begins
		}
		return nil
	})
	if _, stderr, code := ask(p.t, nil, "step-down", "-c", file); code != exitNo || !strings.Contains(stderr, "this daemon does not lead") {
		p.t.Errorf("step-down of a standby: got exit code %d, %s", code, stderr)
	}
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
	p.logs(b, "indexerd stands by")
	shows(b, 2, 0)
	p.exec("UPDATE odd SET n = 'soon', grp = 'boss', u = 1800000000 WHERE id = 2")
	shows(a, 1, 1)
	began := time.Now()
	shows(b, 1, 1)
	t.Logf("hidden on the standby %v later", time.Since(began))
	p.exec("UPDATE odd SET n = 3, grp = 'sales', u = 1800000001 WHERE id = 2")
	shows(b, 2, 0)
}
