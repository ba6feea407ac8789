package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/faultdisk"
	"indexerd/internal/test/pgtest"
)

// TestKthFailure runs one cycle of an operation again and again: its first
// step on the disk goes wrong, then its second, and so on until a cycle ends
// untouched. After each the index is equal without a hand, page by page, and S
// has not fallen. KTH=all takes every step, and otherwise a few are drawn;
// KTH=lost has each sync forget what it was to make durable, which is a known
// limit.
func TestKthFailure(t *testing.T) {
	met, restarts := 0, 0
	for _, op := range faultyOperations {
		t.Run(op.name, func(t *testing.T) {
			f := newFaulty(t, op)
			for _, m := range f.misfortunes() {
				f.met = 0
				n := f.exhausts(t, m)
				f.figures(t, "kth", fmt.Sprintf("operation=%q fault=%q steps=%d faults=%d", op.name, m.name, n, f.met), f.last)
				met += f.met
			}
			restarts += f.restarts
		})
	}
	fmt.Printf("kth: operations=%d faults=%d asked_for_a_restart=%d %s\n", len(faultyOperations), met, restarts, outcome(t.Failed()))
}

// An operation is what a fault falls into.
type operation struct {
	name   string
	before func(*faulty, *testing.T)       // what it begins with, if not a daemon that follows
	change string                          // what happens in the database before
	cycle  func(*faulty, *testing.T) error // one of it, from its start to its end
	heal   string                          // the pass that finds the change, if one has to be asked for
	after  func(*faulty, *testing.T)       // what has to be true besides
}

const (
	someChanges = `UPDATE note SET body = body || 'x', updated = now() WHERE id % 30 = 0;
		INSERT INTO note (id, body) SELECT max(id) + 1, 'new' FROM note;
		INSERT INTO tag (note_id, name) SELECT id, 'more' FROM note WHERE id % 50 = 0;`
	silentChanges = `UPDATE note SET body = body || 'y' WHERE id % 30 = 0;
		DELETE FROM note WHERE id IN (SELECT id FROM note ORDER BY md5(id::text || now()) LIMIT 5);
		INSERT INTO note (id, updated, body) SELECT max(id) + i, '2001-01-01', 'old' FROM note, generate_series(1, 5) i GROUP BY i;`
)

var faultyOperations = []operation{
	{name: "load", before: (*faulty).reset, cycle: (*faulty).load},
	{name: "incremental", change: someChanges, cycle: posting("run/incremental"), heal: "run/incremental"},
	{name: "compensation", change: someChanges, cycle: posting("run/compensate"), heal: "run/compensate"},
	{name: "sweep", change: silentChanges, cycle: posting("sweep"), heal: "sweep"},
	{name: "backup", cycle: (*faulty).backup, after: (*faulty).restorable},
	{name: "reindex", cycle: posting("reindex")},
}

// A misfortune is a fault of the disk and what becomes of the daemon then.
type misfortune struct {
	name string
	kind faultdisk.Kind
	cut  bool // the power goes; else what was written stays
}

// A daemon that the fault leaves alive is alternately left alone to heal, and
// overtaken by a power cut.
var misfortunes = []misfortune{
	{"kill", faultdisk.Stop, false},
	{"power", faultdisk.Stop, true},
	{"EIO", faultdisk.Broken, false},
	{"ENOSPC", faultdisk.Full, false},
	{"short", faultdisk.Short, false},
}

var lostSync = misfortune{"a lost sync", faultdisk.Lost, false}

// A faulty is a daemon on a disk that fails.
type faulty struct {
	*chaos
	op       operation
	disk     *faultdisk.Disk
	mount    string
	daemon   *proc
	met      int  // faults so far
	wounded  bool // the daemon lives on after one
	restarts int  // of a daemon that said it could not go on
	settled  time.Time
	last     httpapi.VerifiedTable
}

