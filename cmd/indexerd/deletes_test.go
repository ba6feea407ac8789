package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"indexerd/internal/test/pgtest"
)

// The goals of make deletes: from the commit of a DELETE of one row until no search
// finds it, and of what narrowed sweeps take of the database and of a core.
const (
	deletedP99   = 15 * time.Second
	deletedShare = 0.1
)

const (
	deletesWrites  = 50 // a second, of which deletesRemoved delete a row
	deletesRemoved = 4  // half of them by a session that then idles
	deletesWait    = 2 * time.Minute
)

// TestDeletes deletes single rows of a table of DELETES_N rows for DELETES_SECONDS,
// beside other writes, and asserts that each leaves the index. A session that
// idles after a DELETE reports it to the server's statistics 10 s later.
func TestDeletes(t *testing.T) {
	t.Parallel()
	d := &deletes{rows: rounds(t, "DELETES_N", 5000, 2000), seconds: rounds(t, "DELETES_SECONDS", 10, 5), pending: map[int]time.Time{}}
	d.dsn = pgtest.DB(t)
	pgtest.Exec(t, d.dsn, fmt.Sprintf(`CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
		CREATE INDEX ON note (updated);
		INSERT INTO note SELECT i, now() - interval '1 day', 'word' || i FROM generate_series(0, %d) i;
		CREATE INDEX ON note (id, updated)`, d.rows))
	pgtest.Exec(t, d.dsn, "VACUUM ANALYZE note")
	file := writeFile(t, lateConfig(d.dsn, freshData(t), "{every: 2s}"))
	d.daemon = follow(t, file)
	pgtest.Exec(t, d.dsn, "DELETE FROM note WHERE id = 0") // after a load the first removal makes it list
	eventually(t, 10*time.Minute, "a narrowed sweep has listed everything", func() error {
		if d.swept(t).count == 0 {
			return fmt.Errorf("none has ended")
		}
		return nil
	})

	before, sweptBefore, began := d.takes(t), d.swept(t), time.Now()
	d.run(t)
	after, swept, took := d.takes(t), d.swept(t), time.Since(began).Seconds()

	slices.Sort(d.took)
	if len(d.took) == 0 || len(d.pending) > 0 {
		t.Fatalf("%d rows left the index, and %d did not within %v", len(d.took), len(d.pending), deletesWait)
	}
	sweeps := swept.count - sweptBefore.count
	narrowed := (swept.seconds - sweptBefore.seconds) / max(sweeps, 1)
	share := (swept.seconds - sweptBefore.seconds) / took
	plain := d.plainSweep(t, file)
	p99 := d.took[len(d.took)*99/100]
	misses := p99 > deletedP99 || share > deletedShare
	fmt.Printf("deletes: rows=%d seconds=%.0f deleted=%d p50_ms=%d p99_ms=%d max_ms=%d sweeps=%.0f sweep_ms=%.0f plain_sweep_ms=%.0f ratio=%.1f sweeps_share=%.3f daemon_db_share=%.3f daemon_cpu_share=%.3f %s\n",
		d.rows, took, len(d.took), d.took[len(d.took)/2].Milliseconds(), p99.Milliseconds(), d.took[len(d.took)-1].Milliseconds(),
		sweeps, 1000*narrowed, 1000*plain, plain/narrowed, share, (after.db-before.db)/took, (after.cpu-before.cpu)/took, outcome(misses || t.Failed()))
	if misses && d.rows >= 1_000_000 {
		t.Errorf("got p99 %v and a share of %.3f, want at most %v and %v", p99, share, deletedP99, deletedShare)
	}
}

// deletes is a table whose rows are deleted one by one.
type deletes struct {
	rows, seconds int
	dsn           string
	daemon        *proc

	mu      sync.Mutex
	pending map[int]time.Time // deleted rows that a search may find, and when they were deleted
	took    []time.Duration
}

