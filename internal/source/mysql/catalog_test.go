package mysql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// An account that may only SELECT sees the foreign keys, if not what they delete.
func TestCatalogOfAReader(t *testing.T) {
	dsn := mariatest.DB(t)
	database := dsn[strings.LastIndex(dsn, "/")+1:]
	reader := "reader_" + database[len(database)-20:] // MySQL allows 32 characters
	for _, s := range []string{
		"CREATE TABLE album (id INT PRIMARY KEY)", "CREATE TABLE track (id INT PRIMARY KEY, album_id INT, FOREIGN KEY (album_id) REFERENCES album (id) ON DELETE CASCADE)",
		"CREATE USER " + reader + "@'127.0.0.1'", "GRANT SELECT ON " + database + ".* TO " + reader + "@'127.0.0.1'",
	} {
		mariatest.Exec(t, dsn, s)
	}
	c, err := source.New(openDB(t, strings.Replace(dsn, "root@", reader+"@", 1), time.Second), pace.Limits{}).Catalog(t.Context(), nil)
	if err != nil || len(c.Tables) != 2 || len(c.Tables[1].References) != 1 || c.Tables[1].References[0].To != "album" {
		t.Errorf("got %+v, %v, want a reference to album", c, err)
	}
}

func TestCatalog(t *testing.T) {
	dsn := mariatest.DB(t)
	for _, s := range []string{
		"CREATE TABLE `order` (id BINARY(16) PRIMARY KEY, note VARCHAR(40) NOT NULL, long_note TEXT, at DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), paid BOOLEAN, size ENUM('s', 'm'), price DECIMAL(10,2), day DATE, hidden INT INVISIBLE, KEY (at, id), UNIQUE (note))",
		"CREATE TABLE line (a INT, b INT UNSIGNED, `order` BINARY(16), seen TIMESTAMP(6) NULL, changed BIGINT, photo BLOB, PRIMARY KEY (a, b), UNIQUE (photo(10)), UNIQUE (seen), FOREIGN KEY (`order`) REFERENCES `order` (id) ON DELETE CASCADE)",
		"ALTER TABLE line ADD CONSTRAINT plain FOREIGN KEY (`order`) REFERENCES `order` (id)",
		"CREATE VIEW shown AS SELECT * FROM line",
		"CREATE TRIGGER touch BEFORE UPDATE ON line FOR EACH ROW SET NEW.changed = UNIX_TIMESTAMP()",
	} {
		mariatest.Exec(t, dsn, s)
	}
	c, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Catalog(t.Context(), nil)
	if err != nil || len(c.Tables) != 2 || !slices.Equal(c.Views, []string{"`shown`"}) || c.Name != dsn[strings.LastIndex(dsn, "/")+1:] {
		t.Fatalf("got %+v, %v, want two tables and a view", c, err)
	}
	got := ""
	width := regexp.MustCompile(`(int)\(\d\d\)`) // MySQL shows none
	for _, table := range c.Tables {
		got += fmt.Sprintln(table.SQL, table.Keys, table.Primary, table.References)
		for _, c := range table.Columns {
			got += fmt.Sprintln(" ", c.SQL, width.ReplaceAllString(c.Type, "$1"), c.Kind, c.Length, flags(c))
		}
	}
	want := fmt.Sprintln("line [[a b]] true [{`order` [order] [id] true} {`order` [order] [id] false}]") +
		fmt.Sprintln("  a int", doc.NumberColumn, 0, "notnull key time indexed") +
		fmt.Sprintln("  b int unsigned", doc.NumberColumn, 0, "notnull key time") +
		fmt.Sprintln("  `order` binary(16)", doc.WordColumn, 0, "key indexed") +
		fmt.Sprintln("  seen timestamp(6)", doc.InstantColumn, 0, "key time indexed") +
		fmt.Sprintln("  changed bigint", doc.NumberColumn, 0, "key time maintained") +
		fmt.Sprintln("  photo blob", doc.OtherColumn, 0, "key") +
		fmt.Sprintln("`order` [[id] [note]] true []") +
		fmt.Sprintln("  id binary(16)", doc.WordColumn, 0, "notnull key indexed") +
		fmt.Sprintln("  note varchar(40)", doc.TextColumn, 40, "notnull key indexed") +
		fmt.Sprintln("  long_note text", doc.TextColumn, 0, "key") +
		fmt.Sprintln("  at datetime(6)", doc.WallColumn, 0, "key time indexed now maintained") +
		fmt.Sprintln("  paid tinyint(1)", doc.NumberColumn, 0, "key") +
		fmt.Sprintln("  size enum('s','m')", doc.WordColumn, 0, "") +
		fmt.Sprintln("  price decimal(10,2)", doc.NumberColumn, 0, "key time") +
		fmt.Sprintln("  day date", doc.DateColumn, 0, "key time") +
		fmt.Sprintln("  hidden int, invisible", doc.OtherColumn, 0, "key time")
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func flags(c doc.CatalogColumn) string {
	var all []string
	for _, f := range []struct {
		is   bool
		name string
	}{{c.NotNull, "notnull"}, {c.Key, "key"}, {c.Time, "time"}, {c.Indexed, "indexed"}, {c.Now, "now"}, {c.Maintained, "maintained"}} {
		if f.is {
			all = append(all, f.name)
		}
	}
	return strings.Join(all, " ")
}

// TestPlans: check's questions about indexes and tables are answered through views and
// joins.
func TestPlans(t *testing.T) {
	dsn := mariatest.DB(t)
	for _, s := range []string{
		"CREATE TABLE doc (id INT PRIMARY KEY, u TIMESTAMP(6) NULL, name VARCHAR(50), KEY (u, id))",
		"CREATE TABLE part (id INT, u TIMESTAMP(6) NULL, word TEXT)",
		"INSERT INTO doc WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, NOW(6), i FROM n",
		"INSERT INTO part SELECT * FROM doc",
		"CREATE VIEW seen AS SELECT id, u, name FROM doc",
	} {
		mariatest.Exec(t, dsn, s)
	}
	table, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{
		Name: "doc", SQL: "SELECT s.id, s.u, s.name FROM seen AS s", Key: []string{"id"}, Updated: "u",
		Children: []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT p.id, p.u, p.word FROM part AS p", Key: []string{"id"}, Updated: "u"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	some, err := table.Sample(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := table.Plans(t.Context(), doc.Window{From: time.Now().Add(time.Hour), To: time.Now().Add(2 * time.Hour)}, some)
	if err != nil || len(plans) != 5 {
		t.Fatalf("got %+v, %v, want 5 plans", plans, err)
	}
	for _, p := range plans {
		child := strings.HasPrefix(p.Path, "children")
		if want := map[bool]string{false: "`doc`", true: "`part`"}[child]; p.Indexed == child || len(p.FullScans) > 0 != child || p.By[0].Table != want {
			t.Errorf("got %+v, want an index of doc and a scan of part", p)
		}
	}
	relations, err := table.Relations(t.Context())
	if want := []doc.Relation{{Name: "`doc`", Path: "sql", Origin: true}, {Name: "`part`", Path: "children.parts", Origin: true}}; err != nil || !slices.Equal(relations, want) {
		t.Errorf("got %+v, %v, want %+v", relations, err, want)
	}
	if n, err := table.Estimate(t.Context()); err != nil || n < 1000 || n > 4000 {
		t.Errorf("got an estimate of %d, %v, want about 2000", n, err)
	}
	if names, err := table.Writable(t.Context()); err != nil || !slices.Equal(names, []string{"`doc`", "`part`"}) {
		t.Errorf("got the writable tables %v, %v, want both", names, err)
	}
}
