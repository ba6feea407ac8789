package mysql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// long returns a name of 64 characters, the most that MySQL takes.
func long(char string) string { return strings.Repeat(char, 64) }

// A shape is a table or view as MySQL's users make them.
type shape struct {
	name    string
	setup   string
	table   string // in SQL
	key     []string
	omitted string // columns that init leaves out, with their types
	docs    string // key: values, in the order of keys
	change  string // a statement that changes the first of them
	changed string
}

// shapes are indexed exactly. A view has no catalog of columns: its SQL and key are the user's.
func shapes() []shape {
	return []shape{
		{"generated columns", "CREATE TABLE price (id INT PRIMARY KEY, net DECIMAL(10,2), gross DECIMAL(12,2) AS (net * 2) STORED, label VARCHAR(40) AS (CONCAT('no ', id, ' ', net)) VIRTUAL NOT NULL); INSERT INTO price (id, net) VALUES (1, 10), (2, 20)",
			"price", []string{"id"}, "", "1: 1 10.00 20.00 no 1 10.00; 2: 2 20.00 40.00 no 2 20.00", "UPDATE price SET net = 11 WHERE id = 1", "1: 1 11.00 22.00 no 1 11.00"},
		{"an invisible column", "CREATE TABLE seen (id INT PRIMARY KEY, name TEXT, unseen VARCHAR(9) INVISIBLE); INSERT INTO seen (id, name, unseen) VALUES (1, 'a', 'b')",
			"seen", []string{"id"}, "unseen varchar(9), invisible", "1: 1 a", "UPDATE seen SET name = 'c'", "1: 1 c"},
		{"an invisible updateTime", "CREATE TABLE audited (id INT PRIMARY KEY, n INT, changed DATETIME(6) INVISIBLE DEFAULT '2026-01-02 03:04:05' ON UPDATE CURRENT_TIMESTAMP(6)); INSERT INTO audited (id, n) VALUES (1, 2)",
			"audited", []string{"id"}, "", "1: 1 2 2026-01-02T03:04:05.000000", "UPDATE audited SET n = 3, changed = changed", "1: 1 3 2026-01-02T03:04:05.000000"},
		{"a key that is invisible", "CREATE TABLE numbered (n INT INVISIBLE AUTO_INCREMENT PRIMARY KEY, name TEXT); INSERT INTO numbered (name) VALUES ('a'), ('b')",
			"numbered", []string{"n"}, "", "1: 1 a; 2: 2 b", "UPDATE numbered SET name = 'c' WHERE n = 1", "1: 1 c"},
		{"a generated invisible primary key", "SET sql_generate_invisible_primary_key = ON; CREATE TABLE keyless (name VARCHAR(20)); INSERT INTO keyless VALUES ('same'), ('same')",
			"keyless", []string{"my_row_id"}, "", "1: 1 same; 2: 2 same", "UPDATE keyless SET name = 'other' WHERE my_row_id = 1", "1: 1 other"},
		{"indexes of expressions", "CREATE TABLE person (id INT NOT NULL, name VARCHAR(20) NOT NULL, data JSON, UNIQUE INDEX a ((id DIV 2), id, name), UNIQUE INDEX b ((LOWER(name)), id), UNIQUE INDEX c (name, id)); INSERT INTO person VALUES (1, 'A', '{\"b\": 1, \"a\": [2.50, null]}'), (2, 'A', '\"\"')",
			"person", []string{"name", "id"}, "", `A,1: 1 A {"a": [2.5, null], "b": 1}; A,2: 2 A `, "UPDATE person SET name = 'B' WHERE id = 1", `A,2: 2 A ; B,1: 1 B {"a": [2.5, null], "b": 1}`},
		{"vectors", "CREATE TABLE embedded (id INT PRIMARY KEY, title TEXT, v VECTOR(3)); INSERT INTO embedded VALUES (1, 'a', STRING_TO_VECTOR('[1, 2, 3]'))",
			"embedded", []string{"id"}, "v vector(3)", "1: 1 a", "UPDATE embedded SET title = 'b'", "1: 1 b"},
		{"partitions", "CREATE TABLE parted (id INT, region INT, name TEXT, PRIMARY KEY (id, region)) PARTITION BY RANGE (region) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN MAXVALUE); INSERT INTO parted VALUES (1, 5, 'a'), (1, 15, 'b'), (2, 5, 'c')",
			"parted", []string{"id", "region"}, "", "1,5: 1 5 a; 1,15: 1 15 b; 2,5: 2 5 c", "UPDATE parted SET name = 'd', region = 25 WHERE region = 15", "1,25: 1 25 d"},
		{"64 characters", "CREATE TABLE " + long("t") + " (`" + long("ä") + "` INT PRIMARY KEY, `a``b \"c\"'` TEXT); INSERT INTO " + long("t") + " VALUES (1, 'a')",
			long("t"), []string{long("ä")}, "", "1: 1 a", "UPDATE " + long("t") + " SET `a``b \"c\"'` = 'b'", "1: 1 b"},
		{"upper case", "CREATE TABLE `Upper_Case` (`ID` INT PRIMARY KEY, `Title` TEXT); INSERT INTO Upper_Case VALUES (1, 'a')",
			"Upper_Case", []string{"ID"}, "", "1: 1 a", "UPDATE Upper_Case SET title = 'b'", "1: 1 b"},
		{"a key of names that are longer than GROUP_CONCAT", wideKey(), "wide", wideNames(), "", "1,2,3,4,5,6,7,8: 1 2 3 4 5 6 7 8 a", "UPDATE wide SET name = 'b'", "1,2,3,4,5,6,7,8: 1 2 3 4 5 6 7 8 b"},
		{"a view that reads by the rights of its definer", "CREATE TABLE behind (id INT PRIMARY KEY, name TEXT); INSERT INTO behind VALUES (1, 'a'); CREATE DEFINER = root@'127.0.0.1' SQL SECURITY DEFINER VIEW shown AS SELECT id, UPPER(name) AS title FROM behind",
			"shown", []string{"id"}, "", "1: 1 A", "UPDATE behind SET name = 'b'", "1: 1 B"},
	}
}

