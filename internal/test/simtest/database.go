package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

const (
	longest     = 55 * time.Second // that a transaction stays open
	lastTimeout = 60 * time.Second // that the engine assumes for it
)

// A database is a table and the sessions that write to it.
type database struct {
	*conditions
	line  *timeline
	log   *eventLog
	dice  *rand.Rand
	table *fakeworld.Table

	open     []*transaction
	opened   int
	rows     map[doc.OID]fakeworld.Row // all committed rows
	promised map[doc.OID]bool          // P1 covers the row: the server set its updateTime, and no failover has lost a later version
	server   int

	committed map[doc.OID]time.Time // the clock at the last commit of a row
	commits   []time.Duration       // when each commit of this server was
	counts    []int                 // the rows that each of them changed
	hidden    bool                  // open transactions can't be seen, so the horizon is unknown
	quiet     bool                  // no session begins a transaction
}

// A transaction is an open transaction.
type transaction struct {
	*fakeworld.Tx
	id        int
	began     time.Time
	statement bool // updateTime is the time of the statement
	changes   []change
}

// A change is an insert or update of a row, or its deletion where row is nil.
type change struct {
	oid      doc.OID
	row      *fakeworld.Row
	promised bool
}

// time returns the time by which P1 covers a row: its updateTime, or the time of
// its commit if rows have none.
func (d *database) time(oid doc.OID, row fakeworld.Row) time.Time {
	if d.timeless {
		return d.committed[oid]
	}
	return row.Updated
}

func (d *database) serverName() string { return fmt.Sprintf("server %d", d.server) }

// upTo draws a duration of whole microseconds, the precision of databases.
func (d *database) upTo(most time.Duration) time.Duration {
	return time.Duration(d.dice.Int64N(int64(most))).Truncate(time.Microsecond)
}

// populate commits the first rows, before the load.
func (w *world) populate() {
	for i, oid := range w.keys {
		if i%3 == 2 {
			continue
		}
		w.Table.Advance(w.db.upTo(time.Second))
		x := w.db.begin(false)
		w.db.write(x, oid, fakeworld.Row{Title: w.db.word(), Updated: w.db.stamp(x)}, true)
		w.db.commit(x)
	}
}

// startHostility starts the writers, clock steps, failovers and crashes.
func (w *world) startHostility() {
	for range 4 {
		w.after(w.db.upTo(2*time.Second), w.db.session)
	}
	if w.clockSteps {
		w.after(30*time.Second+w.db.upTo(60*time.Second), w.stepClock)
	}
	if w.failovers {
		w.after(20*time.Second+w.db.upTo(150*time.Second), w.failOver)
	}
	if w.vague {
		w.after(w.db.upTo(60*time.Second), w.toggleHorizon)
	}
	if w.crashes {
		w.after(w.db.upTo(30*time.Second), w.planCrash)
	}
}

// session runs the next transaction of a session and schedules the one after it.
func (d *database) session() {
	if d.quiet {
		return
	}
	x := d.begin(d.statements && d.dice.IntN(2) == 0)
	open := d.upTo(300 * time.Millisecond)
	switch d.dice.IntN(10) {
	case 0, 1, 2:
		open = d.upTo(5 * time.Second)
	case 3:
		open = d.upTo(longest)
	}
	for range 1 + d.dice.IntN(3) {
		d.line.after(d.upTo(open+1), func() { d.act(x) })
	}
	d.line.after(open, func() {
		if d.dice.IntN(12) == 0 {
			d.rollback(x)
		} else {
			d.commit(x)
		}
		d.line.after(d.upTo(3*time.Second), d.session)
	})
}

func (d *database) begin(statement bool) *transaction {
	d.opened++
	x := &transaction{Tx: d.table.Begin(), id: d.opened, began: d.table.Clock(), statement: statement}
	d.open = append(d.open, x)
	return x
}

// stamp returns the updateTime that the server sets.
func (d *database) stamp(x *transaction) time.Time {
	if x.statement {
		return d.table.Clock().Truncate(d.tick)
	}
	return x.began.Truncate(d.tick)
}

// word returns one of four titles, so that rows often return to an earlier state.
func (d *database) word() string {
	return []string{"ant", "bee", "cat", "dog"}[d.dice.IntN(4)]
}

func (d *database) key() doc.OID { return d.keys[d.dice.IntN(len(d.keys))] }

