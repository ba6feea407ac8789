package main

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"indexerd/configs"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// initHere runs init in this process.
func initHere(t *testing.T, env map[string]string, dsn string) (stdout, stderr string, code int) {
	t.Helper()
	return initWith(t, env, initCommand{DSN: dsn})
}

// initWith is initHere with options.
func initWith(t *testing.T, env map[string]string, c initCommand) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	w := world{stdout: &out, stderr: &errs, getenv: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
	if err := c.Run(t.Context(), w); err != nil {
		fmt.Fprintln(&errs, configs.Message(err))
		code = exitCode(err)
	}
	if seen := out.String() + errs.String(); strings.Contains(seen, canary) {
		t.Errorf("%s: the password is in the output:\n%s", c.DSN, seen)
	}
	return out.String(), errs.String(), code
}

// ownPlace gives a configuration that init printed a directory and an address
// of the test's own, by the lines that scripts may rely on.
func ownPlace(t *testing.T, yaml string) string {
	t.Helper()
	for _, line := range []string{"data: ./data", "http: {listen: 127.0.0.1:7700}"} {
		if !slices.Contains(strings.Split(yaml, "\n"), line) {
			t.Fatalf("got\n%s\nwant the line %q", yaml, line)
		}
	}
	own := strings.NewReplacer("\ndata: ./data\n", "\ndata: "+t.TempDir()+"\n", "127.0.0.1:7700}", "127.0.0.1:0}")
	return writeFile(t, own.Replace(yaml))
}

// A database, init, run, and what is in it is found: nothing is written by
// hand.
func TestInitFilms(t *testing.T) {
	t.Parallel()
	initFinds(t, films.DB(t))
}

// The language of all tables is that of the command line.
func TestInitLanguage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	execSQLite(t, path, "CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT)", "INSERT INTO article (title) VALUES ('Green tea')")
	for _, c := range []struct{ language, want string }{
		{"auto", "    content: {fields: [title]}\n    title: title\n"}, {"de", "language: de  # of all tables"}, {"none", "language: none  # of all tables"},
	} {
		if stdout, stderr, code := runHere(t, nil, "init", "--language", c.language, path); code != 0 || !strings.Contains(stdout, c.want) {
			t.Errorf("--language %s: exit %d: %s\n%s\nwant %q in it", c.language, code, stderr, stdout, c.want)
		}
	}
	if _, stderr, code := runHere(t, nil, "init", "--language", "german", path); code != exitBad || !strings.Contains(stderr, `unknown language "german": write auto, none, ar, `) {
		t.Errorf("an unknown language: exit %d: %s", code, stderr)
	}
}

// initFinds runs init on a database of films, then a daemon with what it prints,
// and compares searches with the database.
func initFinds(t *testing.T, dsn string) {
	t.Helper()
	yaml, stderr, code := initHere(t, nil, dsn)
	if code != 0 {
		t.Fatalf("init: exit %d: %s", code, stderr)
	}
	if want := "    language: en  # that of the sampled texts"; !strings.Contains(yaml, want) {
		t.Errorf("got\n%s\nwant %q in it", yaml, want)
	}
	file := ownPlace(t, yaml)
	if stdout, stderr, code := runHere(t, nil, "check", "-c", file); code != 0 {
		t.Errorf("check: exit %d: %s%s", code, stdout, stderr)
	}
	p := follow(t, file)
	customer := pgtest.Value[string](t, dsn, "SELECT first_name || ' ' || last_name FROM customer WHERE customer_id = 1")
	for _, c := range []struct {
		table, q string
		more     string
		sql      string // what PostgreSQL finds
	}{
		{"film", "academy dinosaur", "", "SELECT count(*) FROM film WHERE title = 'ACADEMY DINOSAUR'"},
		{"film", `actors:"penelope guiness"`, "", "SELECT count(*) FROM film_actor JOIN actor USING (actor_id) WHERE first_name || last_name = 'PENELOPEGUINESS'"},
		{"film", "", "filter=categories:Comedy", "SELECT count(*) FROM film_category JOIN category USING (category_id) WHERE name = 'Comedy'"},
		{"film", "", "filter=rating:PG-13", "SELECT count(*) FROM film WHERE rating = 'PG-13'"},
		{"film", `special_features:"Deleted Scenes"`, "", "SELECT count(*) FROM film WHERE 'Deleted Scenes' = ANY (special_features)"},
		{"actor", "guiness", "", "SELECT count(*) FROM actor WHERE last_name = 'GUINESS'"},
		{"customer", customer, "", "SELECT count(*) FROM customer JOIN customer first USING (first_name, last_name) WHERE first.customer_id = 1"},
		{"customer", "activebool:true", "", "SELECT count(*) FROM customer WHERE activebool"},
	} {
		got, want := p.search(t, c.table, c.q, c.more).Total, uint64(pgtest.Value[int64](t, dsn, c.sql))
		if got != want || want == 0 {
			t.Errorf("%s %s %s: got %d, want %d and not 0", c.table, c.q, c.more, got, want)
		}
	}
	for _, table := range p.status(t).Tables {
		if table.Quarantined != 0 || table.Documents == 0 {
			t.Errorf("%s: got %d documents, %d in quarantine", table.Table, table.Documents, table.Quarantined)
		}
	}
}

func TestInitSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a $shop.db")
	execSQLite(t, path,
		"CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP)",
		"CREATE TABLE remark (id INTEGER PRIMARY KEY, article_id INTEGER REFERENCES article, text TEXT, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP)",
		"INSERT INTO article (title) VALUES ('Green tea'), ('Black tea')", "INSERT INTO remark (article_id, text) VALUES (2, 'Too strong')")
	var file string
	for _, dsn := range []string{path, "file:" + path, "sqlite://" + path, "${SHOP}"} {
		yaml, stderr, code := initHere(t, map[string]string{"SHOP": path}, dsn)
		if code != 0 {
			t.Fatalf("%s: exit %d: %s", dsn, code, stderr)
		}
		if file = ownPlace(t, yaml); dsn != "${SHOP}" {
			commands(t, 0, "check", "-c", file)
		}
	}
	p := follow(withEnv(t, "SHOP="+path), file)
	p.has(t, "article", "tea strong", 1)
}

// An updateTime that is a number is declared in the unit that most rows have.
func TestInitFindsTheUnit(t *testing.T) {
	dsn, path := pgtest.DB(t), filepath.Join(t.TempDir(), "notes.db")
	for _, statement := range []string{
		"CREATE TABLE note (id INT PRIMARY KEY, body TEXT, updated_at BIGINT NOT NULL)",
		"INSERT INTO note VALUES (1, 'a', 1714996800123), (2, 'b', 1714996800124), (3, 'c', 253402300799), (4, 'd', 0)",
		"CREATE TABLE memo (id INT PRIMARY KEY, body TEXT, updated_at BIGINT NOT NULL)",
	} {
		pgtest.Exec(t, dsn, statement)
		execSQLite(t, path, statement)
	}
	for _, dsn := range []string{dsn, path} {
		yaml, stderr, code := initHere(t, nil, dsn)
		for _, want := range []string{
			"most rows count milliseconds", "updated: {column: updated_at, unit: ms}  # ",
			"its unit is detected from the rows; to declare it: {column: updated_at, unit: ms}", "updated: updated_at  # ",
		} {
			if code != 0 || !strings.Contains(yaml, want) {
				t.Errorf("%s: exit %d: %s\n%s\nwant %q in it", dsn, code, stderr, yaml, want)
			}
		}
	}
}

