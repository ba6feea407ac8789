package daemon

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/front"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/internal/state/etcd"
	"indexerd/store/bloom"
)

// simDB is the name of the database among the servers.
const simDB = "database"

var (
	errSimKilled = errors.New("the process was killed")
	errSimNoWay  = errors.New("simulated: no answer")
)

// simProcess is a daemon from a start to its end. It is the gate to all servers.
type simProcess struct {
	*simMachine
	world *simWorld
	n     int // number of the start

	stop   context.CancelFunc // SIGTERM
	killed chan struct{}      // closed when the process has ended, or is killed
	end    func()             // closes it
	asleep time.Time          // until when it is stopped (SIGSTOP); under the world's mu
}

// run starts daemons on a machine, one after the other, until the world ends.
func (m *simMachine) run(w *simWorld) {
	for n := 1; ; n++ {
		ctx, stop := context.WithCancel(context.Background())
		killed := make(chan struct{})
		p := &simProcess{simMachine: m, world: w, n: n, stop: stop, killed: killed, end: sync.OnceFunc(func() { close(killed) })}
		if !w.begins(p) {
			return
		}
		p.supervise(ctx)
		p.end() // a run that was left ends with the process
		w.rest(w.draw(p, "machine", "down"))
	}
}

// supervise starts the daemon again when it ends with an error, as a service manager
// does. It does not if another daemon has the index or the pages.
func (p *simProcess) supervise(ctx context.Context) {
	for {
		err := p.serve(ctx)
		p.world.log("%s has ended: %v", p.name, err)
		if ctx.Err() != nil {
			return
		}
		if err == nil || stored.IsAnothers(err) {
			p.world.fault("the daemon on %s has ended for good: %v", p.name, err)
			return
		}
		p.sleep(ctx, time.Second)
	}
}

// serve is Run with connections to the simulated servers.
func (p *simProcess) serve(ctx context.Context) error {
	cfg := p.world.config(p.data)
	if err := datadir.Make(cfg); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(simLog{p}, nil))
	e, err := openToRun(ctx, cfg, log, p.connect)
	if err != nil {
		return err
	}
	d, err := newSimDaemon(ctx, cfg, e, log)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	return errors.Join(d.live(ctx, e), d.front.Close())
}

// newSimDaemon returns a daemon with its first engine, as Run makes it.
func newSimDaemon(ctx context.Context, cfg *configs.Config, e *Engine, log *slog.Logger) (*daemon, error) {
	if err := e.OpenDatabases(ctx); err != nil {
		return nil, err
	}
	d := &daemon{Options: Options{Log: log}, cfg: cfg, orders: make(chan order, maxOrders), pauses: newPauses()}
	d.front = front.New(front.LimitConnections(cfg, newSimListener(), log), cfg.HTTP, log)
	e.started, e.orders, e.log = time.Now(), d.orders, log
	if e.frozen != nil {
		d.logFrozen(e.frozen)
	} else {
		d.logTerm(e)
	}
	d.front.Show(e, cfg.HTTP)
	return d, nil
}

// connect is connect with a connection to the simulated etcd.
func (p *simProcess) connect(ctx context.Context, cfg *configs.Config) (h holding, err error) {
	id, err := datadir.ID(cfg.Data)
	if err != nil {
		return h, err
	}
	w := p.world
	connected, leases := w.etcd.Connect(p.name, p, p.rate)
	client, err := leader.EtcdConfig(cfg.Marks).OpenOver(ctx, connected, leases)
	if err != nil {
		return h, err
	}
	h.shared = leader.New(client, cfg, id)
	h.shared.Describe(func(m *etcd.Member) { m.Name = p.name })
	h.over = &stored.Connections{
		Database: func(configs.Source) database.Database { return simDatabase{process: p} },
		Index:    w.cluster.Connect(p.name, p),
		Pages:    w.pages.Connect(p.name, p),
		Filter: func(key string, _ bloom.Size) (pagetable.Filter, func() error, error) {
			return w.redis.Connect(p.name, p, key), func() error { return nil }, nil
		},
	}
	return h, nil
}

