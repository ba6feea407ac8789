package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/httpapi"
	"indexerd/timetrace"
)

// The harnesses of crashes and faults, in the files beside this one, run the
// real binary on a real PostgreSQL, and TestKill9 on MariaDB too. Each takes its number of rounds from an
// environment variable, draws what it does at random from SEED, and ends with
// a line of figures. What they judge has no chance in it: the random part is
// only when and where the fault falls.

// chaosSchema is notes with tags. Every change of either moves an updateTime,
// so that S alone, without a sweep, promises that the index has it.
const chaosSchema = `
CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
CREATE INDEX note_updated ON note (updated);
CREATE TABLE tag (note_id bigint NOT NULL, name text NOT NULL, updated timestamptz NOT NULL DEFAULT now());
CREATE INDEX tag_note_id ON tag (note_id);
CREATE INDEX tag_updated ON tag (updated);
INSERT INTO note (id, body) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 3000) SELECT i, 'first ' || i FROM s;
INSERT INTO tag (note_id, name) SELECT id, 'tag' || id FROM note;
ANALYZE note, tag`

// A chaos is a database of notes and a daemon's configuration for it.
type chaos struct {
	dsn, data, file string
	seed            uint64
	random          *rand.Rand
}

// newChaos fills a database that the daemon reaches at another address.
func newChaos(t *testing.T, dsn, reach, data string) *chaos {
	t.Helper()
	c := &chaos{dsn: dsn, data: data, seed: chaosSeed(t)}
	c.random = rand.New(rand.NewPCG(c.seed, 0))
	openWriter(t, dsn).exec(t, chaosSchema)
	c.file = writeFile(t, chaosConfig(reach, data))
	return c
}

func chaosConfig(reach, data string) string {
	return lateConfig(reach, data, "{every: 500ms, slack: 500ms}") + `    batch: 100
    deletecheck: {every: 1h, max_count: 1000000}
    children:
      tags: {sql: "SELECT note_id, updated, name FROM tag", key: note_id, updated: updated, content: [name]}
`
}

// chaosSeed is SEED, or a new one.
func chaosSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64N(1_000_000)
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SEED: %v", err)
		}
	}
	t.Logf("SEED=%d", seed)
	return seed
}

// rounds is how often a harness does its worst, or another number that a variable sets.
func rounds(t testing.TB, variable string, usual, short int) int {
	t.Helper()
	if s := os.Getenv(variable); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return n
	}
	if testing.Short() {
		return short
	}
	return usual
}

func (c *chaos) within(most time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(most)))
}

// marks reads the marks of the notes, of which each update is one file put in
// the place of another.
func (c *chaos) marks(t *testing.T) timetrace.Table {
	t.Helper()
	trace, err := timetrace.Open(atomicfile.OS, c.data, "test")
	if err != nil {
		t.Fatal(err)
	}
	marks, _ := trace.Table("note")
	return marks
}

// storm has sessions change the notes until stop is called, which returns how
// many transactions they committed. They outlive their database.
func (c *chaos) storm(t *testing.T) (stop func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var committed atomic.Int64
	var writing sync.WaitGroup
	db := openWriter(t, c.dsn)
	for i := range uint64(3) {
		w := &noteWriter{db: db, random: rand.New(rand.NewPCG(c.seed, 1+i)), committed: &committed}
		writing.Go(func() { w.run(ctx) })
	}
	stop = sync.OnceValue(func() int64 {
		cancel()
		writing.Wait()
		_ = db.Close()
		return committed.Load()
	})
	t.Cleanup(func() { stop() })
	return stop
}

type noteWriter struct {
	db        writeDB
	random    *rand.Rand
	committed *atomic.Int64
}

func (w *noteWriter) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.session(ctx); err != nil {
			w.pause(200 * time.Millisecond) // the database is away
		}
	}
}

func (w *noteWriter) pause(upTo time.Duration) {
	<-time.After(time.Duration(w.random.Int64N(int64(upTo))))
}

