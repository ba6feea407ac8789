package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/redistest"
)

// takeoverWithin is how long after the end of a leader another daemon may take to lead.
const takeoverWithin = 10 * time.Second

// TestFailover has two daemons follow a PostgreSQL into OpenSearch, Bigtable's emulator or
// HBase, etcd and Redis, while sessions write. In each of FAILOVER_N rounds something ends or
// hinders a daemon or a server. When the sweep of the takeover has ended, every row is
// compared with the documents of the cluster, and with the pages. A record of what the node
// accepted shows whether a term that was over wrote.
//
// A takeover is measured from the moment before the fault begins until the status of the
// other daemon says that etcd has elected it, in a later term. So it includes the time until
// the lease of the old leader expires, and not the swap of the write alias and the first
// write, which come then, and have a figure of their own. If the leader first has to notice for unreachedAfter that a server
// is away, that time is not counted.
//
// Without FAILOVER_N a leader is killed once and paused once. All faults come before one of
// them comes again, in an order that the seed decides.
func TestFailover(t *testing.T) {
	t.Parallel()
	n := rounds(t, "FAILOVER_N", 2, 2)
	f := newFailover(t)
	for i := range n {
		f.round(t, f.choose(i), i)
		if t.Failed() {
			break
		}
	}
	took := p99(f.takeovers)
	if took > takeoverWithin {
		t.Errorf("takeovers: got p99 %v, want at most %v", took, takeoverWithin)
	}
	fmt.Printf("failover: seed=%d rounds=%d writes=%d accepted=%d takeovers=%d p99_takeover=%.1fs p99_first_write=%.1fs lost=%d stale=%d ghost=%d torn=%d lower=%d %s\n",
		f.seed, n, f.commits, f.accepted, len(f.takeovers), took.Seconds(), p99(f.firstWrites).Seconds(), f.found.lost, f.found.stale, f.found.ghost, f.found.torn, f.lower, outcome(t.Failed()))
}

func p99(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[(len(all)*99-1)/100]
}

// A failover is a TestFailover under way. Its judge asks the cluster, and no daemon.
type failover struct {
	*clusterChaos
	etcd      *etcdtest.Server
	filter    filterServer
	recorder  *recorder
	daemons   [2]*member
	pause     time.Duration   // of a daemon that is stopped
	takeovers []time.Duration // until an election

	firstWrites []time.Duration // until the node has accepted a write of the new leader
	accepted    int             // writes
	lower       int             // of these, those of a term that was over
}

// A member is one of the daemons, with links to everything.
type member struct {
	*proc
	file  string
	links map[string]*proxy
}

func newFailover(t *testing.T) *failover {
	t.Helper()
	dsn, node := pgtest.DB(t), nodetest.URL(t)
	f := &failover{clusterChaos: &clusterChaos{chaos: newChaos(t, dsn, dsn, freshData(t)), db: openWriter(t, dsn), shared: node}, etcd: etcdtest.New(t), pause: 8 * time.Second}
	if s := os.Getenv("FAILOVER_PAUSE"); s != "" {
		var err error
		if f.pause, err = time.ParseDuration(s); err != nil {
			t.Fatalf("FAILOVER_PAUSE: %v", err)
		}
	}
	f.filter = filterServer{redistest.New(t)}
	recorder, recordedAt := newRecorder(t, node)
	f.recorder = recorder
	pagesAt, pages := startPages(t)
	prefix := "f" + strings.ToLower(rand.Text()) + "-"
	f.alias = prefix + "note"
	t.Cleanup(func() { _, _ = f.call("DELETE", "/"+f.alias+"-g*", nil) })
	database, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.daemons {
		m := &member{links: map[string]*proxy{}}
		for name, address := range map[string]string{"database": database.Host, "index": recordedAt, "pages": pagesAt, "etcd": f.etcd.Endpoint, "filter": "127.0.0.1:" + f.filter.Port} {
			m.links[name] = proxyTo(t, address)
		}
		reach := *database
		reach.Host = m.links["database"].address
		places := fmt.Sprintf("index: {engine: opensearch, url: \"http://%s\", prefix: %s, replicas: 0}\npages: %s\nbloom: {engine: redis, url: \"redis://%s/0\", key: shop}\nmarks: {engine: etcd, endpoints: \"http://%s\", prefix: /indexerd/shop}\nhttp:",
			m.links["index"].address, prefix, pages(m.links["pages"].address), m.links["filter"].address, m.links["etcd"].address)
		m.file = writeFile(t, strings.Replace(chaosConfig(reach.String(), filepath.Join(f.data, fmt.Sprint(i))), "http:", places, 1))
		f.daemons[i] = m
	}
	f.phase = "the load"
	f.start(t, 0)
	f.daemons[0].ready(t)
	f.start(t, 1)
	return f
}

// start starts a daemon.
func (f *failover) start(t *testing.T, i int) {
	t.Helper()
	m := f.daemons[i]
	m.proc = start(withEnv(t, "BIGTABLE_EMULATOR_HOST="+m.links["pages"].address), "run", "-c", m.file)
}

