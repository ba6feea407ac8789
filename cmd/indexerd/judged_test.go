package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// judgedDeletedP99 is the goal for a DELETE, which a narrowed sweep finds.
const judgedDeletedP99 = 15 * time.Second

// judgedSeconds limits how long a write may take to be found.
const judgedSeconds = 120

// TestJudged judges JUDGE_N writes one by one, as Jepsen's set does: each row
// has a separate word for each write. From the commit on the time runs until
// a search finds it, or, of a removal, finds it no more. A row that was found
// must be in every answer until it is written again. Rows are removed by a mark or
// by a DELETE. Those DELETEs that the guard holds have to show in status. ENGINE
// says where the index is. Asserted is ten times the goal, since others may use this
// machine.
func TestJudged(t *testing.T) {
	t.Parallel()
	n := rounds(t, "JUDGE_N", 1000, 200)
	engine := harnessEngine(t)
	dsn := harnessDB(t)
	openWriter(t, dsn).exec(t, `CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL, n bigint NOT NULL, active int NOT NULL);
		CREATE INDEX note_updated ON note (updated)`)
	file := writeFile(t, engine.config+lateConfig(dsn, freshData(t), "{every: 1s}")+`    metadata: {n: number}
    deleted: {column: active, values: [0]}
`)
	sql := "SELECT id, updated, body"
	rewrite(t, file, sql, sql+", n, active")
	j := &judge{judgedEngine: engine, seed: chaosSeed(t), rows: map[string]*judgedRow{}}
	j.daemon = follow(t, file)
	all := judgement{perSecond: math.Inf(1)}
	for _, eyes := range engine.eyes {
		all = all.worse(j.judge(t, dsn, eyes, n/len(engine.eyes)))
	}
	settledPast(t, j.daemon, dsn)
	sweeps(t, 0, file, "note", "--allow", "1000")
	verifies(t, 0, file, "--content")
	misses := all.p50 > engine.p50.Milliseconds() || all.p99 > engine.p99.Milliseconds() || all.deleted > judgedDeletedP99.Milliseconds() || all.perSecond < 0.9*engine.rate
	fmt.Printf("judged: engine=%s writes=%d per_second=%.0f p50_ms=%d goal=%d p99_ms=%d goal=%d deleted_p99_ms=%d goal=%d %s\n", engine.name, n, all.perSecond,
		all.p50, engine.p50.Milliseconds(), all.p99, engine.p99.Milliseconds(), all.deleted, judgedDeletedP99.Milliseconds(), outcome(t.Failed() || misses))
}

// A judgement is how long writes took to be found, in milliseconds.
type judgement struct {
	p50, p99, deleted int64
	perSecond         float64
}

func (a judgement) worse(b judgement) judgement {
	return judgement{max(a.p50, b.p50), max(a.p99, b.p99), max(a.deleted, b.deleted), min(a.perSecond, b.perSecond)}
}

// judge has the writers write while eyes look, and prints how long writes took to be
// found.
func (j *judge) judge(t *testing.T, dsn string, eyes eyes, n int) judgement {
	t.Helper()
	j.took, j.looks, j.held, j.flicker = map[bool][]time.Duration{}, 0, 0, 0
	began := time.Now()
	j.run(t, dsn, eyes, n)
	writes, deletes := j.took[false], j.took[true]
	is := judgement{percentile(writes, 50), percentile(writes, 99), percentile(deletes, 99), float64(n) / j.last.Sub(began).Seconds()}
	if n >= 1000 && len(deletes) == 0 || is.p50 > 10*j.p50.Milliseconds() || is.p99 > 10*j.p99.Milliseconds() || is.deleted > 10*judgedDeletedP99.Milliseconds() {
		t.Errorf("commit to first hit of %s, of %d DELETEs: got %+v, want %v, %v and %v", eyes.name, len(deletes), is, j.p50, j.p99, judgedDeletedP99)
	}
	fmt.Printf("judged: seed=%d found_by=%s writes=%d per_second=%.0f looks=%d p50_ms=%d p99_ms=%d max_ms=%d deletes=%d deleted_p50_ms=%d deleted_p99_ms=%d held=%d flicker=%d\n",
		j.seed, eyes.name, len(writes), is.perSecond, j.looks, is.p50, is.p99, percentile(writes, 100), len(deletes), percentile(deletes, 50), is.deleted, j.held, j.flicker)
	return is
}

