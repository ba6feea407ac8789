// Package fakeworld is a world in memory for the tests of the sink and of the
// passes: a table of a database, and what is stored of it.
//
//	Table       rows in many versions; transactions that commit later than
//	            they stamp; fetches that answer from the snapshot they took
//	Index, Pages, Quarantine
//	            what a sink writes to; what a failed step leaves is half done
//	Countdown   stops all of them, and the files, at the k-th step: a crash
//
// Invariant: a snapshot of the table is a number of commits. What a fetch
// yields is of its snapshot, however late it is read.
//
// Every part has a Before, which is called ahead of each step and whose error
// the step then returns. Tests make faults with it, and let others act at
// just that moment.
package fakeworld

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"indexerd/internal/doc"
)

// epoch is the table's clock when it is made.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Key is the key of row n.
func Key(n int) doc.OID {
	oid, err := doc.NewOID(int64(n))
	if err != nil {
		panic(err) // an int64 is a key
	}
	return oid
}

// A Row is one version of a row. Updated zero is NULL.
type Row struct {
	Updated  time.Time
	Title    string
	Children string // titles of its child rows; the token covers them
	Marked   bool   // deleted, as far as its columns say
	Outside  bool   // of the main SQL's filter
}

// A version is a row from one commit on; nil is a deleted row.
type version struct {
	commit int
	row    *Row
}

// A change is what a transaction does to a row; nil deletes it.
type change struct {
	oid doc.OID
	row *Row
}

// A Table is a table of a database.
type Table struct {
	Before    func(step string) error // steps: now, count, breakpoints, stamps, stamps by key, page, range, docs, rows, horizon, version, stamps of, stamps in range, keyless, unusable, behind
	Numbers   Numbers
	Batch     int                    // rows of a batch
	Page      int                    // stamps of a page
	Precision time.Duration          // precision of updateTime
	Order     func(a, b doc.OID) int // how the database compares keys; nil: as OIDs
	NoKey     []doc.Reject           // of rows without a usable key
	NoKeyAt   time.Time              // their updateTime
	Standby   string                 // why the database is behind
	Local     func() time.Time       // this machine's clock; nil: it goes on with the database's, and is not set back with it

	mu       sync.Mutex
	now      time.Time
	passed   time.Duration // of this machine's clock
	running  time.Time     // since when the clock goes by itself; zero: it does not
	open     map[*Tx]struct{}
	commits  int
	versions map[doc.OID][]version
	keys     []doc.OID // in order
}

// Numbers orders the fetches.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// NewTable makes an empty table.
func NewTable(batch int) *Table {
	return &Table{Batch: batch, Page: batch, Precision: time.Microsecond, now: epoch, open: map[*Tx]struct{}{}, versions: map[doc.OID][]version{}}
}

// Advance lets time pass; d below 0 sets the database's clock back.
func (t *Table) Advance(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = t.now.Add(d)
	t.passed += max(d, 0)
}

// clocks are the database's clock and this machine's, read together.
func (t *Table) clocks() (now, local time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now = t.clock()
	switch {
	case t.Local != nil:
		return now, t.Local()
	case !t.running.IsZero():
		return now, time.Now()
	}
	return now, epoch.Add(t.passed)
}

// LetClockRun makes the database's clock go on by itself, as time does.
func (t *Table) LetClockRun() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = time.Now()
}

// Clock is the database's clock.
func (t *Table) Clock() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clock()
}

func (t *Table) clock() time.Time {
	if t.running.IsZero() {
		return t.now
	}
	return t.now.Add(time.Since(t.running)).Truncate(time.Microsecond)
}

// A Tx is an open transaction. Its rows bear the time at which it began, as
// precisely as the column does. It ends with Commit or Rollback.
type Tx struct {
	table   *Table
	began   time.Time
	changes []change
}

// Begin starts a transaction.
func (t *Table) Begin() *Tx {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &Tx{table: t, began: t.clock()}
	t.open[x] = struct{}{}
	return x
}