// leader returns the status of a daemon.
func (m *member) leader() (l httpapi.LeaderStatus, err error) {
	var s httpapi.Status
	body, err := get(m.base + "/api/v1/status")
	if err == nil {
		err = json.Unmarshal(body, &s)
	}
	switch {
	case err != nil:
		return l, err
	case s.Leader == nil || s.Leader.Error != nil:
		return l, fmt.Errorf("got leader %+v", s.Leader)
	}
	return *s.Leader, nil
}

// leads waits until one daemon leads and the other one can take over, and returns which
// and in which term.
func (f *failover) leads(t *testing.T) (leads int, term uint64) {
	t.Helper()
	eventually(t, restWithin, f.phase+": one daemon leads, the other one stands by", func() error {
		for i, m := range f.daemons {
			if err := m.unbroken(); err != nil {
				t.Fatalf("%s: %v", f.phase, err)
			}
			l, err := m.leader()
			if err != nil {
				return err
			}
			if l.This && len(l.Standbys) == 1 && l.Standbys[0].Unfit == nil && l.Standbys[0].Unreached == nil {
				leads, term = i, l.Term
				return nil
			}
		}
		return errors.New("no daemon leads with a standby")
	})
	return leads, term
}

// round has a fault come while sessions write, and judges what is left.
func (f *failover) round(t *testing.T, fault failoverFault, i int) {
	t.Helper()
	leads, term := f.leads(t)
	f.phase = fmt.Sprintf("round %d, %s", i, fault.name)
	f.stop = f.storm(t)
	<-time.After(time.Second/2 + f.within(time.Second))
	began, written := time.Now(), f.recorder.latest()
	end := fault.begin(f, t, leads)
	if fault.takesOver {
		f.takenOver(t, 1-leads, term, began.Add(fault.after))
		f.writesAgain(t, written, began.Add(fault.after))
		<-time.After(f.within(2 * time.Second))
	}
	if fault.lasts != nil {
		<-time.After(time.Until(began.Add(fault.lasts(f))))
	}
	end()
	<-time.After(f.within(2 * time.Second))
	f.commits += f.stop()
	f.rests(t)
	f.judgesTerms(t)
	t.Logf("%s: took %v", f.phase, time.Since(began).Round(time.Second/10))
}

// takenOver waits until a daemon leads in a later term, and notes how long that took.
func (f *failover) takenOver(t *testing.T, i int, term uint64, from time.Time) {
	t.Helper()
	eventually(t, restWithin, f.phase+": the standby leads", func() error {
		l, err := f.daemons[i].leader()
		if err == nil && (!l.This || l.Term <= term) {
			err = fmt.Errorf("got %+v", l)
		}
		return err
	})
	took := max(0, time.Since(from))
	f.takeovers = append(f.takeovers, took)
	t.Logf("%s: took over within %v", f.phase, took.Round(time.Second/100))
}

// writesAgain waits until the node has accepted a write of a later term, and notes how long
// that took.
func (f *failover) writesAgain(t *testing.T, than uint64, from time.Time) {
	t.Helper()
	eventually(t, restWithin, f.phase+": the new leader writes", func() error {
		if got := f.recorder.latest(); got <= than {
			return fmt.Errorf("the latest write is of term %d", got)
		}
		return nil
	})
	f.firstWrites = append(f.firstWrites, max(0, time.Since(from)))
}

// rests waits until S has passed the last commit, verified, and judges everything: rows
// first, and after a sweep also what has no row.
func (f *failover) rests(t *testing.T) {
	t.Helper()
	now := clockOf(t, f.dsn)
	leads, _ := f.leads(t)
	m := f.daemons[leads]
	eventually(t, restWithin, f.phase+": S passes the last commit, verified", func() error {
		var s httpapi.Status
		body, err := get(m.base + "/api/v1/status")
		if err == nil {
			err = json.Unmarshal(body, &s)
		}
		if err != nil {
			return errors.Join(err, m.unbroken())
		}
		note := s.Tables[0]
		switch {
		case note.Settled.At == nil || !time.Time(*note.Settled.At).After(now) || note.Settled.Unverified:
			return fmt.Errorf("settled %+v, the last error is %+v", note.Settled, note.LastError)
		case note.Quarantined > 0:
			t.Fatalf("%s: %d rows are in quarantine, and no row is bad", f.phase, note.Quarantined)
		}
		return nil
	})
	f.equal(t, false)
	eventually(t, soon, f.phase+": a sweep", func() error {
		if run := m.run(t, "note", "deletecheck"); run.State != "done" {
			return fmt.Errorf("%s %s", run.State, cmp.Or(pointed(run.Error), "without an error"))
		}
		return nil
	})
	f.equal(t, true)
	v := verifies(t, 0, m.file, "--content")
	f.found.add(verdict{v.Lost, v.Stale, v.Ghost, v.Torn})
}
