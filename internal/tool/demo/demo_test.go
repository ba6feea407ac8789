package demo

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/sqlite"
)

// create creates a database and opens it for the test.
func create(t testing.TB, c Config) *sql.DB {
	t.Helper()
	if err := Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return open(t, c)
}

func open(t testing.TB, c Config) *sql.DB {
	t.Helper()
	db, err := sqlite.OpenWritable(c.File())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func count(t testing.TB, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// column reads one column of text.
func column(t testing.TB, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestCreateKeepsAnExistingDatabase(t *testing.T) {
	c := Config{Dir: t.TempDir() + "/new", Rows: 500, Seed: 7}
	db := create(t, c)
	if got := count(t, db, "SELECT count(*) FROM job_order"); got != 500 {
		t.Errorf("%d orders, want 500", got)
	}
	if got := count(t, db, "SELECT count(*) FROM (SELECT count(*) AS n FROM container GROUP BY order_id) WHERE n BETWEEN 2 AND 4"); got != 500 {
		t.Errorf("%d orders with 2 to 4 containers, want 500", got)
	}
	if got := column(t, db, "PRAGMA journal_mode"); got[0] != "wal" {
		t.Errorf("journal mode %s, want wal", got[0])
	}
	checkTouched(t, db)
	// A second Create changes nothing.
	if _, err := db.Exec("DELETE FROM job_order WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if err := Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := count(t, db, "SELECT count(*) FROM job_order"); got != 499 {
		t.Errorf("%d orders after a second Create, want 499", got)
	}
}

func TestCreateAfterAnInterruptionStartsFromScratch(t *testing.T) {
	c := Config{Dir: t.TempDir(), Rows: 5}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Create(ctx, c); err == nil {
		t.Fatal("Create with a cancelled context succeeded, want an error")
	}
	if _, err := os.Stat(c.File()); err == nil {
		t.Fatal("an interrupted Create left a database")
	}
	if err := os.WriteFile(c.File()+".tmp", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := count(t, create(t, c), "SELECT count(*) FROM job_order"); got != 5 {
		t.Errorf("%d orders, want 5", got)
	}
}

func TestSeedDeterminesTheOrders(t *testing.T) {
	digest := func(c Config) string {
		c.Dir = t.TempDir()
		db := create(t, c)
		all := append(column(t, db, "SELECT concat_ws('|', id, updated_at, reference, status, customer, consignee, load_port, port, vessel, ready, cargo, remarks) FROM job_order ORDER BY id"),
			column(t, db, "SELECT concat_ws('|', id, order_id, updated_at, number, type, seal, goods, weight) FROM container ORDER BY id")...)
		return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(all, "\n"))))
	}
	a, b := digest(Config{Rows: 200, Seed: 1}), digest(Config{Rows: 200, Seed: 1})
	if a != b {
		t.Errorf("digests of one seed = %s and %s, want equal", a, b)
	}
	if other := digest(Config{Rows: 200, Seed: 2}); other == a {
		t.Errorf("digest of another seed = %s, want another", other)
	}
}

// table opens the database as the daemon does.
func table(t testing.TB, c Config) *source.Table {
	t.Helper()
	d, err := sqlite.Open(t.Context(), c.File(), 4)
	if err != nil {
		t.Fatal(err)
	}
	s := source.New(d, pace.Limits{})
	t.Cleanup(s.Close)
	table, err := s.Table(t.Context(), source.TableConfig{Name: "job_order", SQL: mainSQL, Key: []string{"id"}, Updated: "updated_at"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestYAMLIsAValidConfiguration(t *testing.T) {
	c := Config{Dir: t.TempDir() + `/a "b" $HOME ${x}`, Rows: 20}
	create(t, c)
	var got struct {
		Data    string
		HTTP    struct{ Listen string }
		Sources map[string]struct{ Driver, DSN string }
		Tables  map[string]struct {
			Source, SQL, Key, Updated, Title string
			Content                          struct {
				Fields   []string
				Analyzer string
			}
			Metadata map[string]string
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(YAML(c.Dir, "127.0.0.1:7700")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Parse("demo.yaml", []byte(YAML(c.Dir, "127.0.0.1:7700")), os.LookupEnv); err != nil {
		t.Errorf("invalid configuration: %v", err)
	}
	if want := strings.ReplaceAll(c.File(), "$", "$$"); got.Sources["freight"].DSN != want {
		t.Errorf("dsn = %s, want %s", got.Sources["freight"].DSN, want)
	}
	if got.HTTP.Listen != "127.0.0.1:7700" {
		t.Errorf("listen = %s, want 127.0.0.1:7700", got.HTTP.Listen)
	}
	order := got.Tables["job_order"]
	if strings.TrimSpace(order.SQL) != mainSQL {
		t.Errorf("sql = %s, want %s", order.SQL, mainSQL)
	}
	columns := strings.Join(table(t, c).Columns(), " ")
	for _, name := range append(order.Content.Fields, order.Key, order.Updated) {
		if !strings.Contains(" "+columns+" ", " "+name+" ") {
			t.Errorf("column %s is not in the SQL's result: %s", name, columns)
		}
	}
	for name := range order.Metadata {
		if !strings.Contains(" "+columns+" ", " "+name+" ") {
			t.Errorf("metadata %s is not in the SQL's result: %s", name, columns)
		}
	}
}

func TestAllRowsAreDocuments(t *testing.T) {
	c := Config{Dir: t.TempDir(), Rows: 300}
	create(t, c)
	n := 0
	for b, err := range table(t, c).Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Rejects) != 0 {
			t.Errorf("rejects = %v, want none", b.Rejects)
		}
		n += len(b.Docs)
	}
	if n != 300 {
		t.Errorf("%d documents, want 300", n)
	}
}

// The test counts the results of the example searches in SQL.
func TestSearchesHaveResults(t *testing.T) {
	db := create(t, Config{Dir: t.TempDir(), Rows: 5000, Seed: 1})
	const text = "lower(concat_ws(' ', customer, consignee, cargo, remarks, containers))"
	conditions := map[string]string{
		"frozen shrimp customs": text + " LIKE '%frozen%' AND " + text + " LIKE '%shrimp%' AND " + text + " LIKE '%customs %'",
		"冷冻虾仁":                  text + " LIKE '%冷冻虾仁%'",
		`"solar panels" status:customs-hold weight:>=30000`: text + " LIKE '%solar panels%' AND status = 'customs-hold' AND weight >= 30000",
	}
	for _, s := range Searches() {
		condition, ok := conditions[s.Query]
		if !ok {
			t.Errorf("search %q: no condition in this test", s.Query)
			continue
		}
		if n := count(t, db, "SELECT count(*) FROM ("+mainSQL+") WHERE "+condition); n < 5 {
			t.Errorf("%q finds %d of 5,000 orders, want some", s.Query, n)
		}
	}
}
