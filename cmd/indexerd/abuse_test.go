package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/index/search"
	"indexerd/internal/test/pgtest"
)

// The machine that the daemon gets, and what it has to do on it while it is
// abused.
const (
	abuseHandles  = 256
	abuseMemory   = 512 << 20
	abuseFresh    = 3 * time.Second // from a commit to its first hit, 99 of 100
	abuseSearch   = time.Second     // of a client that behaves, all of them
	abuseEvery    = 20 * time.Millisecond
	malformedEach = 1000
)

const abuseSchema = `
CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL, n bigint NOT NULL);
CREATE INDEX ON note (updated);
INSERT INTO note (id, body, n) SELECT i, 'small ' || i, 0 FROM generate_series(1, 2000) i;
INSERT INTO note (id, body, n) SELECT 10000 + i, repeat('large ' || md5(i::text) || ' drama shark ', 1160000 / 51), 0 FROM generate_series(1, 30) i;
ANALYZE note`

// TestAbuse abuses a daemon for ABUSE_SECONDS from many addresses, while rows
// change 50 times a second and one client searches as it should.
func TestAbuse(t *testing.T) {
	if os.Getenv("ABUSE_SECONDS") == "" { // no time is judged
		t.Parallel()
	}
	lasts := time.Duration(rounds(t, "ABUSE_SECONDS", 6, 3)) * time.Second
	a := newAbused(t)
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	mob := newMob(a.daemon.base, a.seed)
	var going sync.WaitGroup
	going.Go(func() { mob.run(ctx) })
	going.Go(func() { a.write(ctx, t) })
	going.Go(func() { a.watchHandles(ctx, t) })
	a.look(ctx, t)
	going.Wait()
	a.lookUntilFound(t)
	if mob.malformed.Load() < malformedEach && os.Getenv("ABUSE_SECONDS") != "" {
		t.Errorf("%d malformed requests were sent, want %d", mob.malformed.Load(), malformedEach)
	}
	a.judge(t, mob)
}

// An abused is a TestAbuse under way.
type abused struct {
	seed      uint64
	dsn, file string
	daemon    *proc
	client    visitor // that behaves

	mu        sync.Mutex
	committed []time.Time // of each write, by its number less 1
	found     []time.Time // of each write that was found
	took      []time.Duration
	failed    []string
	handles   int // most that were open
}

func newAbused(t *testing.T) *abused {
	t.Helper()
	a := &abused{seed: chaosSeed(t), dsn: pgtest.DB(t)}
	pgtest.Exec(t, a.dsn, abuseSchema)
	a.file = writeFile(t, lateConfig(a.dsn, freshData(t), "{every: 500ms, slack: 500ms}")+`    metadata: {n: number}
    batch: 20
    workers: 1
`)
	rewrite(t, a.file, "SELECT id, updated, body", "SELECT id, updated, body, n")
	rewrite(t, a.file, "http: {listen: 127.0.0.1:0}\n", "http:\n  listen: 127.0.0.1:0\n  tokens:\n"+
		"    ops: {token: "+opsToken+", admin: true}\n    shop: {token: "+shopToken+"}\n    mob: {token: "+mobToken+"}\n")
	cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, abuseHandles), binary(t), "run", "-c", a.file)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", abuseMemory*3/4))
	a.daemon = startCmd(t, cmd)
	a.daemon.ready(t)
	a.client = visitor{&http.Client{Timeout: soon}, a.daemon.base, shopToken}
	return a
}

// The tokens of the callers: an application's, and one that has leaked.
const (
	shopToken = "t0ken-of-the-web-shop"
	mobToken  = "t0ken-that-has-leaked"
)

// write changes a row every abuseEvery, and notes when each change committed.
func (a *abused) write(ctx context.Context, t *testing.T) {
	conn, err := pgx.Connect(t.Context(), a.dsn)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(context.Background())
	random := rand.New(rand.NewPCG(a.seed, 1))
	due := time.NewTicker(abuseEvery)
	defer due.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		if _, err := conn.Exec(t.Context(), "UPDATE note SET n = $1, updated = clock_timestamp() WHERE id = $2", n, 1+random.IntN(2000)); err != nil {
			t.Error(err)
			return
		}
		a.mu.Lock()
		a.committed = append(a.committed, time.Now())
		a.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-due.C:
		}
	}
}

