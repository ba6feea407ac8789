package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
)

// A clockDB is a database of either driver, with tables whose updateTime is a
// number since 1970.
type clockDB struct {
	driver, dsn string
	tables      []clockTable
	exec        func(...string)
}

type clockTable struct {
	name string
	exec func(...string)
}

// clockTables makes tables in both databases, without rows.
func clockTables(t *testing.T, names []string, f func(*testing.T, clockDB)) {
	for _, driver := range []string{"postgres", "sqlite"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			dsn, exec := newDatabase(t, driver)
			f(t, clockDB{driver: driver, dsn: dsn, exec: exec}.with(names))
		})
	}
}

// clockNote makes the table note in both databases.
func clockNote(t *testing.T, f func(*testing.T, clockDB, clockTable)) {
	clockTables(t, []string{"note"}, func(t *testing.T, db clockDB) { f(t, db, db.tables[0]) })
}

func (db clockDB) with(names []string) clockDB {
	for _, name := range names {
		db.exec(fmt.Sprintf("CREATE TABLE %s (id bigint PRIMARY KEY, updated bigint, body text NOT NULL)", name))
		db.exec(fmt.Sprintf("CREATE INDEX %s_updated ON %[1]s (updated)", name))
		db.tables = append(db.tables, clockTable{name, db.exec})
	}
	return db
}

// add inserts rows whose updateTime is now in a unit, of so many a second.
func (c clockTable) add(from, to int, perSecond int64) {
	values := make([]string, 0, to-from+1)
	for id := from; id <= to; id++ {
		values = append(values, fmt.Sprintf("(%d, %d, 'note %d')", id, nowIn(perSecond), id))
	}
	c.exec("INSERT INTO " + c.name + " VALUES " + strings.Join(values, ", "))
}

func nowIn(perSecond int64) int64 { return time.Now().UnixMilli() * perSecond / 1000 }

func (db clockDB) config(data, updated string) string {
	var tables []string
	for _, table := range db.tables {
		tables = append(tables, fmt.Sprintf(`  %s:
    source: db
    sql: SELECT id, updated, body FROM %[1]s
    key: id
    updated: %s
    content: {fields: [body]}
    compensate: {horizon: timeout, tiers: [{every: 1h, timeout: 1h, end: settled}]}
`, table.name, updated))
	}
	return configOf(db.driver, db.dsn, data, tables...)
}