// Put inserts or updates a row.
func (x *Tx) Put(oid doc.OID, title string) {
	x.PutAt(oid, title, x.began.Truncate(x.table.Precision))
}

// PutAt is Put with another updateTime.
func (x *Tx) PutAt(oid doc.OID, title string, updated time.Time) {
	x.changes = append(x.changes, change{oid, &Row{Updated: updated, Title: title}})
}

// PutRow inserts or updates a row.
func (x *Tx) PutRow(oid doc.OID, r Row) { x.changes = append(x.changes, change{oid, &r}) }

// Delete deletes a row.
func (x *Tx) Delete(oid doc.OID) { x.changes = append(x.changes, change{oid, nil}) }

// Commit lets others see the changes.
func (x *Tx) Commit() {
	t := x.table
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, x)
	t.commits++
	for _, c := range x.changes {
		if t.versions[c.oid] == nil {
			i, _ := slices.BinarySearch(t.keys, c.oid)
			t.keys = slices.Insert(t.keys, i, c.oid)
		}
		t.versions[c.oid] = append(t.versions[c.oid], version{t.commits, c.row})
	}
}

// Rollback drops the changes.
func (x *Tx) Rollback() {
	t := x.table
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, x)
}

// Put is a transaction of one Put.
func (t *Table) Put(oid doc.OID, title string) {
	x := t.Begin()
	x.Put(oid, title)
	x.Commit()
}

// PutRow is a transaction of one PutRow.
func (t *Table) PutRow(oid doc.OID, r Row) {
	x := t.Begin()
	x.PutRow(oid, r)
	x.Commit()
}

// Delete is a transaction of one Delete.
func (t *Table) Delete(oid doc.OID) {
	x := t.Begin()
	x.Delete(oid)
	x.Commit()
}

// Rows are the rows that are committed now, and live.
func (t *Table) Rows() map[doc.OID]Row {
	rows := map[doc.OID]Row{}
	t.scan(t.snapshot(), func(oid doc.OID, r Row) { rows[oid] = r })
	return rows
}

func (t *Table) snapshot() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.commits
}

// scan calls f for the live rows of a snapshot in key order.
func (t *Table) scan(snapshot int, f func(doc.OID, Row)) {
	t.scanAll(snapshot, func(oid doc.OID, r Row) {
		if r.live() {
			f(oid, r)
		}
	})
}

// live reports whether the row is to be in the index.
func (r Row) live() bool { return !r.Marked && !r.Outside }

// scanAll calls f for all rows of a snapshot in key order.
func (t *Table) scanAll(snapshot int, f func(doc.OID, Row)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, oid := range t.keys {
		for _, v := range slices.Backward(t.versions[oid]) {
			if v.commit > snapshot {
				continue
			}
			if v.row != nil {
				f(oid, *v.row)
			}
			break
		}
	}
}

func (t *Table) before(ctx context.Context, step string) error {
	if err := call(t.Before, step); err != nil {
		return err
	}
	return ctx.Err()
}

// Stamp is the stamp of a row.
func (r Row) Stamp(oid doc.OID) doc.Stamp {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v %s", r.Updated.UnixMicro(), r.Text())
	return doc.Stamp{OID: oid, Updated: r.Updated, Token: doc.Token{Digest: h.Sum64(), Epoch: 1}}
}

var columns = []string{"title"}

// Text is what is searched of a row.
func (r Row) Text() string {
	if r.Children == "" {
		return r.Title
	}
	return r.Title + " with " + r.Children
}

// Doc is a row as it is fetched.
func (r Row) Doc(oid doc.OID, fetch doc.FetchSeq, at time.Time) doc.Doc {
	return doc.Doc{
		Meta: doc.Meta{Stamp: r.Stamp(oid), Fetch: fetch, Fetched: at},
		Row:  doc.Row{Names: columns, Values: []any{r.Text()}},
	}
}