// A judge knows what every answer must have.
type judge struct {
	judgedEngine
	seed   uint64
	daemon *proc

	mu      sync.Mutex
	rows    map[string]*judgedRow // by OID
	written int64
	last    time.Time                // of a commit
	took    map[bool][]time.Duration // from commit to first hit, by whether it is a DELETE
	looks   int
	held    int // removals that the guard held
	flicker int // how often a row that had been found was missing
}

// A judgedRow is what was written last of a row.
type judgedRow struct {
	n         int64     // number of the write; 0: removed
	deleted   bool      // by a DELETE
	held      bool      // the guard held its removal, and status showed that
	committed time.Time // zero: the write is under way
	found     chan struct{}
}

// seen reports whether the write was found already.
func (r *judgedRow) seen() bool {
	select {
	case <-r.found:
		return true
	default:
		return false
	}
}

// run has the writers write while it looks.
func (j *judge) run(t *testing.T, dsn string, eyes eyes, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db := openWriter(t, dsn)
	db.SetMaxOpenConns(4)
	var writing errgroup.Group
	begin := j.begins(ctx)
	var left atomic.Int64
	left.Store(int64(n))
	for w := range j.writers {
		writing.Go(func() error {
			if err := j.write(ctx, db, w, &left, begin); err != nil {
				return fmt.Errorf("writer %d: %w", w, err)
			}
			return nil
		})
	}
	ended := make(chan error, 1)
	go func() { ended <- writing.Wait() }()
	for {
		j.look(t, eyes.find)
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// write writes its rows while writes are left, the next one a moment after the last was
// found: at once would always be just after a window was read.
func (j *judge) write(ctx context.Context, db writeDB, writer int, left *atomic.Int64, begin func(*rand.Rand)) error {
	random := rand.New(rand.NewPCG(j.seed, uint64(writer)))
	for left.Add(-1) >= 0 {
		begin(random)
		id := int64(writer*j.rowsOfWriter + random.IntN(j.rowsOfWriter))
		row, number, active := j.begin(id, random)
		sql := fmt.Sprintf(`INSERT INTO note (id, body, n, active) VALUES (%d, 'word%d', %[2]d, %d)
			ON CONFLICT (id) DO UPDATE SET updated = now(), body = excluded.body, n = excluded.n, active = excluded.active`, id, number, active)
		if row.deleted {
			sql = fmt.Sprintf("DELETE FROM note WHERE id = %d", id)
		}
		if _, err := db.ExecContext(ctx, db.in(sql)); err != nil {
			return err
		}
		j.mu.Lock()
		row.committed = time.Now()
		j.last = row.committed
		j.mu.Unlock()
		select {
		case <-row.found:
		case <-time.After(judgedSeconds * time.Second):
			return fmt.Errorf("write %d of row %d, a DELETE %t, was not found within %d s", number, id, row.deleted, judgedSeconds)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// begin announces a write, from which moment on either version may be found. A
// quarter of the writes to rows that are there remove them.
func (j *judge) begin(id int64, random *rand.Rand) (row *judgedRow, number int64, active int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.written++
	row, active = &judgedRow{n: j.written, found: make(chan struct{})}, 1
	oid := strconv.FormatInt(id, 10)
	if last := j.rows[oid]; last != nil && last.n != 0 && random.IntN(4) == 0 {
		row.n, active, row.deleted = 0, 0, random.IntN(4) == 0
	}
	j.rows[oid] = row
	return row, j.written, active
}

// look searches for everything, and judges the answer by what was known before
// it was asked for.
func (j *judge) look(t *testing.T, find func(*testing.T, *proc) map[string]int64) {
	t.Helper()
	type known struct {
		row  *judgedRow
		seen bool
	}
	before := map[string]known{}
	j.mu.Lock()
	for oid, row := range j.rows {
		before[oid] = known{row, row.seen()}
	}
	j.mu.Unlock()
	found := find(t, j.daemon)
	now := time.Now()
	held := j.daemon.status(t).Tables[0].Held != nil

	j.mu.Lock()
	defer j.mu.Unlock()
	j.looks++
	for oid, was := range before {
		row := j.rows[oid]
		switch {
		case row != was.row || row.committed.IsZero() || row.held: // written meanwhile, or to be removed by a caller
		case found[oid] == row.n && !was.seen:
			j.took[row.deleted] = append(j.took[row.deleted], max(now.Sub(row.committed), 0))
			close(row.found)
		case row.deleted && !was.seen && held:
			row.held = true
			j.held++
			close(row.found)
		case found[oid] != row.n && was.seen:
			j.flicker++
			t.Errorf("row %s: write %d was found before, and now %d is", oid, row.n, found[oid])
		}
	}
}