// look searches as an application does, each second time on a new connection.
func (a *abused) look(ctx context.Context, t *testing.T) {
	for i := 0; ctx.Err() == nil; i++ {
		if i%2 == 0 {
			a.client.CloseIdleConnections()
		}
		a.see(t)
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// see asks for the newest write and counts all up to it as found.
func (a *abused) see(t *testing.T) (found, committed int) {
	t.Helper()
	began := time.Now()
	answer, err := a.newest()
	took := time.Since(began)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.took = append(a.took, took)
	if err != nil {
		a.failed = append(a.failed, err.Error())
	}
	for now := time.Now(); len(a.found) < min(answer, len(a.committed)); {
		a.found = append(a.found, now)
	}
	return len(a.found), len(a.committed)
}

// newest is the number of the newest write that a search finds.
func (a *abused) newest() (int, error) {
	request, err := http.NewRequest(http.MethodGet, a.client.base+"/api/v1/tables/note/search?q=small&sort=-n&size=1&fields=n", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+a.client.token)
	response, err := a.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("status %d: %s", response.StatusCode, text))
	}
	var answer search.Answer
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Hits) != 1 {
		return 0, errors.Join(err, fmt.Errorf("no hit in %s", text))
	}
	n, _ := answer.Hits[0].Fields.Get("n").(float64)
	return int(n), nil
}

// lookUntilFound waits for the last writes, after the abuse has ended.
func (a *abused) lookUntilFound(t *testing.T) {
	t.Helper()
	during := len(a.took)
	eventually(t, soon, "the last write is found", func() error {
		if found, committed := a.see(t); found < committed {
			return fmt.Errorf("%d of %d", found, committed)
		}
		return nil
	})
	a.took = a.took[:during]
}

// watchHandles notes how many files and connections the daemon has open.
func (a *abused) watchHandles(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		open, err := a.daemon.handles()
		if err != nil {
			t.Error(err)
			return
		}
		a.handles = max(a.handles, open)
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// judge prints the figures, and fails where a target is missed. The targets are
// for a machine that does nothing else: only ABUSE_SECONDS asks for them.
func (a *abused) judge(t *testing.T, mob *mob) {
	t.Helper()
	if err := a.daemon.unbroken(); err != nil {
		t.Fatal(err)
	}
	slack := time.Duration(1)
	if os.Getenv("ABUSE_SECONDS") == "" {
		slack = 20
	}
	fresh := make([]time.Duration, len(a.found))
	for i := range fresh {
		fresh[i] = a.found[i].Sub(a.committed[i])
	}
	slices.Sort(fresh)
	p99, slowest, peak := fresh[len(fresh)*99/100], slices.Max(a.took), int64(a.daemon.memory(t, "VmHWM")*(1<<20))
	if p99 > abuseFresh*slack || slowest > abuseSearch*slack {
		t.Errorf("commit to first hit: p99 %v, want %v; the slowest search: %v, want %v", p99, abuseFresh*slack, slowest, abuseSearch*slack)
	}
	if len(a.failed) > 0 {
		t.Errorf("%d of %d searches of the client that behaves failed, the first one with %s", len(a.failed), len(a.took), a.failed[0])
	}
	if peak > abuseMemory {
		t.Errorf("the daemon took %d MiB, want at most %d", peak>>20, abuseMemory>>20)
	}
	if log := a.daemon.log.String(); strings.Contains(log, "too many open files") || strings.Contains(log, "panic") {
		t.Errorf("the daemon ran out of handles, or panicked: see its log")
	}
	figures := fmt.Sprintf("fresh_p99_ms=%d searches=%d slowest_ms=%d failed=%d rss_mib=%d handles=%d", p99.Milliseconds(),
		len(a.took), slowest.Milliseconds(), len(a.failed), peak>>20, a.handles)
	_, text := a.daemon.as(opsToken).ask(t, http.MethodGet, "/metrics", "")
	metrics := exported(text)
	for _, name := range []string{"connections_refused_total", "connections_evicted_total", "wrong_tokens_total", "answers_cut_total"} {
		figures += fmt.Sprintf(" %s=%d", strings.TrimSuffix(name, "_total"), int(metrics.must(t, "indexerd_http_"+name)))
	}
	v := verifies(withToken(t, opsToken), 0, a.file, "--content", "--wait", "1m")
	fmt.Printf("abuse: seed=%d writes=%d %s malformed=%d connections=%d %s lost=%d stale=%d ghost=%d torn=%d %s\n",
		a.seed, len(a.committed), cmp.Or(mob.String(), "-"), mob.malformed.Load(), mob.connected.Load(), figures, v.Lost, v.Stale, v.Ghost, v.Torn, outcome(t.Failed()))
}
