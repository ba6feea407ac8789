package main

import (
	"fmt"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// recoverWithin is how long after a fault has passed its last change may wait:
// passes that failed are tried again after at most 30 s.
const recoverWithin = 45 * time.Second

// bulkRows is how many notes one transaction changes while a fault comes.
const bulkRows = 300

// TestNetwork has the network between daemon and database fail in NET_N ways.
// Searches are answered all the while, S passes no transaction of which a part
// is missing, and the daemon goes on by itself.
func TestNetwork(t *testing.T) {
	t.Parallel()
	n := rounds(t, "NET_N", 5, 5)
	dsn := pgtest.DB(t)
	between, reach := newProxy(t, dsn)
	w := &weather{chaos: newChaos(t, dsn, reach, freshData(t)), proxy: between}
	pgtest.Exec(t, dsn, "INSERT INTO note (id, body) SELECT i, 'bulk' FROM generate_series(10001, 10000 + $1::int) i", bulkRows)
	w.daemon = follow(t, w.file)
	stop := w.storm(t)
	for i := range n {
		w.round(t, i)
	}
	commits := stop()
	v := w.proves(t, w.daemon)
	w.figures(t, "network", fmt.Sprintf("n=%d commits=%d connects=%d searches=%d search_max_ms=%d recover_max_ms=%d partial=%d",
		n, commits, between.dialled.Load(), w.searches, w.slowest.Milliseconds(), w.recovered.Milliseconds(), w.partial), v)
}

// A weather is a TestNetwork under way.
type weather struct {
	*chaos
	proxy     *proxy
	daemon    *proc
	searches  int
	slowest   time.Duration // of the searches
	recovered time.Duration // the longest time from a fault's end until its transaction was found
	partial   int           // how often S had passed a part of a transaction
}

// faults come one after the other, and last as long as said.
var faults = []struct {
	kind  string
	lasts func(*weather) time.Duration
}{
	{"reset", func(w *weather) time.Duration { return w.within(time.Second) }},
	{"cut", func(*weather) time.Duration { return 2 * time.Second }},
	{"trickle", func(w *weather) time.Duration { return time.Second + w.within(4*time.Second) }},
	{"late", func(w *weather) time.Duration { return time.Second + w.within(2*time.Second) }},
	{"hole", func(*weather) time.Duration { return 11 * time.Second }}, // longer than the daemon waits for a beginning
}

// round has a fault fall into the reading of one large transaction.
func (w *weather) round(t *testing.T, i int) {
	t.Helper()
	word := fmt.Sprintf("bulk%dx%d", w.seed, i)
	committed := pgtest.Value[time.Time](t, w.dsn, `WITH changed AS (UPDATE note SET updated = now(), body = $1 WHERE id > 10000 RETURNING updated)
		SELECT max(updated) FROM changed`, word)
	<-time.After(w.within(time.Second)) // into one of the passes that read it
	kind := faults[i%len(faults)]
	f := &mishap{kind: kind.kind, delay: w.within(time.Second)}
	f.left.Store(w.random.Int64N(20_000))
	w.proxy.suffers(f)
	if kind.kind == "reset" {
		w.proxy.reset()
	}
	for end := time.Now().Add(kind.lasts(w)); time.Now().Before(end); {
		_ = w.look(t, word, committed) // not all of it can be there yet
		<-time.After(50 * time.Millisecond)
	}
	w.proxy.heal()
	healed := time.Now()
	eventually(t, recoverWithin, "the transaction is found after "+kind.kind, func() error { return w.look(t, word, committed) })
	w.recovered = max(w.recovered, time.Since(healed))
}

// look searches for the transaction. S is read first: what it has passed must
// be found whole.
func (w *weather) look(t *testing.T, word string, committed time.Time) error {
	t.Helper()
	if err := w.daemon.unbroken(); err != nil {
		t.Fatal(err)
	}
	settled := w.daemon.status(t).Tables[0].Settled.At
	began := time.Now()
	found := w.daemon.search(t, "note", word, "size=0").Total
	w.slowest = max(w.slowest, time.Since(began))
	w.searches++
	if found == bulkRows {
		return nil
	}
	if time.Time(*settled).After(committed) {
		w.partial++
		t.Errorf("%s: S is %v, after %v, and %d of %d rows are found", word, time.Time(*settled), committed, found, bulkRows)
	}
	return fmt.Errorf("%d of %d rows are found", found, bulkRows)
}
