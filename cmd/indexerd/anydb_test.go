package main

import (
	"cmp"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/database"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/sampletext"
)

// An anyDB is a database that init has never seen, and a daemon with the
// configuration that init printed.
type anyDB struct {
	lite    bool
	maria   bool
	dsn     string
	db      *sql.DB
	catalog doc.Catalog
	file    string
	conf    *configs.Config
	p       *proc
}

// anyDatabases runs a test in both databases, with a script that both accept and
// rows that the test makes up.
func anyDatabases(t *testing.T, script string, run func(*testing.T, *anyDB)) {
	for _, lite := range []bool{false, true} {
		t.Run(map[bool]string{false: "postgres", true: "sqlite"}[lite], func(t *testing.T) {
			t.Parallel()
			a := map[bool]func(*testing.T, string) *anyDB{false: newPostgres, true: newSQLite}[lite](t, readFile(t, filepath.Join("testdata", "anydb", script)))
			a.fill(t)
			run(t, a)
		})
	}
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	anyDatabases(t, "library.sql", func(t *testing.T, a *anyDB) {
		a.index(t)
		a.totals(t, 60)
		a.changes(t, rounds(t, "CHINOOK_SECONDS", 10, 5))
	})
}

func TestBlog(t *testing.T) {
	t.Parallel()
	anyDatabases(t, "blog.sql", func(t *testing.T, a *anyDB) {
		a.index(t)
		a.totals(t, 60)
		if text := readFile(t, a.file); strings.Contains(text, "user_pass,") || !strings.Contains(text, "updated: post_modified_gmt") {
			t.Errorf("got\n%s\nwant no user_pass, and post_modified_gmt as updated", text)
		}
		a.changes(t, rounds(t, "CHINOOK_SECONDS", 0, 0))
	})
}

// Chinook as its users have it: an extra. The same words have the same totals,
// whatever the database.
func TestChinook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	all := map[string]map[string]uint64{}
	t.Cleanup(func() {
		for name, totals := range all {
			if want := all["sqlite"]; want != nil && !maps.Equal(totals, want) {
				t.Errorf("%s: got the totals %v, want those of SQLite: %v", name, totals, want)
			}
		}
	})
	for name, c := range map[string]struct {
		open   func(*testing.T, string) *anyDB
		album  string // the table's field with the artist's name
		script string
	}{
		"postgres": {newPostgres, "artist", "chinook/Chinook_PostgreSql.sql.gz"},
		"sqlite":   {newSQLite, "Artist", "chinook/Chinook_Sqlite.sql.gz"},
		"mariadb":  {newMariaDB, "Artist", "chinook/Chinook_MySql.sql.gz"},
		"mysql":    {newMySQL, "Artist", "chinook/Chinook_MySql.sql.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.open(t, chinook(t, pgtest.Data(t, c.script)))
			if name == "postgres" {
				a.exec(t, "ANALYZE") // the others know how many rows a table has
			}
			a.index(t)
			totals := a.totals(t, 200)
			mu.Lock()
			all[name] = totals
			mu.Unlock()
			if got := a.p.search(t, "album", c.album+`:"led zeppelin"`).Total; got != 14 {
				t.Errorf("got %d albums of Led Zeppelin, want 14", got)
			}
			a.changes(t, rounds(t, "CHINOOK_SECONDS", 0, 0))
		})
	}
}

// All of Pagila: an extra.
func TestPagilaTables(t *testing.T) {
	t.Parallel()
	dump := pgtest.Data(t, "pagila.sql")
	a := newPostgres(t, "")
	pgtest.Load(t, a.dsn, dump)
	a.index(t)
	a.totals(t, 200)
	a.changes(t, rounds(t, "CHINOOK_SECONDS", 0, 0))
}

