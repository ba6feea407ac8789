package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
)

// stressWork is what a writer sends, each message up to a bar. Most of it
// commits long after it has stamped.
var stressWork = []string{
	"INSERT INTO doc DEFAULT VALUES",
	"BEGIN|SELECT pg_sleep($pause)|INSERT INTO doc DEFAULT VALUES|COMMIT",
	"BEGIN|INSERT INTO doc DEFAULT VALUES|SELECT pg_sleep($pause)|COMMIT",
	"BEGIN|INSERT INTO doc (u) VALUES (clock_timestamp())|SAVEPOINT a|INSERT INTO doc (u) VALUES (clock_timestamp())|ROLLBACK TO a|INSERT INTO doc (u) VALUES (clock_timestamp())|COMMIT",
	"BEGIN|INSERT INTO doc DEFAULT VALUES|ROLLBACK",
	"BEGIN|INSERT INTO doc SELECT FROM generate_series(1, 50)|SELECT pg_sleep($pause)|COMMIT",
	"BEGIN|INSERT INTO doc DEFAULT VALUES|PREPARE TRANSACTION '$gid'|SELECT pg_sleep($pause)|COMMIT PREPARED '$gid'",
	"CALL work($pause)",
	"BEGIN|INSERT INTO doc DEFAULT VALUES|SELECT pg_advisory_xact_lock(7), pg_sleep($pause)|COMMIT",
	"BEGIN; INSERT INTO doc DEFAULT VALUES; COMMIT; BEGIN; SELECT pg_sleep($pause); INSERT INTO doc DEFAULT VALUES; COMMIT",
}

// write sends work until the context ends, and completes it.
func write(ctx context.Context, t *testing.T, s *pgx.Conn, writer int, database string) {
	random := rand.New(rand.NewPCG(1, uint64(writer)))
	for n := 0; ctx.Err() == nil; n++ {
		work := strings.NewReplacer("$pause", fmt.Sprintf("%.3f", 0.05*random.Float64()), "$gid", fmt.Sprintf("%s-%d-%d", database, writer, n)).
			Replace(stressWork[random.IntN(len(stressWork))])
		for statement := range strings.SplitSeq(work, "|") {
			if _, err := s.PgConn().Exec(context.Background(), statement).ReadAll(); err != nil {
				t.Errorf("%s: %v", statement, err)
				return
			}
		}
		<-time.After(time.Duration(random.Int64N(int64(40 * time.Millisecond)))) // a client pauses
	}
}

// A poll is the number of rows below an exact horizon and, at the same time,
// below the clock.
type poll struct {
	at, now         time.Time
	below, belowNow int
}

func (w *watched) rowsBelow(t time.Time) int {
	w.Helper()
	return value[int](w, "SELECT count(*) FROM doc WHERE u < $1", t)
}

// Eight writers commit late while a watch reads. No row is committed below an
// exact horizon. Rows are committed below the clock, which shows that they are
// late.
func TestWatchStress(t *testing.T) {
	lasts := 3 * time.Second
	if testing.Short() {
		lasts = time.Second
	}
	for _, role := range both {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			w := watchDatabase(t, pgtest.DB(t), role)
			pgtest.Exec(t, w.dsn, `CREATE INDEX ON doc (u); CREATE PROCEDURE work(s float8) LANGUAGE plpgsql AS
				$$ BEGIN FOR i IN 1..3 LOOP INSERT INTO doc DEFAULT VALUES; PERFORM pg_sleep(s); COMMIT; END LOOP; END $$`)
			w.free()
			database := w.database()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var writers sync.WaitGroup
			for n := range 8 {
				s := pgtest.Connect(t, w.dsn)
				writers.Go(func() { write(ctx, t, s, n, database) })
			}
			var polls []poll
			for began := time.Now(); ctx.Err() == nil && (time.Since(began) < lasts || len(polls) < fewPolls); {
				if h := w.horizon(); h.Exact {
					polls = append(polls, poll{h.At, h.Now, w.rowsBelow(h.At), w.rowsBelow(h.Now)})
				}
			}
			cancel()
			writers.Wait()
			w.judge(polls)
		})
	}
}

// fewPolls is the least number of polls, however slow the machine is.
const fewPolls = 10

// judge compares the polls with what was committed in the end.
func (w *watched) judge(polls []poll) {
	w.Helper()
	wrong, naive, lag := 0, 0, time.Duration(0)
	for _, p := range polls {
		lag += p.now.Sub(p.at)
		if w.rowsBelow(p.at) != p.below {
			wrong++
		}
		if w.rowsBelow(p.now) != p.belowNow {
			naive++
		}
	}
	if len(polls) < fewPolls || naive < fewPolls/3 {
		w.Fatalf("got %d exact polls, of which %d had rows to come: the test tests too little", len(polls), naive)
	}
	if wrong > 0 {
		w.Errorf("got rows committed below the horizon after %d of %d polls, want none", wrong, len(polls))
	}
	first, last := polls[0], polls[len(polls)-1]
	if moved, lasted := last.at.Sub(first.at), last.now.Sub(first.now); moved < lasted/2 {
		w.Errorf("got a horizon that moved %v in %v, want it to follow", moved, lasted)
	}
	w.Logf("%d exact polls, %d wrong; %d wrong for the clock alone; %d rows; mean lag %v",
		len(polls), wrong, naive, value[int](w, "SELECT count(*) FROM doc"), lag/time.Duration(len(polls)))
}

// A horizon read after the snapshot covers a row that the snapshot does not
// have.
func TestHorizonAfterTheSnapshotIsWrong(t *testing.T) {
	w := watchDatabase(t, pgtest.DB(t), superuser)
	s := w.late()
	w.exec(w.admin, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	before := value[int](w, "SELECT count(*) FROM doc")
	w.exec(s, "COMMIT")
	w.passTime()
	h := w.horizon()
	snapshot := value[int](w, "SELECT count(*) FROM doc WHERE u < $1", h.At)
	w.exec(w.admin, "COMMIT")
	if now := value[int](w, "SELECT count(*) FROM doc WHERE u < $1", h.At); before != 0 || snapshot != 0 || now != 1 {
		t.Errorf("got %d and %d rows in the snapshot and %d below the horizon, want 0, 0 and 1: the order would not matter", before, snapshot, now)
	}
}

// For a role without privileges pg_stat_activity looks as if no transaction
// were open.
func TestBeginningsAreHiddenSilently(t *testing.T) {
	w := watchDatabase(t, pgtest.DB(t), plain)
	s := w.late()
	asked := pgtest.Connect(t, w.db.pool.Config().ConnString())
	var naive *time.Time
	err := asked.QueryRow(t.Context(), "SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&naive)
	if err != nil {
		t.Fatal(err)
	}
	if naive != nil {
		t.Errorf("got %v, want NULL: the set-ups test nothing", naive)
	}
	w.inexact("hides the start of its transaction")
	w.exec(s, "COMMIT")
}