// newFaulty has a daemon on a faulty disk follow a few notes. It does nothing
// unless it is asked to.
func newFaulty(t *testing.T, op operation) *faulty {
	t.Helper()
	f := &faulty{op: op, mount: t.TempDir()}
	f.disk = mountDisk(t, f.mount)
	dsn := pgtest.DB(t)
	f.chaos = newChaos(t, dsn, dsn, filepath.Join(f.mount, "data"))
	pgtest.Exec(t, dsn, "DELETE FROM note WHERE id > 300; DELETE FROM tag WHERE note_id > 300")
	rewrite(t, f.file, "{every: 500ms, slack: 500ms}", "{every: 1h, slack: 1ms}\n    incremental: {every: 1h}")
	f.starts(t)
	return f
}

// mountDisk mounts a disk that a test can make fail, for as long as it runs. The
// test must run alone: this process serves the disk, and a fork by another test can
// deadlock with an access to it.
func mountDisk(t *testing.T, dir string) *faultdisk.Disk {
	t.Helper()
	disk, err := faultdisk.Mount(dir)
	if err != nil {
		if os.Getenv("CI") != "" && os.Geteuid() == 0 {
			t.Fatal(err)
		}
		t.Skipf("%v: run as root where /dev/fuse is", err)
	}
	t.Cleanup(func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// misfortunes are all, or one or two of them for a short run.
func (f *faulty) misfortunes() []misfortune {
	switch os.Getenv("KTH") {
	case "all":
		return misfortunes
	case "lost":
		return []misfortune{lostSync}
	}
	first := f.random.IntN(len(misfortunes))
	if testing.Short() {
		return misfortunes[first : first+1]
	}
	return []misfortune{misfortunes[first], misfortunes[(first+2)%len(misfortunes)]}
}

// exhausts makes each step of a cycle fail in one way, or one that is drawn,
// and returns how many there are.
func (f *faulty) exhausts(t *testing.T, m misfortune) (steps int) {
	t.Helper()
	if os.Getenv("KTH") != "" {
		for k := 1; f.befalls(t, m, k); k++ {
			steps = k
		}
		return steps
	}
	const beyond = 1 << 30
	f.befalls(t, m, beyond)
	steps = f.disk.Steps(m.kind)
	for k := 1 + f.random.IntN(steps); !f.befalls(t, m, k); k = (k + 1) / 2 { // no two cycles have the same steps
	}
	return steps
}

// befalls runs a cycle whose k-th step fails, and checks that nothing is lost
// afterwards; false: no step was left to go wrong.
func (f *faulty) befalls(t *testing.T, m misfortune, k int) bool {
	t.Helper()
	if f.op.before != nil {
		f.op.before(f, t)
	}
	if f.op.change != "" {
		pgtest.Exec(t, f.dsn, f.op.change)
	}
	f.disk.Fail(faultdisk.Fault{Kind: m.kind, Step: k})
	err := f.op.cycle(f, t)
	met := f.disk.Repair()
	if met == "" && err != nil {
		if !f.wounded {
			t.Fatalf("untouched, it fails: %v", err)
		}
		f.wounded = false // an earlier fault that befell scorch in the background is reported to the next batch
		f.proves(t, "healed late: "+err.Error())
		return f.befalls(t, m, k)
	}
	if met != "" {
		f.met++
		f.overcomes(t, m, k)
	}
	f.proves(t, fmt.Sprintf("%s at step %d (%s)", m.name, k, met))
	return met != ""
}

// overcomes brings the daemon back: by itself where it lives.
func (f *faulty) overcomes(t *testing.T, m misfortune, k int) {
	t.Helper()
	cut := m.cut
	if m.kind != faultdisk.Stop && k%2 == 0 {
		f.daemon.kill()
		cut = true
	}
	if m.kind == faultdisk.Stop {
		f.daemon.kill() // the disk has not changed since
	}
	switch {
	case cut:
		if err := f.disk.Cut(f.random, k%4 < 2); err != nil {
			t.Fatal(err)
		}
	case m.kind == faultdisk.Stop:
		f.disk.Start()
	}
	if f.wounded = f.daemon.unbroken() == nil; f.wounded {
		return
	}
	f.starts(t)
}

// starts starts the daemon without any help.
func (f *faulty) starts(t *testing.T) {
	t.Helper()
	if f.daemon != nil {
		f.saysWhy(t)
	}
	f.daemon = follow(t, f.file)
}

// saysWhy wants a daemon that has ended by itself to have said so in one line.
func (f *faulty) saysWhy(t *testing.T) {
	t.Helper()
	if log := f.daemon.log.String(); strings.Contains(log, "goroutine ") || strings.Contains(log, "panic") {
		t.Errorf("it ended with a panic:\n%s", log)
	}
}

// proves wants the pass that is due to find everything, and no other.
func (f *faulty) proves(t *testing.T, after string) {
	t.Helper()
	eventually(t, time.Minute, after+": the daemon goes on", func() error {
		if f.daemon.unbroken() != nil {
			if !f.wounded && !strings.Contains(f.daemon.log.String(), "start indexerd again") {
				t.Fatalf("%s: the daemon ended: %s", after, lastLine(f.daemon.log.String()))
			}
			f.restarts++ // as a service manager does
			f.starts(t)
		}
		if err := f.daemon.answers(); err != nil {
			return err
		}
		if _, err := get(f.daemon.base + "/readyz"); err != nil || f.op.heal == "" {
			return err
		}
		return f.asks(f.op.heal)
	})
	if s := f.daemon.status(t).Tables[0].Settled; s.At != nil {
		if at := time.Time(*s.At); at.Before(f.settled) && !s.Unverified {
			t.Errorf("%s: S fell from %v to %v", after, f.settled, at)
		} else {
			f.settled = at
		}
	}
	if f.op.after != nil {
		f.op.after(f, t)
	}
	if f.last = verifies(t, 0, f.file, "--content", "--wait", "1s"); t.Failed() {
		t.Fatal(after)
	}
}

// asks has the daemon do something, and returns when it has ended.
func (f *faulty) asks(what string) error {
	response, err := http.Post(f.daemon.base+"/api/v1/tables/note/"+what, "application/json", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var run httpapi.Run
	if err := json.NewDecoder(response.Body).Decode(&run); err != nil || response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("%s: status %d: %w", what, response.StatusCode, err)
	}
	for run.State == "running" {
		<-time.After(5 * time.Millisecond)
		body, err := get(f.daemon.base + "/api/v1/runs/" + run.Run)
		if err == nil {
			err = json.Unmarshal(body, &run)
		}
		if err != nil {
			return err
		}
	}
	if run.Error != nil {
		return errors.New(*run.Error)
	}
	return nil
}

func posting(what string) func(*faulty, *testing.T) error {
	return func(f *faulty, _ *testing.T) error { return f.asks(what) }
}

// reset ends the daemon and takes everything away.
func (f *faulty) reset(t *testing.T) {
	t.Helper()
	f.daemon.kill()
	f.saysWhy(t)
	if err := os.RemoveAll(f.data); err != nil {
		t.Fatal(err)
	}
	f.disk.Sync()
	f.settled = time.Time{}
}

// load starts a daemon and waits until all is loaded, or it or the disk fails.
func (f *faulty) load(t *testing.T) error {
	f.daemon = launch(t, exec.Command(binary(t), "run", "-c", f.file))
	for {
		err := f.daemon.unbroken()
		if err == nil && f.disk.Met() != "" {
			err = errors.New(f.disk.Met())
		}
		if err != nil {
			return err
		}
		if err = f.daemon.answers(); err == nil {
			_, err = get(f.daemon.base + "/readyz")
		}
		if err == nil {
			return nil
		}
		<-time.After(5 * time.Millisecond)
	}
}

// backup saves a backup on the same disk.
func (f *faulty) backup(t *testing.T) error {
	if _, stderr, code := ask(t, "backup", "-c", f.file, filepath.Join(f.mount, "copy")); code != 0 {
		return errors.New(stderr)
	}
	return nil
}

func (f *faulty) restorable(t *testing.T) {
	t.Helper()
	restorable(t, f.file, f.data, filepath.Join(f.mount, "copy"))
	f.disk.Sync() // of what the test has removed
}
