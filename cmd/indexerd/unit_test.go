package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/httpapi"
	"indexerd/internal/pgtest"
	"indexerd/internal/search"
	"indexerd/internal/sqlite"
)

// A clockTable is a table whose updateTime is a number since 1970, in a database
// of either driver.
type clockTable struct {
	driver, dsn string
	exec        func(string)
}

// clockTables makes the table in both databases, without rows.
func clockTables(t *testing.T, f func(*testing.T, clockTable)) {
	const create = "CREATE TABLE note (id bigint PRIMARY KEY, updated bigint, body text NOT NULL)"
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		dsn := pgtest.DB(t)
		c := clockTable{"postgres", dsn, func(sql string) { t.Helper(); pgtest.Exec(t, dsn, sql) }}
		c.exec(create + "; CREATE INDEX ON note (updated)")
		f(t, c)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "note.db")
		db, err := sqlite.OpenWritable(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		c := clockTable{"sqlite", path, func(statement string) { t.Helper(); execute(t, db, statement) }}
		c.exec(create)
		f(t, c)
	})
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// add inserts rows whose updateTime is now in a unit, of so many a second.
func (c clockTable) add(from, to int, perSecond int64) {
	values := make([]string, 0, to-from+1)
	for id := from; id <= to; id++ {
		values = append(values, fmt.Sprintf("(%d, %d, 'note %d')", id, nowIn(perSecond), id))
	}
	c.exec("INSERT INTO note VALUES " + strings.Join(values, ", "))
}

func nowIn(perSecond int64) int64 { return time.Now().UnixMilli() * perSecond / 1000 }