// config returns the configuration of a data directory.
func (w *simWorld) config(data string) *configs.Config {
	cfg, err := configs.Load(writeFile(w.t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
index: {engine: opensearch, url: "http://cluster", prefix: shop-, replicas: 0}
pages: {engine: hbase, rest: "http://hbase", table: pages}
bloom: {engine: redis, url: "redis://redis/0", key: shop}
marks: {engine: etcd, endpoints: "http://etcd", prefix: /indexerd/shop}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title]}, metadata: {title: number}, limits: {words: 3}, batch: 10, workers: 1, deletecheck: {max_fraction: 1}}
`, data, filepath.Join(data, "db"))), func(string) (string, bool) { return "", false })
	if err != nil {
		w.t.Fatal(err)
	}
	return cfg
}

// kill ends the process at once: nothing that it asks from now on is sent.
func (p *simProcess) kill() {
	p.world.log("%s is killed", p.name)
	p.end()
	p.stop() // what is left of it asks in vain
}

// clock is the clock of the machine.
func (p *simProcess) clock() time.Time {
	since := time.Since(p.world.began)
	return p.world.began.Add(p.ahead + time.Duration(float64(since)*p.rate))
}

// await waits while the process is stopped. It returns an error if it was killed.
func (p *simProcess) await() error {
	for {
		p.world.mu.Lock()
		left := time.Until(p.asleep)
		p.world.mu.Unlock()
		select {
		case <-p.killed:
			return errSimKilled
		default:
		}
		if left <= 0 {
			return nil
		}
		p.sleep(context.Background(), left)
	}
}

// sleep waits, unless the process is killed or ctx ends.
func (p *simProcess) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	case <-p.killed:
	}
}

// Send implements servers.Gate. What happens to a request is drawn from the seed, the
// process, the request and how often it was sent, and not from the order of requests.
func (p *simProcess) Send(ctx context.Context, server, request string, effect func() func()) error {
	w := p.world
	draw := w.draw(p, server, request)
	w.disturb(p, draw)
	if err := p.await(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.isCut(p, server) {
		p.sleep(ctx, time.Duration(draw.Int64N(int64(2*time.Second))))
		return errSimNoWay
	}
	arrived := make(chan struct{})
	lost := w.chance(draw, 400)
	second := draw.Uint64()
	time.AfterFunc(w.latency(draw), func() { w.arrive(p, server, request, effect, second, arrived) })
	if lost {
		p.sleep(ctx, time.Duration(draw.Int64N(int64(5*time.Second))))
		return errSimNoWay
	}
	select {
	case <-arrived:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.killed:
		return errSimKilled
	case <-time.After(15 * time.Second):
		return errSimNoWay
	}
	if w.isCut(p, server) {
		return errSimNoWay
	}
	return p.await()
}

// arrive has a server get a request. The second step of its effect comes some time
// after the first.
func (w *simWorld) arrive(p *simProcess, server, request string, effect func() func(), seed uint64, arrived chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isDown(server) {
		return // its answer never comes
	}
	w.note(p, server, request)
	later := effect()
	if later == nil {
		close(arrived)
		return
	}
	time.AfterFunc(w.latency(rand.New(rand.NewPCG(seed, 1))), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		later()
		close(arrived)
	})
}

// draw returns the dice of a request.
func (w *simWorld) draw(p *simProcess, server, request string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s %s", p.name, p.n, server, request)
	key := h.Sum64()
	w.mu.Lock()
	w.sent[key]++
	n := w.sent[key]
	w.mu.Unlock()
	return rand.New(rand.NewPCG(w.seed^key, n))
}

// simLog has the lines of a daemon in the log of the world.
type simLog struct{ process *simProcess }

// Write implements io.Writer.
func (l simLog) Write(line []byte) (int, error) {
	l.process.world.log("%s: %s", l.process.name, line[:len(line)-1])
	return len(line), nil
}

// simListener accepts no connection.
type simListener struct{ closed chan struct{} }

func newSimListener() simListener { return simListener{make(chan struct{})} }

// Accept implements net.Listener.
func (l simListener) Accept() (net.Conn, error) {
	<-l.closed
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l simListener) Close() error {
	close(l.closed)
	return nil
}

// Addr implements net.Listener.
func (l simListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
