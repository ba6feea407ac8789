package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/nodetest"
)

// A pair is two daemons that share an index in OpenSearch, pages in an emulator of
// Bigtable and marks in etcd, with their database.
type pair struct {
	t        *testing.T
	dir      string
	node     string // URL of OpenSearch
	prefix   string // of the names of indexes
	emulator string
	etcd     *etcdtest.Server
	config   string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	node, etcd := nodetest.URL(t), etcdtest.New(t)
	prefix := "p" + strings.ToLower(rand.Text()) + "-"
	p := &pair{t: t, dir: t.TempDir(), node: node, prefix: prefix, emulator: bigtabletest.Start(t), etcd: etcd}
	p.config = fmt.Sprintf(`http: {listen: 127.0.0.1:0}
index: {engine: opensearch, url: "%s", prefix: %s, replicas: 0}
pages: {engine: bigtable, project: p, instance: i, table: pages}
marks: {engine: etcd, endpoints: "http://%s", prefix: /indexerd/shop}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [body]}}
`, node, prefix, etcd.Endpoint, filepath.Join(p.dir, "db"))
	t.Cleanup(func() { nodeAnswers(t, node, http.MethodDelete, "/"+prefix+"item-g*", nil, nil) })
	p.exec("CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO item SELECT i, 1700000000 + i, 'common w' || i FROM n")
	return p
}

// unalias removes the alias by which the leader writes, as a daemon that leads does.
func (p *pair) unalias() {
	p.t.Helper()
	remove := map[string]any{"index": p.prefix + "item-g*", "alias": p.prefix + "item-g*-w-*"}
	nodeAnswers(p.t, p.node, http.MethodPost, "/_aliases", map[string]any{"actions": []any{map[string]any{"remove": remove}}}, nil)
}

func (p *pair) exec(statements ...string) {
	p.t.Helper()
	execSQLite(p.t, filepath.Join(p.dir, "db"), statements...)
}

// insert inserts a row with the text of its id.
func (p *pair) insert(id int) {
	p.t.Helper()
	p.exec(fmt.Sprintf("INSERT INTO item VALUES (%d, %d, 'common row%d')", id, time.Now().Unix(), id))
}

// file returns the configuration of one of the daemons.
func (p *pair) file(name string) string {
	return writeFile(p.t, fmt.Sprintf("data: %s\n%s", filepath.Join(p.dir, name), p.config))
}

func (p *pair) start(file string) *proc {
	p.t.Helper()
	return start(withEnv(p.t, "BIGTABLE_EMULATOR_HOST="+p.emulator), "run", "-c", file)
}

// finds waits until a daemon finds a number of rows, and returns how long that took.
func (p *pair) finds(d *proc, q string, want uint64) time.Duration {
	p.t.Helper()
	return d.reaches(p.t, "item", q, want)
}

// leads waits until the status of a daemon has one standby and the term, and says whether
// it leads.
func (p *pair) leads(d *proc, file string, this bool, term uint64) {
	p.t.Helper()
	eventually(p.t, soon, "the leader in the status", func() error {
		s := d.status(p.t)
		if s.Tables[0].State != "following" || s.Tables[0].LastError != nil {
			return fmt.Errorf("got state %s, last error %v, want following", s.Tables[0].State, s.Tables[0].LastError)
		}
		l := s.Leader
		if l == nil || l.This != this || l.Term != term || l.Since == nil || len(l.Standbys) != 1 || l.Error != nil {
			return fmt.Errorf("got %+v, want that it leads: %t, in term %d, with one standby", l, this, term)
		}
		return nil
	})
	want := map[bool]string{true: "this daemon leads since ", false: ") leads since "}[this]
	if stdout, stderr, _ := ask(p.t, "status", "-c", file); !strings.Contains(stdout, want) || !strings.Contains(stdout, "standby: ") {
		p.t.Errorf("got status %s%s, want %q and a standby", stdout, stderr, want)
	}
}

// The second daemon answers searches while the first leads, and leads when that one is
// killed, stopped, or does not run for longer than its lease. Nothing is loaded again.
func TestStandby(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	began := time.Now()
	defer func() { t.Logf("beside the servers: %v", time.Since(began)) }()
	fileA, fileB := p.file("a"), p.file("b")
	a := p.start(fileA)
	a.ready(t)
	p.finds(a, "common", 300)
	b := p.start(fileB)
	b.waitForLog(p.t, "indexerd stands by", 1)
	p.finds(b, "common", 300)
	p.leads(a, fileA, true, 1)
	p.leads(b, fileB, false, 1)
	p.exec("UPDATE item SET body = 'common changed', u = 1800000000 WHERE id = 7", "DELETE FROM item WHERE id < 6")
	p.finds(a, "changed", 1)
	p.finds(b, "changed", 1)

	a.kill()
	p.insert(1001)
	t.Logf("killed: the standby has the next row after %v", p.finds(b, "row1001", 1))
	isEqual(p.t, fileB)
	p.finds(b, "common", 296)

	a = p.start(fileA)
	a.waitForLog(p.t, "indexerd stands by", 1)
	b.stop(t)
	p.insert(1002)
	t.Logf("stopped: the standby has the next row after %v", p.finds(a, "row1002", 1))

	b = p.start(fileB)
	b.waitForLog(p.t, "indexerd stands by", 1)
	if err := a.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.insert(1003)
	t.Logf("paused: the standby has the next row after %v", p.finds(b, "row1003", 1))
	if err := a.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	a.waitForLog(p.t, "indexerd does not lead any more", 1)
	p.insert(1004)
	p.finds(b, "row1004", 1)
	p.finds(a, "row1004", 1)
	p.finds(b, "common", 299)

	p.stepsDown(b, fileB)
	p.insert(1010)
	t.Logf("stepped down: the standby has the next row after %v", p.finds(a, "row1010", 1))
	p.stepsDown(a, fileA)

	p.finds(b, "common", 300) // it has read the marks
	a.stop(t)
	p.etcd.Kill()
	b.waitForLog(t, "indexerd does not lead any more", 2) // the first is that it stepped down
	p.finds(b, "common", 300)
	if err := p.etcd.Run(); err != nil {
		t.Fatal(err)
	}
	p.insert(1005)
	t.Logf("etcd restarted: the daemon has the next row after %v", p.finds(b, "row1005", 1))
	isEqual(p.t, fileB)

	p.unalias()
	p.insert(1006)
	t.Logf("fenced: the daemon has the next row after %v", p.finds(b, "row1006", 1))
	b.waitForLog(t, "indexerd does not lead any more", 3)
	isEqual(p.t, fileB)
	if strings.Contains(b.log.String(), "initial loaded") {
		t.Error("the second daemon loaded the table again")
	}
}
