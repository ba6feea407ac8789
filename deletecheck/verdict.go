package deletecheck

import "indexerd/internal/base/doc"

// A verdict is the kind of a difference.
type verdict int

const (
	equal verdict = iota
	lost
	stale
	ghost
	torn
	orphan // a page with neither row nor document, after a crash during a removal
)

// A difference is a doubt that still differs.
type difference struct {
	was, now note // the row in the previous round, and in this one
	stored   stored
	verdict  verdict
}

// Key returns the OID.
func (d difference) Key() doc.OID { return d.now.stamp.OID }

// judgeAll returns the notes that still differ.
func (c *check) judgeAll(notes []note, rows map[doc.OID]doc.Stamp) ([]difference, error) {
	versions, err := c.index.Versions(doc.OIDs(notes))
	if err != nil {
		return nil, err
	}
	pages, err := c.pages.Metas(doc.OIDs(notes))
	if err != nil {
		return nil, err
	}
	var list []difference
	for i, n := range notes {
		d := difference{was: n, now: noteOf(n.stamp.OID, rows)}
		d.stored.Indexed = doc.Indexed{OID: n.stamp.OID, V: versions[i]}
		d.stored.page, d.stored.paged = pages[i], pages[i].OID != ""
		if d.verdict, err = c.verdict(d.now, d.stored); err != nil {
			return nil, err
		}
		if d.verdict != equal {
			list = append(list, d)
		}
	}
	return list, nil
}

// verdict compares a row with what is stored for its key.
func (c *check) verdict(row note, s stored) (verdict, error) {
	switch {
	case c.Quarantine.Has(s.OID): // the row differs in any case
		if s.V != 0 && !s.whole() {
			return torn, nil
		}
		return equal, nil
	case !row.there:
		return c.leftover(s)
	case s.V == 0:
		return lost, nil
	case !s.whole():
		return torn, nil
	case !s.page.Same(row.stamp):
		return stale, nil
	case c.Content && c.isDamaged(s.OID):
		return torn, nil
	}
	return equal, nil
}

// leftover returns the verdict for a key without a row.
func (c *check) leftover(s stored) (verdict, error) {
	there, err := indexed(c.index, s.OID, s.V)
	switch {
	case err != nil:
		return equal, err
	case there:
		return ghost, nil
	case s.paged:
		return orphan, nil
	}
	return equal, nil
}

// decide counts a difference that is certain, and keeps the others as doubts.
// after is the row, read again after the index and the pages.
func (c *check) decide(d difference, after note, r round) error {
	still := d.now.same(after)
	switch {
	case still && c.certain(d, r):
		return c.count(d, r)
	case r.last:
		c.result.Unsettled++
		return c.found.add(note{stamp: d.stored.stamp(), there: true})
	}
	return r.left.add(after)
}

// certain reports whether a difference can't be in flight: that of a ghost, since
// S does not cover removals; that of a row that was read at a time that S has
// passed; and in the last round, that of a row with an updateTime below S.
// Without updateTimes it is unknown whether the row was committed before S.
func (c *check) certain(d difference, r round) bool {
	switch {
	case d.verdict == ghost, d.verdict == orphan, r.passed && d.was.same(d.now):
		return true
	case d.verdict == torn && !c.Live:
		return true // no daemon is writing
	}
	return r.last && !c.Timeless && d.now.stamp.Updated.Before(r.settled)
}

// count counts a difference by its verdict.
func (c *check) count(d difference, r round) error {
	oid, first := d.stored.OID, &c.result.First
	pending := c.marks().Unverified == ""
	switch d.verdict {
	case lost:
		c.result.Lost++
		note10(&first.Lost, oid)
	case stale:
		c.result.Stale++
		note10(&first.Stale, oid)
	case torn:
		c.result.Torn++
		note10(&first.Torn, oid)
	case orphan:
		if pending {
			c.result.Pending++
			return nil
		}
		c.result.Torn++
		note10(&first.Torn, oid)
	case ghost:
		held, err := r.held.has(oid)
		if err != nil {
			return err
		}
		if !held && pending {
			c.result.Pending++
			return nil
		}
		c.result.Ghost++
		note10(&first.Ghost, oid)
	}
	if !d.now.there {
		c.absent++
	}
	return c.found.add(note{stamp: d.stored.stamp(), there: d.now.there})
}

// note10 adds a key to a list of the first ten.
func note10(list *[]doc.OID, oid doc.OID) {
	if len(*list) < 10 {
		*list = append(*list, oid)
	}
}

// noteOf returns a note of the row that was read.
func noteOf(oid doc.OID, rows map[doc.OID]doc.Stamp) note {
	stamp, there := rows[oid]
	if !there {
		stamp = doc.Stamp{OID: oid}
	}
	return note{stamp: stamp, there: there}
}

// same reports whether both notes have the same version of a row, or no row.
func (n note) same(o note) bool { return n.there == o.there && (!n.there || n.stamp.Same(o.stamp)) }