// dated waits until a document has an updateTime as wanted: it is found a moment
// before its page is there.
func (p *proc) dated(t *testing.T, table clockTable, id int, want func(time.Time) bool) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("%s: row %d has its updateTime", table.name, id), func() error {
		body, err := get(fmt.Sprintf("%s/api/v1/tables/%s/docs/%d", p.base, table.name, id))
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
	return p.as("").table(t, "note")
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

// unitMark returns the line of a table's unit in timeTrace; empty if there is none.
func unitMark(t *testing.T, data, table string) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, filepath.Join(data, "timeTrace.properties"))) {
		if strings.HasPrefix(line, table+".unit.sql = ") {
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
	clockNote(t, func(t *testing.T, db clockDB, table clockTable) {
		table.add(1, 20, 1)
		table.exec("INSERT INTO note VALUES (98, 253402300799, 'odd'), (99, 0, 'odd'), (97, NULL, 'untold')")
		data := t.TempDir()
		file := writeFile(t, db.config(data, "updated"))
		p := follow(t, file)
		p.outOfRange(t, 2)
		if got := unitMark(t, data, "note"); got != "note.unit.sql = s" {
			t.Errorf("timeTrace has %q, want the unit s", got)
		}
		p.stop(t)
		table.exec("DELETE FROM note WHERE id BETWEEN 1 AND 20")
		p = start(t, "run", "-c", file) // no row shows the unit now
		p.ready(t)
		table.exec(fmt.Sprintf("UPDATE note SET body = 'tardigrade', updated = %d WHERE id = 99", nowIn(1)))
		p.found(t, "note", "tardigrade", 1)
		p.dated(t, table, 99, isNow)
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
	clockTables(t, []string{"empty", "implausible"}, func(t *testing.T, db clockDB) {
		db.exec("INSERT INTO implausible VALUES (98, 253402300799, 'odd'), (99, 0, 'odd')")
		data := t.TempDir()
		file := writeFile(t, db.config(data, "updated"))
		p := follow(t, file)
		for _, table := range db.tables {
			if got := unitMark(t, data, table.name); got != table.name+".unit.sql = unknown" {
				t.Errorf("timeTrace has %q, want that the unit of %s is unknown", got, table.name)
			}
		}
		p.stop(t)
		p = follow(t, file)
		for _, table := range db.tables {
			table.add(1, 20, 1000)
			p.found(t, table.name, "note", 20)
			p.dated(t, table, 1, isNow)
			if got := unitMark(t, data, table.name); got != table.name+".unit.sql = ms" {
				t.Errorf("timeTrace has %q, want that the unit of %s is ms", got, table.name)
			}
			if s := p.as("").table(t, table.name); s.Settled.Unverified || s.State != "following" || s.LastError != nil {
				t.Errorf("status: %+v", s)
			}
		}
	})
}

// Rows that count in another unit than was found are a fault, at the next sweep
// and at the next start, and no second guess: the table names what to do.
func TestUnitThatIsContradicted(t *testing.T) {
	t.Parallel()
	clockNote(t, func(t *testing.T, db clockDB, table clockTable) {
		table.add(1, 20, 1)
		data := t.TempDir()
		file := writeFile(t, db.config(data, "updated"))
		p := follow(t, file)
		table.exec("UPDATE note SET updated = updated * 1000")
		const want = "tables.note.updated: column updated: its unit was found to be seconds, but most rows now have another (20 in milliseconds): " +
			"declare the unit (updated: {column: ..., unit: ms}) and load the table again with indexerd reload"
		if run := p.run(t, "note", "deletecheck"); run.State != "failed" || run.Error == nil || !strings.Contains(*run.Error, want) {
			t.Errorf("sweep: %+v", run)
		}
		p.stop(t)
		p = start(t, "run", "-c", file)
		p.as("").fails(t, "note", want)
		if err := finds(p, t, "note", 20); err != nil {
			t.Errorf("what is stored is searched: %v", err)
		}
		stdout, _, _ := ask(t, "check", "-c", file)
		if want := "tables.note.updated: updated counts milliseconds in most rows: to declare it: updated: {column: updated, unit: ms}"; !strings.Contains(stdout, want) {
			t.Errorf("check, which does not read stored data, prints:\n%s\nwant %q", stdout, want)
		}
		p.stop(t)

		// To declare it alone is not enough: what is stored was read in the other.
		rewrite(t, file, "updated: updated\n", "updated: {column: updated, unit: ms}\n")
		_, stderr, code := ask(t, "run", "-c", file)
		if want := "c.yaml:10: tables.note.updated.unit: column updated: unit ms is declared, and the table was loaded with seconds: put it back, or load the table again"; code != exitBad || !strings.Contains(oneLineOf(t, stderr), want) {
			t.Errorf("run: exit %d, %s, want %d and %q", code, stderr, exitBad, want)
		}
		commands(t, 0, "reload", "-c", file, "note")
		p = start(t, "run", "-c", file)
		eventually(t, soon, "the table is loaded again", func() error {
			if s := p.note(t); s.State != "following" || s.Documents != 20 {
				return fmt.Errorf("status: %+v", s)
			}
			return nil
		})
		p.dated(t, table, 1, isNow)
		if got := unitMark(t, data, "note"); got != "note.unit.sql = ms" {
			t.Errorf("timeTrace has %q, want the unit ms", got)
		}
	})
}

// A data directory of a version that kept no units is read on. What it read in
// another unit is read again: the table is unverified until a sweep has ended.
func TestUnitOfAnOlderDataDirectory(t *testing.T) {
	t.Parallel()
	clockNote(t, func(t *testing.T, db clockDB, table clockTable) {
		table.add(1, 20, 1)
		data := t.TempDir()
		file := writeFile(t, db.config(data, "updated"))
		p := follow(t, file)
		p.stop(t)
		trace := filepath.Join(data, "timeTrace.properties")
		text := readFile(t, trace)
		var entries int
		if _, err := fmt.Sscanf(text[strings.Index(text, "entries"):], "entries = %d", &entries); err != nil {
			t.Fatal(err)
		}
		rewrite(t, trace, regexp.MustCompile(`(?m)^# crc32c .*\n`).FindString(text), "") // an older release wrote none
		rewrite(t, trace, "note.unit.sql = s\n", "")
		rewrite(t, trace, fmt.Sprintf("entries = %d", entries), fmt.Sprintf("entries = %d", entries-1))
		p = follow(t, file)
		eventually(t, soon, "a sweep has verified the table", func() error {
			s := p.note(t)
			if s.Marks.Sweep == nil || s.Settled.Unverified {
				return fmt.Errorf("status: %+v", s)
			}
			return nil
		})
		if got := unitMark(t, data, "note"); got != "note.unit.sql = s" {
			t.Errorf("timeTrace has %q, want the unit s", got)
		}
	})
}
