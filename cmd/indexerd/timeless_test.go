package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestTableWithoutUpdatedUnderKill changes a table that has no updateTime in every
// way, and kills the daemon with SIGKILL beside each change. The daemon finds
// every change, S never falls, and index and database are equal.
func TestTableWithoutUpdatedUnderKill(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE album (id bigint PRIMARY KEY, title text NOT NULL);
		CREATE TABLE track (album_id bigint NOT NULL, name text NOT NULL); CREATE INDEX ON track (album_id);
		INSERT INTO album SELECT n, 'album ' || n FROM generate_series(1, 60) n; INSERT INTO track SELECT n, 'song' FROM generate_series(1, 60) n`)
	file := writeFile(t, configOf("postgres", dsn, t.TempDir(),
		"  album: {source: db, sql: 'SELECT id, title FROM album', key: id, content: {fields: [title]}, children: {tracks: {sql: SELECT * FROM track, key: album_id, content: [name]}}}\n"))
	random := rand.New(rand.NewPCG(chaosSeed(t), 1))
	p := follow(t, file)
	var settled time.Time
	for _, c := range []struct {
		change, word string
		found        uint64
	}{
		{"INSERT INTO album VALUES (61, 'inserted'), (62, 'inserted')", "inserted", 2},
		{"UPDATE album SET title = 'changed' WHERE id BETWEEN 5 AND 9", "changed", 5},
		{"UPDATE track SET name = 'tune' WHERE album_id = 7", "tune", 1},
		{"INSERT INTO track VALUES (8, 'refrain')", "refrain", 1},
		{"DELETE FROM album WHERE id = 61", "inserted", 1},
		{"UPDATE album SET id = 63 WHERE id = 62", "inserted", 1},
		{"TRUNCATE track", "song", 0},
		{"TRUNCATE album", "album", 0},
		{"INSERT INTO album VALUES (1, 'returned')", "returned", 1},
	} {
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			<-time.After(time.Duration(random.Int64N(int64(1500 * time.Millisecond))))
			p.kill()
		}()
		<-time.After(time.Duration(random.Int64N(int64(time.Second))))
		pgtest.Exec(t, dsn, c.change)
		<-killed
		p = start(t, "run", "-c", file)
		p.found(t, "album", c.word, c.found)
		s := p.status(t).Tables[0].Settled
		if s.At == nil || time.Time(*s.At).Before(settled) || s.Mode != "compared" {
			t.Errorf("%s: got S %+v after %v", c.change, s, settled)
		} else {
			settled = time.Time(*s.At)
		}
	}
	verifies(t, 0, file, "--content")
}

// TestTableWithoutUpdated follows such a table through what it shows.
func TestTableWithoutUpdated(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE album (id bigint PRIMARY KEY, title text NOT NULL, gone boolean NOT NULL DEFAULT false);
		INSERT INTO album SELECT n, 'album' FROM generate_series(1, 300) n`)
	file := writeFile(t, configOf("postgres", dsn, t.TempDir(), "  album: {source: db, sql: 'SELECT id, title FROM album WHERE NOT gone', key: id, content: {fields: [title]}}\n"))
	p := follow(t, file)
	p.found(t, "album", "album", 300)
	p.waitFor(t, "a lag of 0 and nulls", func(s httpapi.TableStatus) bool {
		return s.FollowedBy == "comparison" && s.Settled.Mode == "compared" && s.Window == nil && s.Marks.Incremental == nil && len(s.Marks.Tiers) == 0 && s.LagS != nil && *s.LagS == 0
	})

	late, err := pgtest.Connect(t, dsn).Begin(context.Background())
	if err == nil {
		_, err = late.Exec(context.Background(), "INSERT INTO album VALUES (301, 'late')")
	}
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, dsn, "UPDATE album SET title = 'early' WHERE id = 1")
	p.found(t, "album", "early", 1)
	commit(t, late)
	p.found(t, "album", "late", 1)
	pgtest.Exec(t, dsn, "UPDATE album SET gone = true WHERE id = 1")
	p.found(t, "album", "early", 0)
	verifies(t, 0, file, "--content")

	if run := p.run(t, "album", "compare"); run.State != "done" {
		t.Errorf("run/compare: got %+v, want done", run)
	}
	pgtest.Exec(t, dsn, "TRUNCATE album")
	p.waitFor(t, "the removals are held", func(s httpapi.TableStatus) bool { return s.Held != nil && s.Held.Removals == 300 && s.Documents == 300 })
	if got := sweeps(t, 0, file, "album", "--allow", "300"); got.Deleted != 300 {
		t.Errorf("sweep --allow 300: got %+v, want 300 removed", got)
	}
	p.found(t, "album", "", 0)
	verifies(t, 0, file, "--content")
	out, stderr, code := ask(t, "history", "-c", file, "album", "--json")
	if code != 0 || !strings.Contains(out, `"pass":"compare"`) || !strings.Contains(out, `"window":null`) {
		t.Errorf("history: got exit %d, %s%s, want runs of compare without a window", code, out, stderr)
	}
}
