package daemon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/simtest/servers"
)

// simWorld is a database, the servers that two daemons share, and the machines of both.
type simWorld struct {
	t     testing.TB
	seed  uint64
	began time.Time
	calm  bool       // requests take milliseconds
	dice  *rand.Rand // of what happens to the world, drawn by one goroutine

	table    *fakeworld.Table
	etcd     *servers.KeyValues
	cluster  *servers.Cluster
	pages    *servers.PageTable
	redis    *servers.FilterServer
	machines []*simMachine
	writers  sync.WaitGroup

	mu     sync.Mutex // held by each step of a server
	sent   map[uint64]uint64
	cut    map[string]time.Time // until when "machine server", or a server, does not answer
	quiet  bool                 // nothing goes wrong any more
	over   bool                 // no daemon starts any more
	judge  simJudge
	lines  []string
	faults []string
}

// simMachine is where one of the daemons runs.
type simMachine struct {
	name  string
	data  string
	rate  float64       // of its clock
	ahead time.Duration // of its clock before the world's, when the world begins

	process *simProcess // nil: none runs; under the world's mu
}

func newSimWorld(t testing.TB, seed uint64) *simWorld {
	dice := rand.New(rand.NewPCG(seed, 0x2da3))
	w := &simWorld{
		t: t, seed: seed, began: time.Now(), dice: dice, table: fakeworld.NewTable(10),
		etcd: servers.NewKeyValues(), cluster: servers.NewCluster(), pages: servers.NewPageTable(), redis: servers.NewFilterServer(),
		sent: map[uint64]uint64{}, cut: map[string]time.Time{},
	}
	w.table.LetClockRun()
	w.judge = newSimJudge(w)
	for _, name := range []string{"a", "b"} {
		w.machines = append(w.machines, &simMachine{
			name: name, data: t.TempDir(), rate: 0.7 + 0.6*dice.Float64(), ahead: time.Duration(dice.Int64N(int64(time.Minute))) - 30*time.Second,
		})
	}
	return w
}

// log keeps a line of what happens.
func (w *simWorld) log(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logLocked(format, args...)
}

func (w *simWorld) logLocked(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf("%11.6f ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
}

// note logs a request.
func (w *simWorld) note(p *simProcess, server, request string) {
	request, _, _ = strings.Cut(request, "\n")
	w.logLocked("%s.%d -> %s %.100s", p.name, p.n, server, request)
}

// fault records a promise that is broken.
func (w *simWorld) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faultLocked(format, args...)
}

func (w *simWorld) faultLocked(format string, args ...any) {
	w.logLocked("FAULT "+format, args...)
	if len(w.faults) < 10 {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

// ok reports whether no promise was broken.
func (w *simWorld) ok() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.faults) == 0
}

// chance is true once in n while the world is hostile.
func (w *simWorld) chance(draw *rand.Rand, n int) bool {
	hit := draw.IntN(n) == 0
	w.mu.Lock()
	defer w.mu.Unlock()
	return hit && !w.quiet
}

// latency is how long a request, or the second step of its effect, takes.
func (w *simWorld) latency(draw *rand.Rand) time.Duration {
	most := 4 * time.Millisecond
	switch n := draw.IntN(1000); {
	case w.calm:
	case n < 3:
		most = 4 * time.Second
	case n < 50:
		most = 100 * time.Millisecond
	}
	return time.Duration(1 + draw.Int64N(int64(most)))
}

// disturb may stop a process before it sends a request, for longer than a lease at
// times, or kill it there.
func (w *simWorld) disturb(p *simProcess, draw *rand.Rand) {
	switch {
	case w.chance(draw, 1500):
		w.freeze(p, time.Duration(draw.Int64N(int64(15*time.Second))))
	case w.chance(draw, 3000):
		p.kill()
	}
}

// freeze stops a process for a while (SIGSTOP, SIGCONT).
func (w *simWorld) freeze(p *simProcess, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logLocked("%s is stopped for %v", p.name, d)
	p.asleep = time.Now().Add(d)
}

func (w *simWorld) isCut(p *simProcess, server string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isDown(server) || time.Now().Before(w.cut[p.name+" "+server])
}

func (w *simWorld) isDown(server string) bool { return time.Now().Before(w.cut[server]) }

// play runs the world: some hostile minutes, then a takeover in peace, after whose sweep
// everything has to be equal.
func (w *simWorld) play() {
	for n := range 30 {
		w.table.Put(fakeworld.Key(n), strconv.Itoa(w.dice.IntN(5)))
	}
	ctx, stop := context.WithCancel(context.Background())
	var beside sync.WaitGroup
	beside.Go(func() { w.expire(ctx) })
	for i := range 3 {
		w.writers.Go(func() { w.write(rand.New(rand.NewPCG(w.seed, uint64(i)))) })
	}
	for _, m := range w.machines {
		beside.Go(func() { m.run(w) })
	}
	for time.Since(w.began) < simLength && w.ok() {
		time.Sleep(time.Duration(w.dice.Int64N(int64(12 * time.Second))))
		w.strike()
	}
	w.calmDown()
	w.lastTakeover()
	w.close()
	stop()
	beside.Wait()
	if w.ok() {
		w.judge.all()
	}
	time.Sleep(time.Minute) // what is under way arrives
}

