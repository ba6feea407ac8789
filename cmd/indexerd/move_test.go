package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/sqlite"
)

// Pages go from the file map to an emulator of Bigtable and back, with rows that change
// between: nothing is loaded again, and every page is that of its row.
func TestMove(t *testing.T) {
	t.Parallel()
	emulator, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	env := []string{"BIGTABLE_EMULATOR_HOST=" + emulator.Addr}
	dir := t.TempDir()
	dsn := filepath.Join(dir, "db")
	execute := func(statement string) {
		t.Helper()
		db, err := sqlite.OpenWritable(dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	execute("CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)")
	execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO item SELECT i, 1700000000 + i, 'common w' || i FROM n")
	config := func(pages string) string {
		return writeFile(t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
pages: {%s}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [body]}}
`, filepath.Join(dir, "data"), pages, dsn))
	}
	files, remote := config("engine: filemap"), config("engine: bigtable, project: p, instance: i, table: pages")
	start := func(file string) *proc {
		t.Helper()
		cmd := exec.Command(binary(t), "run", "-c", file)
		cmd.Env = append(cmd.Environ(), env...)
		return startCmd(t, cmd)
	}
	move := func(from, to string, code int, says ...string) {
		t.Helper()
		stdout, stderr, got := ask(t, env, "move", "--from", from, "-c", to)
		for _, text := range says {
			if !strings.Contains(stdout+stderr, text) {
				t.Errorf("move: got %s%s, want %q", stdout, stderr, text)
			}
		}
		if got != code {
			t.Errorf("move: got exit code %d: %s%s, want %d", got, stdout, stderr, code)
		}
	}
	move(files, remote, 1, "nothing is loaded in "+filepath.Join(dir, "data"))
	d := start(files)
	d.ready(t)
	move(files, remote, 1, "a daemon uses "+filepath.Join(dir, "data"))
	d.stop(t)
	move(files, files, 2, "the pages are where those of "+files+" are")
	move(remote, files, 1, "the pages are in filemap already: start indexerd with "+files)

	move(files, remote, 0, "item: 500 pages are in", "500 copied", "0 differ", "start indexerd with "+remote)
	move(files, remote, 1, "already: start indexerd with "+remote)
	hbase := config("engine: hbase, rest: 'http://127.0.0.1:1', table: pages")
	move(files, hbase, 1, "name a configuration with that store after --from")
	move(remote, hbase, 1, "run the command again to continue, or start indexerd with "+remote)
	execute("UPDATE item SET body = 'common changed', u = 1800000000 WHERE id = 7")
	execute("DELETE FROM item WHERE id < 4")
	d = start(remote)
	same(t, remote, env)
	d.stop(t)
	if strings.Contains(d.log.String(), "initial loaded") {
		t.Errorf("the table was loaded again:\n%s", d.log)
	}

	move(remote, files, 0, "item: 497 pages are in", "0 differ")
	d = start(files)
	same(t, files, env)
	if got := d.search(t, "item", "changed").Total; got != 1 {
		t.Errorf("got %d hits of the changed row, want 1", got)
	}
	d.stop(t)
	if strings.Contains(d.log.String(), "initial loaded") {
		t.Errorf("the table was loaded again:\n%s", d.log)
	}
}

// same waits until verify finds no difference.
func same(t *testing.T, file string, env []string) {
	t.Helper()
	eventually(t, soon, "verify", func() error {
		if stdout, stderr, code := ask(t, env, "verify", "--content", "-c", file); code != 0 {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}
