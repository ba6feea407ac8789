package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// restartWithin is how long a daemon may take to answer after a kill, where KILL_N
// is set: a machine with other tests may pause for longer.
const restartWithin = 5 * time.Second

// TestKill9 kills the daemon with SIGKILL at random moments of its life, while
// the notes change, KILL_N times. It answers again without a hand, S never
// falls, and nothing that S claims is missing.
func TestKill9(t *testing.T) {
	t.Parallel()
	n := rounds(t, "KILL_N", len(phases), 3)
	dsn := harnessDB(t)
	k := &killing{chaos: newChaos(t, dsn, dsn, freshData(t))}
	stop := k.storm(t)
	for i := range n {
		k.phase = phases[i%len(phases)].name
		phases[i%len(phases)].live(k, t)
	}
	p := k.start(t)
	p.ready(t)
	commits := stop()
	v := k.proves(t, p)
	if commits == 0 {
		t.Error("no writer wrote anything")
	}
	k.figures(t, "kill", fmt.Sprintf("n=%d commits=%d restarts=%d restarts_max_ms=%d S_back=%d",
		n, commits, k.restarts, k.slowest.Milliseconds(), k.fell), v)
}

// A killing is a TestKill9 under way.
type killing struct {
	*chaos
	phase    string
	settled  time.Time // the last S that was seen
	fell     int       // how often S was less
	restarts int
	slowest  time.Duration
}

// phases are the moments of a daemon's life, in an order in which nothing is
// swept or reloaded before what the kills did to it was judged.
var phases = []struct {
	name string
	live func(*killing, *testing.T)
}{
	{"the first milliseconds of an index", (*killing).newborn},
	{"initial load", (*killing).loading},
	{"a start", (*killing).starting},
	{"following", (*killing).following},
	{"a backup", (*killing).backingUp},
	{"a verify", (*killing).verifying},
	{"after a verify", (*killing).verified},
	{"a start", (*killing).starting},
	{"following", (*killing).following},
	{"a new segment", (*killing).segment},
	{"a staged backup", (*killing).staged},
	{"a second index", (*killing).rebuilding},
	{"after a verify", (*killing).verified},
	{"a sweep", (*killing).sweeping},
}

// start starts the daemon, which has to answer soon.
func (k *killing) start(t *testing.T) *proc {
	t.Helper()
	began := time.Now()
	p := start(t, "run", "-c", k.file)
	took := time.Since(began)
	if took > restartWithin && os.Getenv("KILL_N") != "" {
		t.Errorf("after a kill during %s: it answered after %v, want within %v", k.phase, took, restartWithin)
	}
	k.restarts++
	k.slowest = max(k.slowest, took)
	k.look(t, p)
	return p
}

// look reads S, which falls only by a rewind.
func (k *killing) look(t *testing.T, p *proc) {
	t.Helper()
	s := p.status(t).Tables[0].Settled
	if s.At == nil {
		return
	}
	at := time.Time(*s.At)
	if at.Before(k.settled) && !s.Unverified {
		k.fell++
		t.Errorf("%s: S fell from %v to %v", k.phase, k.settled, at)
	}
	k.settled = at
}

// kills lets the daemon live for a moment and kills it.
func (k *killing) kills(t *testing.T, p *proc, within time.Duration) {
	t.Helper()
	for end := time.Now().Add(k.within(within)); time.Now().Before(end); {
		k.look(t, p)
		<-time.After(min(50*time.Millisecond, time.Until(end)))
	}
	if err := p.unbroken(); err != nil {
		t.Errorf("%s: %v", k.phase, err)
	}
	p.kill()
}

