package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/process"
)

// A mover is a daemon of 500 rows whose pages are moved.
type mover struct {
	testing.TB    // its commands reach the other store
	dir, dsn      string
	files, remote string // configurations
}

// pageTargets are stores that pages are moved to. Each returns the configuration of
// pages, and a test whose commands reach them.
var pageTargets = map[string]func(t *testing.T) (pages string, with testing.TB){
	"Bigtable's emulator": func(t *testing.T) (string, testing.TB) {
		return "engine: bigtable, project: p, instance: i, table: pages", withEnv(t, "BIGTABLE_EMULATOR_HOST="+bigtabletest.Start(t))
	},
	"HBase": func(t *testing.T) (string, testing.TB) {
		if os.Getenv("HBASE") == "" {
			t.Skip("it takes minutes: set HBASE=1")
		}
		store, err := hbasetest.Start(false)
		process.Need(t, err, false)
		t.Cleanup(store.Stop)
		return "engine: hbase, rest: '" + store.URL + "', table: pages", t
	},
}

func newMover(pages string, t testing.TB) *mover {
	dir := t.TempDir()
	m := &mover{TB: t, dir: dir, dsn: filepath.Join(dir, "db")}
	execSQLite(m, m.dsn, "CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO item SELECT i, 1700000000 + i, 'common w' || i FROM n")
	m.files, m.remote = m.config("engine: filemap"), m.config(pages)
	return m
}

func (m *mover) config(pages string) string {
	return writeFile(m, "pages: {"+pages+"}\n"+configOf("sqlite", m.dsn, filepath.Join(m.dir, "data"),
		"  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [body]}, deletecheck: {max_count: 1000000}}\n")) // more rows go than a daemon lets through
}

func (m *mover) start(file string) *proc { return start(m.TB, "run", "-c", file) }

func (m *mover) move(from, to string, code int, text string) {
	m.Helper()
	says(m.TB, code, text, "move", "--from", from, "-c", to)
}

// unloaded checks that a daemon that has ended has loaded nothing.
func (m *mover) unloaded(d *proc) {
	m.Helper()
	if strings.Contains(d.log.String(), "initial loaded") {
		m.Errorf("the table was loaded again:\n%s", d.log)
	}
}

// Pages go from the file map to another store and back, with rows that change between:
// nothing is loaded again, and every page is that of its row.
func TestMove(t *testing.T) {
	t.Parallel()
	for name, target := range pageTargets {
		t.Run(name, func(t *testing.T) {
			m := newMover(target(t))
			files, remote := m.files, m.remote
			m.move(files, remote, 1, "nothing is loaded in "+filepath.Join(m.dir, "data"))
			d := m.start(files)
			d.ready(t)
			d.stop(t)
			m.move(files, files, 2, "the pages are where those of "+files+" are")
			m.move(remote, files, 1, "the pages are in filemap already: start indexerd with "+files)

			m.move(files, remote, 0, ": 500 copied, 0 removed there, 0 damaged, 0 differ; ")
			m.move(files, remote, 1, "already: start indexerd with "+remote)
			hbase := m.config("engine: hbase, rest: 'http://127.0.0.1:1', table: others")
			m.move(files, hbase, 1, "name a configuration with that store after --from")
			m.move(remote, hbase, 1, "run the command again to continue, or start indexerd with "+remote)
			execSQLite(t, m.dsn, "UPDATE item SET body = 'common changed', u = 1800000000 WHERE id = 7", "DELETE FROM item WHERE id < 4")
			d = m.start(remote)
			isEqual(m.TB, remote)
			d.stop(t)
			m.unloaded(d)

			m.move(remote, files, 0, "item: 497 pages are in")
			d = m.start(files)
			isEqual(m.TB, files)
			d.has(t, "item", "changed", 1)
			d.stop(t)
			m.unloaded(d)
		})
	}
}

