package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/process"
)

// A mover is a daemon of 500 rows whose pages are moved.
type mover struct {
	t             *testing.T
	env           []string
	dir, dsn      string
	files, remote string // configurations
}

// pageTargets are stores that pages are moved to. Each returns the configuration of
// pages, and the environment that they need.
var pageTargets = map[string]func(t *testing.T) (pages string, env []string){
	"Bigtable's emulator": func(t *testing.T) (string, []string) {
		emulator, err := bttest.NewServer("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(emulator.Close)
		return "engine: bigtable, project: p, instance: i, table: pages", []string{"BIGTABLE_EMULATOR_HOST=" + emulator.Addr}
	},
	"HBase": func(t *testing.T) (string, []string) {
		if os.Getenv("HBASE") == "" {
			t.Skip("it takes minutes: set HBASE=1")
		}
		store, err := hbasetest.Start(false)
		process.Need(t, err, false)
		t.Cleanup(store.Stop)
		return "engine: hbase, rest: '" + store.URL + "', table: pages", nil
	},
}

func newMover(t *testing.T, pages string, env []string) *mover {
	dir := t.TempDir()
	m := &mover{t: t, env: env, dir: dir, dsn: filepath.Join(dir, "db")}
	m.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)")
	m.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO item SELECT i, 1700000000 + i, 'common w' || i FROM n")
	m.files, m.remote = m.config("engine: filemap"), m.config(pages)
	return m
}

func (m *mover) execute(statement string) {
	m.t.Helper()
	execSQLite(m.t, m.dsn, statement)
}

func (m *mover) config(pages string) string {
	return writeFile(m.t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
pages: {%s}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [body]}}
`, filepath.Join(m.dir, "data"), pages, m.dsn))
}

func (m *mover) start(file string) *proc {
	m.t.Helper()
	cmd := exec.Command(binary(m.t), "run", "-c", file)
	cmd.Env = append(cmd.Environ(), m.env...)
	return startCmd(m.t, cmd)
}

func (m *mover) move(from, to string, code int, says ...string) {
	m.t.Helper()
	stdout, stderr, got := ask(withEnv(m.t, m.env...), "move", "--from", from, "-c", to)
	for _, text := range says {
		if !strings.Contains(stdout+stderr, text) {
			m.t.Errorf("move: got %s%s, want %q", stdout, stderr, text)
		}
	}
	if got != code {
		m.t.Errorf("move: got exit code %d: %s%s, want %d", got, stdout, stderr, code)
	}
}

// Pages go from the file map to another store and back, with rows that change between:
// nothing is loaded again, and every page is that of its row.
func TestMove(t *testing.T) {
	t.Parallel()
	for name, target := range pageTargets {
		t.Run(name, func(t *testing.T) {
			pages, env := target(t)
			testMove(t, newMover(t, pages, env))
		})
	}
}

func testMove(t *testing.T, m *mover) {
	files, remote, env := m.files, m.remote, m.env
	execute, config, start, move := m.execute, m.config, m.start, m.move
	move(files, remote, 1, "nothing is loaded in "+filepath.Join(m.dir, "data"))
	d := start(files)
	d.ready(t)
	d.stop(t)
	move(files, files, 2, "the pages are where those of "+files+" are")
	move(remote, files, 1, "the pages are in filemap already: start indexerd with "+files)

	move(files, remote, 0, "item: 500 pages are in", "500 copied", "0 differ", "start indexerd with "+remote)
	move(files, remote, 1, "already: start indexerd with "+remote)
	hbase := config("engine: hbase, rest: 'http://127.0.0.1:1', table: others")
	move(files, hbase, 1, "name a configuration with that store after --from")
	move(remote, hbase, 1, "run the command again to continue, or start indexerd with "+remote)
	execute("UPDATE item SET body = 'common changed', u = 1800000000 WHERE id = 7")
	execute("DELETE FROM item WHERE id < 4")
	d = start(remote)
	isEqual(withEnv(t, env...), remote)
	d.stop(t)
	if strings.Contains(d.log.String(), "initial loaded") {
		t.Errorf("the table was loaded again:\n%s", d.log)
	}

	move(remote, files, 0, "item: 497 pages are in", "0 differ")
	d = start(files)
	isEqual(withEnv(t, env...), files)
	d.has(t, "item", "changed", 1)
	d.stop(t)
	if strings.Contains(d.log.String(), "initial loaded") {
		t.Errorf("the table was loaded again:\n%s", d.log)
	}
}

// Pages go to another store and back while the daemon runs and rows change. After a
// restart with the new configuration nothing is loaded again, the table is verified, and
// all is that of the database.
func TestMoveWhileTheDaemonRuns(t *testing.T) {
	t.Parallel()
	for name, target := range pageTargets {
		t.Run(name, func(t *testing.T) {
			pages, env := target(t)
			m := newMover(t, pages, env)
			for _, way := range [][2]string{{m.files, m.remote}, {m.remote, m.files}} {
				d := m.start(way[0])
				d.ready(t)
				stop := m.writes()
				m.move(way[0], way[1], 0, " 0 damaged, 0 differ", "Put "+way[1]+" in the place of "+way[0])
				stop()
				m.move(way[0], way[1], 1, "already")
				d.stop(t)
				d = m.start(way[1])
				if s := d.status(t); s.Tables[0].Settled.Unverified {
					t.Errorf("the table is unverified after a move: %s", d.log)
				}
				isEqual(withEnv(t, env...), way[1])
				d.stop(t)
				if strings.Contains(d.log.String(), "initial loaded") {
					t.Errorf("the table was loaded again:\n%s", d.log)
				}
			}
		})
	}
}

// A daemon that is killed while its pages are moved starts again with the old
// configuration, and the move continues.
func TestKillDuringAMove(t *testing.T) {
	t.Parallel()
	pages, env := pageTargets["Bigtable's emulator"](t)
	m := newMover(t, pages, env)
	for i := range 3 {
		d := m.start(m.files)
		d.ready(t)
		stop := m.writes()
		command := exec.Command(binary(t), "move", "--from", m.files, "-c", m.remote)
		command.Env = append(command.Environ(), env...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(i) * 150 * time.Millisecond)
		d.kill()
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()         // with its signal
		stop()
	}
	d := m.start(m.files)
	d.ready(t)
	isEqual(withEnv(t, env...), m.files)
	m.move(m.files, m.remote, 0, " 0 damaged, 0 differ")
	d.stop(t)
	d = m.start(m.remote)
	isEqual(withEnv(t, env...), m.remote)
	d.stop(t)
}

// writes changes rows until stop is called.
func (m *mover) writes() (stop func()) {
	ended := make(chan struct{})
	var going sync.WaitGroup
	going.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
			}
			m.execute(fmt.Sprintf("UPDATE item SET body = 'common round %d', u = CAST(strftime('%%s', 'now') AS INTEGER) WHERE id %% 50 = %d", i, i%50))
			m.execute(fmt.Sprintf("INSERT OR REPLACE INTO item VALUES (%d, CAST(strftime('%%s', 'now') AS INTEGER), 'common new %d')", 1000+i%50, i))
			m.execute(fmt.Sprintf("DELETE FROM item WHERE id = %d", 1000+(i+25)%50))
		}
	})
	stop = sync.OnceFunc(func() { close(ended); going.Wait() })
	m.t.Cleanup(stop)
	return stop
}