// unseen runs a daemon that is killed before anybody asks it anything.
func (k *killing) unseen(t *testing.T, within time.Duration) {
	t.Helper()
	cmd := exec.Command(binary(t), "run", "-c", k.file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-time.After(k.within(within))
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed, as it should be
}

func (k *killing) reset(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(k.data); err != nil {
		t.Fatal(err)
	}
	k.settled = time.Time{}
}

func (k *killing) newborn(t *testing.T) {
	k.reset(t)
	k.unseen(t, 300*time.Millisecond)
}

func (k *killing) loading(t *testing.T) {
	k.reset(t)
	k.kills(t, k.start(t), time.Second)
}

func (k *killing) starting(t *testing.T)  { k.unseen(t, 300*time.Millisecond) }
func (k *killing) following(t *testing.T) { k.kills(t, k.start(t), 3*time.Second) }
func (k *killing) backingUp(t *testing.T) { k.busy(t, "/api/v1/backup") }
func (k *killing) verifying(t *testing.T) { k.busy(t, "/api/v1/verify") }
func (k *killing) sweeping(t *testing.T)  { k.busy(t, "/api/v1/tables/note/sweep") }

// The moments that a file shows: scorch persists or merges, a backup has copied
// something, a reindex has two indexes.
func (k *killing) segment(t *testing.T) { k.once(t, "", "note/index/*.zap") }
func (k *killing) staged(t *testing.T)  { k.once(t, "/api/v1/backup", "backup-*.tmp/*") }
func (k *killing) rebuilding(t *testing.T) {
	k.once(t, "/api/v1/tables/note/reindex", "note/index.new")
}

// once kills the daemon as soon as a file is there that was not there before,
// or up to a few milliseconds later.
func (k *killing) once(t *testing.T, path, pattern string) {
	p := k.start(t)
	p.ready(t)
	before := k.files(t, pattern)
	asked := k.askAgain(t, p, path)
	for end := time.Now().Add(time.Minute); !k.new(t, pattern, before); <-time.After(time.Millisecond) {
		if err := p.unbroken(); err != nil {
			t.Fatalf("%s: %v", k.phase, err)
		}
		if time.Now().After(end) {
			t.Fatalf("%s: no new %s within a minute: asked %s", k.phase, pattern, asked)
		}
	}
	k.kills(t, p, 20*time.Millisecond)
	<-asked.done
}

func (k *killing) new(t *testing.T, pattern string, before map[string]bool) bool {
	t.Helper()
	for name := range k.files(t, pattern) {
		if !before[name] {
			return true
		}
	}
	return false
}

func (k *killing) files(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(k.data, pattern))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range names {
		found[name] = true
	}
	return found
}

// busy kills the daemon while it does what it was asked for.
func (k *killing) busy(t *testing.T, path string) {
	p := k.start(t)
	p.ready(t)
	asked := k.askAgain(t, p, path)
	k.kills(t, p, time.Second)
	<-asked.done
}

// again is how long after an answer the same is asked for again.
const again = 20 * time.Millisecond

// A request is made again and again while a daemon lives.
type request struct {
	done  chan struct{} // closed when no caller asks any more
	times atomic.Int64
	last  atomic.Value // how the last one ended
}

func (r *request) String() string {
	return fmt.Sprintf("%d times, at last: %v", r.times.Load(), r.last.Load())
}

// askAgain posts a request, if any, until the daemon is killed. One may be
// refused, where the same is under way or the daemon is not ready, or be done
// before anybody saw it at work: asked once, the moment to kill it might never
// come.
func (k *killing) askAgain(t *testing.T, p *proc, path string) *request {
	r := &request{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for path != "" && p.unbroken() == nil {
			code, err := post(p.base + path)
			if refused := code == http.StatusConflict || code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable; code >= http.StatusBadRequest && !refused {
				t.Errorf("%s: status %d", path, code)
				return
			}
			r.times.Add(1)
			r.last.Store(fmt.Sprintf("status %d, %v", code, err))
			<-time.After(again)
		}
	}()
	return r
}

// post posts nothing, and reads the answer, which a kill breaks off.
func post(address string) (code int, err error) {
	response, err := http.Post(address, "application/json", nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// verified judges what the kills so far have done, while the notes change.
func (k *killing) verified(t *testing.T) {
	p := k.start(t)
	p.ready(t)
	verifies(t, 0, k.file)
	p.kill()
}