func (w *noteWriter) session(ctx context.Context) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for ctx.Err() == nil {
		if err := w.transaction(context.WithoutCancel(ctx), conn); err != nil {
			return err
		}
		w.pause(40 * time.Millisecond)
	}
	return nil
}

// transaction makes some changes; some commit late, some not at all.
func (w *noteWriter) transaction(ctx context.Context, conn *sql.Conn) error {
	committed, err := w.db.transaction(ctx, conn, 1+w.random.IntN(20), func() string { return noteChange(w.random) }, func() bool {
		if w.random.IntN(30) == 0 {
			w.pause(time.Second)
		}
		return w.random.IntN(20) > 0
	})
	if committed && err == nil {
		w.committed.Add(1)
	}
	return err
}

// noteChange is one change at random. A tenth of the notes come and go.
func noteChange(r *rand.Rand) string {
	id, word := 1+r.Int64N(3000), strconv.FormatUint(r.Uint64()%5000, 36)
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("INSERT INTO note (id, body) VALUES (%d, 'new %s') ON CONFLICT (id) DO UPDATE SET body = excluded.body, updated = now()", id, word)
	case 1:
		return fmt.Sprintf("DELETE FROM note WHERE id = %d AND id %% 10 = 0", id)
	case 2:
		return fmt.Sprintf("INSERT INTO tag (note_id, name) VALUES (%d, 'T%s')", id, word)
	case 3:
		return fmt.Sprintf("UPDATE tag SET name = 'T%s', updated = now() WHERE note_id = %d", word, id)
	case 4: // a tag that goes moves nothing but its note's updateTime
		return fmt.Sprintf("DELETE FROM tag WHERE note_id = %d; UPDATE note SET updated = now() WHERE id = %[1]d", id)
	}
	return fmt.Sprintf("UPDATE note SET body = 'changed %s', updated = now() WHERE id = %d", word, id)
}

// proves wants everything equal once no writer is running: first without a
// sweep, so that none hides what was lost, then after one, to the last byte.
func (c *chaos) proves(t *testing.T, p *proc) httpapi.VerifiedTable {
	t.Helper()
	settledPast(t, p, c.dsn)
	verifies(t, 0, c.file)
	sweeps(t, 0, c.file, "note", "--allow", "100000")
	v := verifies(t, 0, c.file, "--content")
	var rows int
	if err := openWriter(t, c.dsn).QueryRowContext(t.Context(), "SELECT count(*) FROM note").Scan(&rows); err != nil || v.Compared < rows || v.Pending > 0 {
		t.Errorf("verify: got %+v, %v, want all %d rows compared and none pending", v, err, rows)
	}
	return v
}

// figures prints the last line of a harness.
func (c *chaos) figures(t *testing.T, name, figures string, v httpapi.VerifiedTable) {
	t.Helper()
	fmt.Printf("%s: seed=%d %s lost=%d stale=%d ghost=%d torn=%d %s\n", name, c.seed, figures, v.Lost, v.Stale, v.Ghost, v.Torn, outcome(t.Failed()))
}

// outcome is the last word of a line of figures.
func outcome(misses bool) string {
	if misses {
		return "MISS"
	}
	return "ok"
}

// unbroken is an error where the daemon has ended by itself.
func (p *proc) unbroken() error {
	select {
	case <-p.done:
		return fmt.Errorf("the daemon ended: %s", lastLine(p.log.String()))
	default:
		return nil
	}
}

// swept waits until the sweep that follows a doubt has ended by itself.
func (p *proc) swept(t *testing.T, within time.Duration) {
	t.Helper()
	eventually(t, within, "the sweep that starts by itself verifies the index", func() error {
		if err := p.unbroken(); err != nil {
			t.Fatal(err)
		}
		if s := p.status(t).Tables[0]; s.Settled.Unverified {
			return errors.New(s.Settled.Reason)
		}
		return nil
	})
}

// freshData is a data directory that is not there yet.
func freshData(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