func (c clockTable) config(data, updated string) string {
	return fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
sources:
  db: {driver: %s, dsn: %q}
tables:
  note:
    source: db
    sql: SELECT id, updated, body FROM note
    key: id
    updated: %s
    content: {fields: [body]}
    compensate: {horizon: timeout, tiers: [{every: 1h, timeout: 1h, end: settled}]}
`, data, c.driver, c.dsn, updated)
}

// dated waits until a document has an updateTime as wanted: it is found a moment
// before its page is there.
func (p *proc) dated(t *testing.T, id int, want func(time.Time) bool) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("note %d has its updateTime", id), func() error {
		body, err := get(fmt.Sprintf("%s/api/v1/tables/note/docs/%d", p.base, id))
		if err != nil {
			return err
		}
		var d search.Document
		if err := json.Unmarshal(body, &d); err != nil {
			return err
		}
		if d.Updated == nil {
			return errors.New("it has none")
		}
		if at, err := time.Parse(time.RFC3339Nano, *d.Updated); err != nil || !want(at) {
			return fmt.Errorf("it is %s, %v", *d.Updated, err)
		}
		return nil
	})
}

func isNow(at time.Time) bool {
	away := time.Since(at)
	return away > -time.Hour && away < time.Hour
}

func (p *proc) note(t *testing.T) httpapi.TableStatus {
	t.Helper()
	return p.status(t).Tables[0]
}

// A row far from all others does not tell in which unit the column counts:
// documents have the right dates, later changes are found by incremental.
func TestUnitIsThatOfTheBulk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		perSecond int64
		odd       string
		year      int // of the odd row; 0: not said
	}{
		{"seconds and the year 9999", 1, "253402300799", 9999},
		{"milliseconds and a small number", 1000, "1", 1970},
		{"milliseconds and 0", 1000, "0", 1970},
		{"milliseconds and -1", 1000, "-1", 1969},
		{"milliseconds and the greatest number", 1000, "9223372036854775807", 0},
		{"microseconds and a row in seconds", 1_000_000, "1700000000", 1970},
	} {
		t.Run(c.name, func(t *testing.T) {
			clockTables(t, func(t *testing.T, table clockTable) {
				table.add(1, 20, c.perSecond)
				table.exec("INSERT INTO note VALUES (99, " + c.odd + ", 'odd')")
				p := start(t, "run", "-c", writeFile(t, table.config(t.TempDir(), "updated")))
				p.ready(t)
				p.dated(t, 1, isNow)
				if c.year != 0 {
					p.dated(t, 99, func(at time.Time) bool { return at.UTC().Year() == c.year })
				}
				if err := finds(p, t, "odd", 1); err != nil {
					t.Error(err)
				}
				table.exec(fmt.Sprintf("UPDATE note SET body = 'tardigrade', updated = %d WHERE id = 7", nowIn(c.perSecond)))
				eventually(t, soon, "incremental finds the change", func() error { return finds(p, t, "tardigrade", 1) })
				s := p.note(t)
				if s.Documents != 21 || s.Quarantined != 0 || s.State != "following" || s.LastError != nil {
					t.Errorf("status: %+v", s)
				}
			})
		})
	}
}

// outOfRange waits until status counts so many rows out of range.
func (p *proc) outOfRange(t *testing.T, want uint64) {
	t.Helper()
	eventually(t, soon, "rows are counted", func() error {
		if got := p.note(t).OutOfRange; got != want {
			return fmt.Errorf("out_of_range %d, want %d", got, want)
		}
		return nil
	})
}

// marked returns the line of a mark in timeTrace; empty if there is none.
func marked(t *testing.T, data, mark string) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, filepath.Join(data, "timeTrace.properties"))) {
		if strings.HasPrefix(line, "note."+mark+" = ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// The unit that was found outlives the daemon, and rows that are few do not
// change it: later changes are found, and status counts the rows that only the
// sweep finds.
func TestUnitIsKept(t *testing.T) {
	t.Parallel()
	clockTables(t, func(t *testing.T, table clockTable) {
		table.add(1, 20, 1)
		table.exec("INSERT INTO note VALUES (98, 253402300799, 'odd'), (99, 0, 'odd'), (97, NULL, 'untold')")
		data := t.TempDir()
		file := writeFile(t, table.config(data, "updated"))
		p := start(t, "run", "-c", file)
		p.ready(t)
		p.outOfRange(t, 2)
		if got := marked(t, data, "unit.sql"); got != "note.unit.sql = s" {
			t.Errorf("timeTrace has %q, want the unit s", got)
		}
		p.stop(t)
		table.exec("DELETE FROM note WHERE id BETWEEN 1 AND 20")
		p = start(t, "run", "-c", file) // no row shows the unit now
		p.ready(t)
		table.exec(fmt.Sprintf("UPDATE note SET body = 'tardigrade', updated = %d WHERE id = 99", nowIn(1)))
		eventually(t, soon, "incremental finds the change", func() error { return finds(p, t, "tardigrade", 1) })
		p.dated(t, 99, isNow)
		p.outOfRange(t, 2) // as the load counted
		p.run(t, "note", "deletecheck")
		p.outOfRange(t, 1)
		s := p.note(t)
		if s.Settled.Unverified || s.State != "following" || s.LastError != nil {
			t.Errorf("status: %+v", s)
		}
		if err := plausible(s); err != nil {
			t.Error(err)
		}
	})
}

// plausible checks that no time that status shows comes from a row far from now.
func plausible(s httpapi.TableStatus) error {
	for name, at := range map[string]*httpapi.Time{"settled": s.Settled.At, "incremental": s.Marks.Incremental, "window": &s.Window.To} {
		if at == nil || time.Until(time.Time(*at)) > time.Minute || time.Since(time.Time(*at)) > 3*time.Hour {
			return fmt.Errorf("%s is %v", name, at)
		}
	}
	if l := s.LatenessMS; l != nil && l.Max > float64(time.Hour.Milliseconds()) {
		return fmt.Errorf("rows were up to %v ms late", l.Max)
	}
	return nil
}

// A table that is empty at first, or has implausible rows alone, has no unit;
// the first plausible row shows it, and no change is lost.
func TestUnitIsFoundWhenThereAreRows(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"", "INSERT INTO note VALUES (98, 253402300799, 'odd'), (99, 0, 'odd')"} {
		t.Run(first, func(t *testing.T) {
			clockTables(t, func(t *testing.T, table clockTable) {
				if first != "" {
					table.exec(first)
				}
				data := t.TempDir()
				file := writeFile(t, table.config(data, "updated"))
				p := start(t, "run", "-c", file)
				p.ready(t)
				if got := marked(t, data, "unit.sql"); got != "note.unit.sql = unknown" {
					t.Errorf("timeTrace has %q, want that the unit is unknown", got)
				}
				p.stop(t)
				p = start(t, "run", "-c", file)
				p.ready(t)
				table.add(1, 20, 1000)
				eventually(t, soon, "incremental finds the rows", func() error { return finds(p, t, "note", 20) })
				p.dated(t, 1, isNow)
				if got := marked(t, data, "unit.sql"); got != "note.unit.sql = ms" {
					t.Errorf("timeTrace has %q, want the unit ms", got)
				}
				if s := p.note(t); s.Settled.Unverified || s.State != "following" || s.LastError != nil {
					t.Errorf("status: %+v", s)
				}
			})
		})
	}
}

// Rows that count in another unit than was found are a fault, at the next sweep
// and at the next start, and no second guess: the table names what to do.
func TestUnitThatIsContradicted(t *testing.T) {
	t.Parallel()
	clockTables(t, func(t *testing.T, table clockTable) {
		table.add(1, 20, 1)
		data := t.TempDir()
		file := writeFile(t, table.config(data, "updated"))
		p := start(t, "run", "-c", file)
		p.ready(t)
		table.exec("UPDATE note SET updated = updated * 1000")
		const want = "tables.note.updated: column updated: its unit was found to be seconds, but most rows now have another (20 in milliseconds): " +
			"declare the unit (updated: {column: ..., unit: ms}) and load the table again with indexerd reload"
		shown := func() error {
			if s := p.note(t); s.State != "failing" || s.LastError == nil || !strings.Contains(s.LastError.What, want) {
				return fmt.Errorf("status: %+v, last error %+v", s, s.LastError)
			}
			return nil
		}
		if run := p.run(t, "note", "deletecheck"); run.State != "failed" || run.Error == nil || !strings.Contains(*run.Error, want) {
			t.Errorf("sweep: %+v", run)
		}
		p.stop(t)
		p = start(t, "run", "-c", file)
		eventually(t, soon, "the table fails", shown)
		if err := finds(p, t, "note", 20); err != nil {
			t.Errorf("what is stored is searched: %v", err)
		}
		stdout, _, _ := ask(t, nil, "check", "-c", file)
		if want := "tables.note.updated: updated counts milliseconds in most rows: to declare it: updated: {column: updated, unit: ms}"; !strings.Contains(stdout, want) {
			t.Errorf("check, which does not read stored data, prints:\n%s\nwant %q", stdout, want)
		}
		p.stop(t)

		// To declare it alone is not enough: what is stored was read in the other.
		rewrite(t, file, "updated: updated\n", "updated: {column: updated, unit: ms}\n")
		_, stderr, code := ask(t, nil, "run", "-c", file)
		if want := "c.yaml:10: tables.note.updated.unit: column updated: unit ms is declared, and the table was loaded with seconds: put it back, or load the table again"; code != exitBad || !strings.Contains(oneLineOf(t, stderr), want) {
			t.Errorf("run: exit %d, %s, want %d and %q", code, stderr, exitBad, want)
		}
		if _, stderr, code := ask(t, nil, "reload", "-c", file, "note"); code != 0 {
			t.Fatalf("reload: exit %d: %s", code, stderr)
		}
		p = start(t, "run", "-c", file)
		eventually(t, soon, "the table is loaded again", func() error {
			if s := p.note(t); s.State != "following" || s.Documents != 20 {
				return fmt.Errorf("status: %+v", s)
			}
			return nil
		})
		p.dated(t, 1, isNow)
		if got := marked(t, data, "unit.sql"); got != "note.unit.sql = ms" {
			t.Errorf("timeTrace has %q, want the unit ms", got)
		}
	})
}

// A data directory of a version that kept no units is read on. What it read in
// another unit is read again: the table is unverified until a sweep has ended.
func TestUnitOfAnOlderDataDirectory(t *testing.T) {
	t.Parallel()
	clockTables(t, func(t *testing.T, table clockTable) {
		table.add(1, 20, 1)
		data := t.TempDir()
		file := writeFile(t, table.config(data, "updated"))
		p := start(t, "run", "-c", file)
		p.ready(t)
		p.stop(t)
		trace := filepath.Join(data, "timeTrace.properties")
		text := readFile(t, trace)
		var entries int
		if _, err := fmt.Sscanf(text[strings.Index(text, "entries"):], "entries = %d", &entries); err != nil {
			t.Fatal(err)
		}
		rewrite(t, trace, "note.unit.sql = s\n", "")
		rewrite(t, trace, fmt.Sprintf("entries = %d", entries), fmt.Sprintf("entries = %d", entries-1))
		p = start(t, "run", "-c", file)
		p.ready(t)
		eventually(t, soon, "a sweep has verified the table", func() error {
			s := p.note(t)
			if s.Marks.Sweep == nil || s.Settled.Unverified {
				return fmt.Errorf("status: %+v", s)
			}
			return nil
		})
		if got := marked(t, data, "unit.sql"); got != "note.unit.sql = s" {
			t.Errorf("timeTrace has %q, want the unit s", got)
		}
	})
}
