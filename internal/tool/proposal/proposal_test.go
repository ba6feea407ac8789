package proposal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	pg "indexerd/internal/source/postgres"
	"indexerd/internal/source/sqlite"
	"indexerd/internal/test/golden"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// postgres creates a database. It returns its catalog, and a function that opens
// a configured table.
func postgres(t *testing.T, fill func(dsn string)) (doc.Catalog, func(configs.Table) error) {
	t.Helper()
	dsn := pgtest.DB(t)
	fill(dsn)
	d, err := pg.Open(t.Context(), dsn, 4)
	if err != nil {
		t.Fatal(err)
	}
	return catalogOf(t, source.New(d, pace.Limits{}))
}

// catalogOf returns the catalog of a source, and a function that opens a configured
// table.
func catalogOf(t *testing.T, s *source.Source) (doc.Catalog, func(configs.Table) error) {
	t.Helper()
	t.Cleanup(s.Close)
	c, err := s.Catalog(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, func(conf configs.Table) error {
		table := source.TableConfig{Name: conf.Name, SQL: conf.SQL, Key: conf.Key, RowKey: conf.RowKey, MaxRows: conf.MaxRows, Updated: conf.Updated, Zone: conf.Location}
		for _, c := range conf.Children {
			table.Children = append(table.Children, source.ChildConfig{Name: c.Name, Path: "children." + c.Name, SQL: c.SQL, Key: c.Key, Updated: c.Updated, Columns: c.Content})
		}
		_, err := s.Table(t.Context(), table)
		return err
	}
}

// lite does the same as postgres with a SQLite database.
func lite(t *testing.T, name string, statements ...string) (doc.Catalog, func(configs.Table) error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	d, err := sqlite.Open(t.Context(), path, 4)
	if err != nil {
		t.Fatal(err)
	}
	return catalogOf(t, source.New(d, pace.Limits{}))
}

// works checks that the configuration is valid and that the database accepts its
// tables.
func works(t *testing.T, yaml string, open func(configs.Table) error) *configs.Config {
	t.Helper()
	cfg, err := configs.Parse("init", []byte(yaml), os.LookupEnv)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	for _, table := range cfg.Tables {
		if err := open(table); err != nil {
			t.Errorf("table %s: %v\n%s", table.Name, err, yaml)
		}
	}
	return cfg
}

var pagilaAt = Source{Driver: "postgres", DSN: "postgres://reader@127.0.0.1:5432/pagila", Address: "127.0.0.1:5432/pagila"}

func TestConfigOfFilms(t *testing.T) {
	c, open := postgres(t, func(dsn string) { films.Load(t, dsn) })
	c.Name = "pagila"
	inspects(t, "films.yaml", c, open)
}

// The real Pagila is an extra.
func TestConfigOfPagila(t *testing.T) {
	dump := pgtest.Data(t, "pagila.sql")
	c, open := postgres(t, func(dsn string) { pgtest.Load(t, dsn, dump) })
	c.Name = "pagila"
	inspects(t, "pagila.yaml", c, open)
}

// inspects compares the configuration of a catalog with a golden file, and opens
// its tables.
func inspects(t *testing.T, file string, c doc.Catalog, open func(configs.Table) error) {
	t.Helper()
	r := Config(c, pagilaAt)
	yaml, tables := r.YAML, r.Tables
	golden.Check(t, "testdata/"+file, yaml)
	cfg := works(t, yaml, open)
	if on := works(t, switchedOn(yaml), open); len(on.Tables) != tables+r.Others {
		t.Errorf("got %d tables with the comments switched on, want %d and %d", len(on.Tables), tables, r.Others)
	}
	if tables != len(cfg.Tables) {
		t.Errorf("got %d tables, want the %d of the file", tables, len(cfg.Tables))
	}
	for _, table := range cfg.Tables {
		if strings.HasPrefix(table.Name, "payment_p") {
			t.Errorf("table %s is a partition", table.Name)
		}
	}
}

func TestShop(t *testing.T) {
	c, open := lite(t, "shop.db",
		`CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL, updated_at TEXT)`,
		`CREATE TABLE product (id INTEGER PRIMARY KEY, "list price" NUMERIC, title VARCHAR(80) NOT NULL, details TEXT, state TEXT, photo BLOB, on_sale BOOLEAN,
			introduced DATE, category_id INTEGER REFERENCES category, updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP)`,
		`CREATE INDEX product_updated ON product (updated_at)`, `CREATE INDEX product_category ON product (category_id)`,
		`CREATE TRIGGER product_touch AFTER UPDATE OF title ON product BEGIN UPDATE product SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END`,
		`CREATE TABLE review (product_id INTEGER NOT NULL REFERENCES product (id), number INTEGER NOT NULL, text TEXT, modified INTEGER, PRIMARY KEY (product_id, number))`,
		`CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL, mtime REAL)`,
		`CREATE TABLE product_tag (product_id INTEGER REFERENCES product, tag TEXT REFERENCES tag, mtime REAL NOT NULL)`,
		`CREATE TABLE login (id INTEGER PRIMARY KEY, at DATETIME)`,
		`CREATE VIEW cheap AS SELECT * FROM product WHERE "list price" < 1`,
		`INSERT INTO category VALUES (1, 'Tea', '2024-01-01 10:00:00')`,
		`INSERT INTO product (id, "list price", title, introduced, category_id) VALUES (1, 2.5, 'Green', '2024-01-01', 1)`,
		`INSERT INTO review VALUES (1, 1, 'Good', 1700000000)`, `INSERT INTO tag VALUES ('fresh', 1700000000.5)`, `INSERT INTO product_tag VALUES (1, 'fresh', 1700000000.5)`)
	yaml, _ := all(c, Source{Driver: "sqlite", DSN: "shop.db", Address: "shop.db"})
	golden.Check(t, "testdata/shop.yaml", yaml)
	works(t, yaml, open)
}

// all proposes all tables.
func all(c doc.Catalog, s Source) (yaml string, tables int) {
	s.All = true
	r := Config(c, s)
	return r.YAML, r.Tables
}

// switchedOn returns a configuration whose comments of one line are tables.
func switchedOn(yaml string) string { return comment.ReplaceAllString(yaml, "  $1") }

var comment = regexp.MustCompile(`(?m)^  # ([a-z0-9_]+: \{source: )`)
