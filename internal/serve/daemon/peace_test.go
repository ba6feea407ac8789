package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/front"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/simtest/servers"
)

// newPeace returns a simulated world in which nothing goes wrong by itself.
func newPeace(t *testing.T) *simWorld {
	t.Helper()
	w := &simWorld{
		t: t, began: time.Now(), dice: rand.New(rand.NewPCG(1, 1)), table: fakeworld.NewTable(10), calm: true, quiet: true,
		etcd: servers.NewKeyValues(), cluster: servers.NewCluster(), pages: servers.NewPageTable(), redis: servers.NewFilterServer(),
		sent: map[uint64]uint64{}, cut: map[string]time.Time{},
	}
	w.table.LetClockRun()
	for n := range 30 {
		w.table.Put(fakeworld.Key(n), strconv.Itoa(n))
	}
	ctx, stop := context.WithCancel(context.Background())
	var expiring sync.WaitGroup
	expiring.Go(func() { w.expire(ctx) })
	t.Cleanup(func() {
		stop()
		expiring.Wait()
		if t.Failed() {
			t.Log(strings.Join(w.lines, "\n"))
		}
	})
	return w
}

// oneCollector keeps loads from starting the collector, which is one for all worlds.
func oneCollector(t *testing.T) { t.Setenv("GOGC", "100") }

// says reports whether the log has a text.
func (w *simWorld) says(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(strings.Join(w.lines, "\n"), text)
}

// A peaceful daemon is one of such a world, with two tables of the same rows.
type peaceful struct {
	*daemon
	shared  *leader.Shared
	way     *hanging // to index and pages
	process *simProcess
}

// run runs a daemon until the test ends.
func (w *simWorld) run(t *testing.T, name string) *peaceful {
	t.Helper()
	killed := make(chan struct{})
	p := &simProcess{simMachine: &simMachine{name: name, data: t.TempDir(), rate: 1}, world: w, n: 1, killed: killed, end: sync.OnceFunc(func() { close(killed) })}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
index: {engine: opensearch, url: "http://cluster", prefix: shop-, replicas: 0}
pages: {engine: hbase, rest: "http://hbase", table: pages}
marks: {engine: etcd, endpoints: "http://etcd", prefix: /indexerd/shop}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title]}}
  actor: {source: db, sql: SELECT * FROM actor, key: id, updated: u, content: {fields: [title]}}
`, p.data, filepath.Join(p.data, "db"))), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	if err := datadir.Make(cfg); err != nil {
		t.Fatal(err)
	}
	way, log := newHanging(p), slog.New(slog.NewTextHandler(simLog{p}, nil))
	e, err := openToRun(ctx, cfg, log, func(ctx context.Context, cfg *configs.Config) (holding, error) {
		h, err := p.connect(ctx, cfg)
		if err == nil {
			h.over.Index, h.over.Pages = w.cluster.Connect(p.name, way), w.pages.Connect(p.name, way)
		}
		return h, err
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newSimDaemon(ctx, cfg, e, log)
	if err != nil {
		t.Fatal(err)
	}
	lived := make(chan error, 1)
	go func() { lived <- errors.Join(d.live(ctx, e), d.front.Close()) }()
	t.Cleanup(func() {
		stop()
		err := <-lived
		select {
		case <-killed:
		default:
			if err != nil && !errors.Is(err, context.Canceled) { // the end of what was under way
				t.Error(err)
			}
		}
	})
	return &peaceful{d, e.shared, way, p}
}

// asks sends a request to the daemon.
func (d *peaceful) asks(method, path string) (status int, body string, took time.Duration) {
	began, w := time.Now(), httptest.NewRecorder()
	d.front.ServeHTTP(w, httptest.NewRequest(method, "http://"+d.front.Address+path, http.NoBody))
	return w.Code, w.Body.String(), time.Since(began)
}

func (d *peaceful) shown(path string) (status int, body string, took time.Duration) {
	return d.asks(http.MethodGet, path)
}

// tables returns the status, which comes at once, and its tables by name.
func (d *peaceful) tables(t *testing.T) (httpapi.Status, map[string]httpapi.TableStatus) {
	t.Helper()
	code, body, took := d.shown("/api/v1/status")
	var s httpapi.Status
	if err := json.Unmarshal([]byte(body), &s); err != nil || code != http.StatusOK || took > front.ShowWithin+stored.CountWithin+leader.StatusWithin {
		t.Fatalf("status: got %d after %v, error %v: %s", code, took, err, body)
	}
	tables := map[string]httpapi.TableStatus{}
	for _, one := range s.Tables {
		tables[one.Table] = one
	}
	return s, tables
}