// An address with a password is used, and the configuration names a variable, whatever
// the form: nothing that init prints has the password.
func TestInitWithPassword(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE note (id int PRIMARY KEY, body text, updated_at timestamptz)")
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	host, database := u.Host, strings.Trim(u.Path, "/")
	forms := []string{
		"postgres://postgres:PW@" + host + "/" + database, "postgresql+psycopg2://postgres:PW@" + host + "/" + database + "?sslmode=disable",
		"jdbc:postgresql://" + host + "/" + database + "?user=postgres&password=PW", "postgresql://postgres:PW@" + host + "/" + database + "?schema=public&connection_limit=5",
		"host=" + u.Hostname() + " port=" + u.Port() + " user=postgres dbname=" + database + " password=PW",
		"Host=" + u.Hostname() + ";Port=" + u.Port() + ";Username=postgres;Password=PW;Database=" + database,
	}
	for _, form := range forms {
		form = strings.Replace(form, "PW", canary, 1)
		for _, c := range []struct {
			env  map[string]string
			note string
		}{
			{nil, "names the variable DATABASE_URL: set it"},
			{map[string]string{"DATABASE_URL": "another"}, "names the variable DB_URL: set it"},
			{map[string]string{"POSTGRES_URL": form}, "names the variable POSTGRES_URL, which has it"},
		} {
			yaml, stderr, code := initHere(t, c.env, form)
			if code != 0 || !strings.Contains(stderr, c.note) || !strings.Contains(yaml, `dsn: "${`) {
				t.Errorf("%s: exit %d, %s\n%s\nwant %s", form, code, stderr, yaml, c.note)
			}
		}
	}
	for _, dsn := range []string{
		"postgres://u:" + canary + "/x@h/d", "postgres://u:" + canary + "@x@h/d", "host='h' password='" + canary, "foo://u:" + canary + "@h/d", "u:" + canary + "@h/d",
		"Server=h;Database=d;Password=" + canary + ";Integrated Security=true", "${DSN:-postgres://u:" + canary + "@x@h/d}",
	} {
		stdout, stderr, code := initHere(t, nil, dsn)
		if code != exitBad || stdout != "" {
			t.Errorf("%s: exit %d, %q, %q; want exit %d", dsn, code, stdout, stderr, exitBad)
		}
		oneLineOf(t, stderr)
	}
}

// --env keeps the address in a file that only its owner can read, and never overwrites
// one.
func TestInitEnv(t *testing.T) {
	t.Parallel()
	dsn, file := pgtest.DB(t), filepath.Join(t.TempDir(), ".env")
	pgtest.Exec(t, dsn, "CREATE TABLE note (id int PRIMARY KEY, body text, updated_at timestamptz)")
	dsn = strings.Replace(dsn, "postgres@", "postgres:"+canary+"@", 1)
	yaml, stderr, code := initWith(t, nil, initCommand{DSN: dsn, Env: file})
	text, err := os.ReadFile(file)
	if info, _ := os.Stat(file); code != 0 || err != nil || string(text) != "DATABASE_URL='"+dsn+"'\n" || info.Mode().Perm() != 0o600 || !strings.Contains(yaml, `dsn: "${DATABASE_URL}"`) {
		t.Errorf("exit %d, %s, %s, %v, want the file of the variable", code, stderr, text, err)
	}
	if _, stderr, code := initWith(t, nil, initCommand{DSN: dsn, Env: file}); code != exitBad || !strings.Contains(stderr, "name a file that does not exist") {
		t.Errorf("a second time: exit %d, %s, want an error", code, stderr)
	}
}

// Without an argument the environment names the database.
func TestInitOfTheEnvironment(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE note (id int PRIMARY KEY, body text, updated_at timestamptz)")
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  map[string]string
		note string
		dsn  string
	}{
		{map[string]string{"DATABASE_URL": strings.Replace(dsn, "postgres@", "postgres:"+canary+"@", 1)}, "that of DATABASE_URL", `"${DATABASE_URL}"`},
		{map[string]string{"PGHOST": u.Hostname(), "PGPORT": u.Port(), "PGUSER": "postgres", "PGDATABASE": strings.Trim(u.Path, "/"), "PGPASSWORD": canary}, "that of PGHOST, PGPORT, PGDATABASE, PGUSER", "host='"},
	} {
		if yaml, stderr, code := initHere(t, c.env, ""); code != 0 || !strings.Contains(stderr, c.note) || !strings.Contains(yaml, c.dsn) {
			t.Errorf("%v: exit %d, %s\n%s\nwant %s", c.env, code, stderr, yaml, c.note)
		}
	}
}

func TestInitFails(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := dead.Addr().String()
	dead.Close()
	notes := writeFile(t, "no database")
	env := map[string]string{"GOOD": "postgres://u:" + canary + "@" + address + "/d", "BAD": "postgres://u:" + canary + "%zz@h/d"}
	for _, c := range []struct {
		dsn  string
		want string
		code int
	}{
		{"postgres://u@" + address + "/d", address + "/d: database unavailable: connection refused: start the database", exitBad},
		{"${GOOD}", address, exitBad},
		{"${BAD}", "not a valid URL", exitBad},
		{"${UNSET}", "environment variable UNSET is not set", exitBad},
		{"postgres://u@h:port/d", "is not a connection string", exitBad},
		{"", "no database is named", exitBad},
		{"sqlite:///no/such/file.db", "name a file of SQLite (this is /no/such/file.db; a relative path is sqlite://no/such/file.db), or postgres://", exitBad},
		{"/no/such/file.db", "connect to file.db: database unavailable: no such file or directory: name a file of SQLite, or postgres://", exitBad},
		{notes, "not a database", exitNo},
	} {
		stdout, stderr, code := initHere(t, env, c.dsn)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, %q; want exit %d and %q", c.dsn, code, stdout, stderr, c.code, c.want)
		}
		oneLineOf(t, stderr)
	}
}