// run writes for its time, and then waits until all deleted rows are gone.
func (d *deletes) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- d.write(ctx) }()
	writing, end := true, time.Now().Add(time.Duration(d.seconds)*time.Second+deletesWait)
	for writing || d.left() > 0 && time.Now().Before(end) {
		d.look(t)
		select {
		case err := <-failed:
			if err != nil {
				t.Fatal(err)
			}
			writing = false
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (d *deletes) left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}

// write writes at its rate. Rows are deleted once, in a random order.
func (d *deletes) write(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, d.dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	order, next := rand.New(rand.NewPCG(1, 2)).Perm(d.rows), d.rows
	var idle []*pgx.Conn
	defer func() {
		for _, c := range idle {
			_ = c.Close(context.WithoutCancel(ctx))
		}
	}()
	tick := time.NewTicker(time.Second / deletesWrites)
	defer tick.Stop()
	for n := range d.seconds * deletesWrites {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case n%(deletesWrites/deletesRemoved) != 0:
			id := order[len(order)/2+rand.IntN(len(order)/2)] + 1
			if n%4 == 0 {
				next++
				id = next
			}
			_, err = pool.Exec(ctx, "INSERT INTO note (id, body) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET updated = now(), body = excluded.body", id, "word"+strconv.Itoa(id))
		case n%(2*(deletesWrites/deletesRemoved)) == 0:
			err = d.remove(ctx, pool, order[n]+1)
		default:
			if len(idle) == 30 { // 15 s ago
				_ = idle[0].Close(ctx)
				idle = idle[1:]
			}
			var c *pgx.Conn
			if c, err = pgx.Connect(ctx, d.dsn); err != nil {
				return err
			}
			idle = append(idle, c)
			err = d.removeAndIdle(ctx, c, order[n]+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A writer is a connection or a pool of them.
type writer interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

func (d *deletes) remove(ctx context.Context, w writer, id int) error {
	rows, err := w.Query(ctx, "DELETE FROM note WHERE id = $1", id)
	if err != nil {
		return err
	}
	rows.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending[id] = time.Now()
	return rows.Err()
}

// removeAndIdle writes twice, as a session reports its first commit at once.
func (d *deletes) removeAndIdle(ctx context.Context, c *pgx.Conn, id int) error {
	if _, err := c.Exec(ctx, "UPDATE note SET updated = now() WHERE id = $1", id); err != nil {
		return err
	}
	return d.remove(ctx, c, id)
}

// look searches for all rows that are pending.
func (d *deletes) look(t *testing.T) {
	t.Helper()
	var words []string
	d.mu.Lock()
	asked := make(map[int]time.Time, len(d.pending))
	for id, at := range d.pending {
		asked[id] = at
		words = append(words, "word"+strconv.Itoa(id))
	}
	d.mu.Unlock()
	if len(words) == 0 {
		return
	}
	for part := range slices.Chunk(words, 50) {
		for _, hit := range d.daemon.search(t, "note", strings.Join(part, " OR "), "size=1000").Hits {
			id, _ := strconv.Atoi(hit.OID)
			delete(asked, id)
		}
	}
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, at := range asked {
		d.took = append(d.took, now.Sub(at))
		delete(d.pending, id)
	}
}

// spent is what a daemon has taken, in seconds.
type spent struct{ cpu, db float64 }

func (d *deletes) takes(t *testing.T) spent {
	t.Helper()
	return spent{d.daemon.cpu(t), serverTime(t, d.dsn)}
}

// A swept is how many narrowed sweeps were made, and their time.
type swept struct{ count, seconds float64 }

func (d *deletes) swept(t *testing.T) swept {
	t.Helper()
	metrics := d.daemon.metrics(t)
	figure := func(name string) float64 { // 0 before the first one
		v, _ := metrics.figure("indexerd_pass_duration_seconds_" + name + `{pass="deletecheck",table="note",tier="narrowed"}`)
		return v
	}
	return swept{figure("count"), figure("sum")}
}

// plainSweep returns how long a sweep of the whole table takes, without pauses.
func (d *deletes) plainSweep(t *testing.T, file string) float64 {
	t.Helper()
	began := time.Now()
	commands(t, 0, "sweep", "-c", file, "note")
	return time.Since(began).Seconds()
}
