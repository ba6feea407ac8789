package daemon

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/tables"
	"indexerd/internal/source/sqlite"
	"indexerd/internal/sync/passes"
	"indexerd/internal/test/pgtest"
)

// A freshWorld is a table of which the index follows no change, and its database.
type freshWorld struct {
	engine *Engine
	driver string
	dsn    string
	exec   func(statement string)
	block  func() (end func()) // makes readers wait
	down   func()
}

const freshSchema = "CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT, grp TEXT, gone INTEGER DEFAULT 0, u %s DEFAULT CURRENT_TIMESTAMP)"

func freshOnSQLite(t *testing.T) *freshWorld {
	path := filepath.Join(t.TempDir(), "items.db")
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &freshWorld{driver: "sqlite", dsn: path, exec: execOn(t, db)}
	w.exec("PRAGMA journal_mode = DELETE") // a writer blocks readers
	w.block = func() func() {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		execOn(t, c)("BEGIN EXCLUSIVE")
		return func() {
			execOn(t, c)("ROLLBACK")
			c.Close()
		}
	}
	w.down = func() {
		if err := os.WriteFile(path, bytes.Repeat([]byte("damaged "), 1024), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func freshOnPostgres(t *testing.T) *freshWorld {
	dsn := pgtest.DB(t)
	w := &freshWorld{driver: "postgres", dsn: dsn, exec: func(statement string) { pgtest.Exec(t, dsn, statement) }}
	w.block = func() func() {
		c := pgtest.Connect(t, dsn)
		for _, statement := range []string{"BEGIN", "LOCK TABLE item IN ACCESS EXCLUSIVE MODE"} {
			if _, err := c.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		return func() { c.Close(context.Background()) }
	}
	w.down = func() {
		name, admin := pgtest.Value[string](t, dsn, "SELECT current_database()"), os.Getenv("INDEXERD_TEST_PG")
		pgtest.Exec(t, admin, fmt.Sprintf("ALTER DATABASE %q ALLOW_CONNECTIONS false", name))
		pgtest.Exec(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	}
	return w
}

func execOn(t *testing.T, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}) func(string) {
	return func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// start loads six rows. No pass runs after it.
func (w *freshWorld) start(t *testing.T, wrap func(database.Database) database.Database) {
	w.exec(fmt.Sprintf(freshSchema, map[string]string{"sqlite": "TEXT", "postgres": "TIMESTAMPTZ"}[w.driver]))
	for id := range 6 {
		w.exec(fmt.Sprintf("INSERT INTO item (id, body, grp) VALUES (%d, 'zebra', 'sales')", id+1))
	}
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: %s, dsn: '%s'}\ntables:\n", filepath.Join(t.TempDir(), "data"), w.driver, w.dsn)+
		bodyTable("item", ", metadata: {grp: keyword}, acl: grp, deleted: {column: gone, values: [1]}")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	w.engine = openToServe(t, cfg)
	if wrap != nil {
		w.engine.sources[0].Database = wrap(w.engine.sources[0].Database)
	}
	serve(t, w.engine, slog.New(slog.DiscardHandler))
	eventually(t, soon, "six rows are loaded", func() error {
		marks := w.engine.trace.Tables()["item"]
		if s := w.engine.table("item").Status(marks); !marks.Loaded || s.Settled.Unverified || s.Documents != 6 {
			return fmt.Errorf("%+v", s)
		}
		return nil
	})
	resume, err := w.engine.table("item").Pause(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(resume)
}

// finds searches as a caller of the group sales.
func (w *freshWorld) finds(t *testing.T, what, table, want string) {
	t.Helper()
	fresh := true
	r, err := w.engine.Search(t.Context(), table, search.Params{Query: "zebra", Size: 10, Fresh: &fresh, Caller: search.Caller{Groups: []string{"sales"}}})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got := fmt.Sprintf("fresh %t, %d:", *r.Fresh, r.Total)
	for i := range r.Len {
		h, err := r.Hit(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf(" %s %s,", h.OID, h.Fields.Get("body"))
	}
	if got != want {
		t.Errorf("%s: got %s\nwant %s", what, got, want)
	}
}

// A fresh search shows no row that is deleted, marked deleted, of another group or
// changed so that it does not match, though the index has all of them.
func TestFreshSearch(t *testing.T) {
	for driver, open := range map[string]func(*testing.T) *freshWorld{"sqlite": freshOnSQLite, "postgres": freshOnPostgres} {
		t.Run(driver, func(t *testing.T) {
			w := open(t)
			w.start(t, nil)
			w.finds(t, "nothing has changed", "item", "fresh true, 6: 1 zebra, 2 zebra, 3 zebra, 4 zebra, 5 zebra, 6 zebra,")
			for _, statement := range []string{
				"DELETE FROM item WHERE id = 1",
				"UPDATE item SET grp = 'boss' WHERE id = 2",
				"UPDATE item SET body = 'gnu' WHERE id = 3",
				"UPDATE item SET gone = 1 WHERE id = 4",
				"UPDATE item SET body = 'two zebra' WHERE id = 5",
			} {
				w.exec(statement)
			}
			const left = "fresh true, 2: 5 two zebra, 6 zebra,"
			for _, table := range []string{"item", search.AllTables} {
				w.finds(t, "rows have changed", table, left)
			}
			const stored = "fresh false, 6: 1 zebra, 2 zebra, 3 zebra, 4 zebra, 5 zebra, 6 zebra,"
			end := w.block()
			w.finds(t, "the database is slow", "item", stored)
			end()
			eventually(t, soon, "it is fresh again", func() error {
				fresh := true
				r, err := w.engine.Search(t.Context(), "item", search.Params{Size: 1, Fresh: &fresh, Caller: search.Caller{Admin: true}})
				if err != nil || !*r.Fresh {
					return fmt.Errorf("fresh %v, %v", r.Fresh, err)
				}
				return nil
			})
			w.finds(t, "the database is fast again", "item", left)
			w.down()
			w.finds(t, "the database is down", "item", stored)
		})
	}
}

// A delayed is a standby that is behind.
type delayed struct{ database.Database }

func (d delayed) Table(ctx context.Context, conf configs.Table, n database.Numbers, u database.Units) (database.Rows, error) {
	r, err := d.Database.Table(ctx, conf, n, u)
	return delayedRows{r}, err
}

type delayedRows struct{ database.Rows }

func (delayedRows) Behind(context.Context) (string, error) { return "replay is paused", nil }

// undescribed is a database that describes no table while it is down.
type undescribed struct {
	database.Database
	down *atomic.Bool
}

func (u undescribed) Table(ctx context.Context, conf configs.Table, n database.Numbers, units database.Units) (database.Rows, error) {
	if u.down.Load() {
		return nil, doc.ErrUnavailable
	}
	return u.Database.Table(ctx, conf, n, units)
}

func TestFreshSearchOnAStandbyThatIsBehind(t *testing.T) {
	w := freshOnSQLite(t)
	w.start(t, func(d database.Database) database.Database { return delayed{d} })
	w.exec("DELETE FROM item WHERE id > 1")
	w.finds(t, "rows may be missing", "item", "fresh false, 6: 1 zebra, 2 zebra, 3 zebra, 4 zebra, 5 zebra, 6 zebra,")
}

// At most so many searches of a source read rows at once. Others show what is
// stored.
func TestFreshSearchesAtOnce(t *testing.T) {
	w := freshOnSQLite(t)
	w.start(t, nil)
	w.exec("DELETE FROM item WHERE id > 1")
	looks := w.engine.sources[0].Looks
	for range cap(looks) {
		looks <- struct{}{}
	}
	w.finds(t, "no look is free", "item", "fresh false, 6: 1 zebra, 2 zebra, 3 zebra, 4 zebra, 5 zebra, 6 zebra,")
	<-looks
	w.finds(t, "one is free", "item", "fresh true, 1: 1 zebra,")
}

// A fresh search does not describe the table: it has less time than that may take,
// and its failure is not the table's.
func TestFreshSearchDescribesNothing(t *testing.T) {
	w := freshOnSQLite(t)
	var down atomic.Bool
	w.start(t, func(d database.Database) database.Database { return undescribed{d, &down} })
	item := w.engine.table("item")
	down.Store(true)
	eventually(t, soon, "no description holds", func() error {
		_, _ = item.RunNow(t.Context(), func(*passes.Passes, context.Context) (doc.Report, error) { return doc.Report{}, doc.ErrChangedResult })
		if err := item.Look(t.Context(), nil, nil); !errors.Is(err, tables.ErrNotDescribed) {
			return fmt.Errorf("got %v, want %v", err, tables.ErrNotDescribed)
		}
		return nil
	})
	if err := item.Look(t.Context(), nil, nil); !errors.Is(err, tables.ErrNotDescribed) {
		t.Errorf("got %v, want %v", err, tables.ErrNotDescribed)
	}
	w.finds(t, "no description holds", "item", "fresh false, 6: 1 zebra, 2 zebra, 3 zebra, 4 zebra, 5 zebra, 6 zebra,")
}
