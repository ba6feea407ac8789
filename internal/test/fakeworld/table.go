// Package fakeworld is an in-memory database table and in-memory storage, for
// the tests of the sink and of the passes.
//
//	Table       versions of rows, transactions that commit later than their
//	            updateTime, fetches that read one snapshot
//	Index, Pages, Quarantine, Tree
//	            where a sink writes; a failed write has written its first half
//	Countdown   fails every step from the k-th on, as a crash does
//
// A snapshot is a number of commits. A fetch yields the rows of the snapshot
// that it took when it began, also if the rows change before they are yielded.
//
// Every part has a Before function. It is called before each step, with the
// step's name, and the step returns its error. Tests use it to fail a step, or
// to change the table between two steps.
//
// All rows and versions stay in memory, and most reads scan the whole table:
// it is meant for some hundred rows.
package fakeworld

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"indexerd/internal/base/doc"
)

// epoch is the first time that a table's clock shows.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Key returns the key of row n.
func Key(n int) doc.OID {
	oid, err := doc.NewOID(int64(n))
	if err != nil {
		panic(err) // every int64 is a key
	}
	return oid
}

// A Row is one version of a row. A zero Updated is NULL.
type Row struct {
	Updated  time.Time
	Title    string
	Children string // titles of its child rows; the token covers them
	Marked   bool   // soft-deleted
	Outside  bool   // not returned by the main SQL
}

// A version is a row from one commit on. A nil row is a deleted one.
type version struct {
	commit int
	row    *Row
}

// A change is an insert or update of a row in a transaction, or its deletion
// where row is nil.
type change struct {
	oid doc.OID
	row *Row
}

// A Table is a table of a database.
type Table struct {
	// Before is called before each step: now, count, breakpoints, stamps,
	// range, docs, rows, horizon, hint, sums, stamps of, stamps in range, left,
	// keyless, unusable, behind.
	Before    func(step string) error
	Numbers   Numbers
	Batch     int                    // rows per batch
	Page      int                    // stamps per page
	Precision time.Duration          // precision of updateTime
	Timeless  bool                   // rows have no updateTime
	Order     func(a, b doc.OID) int // the database's key order; nil: that of OIDs
	NoKey     []doc.Reject           // the rows without a usable key
	NoKeyAt   time.Time              // their updateTime
	Standby   string                 // why the database lags behind; empty: it does not
	Local     func() time.Time       // the local clock; nil: it advances with the database's and is never set back

	*data
}

// data is what all readers of a table share.
type data struct {
	mu       sync.Mutex
	now      time.Time
	passed   time.Duration // on the local clock
	running  time.Time     // when LetClockRun was called; zero: not yet
	open     map[*Tx]struct{}
	commits  int
	versions map[doc.OID][]version
	keys     []doc.OID // in order
}

// Numbers gives out FetchSeqs. A sink implements it.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// NewTable returns an empty table with batches and pages of the given size.
func NewTable(batch int) *Table {
	return &Table{Batch: batch, Page: batch, Precision: time.Microsecond, data: &data{now: epoch, open: map[*Tx]struct{}{}, versions: map[doc.OID][]version{}}}
}

// Reader returns the table as another process reads it, which sets its own Before,
// Numbers and Local.
func (t *Table) Reader() *Table {
	reader := *t
	return &reader
}

// Advance advances the clocks by d. A negative d sets only the database's clock
// back.
func (t *Table) Advance(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = t.now.Add(d)
	t.passed += max(d, 0)
}

// clocks returns the database's clock and the local one, read together.
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

// LetClockRun makes the database's clock follow package time from now on.
func (t *Table) LetClockRun() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = time.Now()
}

// Clock returns the database's time.
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

// A Tx is an open transaction. Put sets updateTime to the time at which the
// transaction began, truncated to Precision. Commit or Rollback ends it.
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

// PutAt inserts or updates a row with the given updateTime.
func (x *Tx) PutAt(oid doc.OID, title string, updated time.Time) {
	x.changes = append(x.changes, change{oid, &Row{Updated: updated, Title: title}})
}

// PutRow inserts or updates a row as it is given.
func (x *Tx) PutRow(oid doc.OID, r Row) { x.changes = append(x.changes, change{oid, &r}) }

