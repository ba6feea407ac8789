package main

import (
	"encoding/base64"
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
