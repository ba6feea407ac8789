package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/mariatest"
)

// mySQLRows is the number of rows of each table but late.
const mySQLRows = 5_000

// A mySQLLife is a MySQL server, and a daemon that outlives all that happens to its tables:
// item has updateTimes that the server sets, page has none and is all that SELECT * returns,
// and late has one row.
type mySQLLife struct {
	server *mariatest.Server
	root   *sql.DB
	dsn    string // as root
	secret string // the file with the reader's DSN
	file   string
	p      *proc
}

func newMySQLLife(t *testing.T) *mySQLLife {
	t.Helper()
	server := mariatest.NewMySQL(t, "--innodb-flush-log-at-trx-commit=1") // it is killed: what was committed is durable
	m := &mySQLLife{server: server, dsn: server.DB(t), secret: filepath.Join(t.TempDir(), "dsn")}
	m.root = mariatest.Open(t, m.dsn)
	m.exec(t, "CREATE TABLE late (id INT PRIMARY KEY, title VARCHAR(40), changed DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY (changed, id))",
		"CREATE TABLE item (id INT PRIMARY KEY, title VARCHAR(40), kind ENUM('a', 'b') NOT NULL DEFAULT 'a', changed DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY (changed, id))",
		"CREATE TABLE page (id INT PRIMARY KEY, title VARCHAR(40))",
		fmt.Sprintf("INSERT INTO item (id, title) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, CONCAT('old word', i) FROM n", mySQLRows),
		"INSERT INTO page SELECT id, title FROM item", "INSERT INTO late (id, title) VALUES (1, 'early')",
		"CREATE USER reader IDENTIFIED BY 'first'", "GRANT PROCESS, XA_RECOVER_ADMIN ON *.* TO reader")
	m.grant(t)
	m.login(t, "first")
	table := func(name, columns, updated string) string {
		return fmt.Sprintf("  %[1]s:\n    source: db\n    sql: SELECT %[2]s FROM %[1]s\n    key: id\n%[3]s    content: {fields: [title]}\n    batch: 100\n    deletecheck: {max_fraction: 0.5}\n", name, columns, updated)
	}
	updated := "    updated: changed\n    timezone: UTC\n"
	m.file = writeFile(t, strings.Replace(configOf("mysql", "DSN", t.TempDir(), table("item", "id, title, kind, changed", updated), table("late", "id, title, changed", updated), table("page", "*", "")),
		`dsn: "DSN"`, "dsn_file: "+m.secret, 1))
	return m
}

func (m *mySQLLife) exec(t *testing.T, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := m.root.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%.200s: %v", s, err)
		}
	}
}

func (m *mySQLLife) grant(t *testing.T) {
	t.Helper()
	for _, table := range []string{"item", "late", "page"} {
		m.exec(t, "GRANT SELECT ON "+m.database()+"."+table+" TO reader")
	}
}

func (m *mySQLLife) database() string { return m.dsn[strings.LastIndex(m.dsn, "/")+1:] }