func wideNames() (names []string) {
	for i := range 8 {
		names = append(names, fmt.Sprintf("%s%d", strings.Repeat("界", 63), i))
	}
	return names
}

func wideKey() string {
	return "CREATE TABLE wide (`" + strings.Join(wideNames(), "` INT, `") + "` INT, name TEXT, PRIMARY KEY (`" + strings.Join(wideNames(), "`, `") + "`)); INSERT INTO wide VALUES (1, 2, 3, 4, 5, 6, 7, 8, 'a')"
}

// TestShapes reads tables by the columns and the key that the catalog gives them, on a
// server that keeps the case of names and on one that does not, by an account with SELECT and
// SHOW VIEW. A change of a row changes its stamp.
func TestShapes(t *testing.T) {
	needsMySQL(t)
	t.Parallel()
	for _, lower := range []string{"0", "1"} {
		t.Run("lower_case_table_names="+lower, func(t *testing.T) {
			t.Parallel()
			dsn := mariatest.New(t, "--lower-case-table-names="+lower).DB(t)
			mariatest.Exec(t, dsn, "CREATE USER plain@'127.0.0.1'; GRANT SELECT, SHOW VIEW ON *.* TO plain@'127.0.0.1'")
			for _, s := range shapes() {
				mariatest.Exec(t, dsn, s.setup)
			}
			s := source.New(openDB(t, strings.Replace(dsn, "root@", "plain@", 1), time.Second), pace.Limits{})
			catalog, err := s.Catalog(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, shape := range shapes() {
				t.Run(shape.name, func(t *testing.T) { checkShape(t, dsn, s, catalog, shape) })
			}
		})
	}
}

func checkShape(t *testing.T, dsn string, s *source.Source, catalog doc.Catalog, shape shape) {
	conf := source.TableConfig{Name: "doc", SQL: "SELECT * FROM " + shape.table, Key: shape.key}
	i := slices.IndexFunc(catalog.Tables, func(c doc.CatalogTable) bool { return strings.EqualFold(c.SQL, shape.table) })
	if i >= 0 {
		columns, omitted := split(catalog.Tables[i], shape.key)
		conf.SQL = "SELECT " + columns + " FROM " + shape.table
		if keys := catalog.Tables[i].Keys; len(keys) != 1 || !slices.Equal(keys[0], shape.key) || omitted != shape.omitted {
			t.Errorf("got the keys %v and omitted %q, want %v and %q", keys, omitted, shape.key, shape.omitted)
		}
	}
	table, err := s.Table(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	before := docsOf(t, table)
	if got := printedDocs(before); got != shape.docs {
		t.Errorf("got %q, want %q", got, shape.docs)
	}
	if relations, err := table.Relations(t.Context()); err != nil || len(relations) != 1 {
		t.Errorf("got the relations %v, %v, want the table's", relations, err)
	}
	mariatest.Exec(t, dsn, shape.change)
	var different []doc.Doc
	for _, d := range docsOf(t, table) {
		if !slices.ContainsFunc(before, func(b doc.Doc) bool { return b.Stamp == d.Stamp }) || shape.key[0] == "name" {
			different = append(different, d)
		}
	}
	if got := printedDocs(different); got != shape.changed {
		t.Errorf("%s: got %q with other stamps, want %q", shape.change, got, shape.changed)
	}
}

// split returns a table's columns as a SELECT names them, as init does, and those that it omits.
func split(of doc.CatalogTable, key []string) (columns, omitted string) {
	var selected, others []string
	for _, c := range of.Columns {
		if c.Kind == doc.OtherColumn && !slices.Contains(key, c.Name) {
			others = append(others, c.Name+" "+c.Type)
		} else {
			selected = append(selected, c.SQL)
		}
	}
	return strings.Join(selected, ", "), strings.Join(others, "; ")
}

func docsOf(t *testing.T, table *source.Table) (docs []doc.Doc) {
	t.Helper()
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil || len(b.Rejects) > 0 {
			t.Fatalf("got the rejects %v, %v, want none", b.Rejects, err)
		}
		docs = append(docs, b.Docs...)
	}
	return docs
}

func printedDocs(docs []doc.Doc) string {
	var all []string
	for _, d := range docs {
		all = append(all, d.OID.String()+": "+strings.TrimSuffix(fmt.Sprintln(d.Row.Values...), "\n"))
	}
	return strings.Join(all, "; ")
}

// A server's zone is named, or shown as one that a configuration can't have.
func TestZones(t *testing.T) {
	for server, want := range map[string][2]string{
		"UTC": {"UTC", ""}, "+00:00": {"UTC", ""}, "Europe/Berlin": {"Europe/Berlin", ""},
		"+05:30": {"", "+05:30"}, "CET": {"", "CET"}, "IST": {"", "IST"}, "": {"", ""}, "Local": {"", "Local"}, "../Berlin": {"", "../Berlin"},
	} {
		if name, foreign := zone(server); name != want[0] || foreign != want[1] {
			t.Errorf("%q: got %q and %q, want %q", server, name, foreign, want)
		}
	}
}

// A view that reads by the rights of its definer is read by an account that may do nothing
// else. What a plan would show is not known, and the reason names the privilege.
func TestViewOfADefiner(t *testing.T) {
	t.Parallel()
	dsn := mariatest.DB(t)
	reader := "r" + dsn[len(dsn)-20:]
	mariatest.Exec(t, dsn, "CREATE TABLE behind (id INT PRIMARY KEY, u TIMESTAMP(6) NOT NULL); INSERT INTO behind VALUES (1, NOW(6)); CREATE DEFINER = root@'127.0.0.1' SQL SECURITY DEFINER VIEW shown AS SELECT id, u FROM behind")
	mariatest.Exec(t, dsn, fmt.Sprintf("CREATE USER %s@'127.0.0.1'; GRANT SELECT ON shown TO %[1]s@'127.0.0.1'", reader))
	table, err := source.New(openDB(t, strings.Replace(dsn, "root@", reader+"@", 1), time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM shown", Key: []string{"id"}, Updated: "u"})
	if err != nil {
		t.Fatal(err)
	}
	if docs := docsOf(t, table); len(docs) != 1 {
		t.Errorf("got %d rows, want 1", len(docs))
	}
	const want = "GRANT SHOW VIEW on"
	if reason, err := table.Inexact(t.Context()); err != nil || !strings.Contains(reason, want) {
		t.Errorf("the horizon: got %q, %v, want %s", reason, err, want)
	}
	if f, err := table.Footprint(t.Context()); err != nil || !strings.Contains(f.Reason, want) {
		t.Errorf("the footprint: got %+v, %v, want %s", f, err, want)
	}
	for name, ask := range map[string]func() error{
		"relations": func() error { _, err := table.Relations(t.Context()); return err },
		"writable":  func() error { _, err := table.Writable(t.Context()); return err },
		"plans":     func() error { _, err := table.Plans(t.Context(), doc.Window{}, nil); return err },
		"estimate":  func() error { _, err := table.Estimate(t.Context()); return err },
	} {
		if err := ask(); !errors.Is(err, doc.ErrUnknownPlan) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an unknown plan, and %s", name, err, want)
		}
	}
}
