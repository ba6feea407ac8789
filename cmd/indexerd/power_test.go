package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/faultdisk"
	"indexerd/internal/test/pgtest"
)

// TestPowerCut cuts the power at a random step of the disk, POWER_N times,
// while the notes change: what was not synced is gone, all of it or any part,
// in the index, the pages and the marks alike. Each time the daemon answers
// again without a hand, S has not fallen, and verify finds everything that S
// claims, without a sweep that could hide what was lost.
func TestPowerCut(t *testing.T) {
	n := rounds(t, "POWER_N", 3, 1)
	mount := t.TempDir()
	disk := mountDisk(t, mount)
	dsn := pgtest.DB(t)
	p := &powered{killing: &killing{chaos: newChaos(t, dsn, dsn, filepath.Join(mount, "data"))}, disk: disk, mount: mount}
	stop := p.storm(t)
	offset := p.random.IntN(len(outages)) // a short run has others each time
	for i := range n {
		p.outage(t, i, outages[(i+offset)%len(outages)])
	}
	last := p.start(t)
	last.ready(t)
	commits := stop()
	v := p.killing.proves(t, last)
	last.stop(t)
	p.figures(t, "power", fmt.Sprintf("n=%d in_midst=%d commits=%d restarts_max_ms=%d S_back=%d", n, p.midst, commits, p.slowest.Milliseconds(), p.fell), v)
}

// A powered is a TestPowerCut under way.
type powered struct {
	*killing
	disk  *faultdisk.Disk
	mount string
	midst int // cuts at a step of the disk, not between two
}

// An outage is what the daemon is at when the power goes.
type outage struct {
	name  string
	reset bool   // everything is loaded again
	steps int    // the power goes at one of so many
	asks  string // is posted once the daemon is ready
}

// A sweep, which would hide what the cuts have done, comes last.
var outages = []outage{
	{name: "the first steps of an index", reset: true, steps: 60},
	{name: "initial load", reset: true, steps: 600},
	{name: "a start", steps: 20},
	{name: "following", steps: 600},
	{name: "a backup", steps: 150, asks: "backup"},
	{name: "following", steps: 200},
	{name: "a reindex", steps: 150, asks: "tables/note/reindex"},
	{name: "a verify", steps: 60, asks: "verify"},
	{name: "a sweep", steps: 150, asks: "tables/note/sweep"},
}

// outage has the power go, and the daemon start again.
func (p *powered) outage(t *testing.T, i int, o outage) {
	t.Helper()
	p.phase = fmt.Sprintf("outage %d, %s", i, o.name)
	if o.reset {
		p.reset(t)
		p.disk.Sync()
	}
	at := 1 + p.random.IntN(o.steps)
	if o.asks == "" {
		p.disk.Fail(faultdisk.Fault{Kind: faultdisk.Stop, Step: at})
	}
	daemon := launch(t, exec.Command(binary(t), "run", "-c", p.file))
	var asked <-chan struct{}
	if o.asks != "" {
		p.arrives(t, daemon)
		p.disk.Fail(faultdisk.Fault{Kind: faultdisk.Stop, Step: at})
		asked = p.asks(t, daemon, o.asks)
	}
	for end := time.Now().Add(3 * time.Second); p.disk.Met() == "" && time.Now().Before(end); {
		<-time.After(time.Millisecond)
	}
	daemon.kill()
	if asked != nil {
		<-asked
	}
	if met := p.disk.Repair(); met != "" {
		p.midst++
		p.phase += ", at its step " + fmt.Sprint(at) + ", " + met
	}
	if strings.Contains(daemon.log.String(), "goroutine ") {
		t.Errorf("%s: it panicked: %s", p.phase, daemon.log)
	}
	if err := p.disk.Cut(p.random, i%2 == 0); err != nil {
		t.Fatal(err)
	}
	p.recovers(t)
}

// recovers starts the daemon, and judges it while the notes go on changing.
func (p *powered) recovers(t *testing.T) {
	t.Helper()
	daemon := p.start(t)
	p.arrives(t, daemon)
	verifies(t, 0, p.file)
	daemon.kill()
	// What has been seen stays, also if this was the daemon's last word.
	if err := p.disk.Cut(p.random, true); err != nil {
		t.Fatal(err)
	}
	restorable(t, p.file, p.data, filepath.Join(p.mount, "copy"))
	p.disk.Sync() // of what the test has removed
	if t.Failed() {
		t.Fatal(p.phase)
	}
}

// arrives waits until everything is loaded, and notes S.
func (p *powered) arrives(t *testing.T, daemon *proc) {
	t.Helper()
	eventually(t, time.Minute, p.phase+": the daemon is ready", func() error {
		if err := daemon.unbroken(); err != nil {
			t.Fatalf("%s: %v", p.phase, err)
		}
		if daemon.base == "" {
			if err := daemon.answers(); err != nil {
				return err
			}
		}
		_, err := get(daemon.base + "/readyz")
		return err
	})
	p.look(t, daemon)
}

// asks has the daemon do something, whose end the power cut may be. A backup
// goes to the same disk.
func (p *powered) asks(t *testing.T, daemon *proc, what string) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if what == "backup" {
			ask(t, "backup", "-c", p.file, filepath.Join(p.mount, "copy"))
			return
		}
		response, err := http.Post(daemon.base+"/api/v1/"+what, "application/json", nil)
		if err != nil {
			return // the cut came first
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body) // the cut breaks it off
	}()
	return done
}

// restorable: there is no backup under its name, or all of it.
func restorable(t *testing.T, file, data, dest string) {
	t.Helper()
	if _, err := os.Stat(dest); errors.Is(err, os.ErrNotExist) {
		return
	}
	away := freshData(t)
	commands(t, 0, "restore", "-c", writeFile(t, strings.Replace(readFile(t, file), data, away, 1)), dest)
	for _, dir := range []string{dest, away} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
