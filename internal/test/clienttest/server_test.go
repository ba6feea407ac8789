package clienttest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/source/sqlite"
	"indexerd/internal/test/process"
)

// The token of the clients. It sees the films with even keys, which are of the group
// sales.
const token = "sales-of-client-test"

// statements make 250 films. Every fifth is about a shark.
var statements = []string{
	"CREATE TABLE film (id INTEGER PRIMARY KEY, id_text TEXT, title TEXT, plot TEXT, rating TEXT, year INTEGER, released TEXT, grp TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 250)
	INSERT INTO film (id, id_text, title, plot, rating, year, released, grp)
	SELECT i, 'film-' || i, CASE WHEN i % 2 = 1 THEN 'Secret ' WHEN i % 5 = 0 THEN 'Shark ' ELSE 'Drama ' END || i, 'Film number ' || i || '. A story of a submarine, and of ' || i || ' sailors.',
	substr('G PGR ', 1 + i % 3 * 2, 2), 2000 + i % 10, date('2020-01-01', '+' || i || ' days'), CASE i % 2 WHEN 0 THEN 'sales' ELSE 'boss' END FROM n`,
	"UPDATE film SET rating = trim(rating)",
	"CREATE INDEX film_u ON film (u)",
}

// films starts a daemon of films once.
var films = sync.OnceValues(func() (running, error) {
	return start(`
data: DATA
http:
  listen: HTTP
  tokens: {ops: {token: ops-of-client-test, admin: true}, sales: {token: `+token+`, groups: [sales]}}
opensearch_api: {listen: API}
sources:
  db: {driver: sqlite, dsn: DATABASE}
tables:
  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title, plot]}, metadata: {title: keyword, id_text: keyword, rating: keyword, year: number, released: date, grp: keyword}, acl: grp}
`, statements, shown{token, "/film/_search?size=1000&_source=id_text&filter_path=hits.hits._source", `"film-`, 125})
})

// stops end what the tests have started.
var stops []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, stop := range slices.Backward(stops) {
		stop()
	}
	os.Exit(code)
}

// binary is the daemon, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "indexerd-clients")
	if err != nil {
		return "", err
	}
	stops = append(stops, func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "indexerd")
	if text, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", file, "indexerd/cmd/indexerd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, text)
	}
	return file, nil
})

// A running daemon has the OpenSearch API at url, and a database.
type running struct{ url, database string }

// shown is what the bearer of a token sees when tables are loaded: an answer with a mark
// so often.
type shown struct {
	token, path, mark string
	times             int
}

// start starts a daemon of a database that the statements fill, and waits until it has
// loaded its tables. In the configuration, DATA, HTTP, API and DATABASE stand for places
// of this test.
func start(config string, statements []string, until shown) (r running, err error) {
	program, err := binary()
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "indexerd-clients")
	if err != nil {
		return r, err
	}
	stops = append(stops, func() { _ = os.RemoveAll(dir) })
	r.database = filepath.Join(dir, "films.db")
	if err := fill(r.database, statements); err != nil {
		return r, err
	}
	ports, err := process.FreePorts(2)
	if err != nil {
		return r, err
	}
	own, api := "127.0.0.1:"+ports[0], "127.0.0.1:"+ports[1]
	file := filepath.Join(dir, "indexerd.yaml")
	text := strings.NewReplacer("DATABASE", r.database, "DATA", dir+"/data", "HTTP", own, "API", api).Replace(config)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return r, err
	}
	daemon := exec.Command(program, "run", "-c", file)
	var log strings.Builder
	daemon.Stdout, daemon.Stderr = &log, &log
	if err := daemon.Start(); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	stops = append(stops, func() {
		_ = daemon.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = daemon.Process.Kill()
		}
	})
	r.url = "http://" + api
	return r, loaded(r.url, until, ended, &log)
}

func fill(path string, statements []string) error {
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// loaded waits until the tables are loaded, with their pages.
func loaded(url string, until shown, ended <-chan error, log fmt.Stringer) error {
	late := time.After(2 * time.Minute)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	got := ""
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the daemon ended: %w: %s", err, log)
		case <-late:
			return fmt.Errorf("the tables are not loaded: got %s", got)
		case <-look.C:
		}
		r, err := http.NewRequest("GET", url+until.path, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+until.token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			got = err.Error()
			continue
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got = string(text); err == nil && strings.Count(got, until.mark) == until.times {
			return nil
		}
	}
}