// act runs one statement of a transaction.
func (d *database) act(x *transaction) {
	if !slices.Contains(d.open, x) {
		return // it ended in a failover
	}
	oid, stamp := d.key(), d.stamp(x)
	row, there := d.seen(x, oid)
	switch n := d.dice.IntN(100); {
	case n < 12:
		d.remove(x, oid)
	case n < 16: // the key is reused soon after
		d.remove(x, oid)
		d.line.after(d.upTo(4*time.Second), func() { d.insert(oid) })
	case n < 21 && there:
		row.Outside, row.Updated = true, stamp
		d.write(x, oid, row, true)
	case n < 25 && there:
		row.Marked, row.Updated = true, stamp
		d.write(x, oid, row, true)
	case n < 35 && there: // a child changes; updateTime is the greater of both
		if row.Children = d.word(); stamp.After(row.Updated) {
			row.Updated = stamp
		}
		d.write(x, oid, row, !row.Updated.After(d.table.Clock()))
	case n < 39: // a bulk update with one updateTime
		for _, oid := range d.keys[:len(d.keys)/2] {
			d.write(x, oid, fakeworld.Row{Title: d.word(), Updated: stamp}, true)
		}
	case n < 47 && d.silent && there:
		d.actSilently(x, oid, row)
	case n < 50 && d.unfit:
		bad := []string{fakeworld.Unfit, fakeworld.Flawed}[d.dice.IntN(2)]
		d.write(x, oid, fakeworld.Row{Title: bad + d.word(), Updated: stamp}, true)
	default:
		d.write(x, oid, fakeworld.Row{Title: d.word(), Updated: stamp}, true)
	}
}

// actSilently changes a row without moving its updateTime to the clock.
func (d *database) actSilently(x *transaction, oid doc.OID, row fakeworld.Row) {
	switch d.dice.IntN(5) {
	case 0:
		row.Updated = row.Updated.Add(-d.upTo(time.Hour)).Truncate(d.tick)
		row.Title = d.word()
	case 1:
		row.Updated = d.table.Clock().Add(time.Hour + d.upTo(time.Hour)).Truncate(d.tick)
		row.Title = d.word()
	case 2:
		row.Updated, row.Title = time.Time{}, d.word()
	case 3:
		row.Outside = !row.Outside
	default:
		row.Children = d.word()
	}
	d.write(x, oid, row, false)
}

// changeSilently commits a transaction that changes some rows silently, of which no open
// transaction moves the updateTime afterwards.
func (d *database) changeSilently() {
	x := d.begin(false)
	for _, oid := range d.keys {
		taken := slices.ContainsFunc(d.open, func(x *transaction) bool {
			return slices.ContainsFunc(x.changes, func(c change) bool { return c.oid == oid })
		})
		if row, there := d.rows[oid]; there && !taken && d.dice.IntN(3) == 0 {
			d.actSilently(x, oid, row)
		}
	}
	d.commit(x)
}

// insert commits a transaction that inserts one row.
func (d *database) insert(oid doc.OID) {
	if d.quiet {
		return
	}
	x := d.begin(false)
	d.write(x, oid, fakeworld.Row{Title: d.word(), Updated: d.stamp(x)}, true)
	d.commit(x)
}

// seen returns a row as the transaction sees it.
func (d *database) seen(x *transaction, oid doc.OID) (fakeworld.Row, bool) {
	for _, c := range slices.Backward(x.changes) {
		if c.oid == oid && c.row != nil {
			return *c.row, true
		}
		if c.oid == oid {
			return fakeworld.Row{}, false
		}
	}
	row, there := d.rows[oid]
	return row, there
}

func (d *database) write(x *transaction, oid doc.OID, row fakeworld.Row, promised bool) {
	x.PutRow(oid, row)
	x.changes = append(x.changes, change{oid, &row, promised})
}

func (d *database) remove(x *transaction, oid doc.OID) {
	x.Delete(oid)
	x.changes = append(x.changes, change{oid: oid})
}

func (d *database) commit(x *transaction) {
	if !d.end(x) {
		return
	}
	x.Commit()
	d.commits, d.counts = append(d.commits, d.line.now), append(d.counts, len(x.changes))
	for _, c := range x.changes {
		if c.row == nil {
			d.log.printf("tx %d deletes %v", x.id, c.oid)
			delete(d.rows, c.oid)
			continue
		}
		d.log.printf("tx %d of %s puts %v %s %q outside=%t marked=%t promised=%t", x.id, x.began.Format("15:04:05.000"), c.oid,
			c.row.Updated.Format("15:04:05.000000"), c.row.Text(), c.row.Outside, c.row.Marked, c.promised)
		d.rows[c.oid], d.promised[c.oid] = *c.row, c.promised || d.timeless
		d.committed[c.oid] = d.table.Clock()
	}
}

// changed returns how many rows the first commits of this server changed.
func (d *database) changed(commits int) (n int64) {
	for _, rows := range d.counts[:commits] {
		n += int64(rows)
	}
	return n
}

func (d *database) rollback(x *transaction) {
	if d.end(x) {
		x.Rollback()
	}
}

// end removes a transaction from the open ones. It reports whether it was open.
func (d *database) end(x *transaction) bool {
	i := slices.Index(d.open, x)
	if i < 0 {
		return false
	}
	d.open = slices.Delete(d.open, i, i+1)
	return true
}

// failOver replaces the server: open transactions are rolled back, the last
// commits are lost, and the clock moves.
func (d *database) failOver(lose int, clock time.Duration) {
	for _, x := range slices.Clone(d.open) {
		d.rollback(x)
	}
	for _, oid := range d.table.Revert(d.table.Commits() - lose) {
		d.promised[oid] = false
	}
	d.rows, d.commits, d.counts = d.table.All(), nil, nil
	d.table.Advance(clock)
	d.server++
	d.log.printf("fails over to %s, %d commits lost, the clock moves by %v", d.serverName(), lose, clock)
}
