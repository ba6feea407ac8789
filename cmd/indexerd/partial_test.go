package main

import (
	"slices"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
)

// What the databases of TestPartialRows hold: the same rows, with the values that each
// of them can have and a document can't.
var partialRows = map[string]struct {
	open   func(*testing.T, string) *anyDB
	script string
	repair string // makes row 3 whole, and updated now
	bad    string // a new bad value in row 1
	lacks  map[string]string
}{
	"postgres": {newPostgres, `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, price float8, due date, updated_at timestamptz);
		INSERT INTO item VALUES (1, 'one apple', 1.5, '2024-02-01', '2024-03-01Z'), (2, 'two apples', 'NaN', '2024-02-01', '2024-03-01Z'), (3, 'three apples', '-Infinity', 'infinity', '2024-03-01Z'),
		(4, 'four apples', 4, '0044-03-15 BC', '2024-03-01Z'), (5, 'five apples', 5, '2024-02-01', 'infinity'), (6, 'six apples', 6, '2024-02-01', '0044-03-15 BC'),
		(7, 'seven apples', 7, '2024-02-01', NULL), (8, 'eight apples', 8, '2024-02-01', '9999-12-31Z');
		CREATE INDEX ON item (updated_at)`,
		"UPDATE item SET price = 3, due = '2024-02-01', updated_at = now() WHERE id = 3", "UPDATE item SET price = 'NaN', updated_at = now() WHERE id = 1",
		map[string]string{"2": "price", "3": "due,price", "4": "due"}},
	"sqlite": {newSQLite, `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, due DATE, updated_at TEXT);
		INSERT INTO item VALUES (1, 'one apple', 1.5, '2024-02-01', '2024-03-01 00:00:00'), (2, 'two apples', 9e999, '2024-02-01', '2024-03-01 00:00:00'), (3, 'three apples', -9e999, '2024-02-31', '2024-03-01 00:00:00'),
		(4, 'four apples', 4, '2024-13-01', '2024-03-01 00:00:00'), (5, 'five apples', 5, '2024-02-01', 'never'), (6, 'six apples', 6, '2024-02-01', ''),
		(7, 'seven apples', 7, '2024-02-01', NULL), (8, 'eight apples', 8, '2024-02-01', '9999-12-31 00:00:00');
		CREATE INDEX item_u ON item (updated_at)`,
		"UPDATE item SET price = 3, due = '2024-02-01', updated_at = datetime('now') WHERE id = 3", "UPDATE item SET price = 9e999, updated_at = datetime('now') WHERE id = 1",
		map[string]string{"2": "price", "3": "due,price", "4": "due"}},
	"mariadb": {newMariaDB, `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, price double, due date, updated_at timestamp(6) NULL, KEY (updated_at));
		INSERT INTO item VALUES (1, 'one apple', 1.5, '2024-02-01', '2024-03-01'), (2, 'two apples', 2, '0000-00-00', '2024-03-01'), (3, 'three apples', 3, '2024-02-00', '2024-03-01'),
		(4, 'four apples', 4, '0000-00-00', '2024-03-01'), (5, 'five apples', 5, '2024-02-01', '0000-00-00'), (6, 'six apples', 6, '2024-02-01', '0000-00-00'),
		(7, 'seven apples', 7, '2024-02-01', NULL), (8, 'eight apples', 8, '2024-02-01', '2037-12-31')`,
		"UPDATE item SET due = '2024-02-01', updated_at = now(6) WHERE id = 3", "UPDATE item SET due = '0000-00-00', updated_at = now(6) WHERE id = 1",
		map[string]string{"2": "due", "3": "due", "4": "due"}},
}

var numerals = map[string]string{"1": "one", "2": "two", "3": "three", "4": "four"}

// A bad value costs the value, and a bad updateTime the time: every row is found, those
// that lack values are listed with column and reason, also after a restart, and leave the
// list when they are repaired.
func TestPartialRows(t *testing.T) {
	t.Parallel()
	for name, c := range partialRows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.open(t, c.script)
			a.index(t)
			const table = "item"
			check := func(lacks map[string]string) {
				t.Helper()
				a.p.has(t, table, "apple OR apples", 8)
				if s := a.p.status(t).Tables[0]; s.Partial != len(lacks) || s.Quarantined != 0 {
					t.Errorf("got %d partial rows and %d in quarantine, want %d and 0", s.Partial, s.Quarantined, len(lacks))
				}
				got := map[string]string{}
				for _, r := range listQuarantine(t, a.p, table).Rows {
					var columns []string
					for _, flaw := range r.Columns {
						columns = append(columns, flaw.Column)
						if flaw.Reason == "" || !strings.Contains(r.Reason, flaw.String()) {
							t.Errorf("row %s: got the reason %q of all, want %q in it", *r.OID, r.Reason, flaw)
						}
					}
					slices.Sort(columns)
					if got[*r.OID] = strings.Join(columns, ","); r.Kind != httpapi.KindPartial {
						t.Errorf("row %s: got kind %s", *r.OID, r.Kind)
					}
				}
				for oid, want := range lacks {
					if got[oid] != want {
						t.Errorf("row %s: got %q, want it to lack %q", oid, got[oid], want)
					}
					for _, column := range strings.Split(want, ",") {
						a.p.has(t, table, numerals[oid]+" "+column+":>"+map[string]string{"price": "0", "due": "1900"}[column], 0)
					}
				}
				if len(got) != len(lacks) {
					t.Errorf("got %v, want %v", got, lacks)
				}
			}
			check(c.lacks)
			a.exec(t, c.repair)
			a.exec(t, c.bad)
			after := map[string]string{"1": c.lacks["2"]}
			for oid, columns := range c.lacks {
				if oid != "3" {
					after[oid] = columns
				}
			}
			a.p.waitFor(t, "row 1 lacks a value", func(s httpapi.TableStatus) bool {
				return slices.ContainsFunc(listQuarantine(t, a.p, table).Rows, func(r httpapi.QuarantinedRow) bool { return *r.OID == "1" })
			})
			a.p.waitFor(t, "row 3 is whole", func(s httpapi.TableStatus) bool { return s.Partial == len(after) })
			check(after)
			commands(t, 0, "verify", "-c", a.file)
			a.p.kill()
			a.p = follow(t, a.file)
			check(after)
			a.exec(t, "UPDATE item SET name = 'five pears' WHERE id = 5")
			a.p.run(t, table, "deletecheck")
			a.p.has(t, table, "pears", 1)
			a.p.stop(t)
			says(t, 0, "3 partial", "verify", "-c", a.file, "--content")
		})
	}
}

func listQuarantine(t *testing.T, p *proc, table string) (list httpapi.Quarantine) {
	t.Helper()
	decode(t, p.base+"/api/v1/tables/"+table+"/quarantine", &list)
	return list
}
