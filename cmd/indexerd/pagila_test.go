package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// pagila makes a database of films. It returns its DSN and the shipped
// configuration pagila.yaml, with a separate data directory and address.
func pagila(t testing.TB) (dsn, file string) {
	t.Helper()
	return pagilaWith(t, "")
}

// pagilaWith is pagila with more lines for its table.
func pagilaWith(t testing.TB, more string) (dsn, file string) {
	t.Helper()
	dsn = films.DB(t)
	return dsn, shippedConfig(t, dsn, more)
}

// shippedConfig returns configs/pagila.yaml for a database, with more lines for its
// table.
func shippedConfig(t testing.TB, dsn, more string) (file string) {
	t.Helper()
	own := strings.NewReplacer("/var/lib/indexerd", filepath.Join(t.TempDir(), "data"), "127.0.0.1:7700", "127.0.0.1:0", "${PAGILA_DSN}", dsn)
	return writeFile(t, own.Replace(readFile(t, configFile("pagila.yaml")))+more)
}

func TestPagila(t *testing.T) {
	t.Parallel()
	dsn, file := pagila(t)
	p := follow(t, file)
	if got := p.status(t).Tables[0].Documents; got != 1000 {
		t.Fatalf("documents: got %d, want 1000", got)
	}
	t.Run("totals are PostgreSQL's", func(t *testing.T) { totals(t, p, dsn, file) })
	t.Run("an update is searchable", func(t *testing.T) { update(t, p, dsn) })
	t.Run("kill -9 needs no manual step", func(t *testing.T) { killed(t, p, dsn, file) })
}

// totals compares the totals of searches with whole-word counts.
func totals(t *testing.T, p *proc, dsn, file string) {
	stdout, stderr, code := ask(t, "search", "-c", file, "film", "drama shark", "--json")
	if code != 0 {
		t.Fatalf("search: exit %d: %s", code, stderr)
	}
	var a search.Answer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	if got, want := a.Total, count(t, dsn, []string{"drama", "shark"}); got != want || want == 0 {
		t.Errorf("drama shark: got %d, want %d and not 0", got, want)
	}
	words := vocabulary(t, dsn)
	random := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 200 {
		query := make([]string, 1+random.IntN(3))
		for i := range query {
			query[i] = words[random.IntN(len(words))]
		}
		q := strings.Join(query, " ")
		got, want := p.search(t, "film", q, "size=0").Total, count(t, dsn, query)
		if got != want {
			t.Errorf("%q: got %d, want %d", q, got, want)
		}
		if want > 0 {
			hits++
		}
	}
	if hits < 50 {
		t.Errorf("only %d of 200 queries find anything: they prove little", hits)
	}
}

// count is PostgreSQL's count of films that have all words, themselves or in
// their actors' and categories' names.
func count(t *testing.T, dsn string, words []string) uint64 {
	t.Helper()
	var where []string
	for _, w := range words {
		where = append(where, fmt.Sprintf(`text ~* '\m%s\M'`, w))
	}
	return uint64(pgtest.Value[int64](t, dsn, `SELECT count(*) FROM (SELECT concat_ws(' ', title, description,
		(SELECT string_agg(first_name || ' ' || last_name, ' ') FROM film_actor JOIN actor USING (actor_id) WHERE film_actor.film_id = film.film_id),
		(SELECT string_agg(name, ' ') FROM film_category JOIN category USING (category_id) WHERE film_category.film_id = film.film_id)) AS text FROM film) f
		WHERE `+strings.Join(where, " AND ")))
}

// vocabulary is the words of the films, without those that the analyzer drops.
func vocabulary(t *testing.T, dsn string) []string {
	t.Helper()
	text := pgtest.Value[string](t, dsn, "SELECT string_agg(lower(title || ' ' || description), ' ') FROM film")
	stop := strings.Fields("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with who must")
	seen := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z]+`).FindAllString(text, -1) {
		if !slices.Contains(stop, w) {
			seen[w] = true
		}
	}
	var words []string
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

func update(t *testing.T, p *proc, dsn string) {
	old := fmt.Sprintf("description:%q", pgtest.Value[string](t, dsn, "SELECT description FROM film WHERE film_id = 7"))
	p.has(t, "film", old, 1)
	pgtest.Exec(t, dsn, "UPDATE film SET description = 'A Quagga in a Zeppelin', last_update = now() WHERE film_id = 7")
	p.found(t, "film", "quagga zeppelin", 1)
	p.has(t, "film", old, 0)
}

// leavesWithin is how long a daemon may take to end at SIGTERM: four seconds are
// its passes', and then it closes what is stored, on a disk that may be busy.
const leavesWithin = time.Minute

func killed(t *testing.T, p *proc, dsn, file string) {
	for i := range 5 {
		word := fmt.Sprintf("killed%c", 'a'+i)
		pgtest.Exec(t, dsn, "UPDATE film SET description = $1, last_update = now() WHERE film_id <= 100", word)
		<-time.After(time.Duration(i*250) * time.Millisecond) // somewhere in the middle of the window that has it
		p.kill()
		p = start(t, "run", "-c", file)
		p.found(t, "film", word, 100)
	}
	if got := p.status(t).Tables[0].Documents; got != 1000 {
		t.Errorf("documents after kills: got %d, want 1000", got)
	}
	if took := p.stop(t); took > leavesWithin {
		t.Errorf("SIGTERM: left after %v, want within %v", took, leavesWithin)
	}
}

func TestDatabaseDownAndUp(t *testing.T) {
	t.Parallel()
	dsn, file := pagila(t)
	admin := os.Getenv("INDEXERD_TEST_PG")
	name := pgtest.Value[string](t, dsn, "SELECT current_database()")
	down := func() {
		pgtest.Exec(t, admin, fmt.Sprintf("ALTER DATABASE %q ALLOW_CONNECTIONS false", name))
		pgtest.Exec(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	}
	up := func() { pgtest.Exec(t, admin, fmt.Sprintf("ALTER DATABASE %q ALLOW_CONNECTIONS true", name)) }

	down()
	p := start(t, "run", "-c", file)
	failing := func() error {
		if s := p.status(t); s.Sources[0].Connected || s.Sources[0].Error == nil || s.Tables[0].State != "failing" {
			return fmt.Errorf("status %+v", s)
		}
		return nil
	}
	eventually(t, soon, "status shows that the database is down", failing)
	if _, err := get(p.base + "/readyz"); err == nil {
		t.Error("/readyz before anything is loaded: got 200, want 503")
	}
	up()
	p.ready(t)

	down()
	eventually(t, soon, "status shows that the database is down again", failing)
	if got := p.search(t, "film", "drama shark").Total; got == 0 {
		t.Error("a search while the database is down: got nothing")
	}
	if _, err := get(p.base + "/readyz"); err != nil {
		t.Errorf("/readyz of a loaded table while the database is down: %v, want 200", err)
	}
	up()
	pgtest.Exec(t, dsn, "UPDATE film SET description = 'A Quokka', last_update = now() WHERE film_id = 9")
	p.found(t, "film", "quokka", 1)
	eventually(t, soon, "every pass works again", func() error {
		if s := p.status(t); !s.Sources[0].Connected || s.Tables[0].State != "following" {
			return fmt.Errorf("status %+v", s)
		}
		return nil
	})
}