// A database of which nothing can be indexed fails, and the error names what is missing.
func TestInitFindsNothing(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE log (line tsvector)")
	stdout, stderr, code := initHere(t, nil, dsn)
	if code != exitNo || !strings.Contains(stdout, "# log: no column that can be indexed") || !strings.Contains(stderr, "no table that can be indexed") {
		t.Errorf("exit %d, %q, %q; want exit %d and why", code, stdout, stderr, exitNo)
	}
}

// A password that comes from the environment is nowhere in what is printed, and
// what is printed finds it there again.
func TestInitFromEnvironment(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE note (id int PRIMARY KEY, body text, updated_at timestamptz)")
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), canary) // the test's server asks for none
	env := map[string]string{"NOTES": u.String()}
	yaml, stderr, code := initHere(t, env, "${NOTES}")
	if code != 0 || !strings.Contains(yaml, `dsn: "${NOTES}"`) {
		t.Fatalf("exit %d, %s\n%s", code, stderr, yaml)
	}
	file := ownPlace(t, yaml)
	if stdout, stderr, code := runHere(t, env, "check", "-c", file); code != 0 {
		t.Errorf("check: exit %d: %s%s", code, stdout, stderr)
	}
}

func TestInitHelp(t *testing.T) {
	var c struct {
		Init initCommand `cmd:""`
	}
	var out bytes.Buffer
	parser, err := kong.New(&c, kong.Writers(&out, &out), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse([]string{"init", "--help"}) // --help ends as an error where Exit returns
	for _, want := range []string{"Examples:", "indexerd init '${PAGILA_DSN}' > indexerd.yaml", "'${NAME}', the environment"} {
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, want) {
			t.Errorf("got %s, want %q in it", out.String(), want)
		}
	}
}

// A wrong kind of database is named within seconds, and each refusal says what happened.
func TestInitRefused(t *testing.T) {
	t.Parallel()
	postgres, maria := pgtest.DB(t), mariatest.DB(t)
	p, err := url.Parse(postgres)
	if err != nil {
		t.Fatal(err)
	}
	m, err := url.Parse(maria)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dsn, want string }{
		{"mysql://root@" + p.Host + "/x", "a PostgreSQL server answers at " + p.Host + ": write driver postgres"},
		{"postgres://u@" + m.Host + "/x", "a MySQL or MariaDB server answers at " + m.Host + ": write driver mysql"},
		{"postgres://u@" + m.Host + "/x?sslmode=disable", "a MySQL or MariaDB server answers at " + m.Host + ": write driver mysql"},
		{strings.Replace(postgres, p.Path, "/nothing_here", 1), `there is no such database (database "nothing_here" does not exist, SQLSTATE 3D000): create it`},
		{strings.Replace(maria, m.Path, "/nothing_here", 1), "there is no such database"},
		{strings.Replace(postgres, "postgres@", "nobody:"+canary+"@", 1), "the login was refused"},
		{strings.Replace(maria, "root@", "nobody:"+canary+"@", 1), "the login was refused"},
		{"postgres://u@" + p.Host + "/x?sslmode=verify-full", "the server has no TLS: write sslmode=disable"},
		{maria + "?tls=true", "TLS"},
		{"postgres://u@no-such-host.invalid/x", "no such host: correct the host"},
		{"mysql://u@no-such-host.invalid/x", "no such host: correct the host"},
		{postgres + "&options=-c%20nothing%3D1", `unrecognized configuration parameter "nothing"`},
	} {
		begun := time.Now()
		stdout, stderr, code := initHere(t, nil, c.dsn)
		if code != exitBad || stdout != "" || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "correct address and login") {
			t.Errorf("%s: exit %d, %q after %v, want %q", c.dsn, code, stderr, time.Since(begun), c.want)
		}
		oneLineOf(t, stderr)
	}
}