// login writes the reader's DSN.
func (m *mySQLLife) login(t *testing.T, password string) {
	t.Helper()
	if err := os.WriteFile(m.secret, []byte(strings.Replace(m.dsn, "root@", "reader:"+password+"@", 1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fails waits until a table's status shows an error.
func (m *mySQLLife) fails(t *testing.T, table, want string) {
	t.Helper()
	eventually(t, soon, table+" fails by "+want, func() error {
		for _, s := range m.p.status(t).Tables {
			if s.Table == table && s.LastError != nil && strings.Contains(s.LastError.What, want) {
				return nil
			}
		}
		return fmt.Errorf("got %+v", m.p.status(t).Tables)
	})
}

// endSessions ends the sessions of the reader.
func (m *mySQLLife) endSessions(t *testing.T) {
	t.Helper()
	rows, err := m.root.QueryContext(t.Context(), "SELECT id FROM information_schema.processlist WHERE user = 'reader'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		_, _ = m.root.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)) // it may have ended
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// A mySQLChange is what MySQL's users and tools do to a table, and the search that shows it.
type mySQLChange struct {
	name       string
	statements []string
	table      string
	query      string
	want       uint64
}

var mySQLChanges = []mySQLChange{
	{"a column is added at once", []string{"ALTER TABLE item ADD COLUMN extra INT NOT NULL DEFAULT 7 FIRST, ALGORITHM = INSTANT", "UPDATE item SET title = 'added' WHERE id = 1"}, "item", "added", 1},
	{"a column is added to what SELECT * returns", []string{"ALTER TABLE page ADD COLUMN extra VARCHAR(20) NOT NULL DEFAULT 'seven' AFTER id, ALGORITHM = INSTANT", "UPDATE page SET title = 'added' WHERE id = 1"}, "page", "added", 1},
	{"a column is modified at once", []string{"ALTER TABLE item MODIFY COLUMN kind ENUM('a', 'b', 'c') NOT NULL DEFAULT 'c', ALGORITHM = INSTANT", "INSERT INTO item (id, title) VALUES (100001, 'modified')"}, "item", "modified", 1},
	{"a column is modified by a copy", []string{"ALTER TABLE page MODIFY COLUMN title TEXT CHARACTER SET utf8mb3, ALGORITHM = COPY", "UPDATE page SET title = 'copied' WHERE id = 2"}, "page", "copied", 1},
	{"a column is dropped at once", []string{"ALTER TABLE item DROP COLUMN extra, ALGORITHM = INSTANT", "UPDATE item SET title = 'dropped' WHERE id = 2"}, "item", "dropped", 1},
	{"a column of SELECT * is dropped", []string{"ALTER TABLE page DROP COLUMN extra, ALGORITHM = INSTANT", "DELETE FROM page WHERE id = 2"}, "page", "copied", 0},
	{"rows are replaced", []string{"REPLACE INTO item (id, title) VALUES (3, 'replaced'), (100002, 'replaced')", "REPLACE INTO page (id, title) VALUES (3, 'replaced'), (100002, 'replaced')"}, "item", "replaced", 2},
	{"rows are replaced without an updateTime", nil, "page", "replaced", 2},
	{"rows are inserted or updated", []string{"INSERT INTO item (id, title) VALUES (4, 'upserted'), (100003, 'upserted') AS new ON DUPLICATE KEY UPDATE title = new.title"}, "item", "upserted", 2},
	{"gh-ost swaps the table", append(copyOf("_item_gho"), "UPDATE _item_gho SET title = 'swapped' WHERE id IN (5, 6)", "RENAME TABLE item TO _item_del, _item_gho TO item", "DROP TABLE _item_del"), "item", "swapped", 2},
	{"pt-online-schema-change swaps the table", append(copyOf("_item_new"),
		"CREATE TRIGGER pt_upd AFTER UPDATE ON item FOR EACH ROW REPLACE INTO _item_new (id, title, kind, changed) VALUES (NEW.id, NEW.title, NEW.kind, NEW.changed)",
		"UPDATE item SET title = 'triggered' WHERE id = 7", "RENAME TABLE item TO _item_old, _item_new TO item", "DROP TABLE _item_old"), "item", "triggered", 1},
	{"a table is emptied and filled", []string{"CREATE TABLE saved AS SELECT * FROM page", "TRUNCATE page", "INSERT INTO page SELECT * FROM saved", "UPDATE page SET title = 'refilled' WHERE id = 8"}, "page", "refilled", 1},
}

// copyOf are the statements that make a copy with another column, whose rows are those of
// item, updateTimes and all.
func copyOf(name string) []string {
	return []string{"CREATE TABLE " + name + " LIKE item", "ALTER TABLE " + name + " ADD COLUMN by" + name + " CHAR(9) DEFAULT 'copied', ALGORITHM = COPY", "INSERT INTO " + name + " (id, title, kind, changed) SELECT id, title, kind, changed FROM item"}
}

// TestMySQL has one daemon that lives through what happens to a MySQL server and its
// tables. After each change a search shows it, and at the end every row is compared.
func TestMySQL(t *testing.T) {
	t.Parallel()
	m := newMySQLLife(t)
	m.p = start(t, "run", "-c", m.file)
	step := func(name string, run func(*testing.T)) {
		if !t.Run(name, run) {
			t.FailNow()
		}
	}
	step("the server restarts during the load", m.restarts)
	late, begun := m.begin(t)
	for _, c := range mySQLChanges {
		step(c.name, func(t *testing.T) {
			m.exec(t, c.statements...)
			m.p.found(t, c.table, c.query, c.want)
		})
	}
	step("a column that is needed is gone", m.loses)
	step("the password is rotated", m.rotates)
	step("the privilege is revoked", m.revokes)
	step("a row is committed 30 s after it was stamped", func(t *testing.T) { m.commits(t, late, begun) })
	for _, s := range m.p.status(t).Tables {
		if s.Quarantined > 0 || s.State != "following" {
			t.Errorf("got %+v, want no row in quarantine", s)
		}
	}
	isEqual(t, m.file)
}

// restarts kills the server while rows are loaded, and starts it again.
func (m *mySQLLife) restarts(t *testing.T) {
	eventually(t, soon, "the load has begun", func() error {
		for _, s := range m.p.status(t).Tables {
			if s.Load != nil && s.Load.Done > 0 {
				return nil
			}
		}
		return fmt.Errorf("got %+v", m.p.status(t).Tables)
	})
	m.server.Kill()
	eventually(t, soon, "the daemon notices it", func() error {
		for _, s := range m.p.status(t).Tables {
			if s.LastError != nil {
				return nil
			}
		}
		return fmt.Errorf("got %+v", m.p.status(t).Tables)
	})
	m.server.Restart(t)
	m.p.ready(t)
	m.p.has(t, "item", "old", mySQLRows)
	m.p.has(t, "page", "old", mySQLRows)
}

// begin updates the row of late in a transaction that stays open.
func (m *mySQLLife) begin(t *testing.T) (*sql.Tx, time.Time) {
	t.Helper()
	tx, err := mariatest.Open(t, m.dsn).BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() }) // for which DROP DATABASE would wait
	if _, err := tx.Exec("UPDATE late SET title = 'tardy' WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	return tx, clockOf(t, m.dsn)
}

// commits ends the transaction, before which S does not pass its stamp.
func (m *mySQLLife) commits(t *testing.T, late *sql.Tx, begun time.Time) {
	time.Sleep(time.Until(begun.Add(30 * time.Second)))
	for _, s := range m.p.status(t).Tables {
		if s.Table != "page" && (s.Settled.Mode != "exact" || s.Settled.At == nil || time.Time(*s.Settled.At).After(begun)) {
			t.Errorf("%s: got settled %+v, %s, want exact and before %v", s.Table, s.Settled, s.Settled.Reason, begun)
		}
	}
	m.p.has(t, "late", "tardy", 0)
	if err := late.Commit(); err != nil {
		t.Fatal(err)
	}
	m.p.found(t, "late", "tardy", 1)
	now := clockOf(t, m.dsn)
	eventually(t, soon, "S passes now", func() error {
		for _, s := range m.p.status(t).Tables {
			if s.Settled.At == nil || !time.Time(*s.Settled.At).After(now) {
				return fmt.Errorf("%s: got %+v", s.Table, s.Settled)
			}
		}
		return nil
	})
}

// loses renames a column that the configuration names, and back.
func (m *mySQLLife) loses(t *testing.T) {
	m.exec(t, "ALTER TABLE item RENAME COLUMN title TO headline, ALGORITHM = INSTANT")
	m.fails(t, "item", "title")
	m.p.has(t, "item", "upserted", 2)
	m.exec(t, "ALTER TABLE item RENAME COLUMN headline TO title, ALGORITHM = INSTANT", "UPDATE item SET title = 'returned' WHERE id = 9")
	m.p.found(t, "item", "returned", 1)
}

// rotates changes the reader's password, which sessions outlive.
func (m *mySQLLife) rotates(t *testing.T) {
	m.exec(t, "ALTER USER reader IDENTIFIED BY 'second'")
	m.endSessions(t)
	m.fails(t, "item", "correct user, password")
	m.login(t, "second")
	m.p.hangUp(t)
	m.exec(t, "UPDATE item SET title = 'rotated' WHERE id = 10", "UPDATE page SET title = 'rotated' WHERE id = 10")
	m.p.found(t, "item", "rotated", 1)
	m.p.found(t, "page", "rotated", 1)
}

// revokes takes the privilege to read item, and gives it back.
func (m *mySQLLife) revokes(t *testing.T) {
	m.exec(t, "REVOKE SELECT ON "+m.database()+".item FROM reader", "UPDATE item SET title = 'revoked' WHERE id = 11", "UPDATE page SET title = 'revoked' WHERE id = 11")
	m.fails(t, "item", "GRANT SELECT ON")
	m.p.found(t, "page", "revoked", 1)
	m.p.has(t, "item", "rotated", 1)
	m.grant(t)
	m.p.found(t, "item", "revoked", 1)
}

// TestMySQLReplica follows a read-only replica that is some seconds behind: each row comes
// after its window was read. S is assumed, and the reason names the replica.
func TestMySQLReplica(t *testing.T) {
	t.Parallel()
	primary, replica := mariatest.NewMySQL(t, "--server-id=1"), mariatest.NewMySQL(t, "--server-id=2", "--read-only=ON")
	dsn := primary.DB(t)
	name, port := dsn[strings.LastIndex(dsn, "/")+1:], dsn[strings.LastIndex(dsn, ":")+1:strings.LastIndex(dsn, "/")]
	mariatest.Exec(t, dsn, "CREATE TABLE item (id INT PRIMARY KEY, title VARCHAR(40), changed DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY (changed, id)); INSERT INTO item (id, title) VALUES (1, 'early'), (2, 'early')")
	mariatest.Exec(t, dsn, "CREATE USER copy@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT REPLICATION SLAVE ON *.* TO copy@'127.0.0.1'")
	mariatest.Exec(t, replica.DSN(""), "RESET BINARY LOGS AND GTIDS; CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = "+port+", SOURCE_USER = 'copy', SOURCE_PASSWORD = 'secret', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_DELAY = 8; START REPLICA")
	copied := mariatest.Open(t, replica.DSN(""))
	eventually(t, 2*time.Minute, "the replica has the table", func() error {
		var rows int
		return copied.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+name+".item HAVING COUNT(*) = 2").Scan(&rows)
	})
	file := writeFile(t, configOf("mysql", replica.DSN(name), t.TempDir(), `  item:
    source: db
    sql: SELECT id, title, changed FROM item
    key: id
    updated: changed
    timezone: UTC
    content: {fields: [title]}
`))
	p := follow(t, file)
	p.has(t, "item", "early", 2)
	mariatest.Exec(t, dsn, "UPDATE item SET title = 'behind' WHERE id = 1; INSERT INTO item (id, title) VALUES (3, 'behind'); DELETE FROM item WHERE id = 2")
	p.found(t, "item", "behind", 2)
	p.found(t, "item", "early", 0)
	if s := p.status(t).Tables[0].Settled; s.Mode != "assumed" || !strings.Contains(s.Reason, "replica") {
		t.Errorf("got settled %+v, want assumed, since it is a replica", s)
	}
	isEqual(t, file)
}