const (
	simLength = 150 * time.Second // how long the world is hostile
	simPeace  = 30 * time.Second  // how long a machine is down after that
)

// expire ends leases, as etcd does twice a second.
func (w *simWorld) expire(ctx context.Context) {
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			w.mu.Lock()
			w.etcd.Expire()
			w.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// begins shows a process that starts. It returns false if the world is over.
func (w *simWorld) begins(p *simProcess) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.logLocked("%s starts", p.name)
		p.simMachine.process = p
	}
	return !w.over
}

// rest is how long a machine is down: in peace for long enough that the other one leads.
func (w *simWorld) rest(draw *rand.Rand) {
	down := time.Duration(draw.Int64N(int64(8 * time.Second)))
	if !w.hostile() {
		down = simPeace
	}
	time.Sleep(down)
}

// strike does something to a daemon or a server.
func (w *simWorld) strike() {
	p := w.process(w.dice.IntN(3) > 0)
	all := []string{servers.Etcd, servers.OpenSearch, servers.Pages, servers.Redis, simDB}
	server := all[w.dice.IntN(len(all))]
	d := time.Duration(w.dice.Int64N(int64(15 * time.Second)))
	switch n := w.dice.IntN(12); {
	case n < 1:
		w.restartRedis()
	case n < 2:
		w.redisSaves()
	case n < 4:
		p.kill()
	case n < 7:
		w.freeze(p, d)
	case n < 8:
		if p.await() == nil { // it gets no signal while it is stopped
			w.log("%s gets a signal to end", p.name)
			p.stop()
		}
	case n < 11:
		w.takeAway(p.name+" "+server, d)
	default:
		w.takeAway(server, d/2)
	}
}

// restartRedis restarts Redis from its last RDB.
func (w *simWorld) restartRedis() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logLocked("redis is restarted")
	w.redis.Restart()
}

func (w *simWorld) redisSaves() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.redis.Save()
}

// process returns one of the processes, or that which leads if there is one.
func (w *simWorld) process(leads bool) *simProcess {
	n := w.dice.IntN(len(w.machines))
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.machines {
		if leads && m.name == w.judge.leader {
			n = i
		}
	}
	return w.machines[n].process
}

// close ends both daemons.
func (w *simWorld) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, m := range w.machines {
		m.process.stop()
	}
}

func (w *simWorld) takeAway(what string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logLocked("%s does not answer for %v", what, d)
	w.cut[what] = time.Now().Add(d)
}

// calmDown lets writers end, and nothing happens to the servers any more.
func (w *simWorld) calmDown() {
	w.mu.Lock()
	w.logLocked("peace")
	w.quiet = true
	clear(w.cut)
	w.mu.Unlock()
	w.writers.Wait()
	time.Sleep(simPeace) // then both daemons run
	w.until("a daemon follows", w.judge.follows)
}

// lastTakeover kills the leader, and waits for the sweep of the next one.
func (w *simWorld) lastTakeover() {
	p := w.process(true)
	if !w.ok() {
		return
	}
	p.kill()
	w.until("another one leads", func() bool { return w.judge.leader != "" && w.judge.leader != p.name })
	time.Sleep(20 * time.Second)
	w.until("the sweep has ended", w.judge.follows)
}

// until waits for a condition.
func (w *simWorld) until(what string, done func() bool) {
	limit := time.Now().Add(10 * time.Minute)
	for w.ok() {
		w.mu.Lock()
		is := done()
		w.mu.Unlock()
		if is {
			return
		}
		if time.Now().After(limit) {
			w.fault("10 minutes after the last disturbance: not that %s: %s", what, w.judge.state())
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// The titles of rows whose document lacks a value, and of rows that can't be documents.
const (
	noNumber = "no number "
	tooLong  = "more words than the limit "
)

// write changes rows until the world is quiet.
func (w *simWorld) write(dice *rand.Rand) {
	upTo := func(d time.Duration) time.Duration { return time.Duration(1 + dice.Int64N(int64(d))) }
	for w.hostile() {
		time.Sleep(upTo(2 * time.Second))
		x := w.table.Begin()
		time.Sleep(upTo(300 * time.Millisecond))
		for range 1 + dice.IntN(3) {
			oid := doc.OID(fakeworld.Key(dice.IntN(40)))
			switch n := dice.IntN(10); {
			case n == 0:
				x.Delete(oid)
			case n == 1:
				x.Put(oid, noNumber+strconv.Itoa(dice.IntN(3)))
			case n == 2:
				x.Put(oid, tooLong+strconv.Itoa(dice.IntN(3)))
			default:
				x.Put(oid, strconv.Itoa(dice.IntN(5)))
			}
		}
		if dice.IntN(8) == 0 {
			time.Sleep(upTo(5 * time.Second))
		}
		w.mu.Lock() // so that the judge sees it as one step
		x.Commit()
		w.mu.Unlock()
	}
}

func (w *simWorld) hostile() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.quiet && len(w.faults) == 0
}