// Delete deletes a row.
func (x *Tx) Delete(oid doc.OID) { x.changes = append(x.changes, change{oid, nil}) }

// Commit makes the changes visible.
func (x *Tx) Commit() {
	t := x.table
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, x)
	t.commits++
	for _, c := range x.changes {
		if t.Timeless && c.row != nil {
			c.row.Updated = time.Time{}
		}
		if t.versions[c.oid] == nil {
			i, _ := slices.BinarySearch(t.keys, c.oid)
			t.keys = slices.Insert(t.keys, i, c.oid)
		}
		t.versions[c.oid] = append(t.versions[c.oid], version{t.commits, c.row})
	}
}

// Rollback discards the changes.
func (x *Tx) Rollback() {
	t := x.table
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, x)
}

// Put commits a transaction with one Tx.Put.
func (t *Table) Put(oid doc.OID, title string) {
	x := t.Begin()
	x.Put(oid, title)
	x.Commit()
}

// PutRow commits a transaction with one Tx.PutRow.
func (t *Table) PutRow(oid doc.OID, r Row) {
	x := t.Begin()
	x.PutRow(oid, r)
	x.Commit()
}

// Delete commits a transaction with one Tx.Delete.
func (t *Table) Delete(oid doc.OID) {
	x := t.Begin()
	x.Delete(oid)
	x.Commit()
}

// Revert undoes all commits after the first n, as a failover to a standby that
// lags behind does. It returns the keys of the rows that changed.
func (t *Table) Revert(n int) []doc.OID {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changed []doc.OID
	for _, oid := range t.keys {
		kept := slices.DeleteFunc(slices.Clone(t.versions[oid]), func(v version) bool { return v.commit > n })
		if len(kept) < len(t.versions[oid]) {
			changed = append(changed, oid)
		}
		t.versions[oid] = kept
	}
	return changed
}

// Rows returns the committed rows that belong in the index.
func (t *Table) Rows() map[doc.OID]Row {
	rows := map[doc.OID]Row{}
	t.scan(t.snapshot(), func(oid doc.OID, r Row) { rows[oid] = r })
	return rows
}

// All returns all committed rows, including those that are Marked or Outside.
func (t *Table) All() map[doc.OID]Row {
	rows := map[doc.OID]Row{}
	t.scanAll(t.snapshot(), func(oid doc.OID, r Row) { rows[oid] = r })
	return rows
}

// Commits returns the number of committed transactions.
func (t *Table) Commits() int { return t.snapshot() }

func (t *Table) snapshot() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.commits
}

// scan calls f for the live rows of a snapshot, in key order.
func (t *Table) scan(snapshot int, f func(doc.OID, Row)) {
	t.scanAll(snapshot, func(oid doc.OID, r Row) {
		if r.live() {
			f(oid, r)
		}
	})
}

// live reports whether the row belongs in the index.
func (r Row) live() bool { return !r.Marked && !r.Outside }

// scanAll calls f for all rows of a snapshot, in key order.
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

// Stamp returns the stamp of the row. Its token covers all columns and children. It is
// of a hash that mixes well, since sums of tokens are compared.
func (r Row) Stamp(oid doc.OID) doc.Stamp {
	h := sha256.Sum256(fmt.Appendf(nil, "%v %s %s", r.Updated.UnixMicro(), oid, r.Text()))
	return doc.Stamp{OID: oid, Updated: r.Updated, Token: doc.Token{Digest: binary.BigEndian.Uint64(h[:]), Epoch: 1}}
}

var columns = []string{"title"}

// Text returns the text that is indexed.
func (r Row) Text() string {
	if r.Children == "" {
		return r.Title
	}
	return r.Title + " with " + r.Children
}

// Doc returns the document that a fetch makes of the row.
func (r Row) Doc(oid doc.OID, fetch doc.FetchSeq, at time.Time) doc.Doc {
	return doc.Doc{
		Meta: doc.Meta{Stamp: r.Stamp(oid), Fetch: fetch, Fetched: at},
		Row:  doc.Row{Names: columns, Values: []any{r.Text()}},
	}
}