// Pages go to another store while the daemon runs and rows change. After a restart with
// the new configuration nothing is loaded again, the table is verified, and all is that of
// the database.
func TestMoveWhileTheDaemonRuns(t *testing.T) {
	t.Parallel()
	for name, target := range pageTargets {
		t.Run(name, func(t *testing.T) {
			m := newMover(target(t))
			d := m.start(m.files)
			d.ready(t)
			stop := m.writes()
			m.move(m.files, m.remote, 0, " 0 damaged, 0 differ")
			stop()
			m.move(m.files, m.remote, 1, "already")
			d.stop(t)
			d = m.start(m.remote)
			if s := d.status(t); s.Tables[0].Settled.Unverified {
				t.Errorf("the table is unverified after a move: %s", d.log)
			}
			isEqual(m.TB, m.remote)
			d.stop(t)
			m.unloaded(d)
		})
	}
}

// An order to move the pages that was answered is carried out, although the daemon is killed
// at once and nobody asks again.
func TestKillAfterAMoveIsOrdered(t *testing.T) {
	t.Parallel()
	m := newMover(pageTargets["Bigtable's emulator"](t))
	d := m.start(m.files)
	d.ready(t)
	answer, err := http.Post(d.base+"/api/v1/move", "application/json", strings.NewReader(fmt.Sprintf(`{"config":%q,"from":"filemap"}`, m.remote)))
	d.kill()
	if err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("got %+v, %v, want that the move begins", answer, err)
	}
	answer.Body.Close()
	d = m.start(m.files)
	eventually(t, soon, "the move", func() error {
		if !strings.Contains(d.log.String(), "the pages were moved") {
			return fmt.Errorf("the log is %s", d.log)
		}
		return nil
	})
	m.move(m.files, m.remote, 1, "already")
	d.stop(t)
	d = m.start(m.remote)
	isEqual(m.TB, m.remote)
	d.stop(t)
	m.unloaded(d)
}

// A daemon that is killed while its pages are moved starts again with the old
// configuration, and continues the move.
func TestKillDuringAMove(t *testing.T) {
	t.Parallel()
	m := newMover(pageTargets["Bigtable's emulator"](t))
	for i := range 3 {
		d := m.start(m.files)
		d.ready(t)
		stop := m.writes()
		move := command(m.TB, "move", "--from", m.files, "-c", m.remote)
		if err := move.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(i) * 150 * time.Millisecond)
		d.kill()
		_ = move.Process.Kill() // it may have ended
		_ = move.Wait()         // with its signal
		stop()
	}
	d := m.start(m.files)
	d.ready(t)
	isEqual(m.TB, m.files)
	eventually(t, soon, "the move", func() error {
		stdout, stderr, _ := ask(m.TB, "move", "--from", m.files, "-c", m.remote)
		if both := stdout + stderr; !strings.Contains(both, " 0 damaged, 0 differ") && !strings.Contains(both, "already") {
			return fmt.Errorf("move: %s", both)
		}
		return nil
	})
	d.stop(t)
	d = m.start(m.remote)
	isEqual(m.TB, m.remote)
	d.stop(t)
}

// writes changes rows until stop is called.
func (m *mover) writes() (stop func()) {
	db := openSQLite(m, m.dsn)
	ended := make(chan struct{})
	var going sync.WaitGroup
	going.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
			}
			execute(m, db, fmt.Sprintf("UPDATE item SET body = 'common round %d', u = CAST(strftime('%%s', 'now') AS INTEGER) WHERE id %% 50 = %d", i, i%50),
				fmt.Sprintf("INSERT OR REPLACE INTO item VALUES (%d, CAST(strftime('%%s', 'now') AS INTEGER), 'common new %d')", 1000+i%50, i),
				fmt.Sprintf("DELETE FROM item WHERE id = %d", 1000+(i+25)%50))
		}
	})
	stop = sync.OnceFunc(func() { close(ended); going.Wait() })
	m.Cleanup(stop)
	return stop
}