// chinook returns a script without what creates the database.
func chinook(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^(DROP DATABASE|CREATE DATABASE|USE|\\c) .*$`).ReplaceAllString(strings.TrimPrefix(string(text), "\ufeff"), "")
}

// newPostgres creates a database and runs a script in it.
func newPostgres(t *testing.T, script string) *anyDB {
	t.Helper()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, script)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &anyDB{dsn: dsn, db: db}
}

// newSQLite is newPostgres for SQLite.
func newSQLite(t *testing.T, script string) *anyDB {
	t.Helper()
	a := &anyDB{lite: true, dsn: filepath.Join(t.TempDir(), "any.db")}
	a.db = openSQLite(t, a.dsn)
	a.exec(t, script)
	return a
}

// newMariaDB is newPostgres for a MariaDB server without foreign keys, and a daemon
// whose account has SELECT alone.
func newMariaDB(t *testing.T, script string) *anyDB {
	t.Helper()
	return newMaria(t, mariatest.New(t), script)
}

// newMySQL is newMariaDB for MySQL.
func newMySQL(t *testing.T, script string) *anyDB {
	t.Helper()
	return newMaria(t, mariatest.NewMySQL(t), script)
}

func newMaria(t *testing.T, server *mariatest.Server, script string) *anyDB {
	t.Helper()
	dsn := server.DB(t)
	database := dsn[strings.LastIndex(dsn, "/")+1:]
	mariatest.Exec(t, dsn, "SET GLOBAL foreign_key_checks = 0; CREATE USER reader@'127.0.0.1'; GRANT SELECT ON "+database+".* TO reader@'127.0.0.1'")
	a := &anyDB{maria: true, dsn: strings.Replace(dsn, "root@", "reader@", 1), db: mariatest.Open(t, dsn)}
	a.exec(t, script)
	return a
}

func (a *anyDB) exec(t testing.TB, statement string) {
	t.Helper()
	if _, err := a.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%.500s: %v", statement, err)
	}
}

// number returns the only value of a query.
func (a *anyDB) number(t testing.TB, query string) (n int64) {
	t.Helper()
	if err := a.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// look reads the catalog.
func (a *anyDB) look(t *testing.T) {
	t.Helper()
	driver := map[bool]string{a.lite: "sqlite", a.maria: "mysql"}[true]
	opened, err := database.OpenCatalog(t.Context(), cmp.Or(driver, "postgres"), a.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if a.catalog, err = opened.Catalog(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// anyRows is the number of rows of each table that is filled.
const anyRows = 60

// fill writes rows into all tables but nothing_yet.
func (a *anyDB) fill(t *testing.T) {
	t.Helper()
	a.look(t)
	random := rand.New(rand.NewPCG(1, 2))
	f := filler{random: random, words: strings.Fields(strings.Join(sampletext.English(20), " ")), chinese: sampletext.Chinese(anyRows)}
	if !a.lite {
		a.exec(t, fmt.Sprintf("ALTER DATABASE %s SET session_replication_role = replica", a.catalog.Name)) // foreign keys wait for all rows
		a.db.Close()
		a.db, _ = sql.Open("pgx", a.dsn)
	}
	for _, table := range a.catalog.Tables {
		for i := range anyRows {
			if table.Name != "nothing_yet" {
				a.exec(t, f.insert(table, i+1))
			}
		}
	}
	if !a.lite {
		a.exec(t, "ANALYZE")
	}
}

// A filler makes up rows.
type filler struct {
	random         *rand.Rand
	words, chinese []string
}

// insert is an INSERT of row i. Each foreign key references a row.
func (f *filler) insert(t doc.CatalogTable, i int) string {
	var names, values []string
	for n, c := range t.Columns {
		row := i
		refers := slices.ContainsFunc(t.References, func(r doc.CatalogReference) bool { return slices.Contains(r.Columns, c.Name) })
		if refers && n > 0 || !refers && !slices.Contains(slices.Concat(t.Keys...), c.Name) {
			row = 1 + f.random.IntN(anyRows)
		}
		names, values = append(names, c.SQL), append(values, f.value(c, row, refers || slices.Contains(slices.Concat(t.Keys...), c.Name)))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.SQL, strings.Join(names, ", "), strings.Join(values, ", "))
}

// value makes up the value of a column. That of a key follows from the row.
func (f *filler) value(c doc.CatalogColumn, row int, key bool) string {
	switch c.Kind {
	case doc.TextColumn:
		return "'" + strings.ReplaceAll(f.text(c, row, key), "'", "''") + "'"
	case doc.NumberColumn:
		return fmt.Sprint(row)
	case doc.BooleanColumn:
		return "true"
	case doc.DateColumn:
		return fmt.Sprintf("'2024-02-%02d'", 1+row%28)
	}
	return fmt.Sprintf("'2024-02-%02d 10:00:%02d'", 1+row%28, row%60)
}

func (f *filler) text(c doc.CatalogColumn, row int, key bool) string {
	switch {
	case key:
		return fmt.Sprintf("k%d", row)
	case strings.HasSuffix(c.Name, "_zh"):
		return f.chinese[row-1]
	case c.Length > 0 && c.Length < 40:
		return f.words[f.random.IntN(len(f.words))][:1]
	}
	at := f.random.IntN(len(f.words) - 6)
	text := strings.Join(f.words[at:at+6], " ")
	if c.Length > 0 && len(text) > c.Length {
		text = text[:strings.LastIndex(text[:c.Length], " ")]
	}
	return text
}
