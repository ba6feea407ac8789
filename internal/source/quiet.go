package source

import (
	"context"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"strconv"
	"time"
)

// A Since asks whether some SQL of a table returns a row with an updateTime at or
// after a time.
type Since struct {
	Table *Table
	From  time.Time
}

// recentSpan is longer than any clock is ever set back by. A window from a time on
// has its lower bound in a column of wall-clock times however long the window is.
const recentSpan = 48 * time.Hour

// Quiet reports for each table that no SQL returns such a row: windows from that
// time on are empty, whatever their end, in the snapshot in which Quiet asks. It
// sends one statement for all tables that share settings. A table without an
// updateTime of known unit is not quiet.
//
// A table whose SQL has other columns than described fails all: the passes of that
// table report it.
func (s *Source) Quiet(ctx context.Context, all []Since) ([]bool, error) {
	quiet := make([]bool, len(all))
	bySettings := map[string][]int{}
	for i, one := range all {
		if one.Table.canBeQuiet() {
			settings := one.Table.settings
			bySettings[settings] = append(bySettings[settings], i)
		}
	}
	for settings, asked := range bySettings {
		recent, err := snapshotOf(ctx, s, settings, func(x *tx, _ dialect.Snapshot) (map[int]bool, error) { return x.recent(ctx, all, asked) })
		if err != nil {
			return nil, err
		}
		for _, i := range asked {
			quiet[i] = !recent[i]
		}
	}
	return quiet, nil
}

// canBeQuiet reports whether the units of all updateTimes are known.
func (t *Table) canBeQuiet() bool {
	for _, v := range t.timed() {
		if v.updated.known() == nil {
			return false
		}
	}
	return t.updated != nil
}

// recent returns which of the asked tables have such rows.
func (x *tx) recent(ctx context.Context, all []Since, asked []int) (map[int]bool, error) {
	q := dialect.NewQuery(x.source.dialect)
	for n, i := range asked {
		if n > 0 {
			q.Write(" UNION ALL ")
		}
		q.Write("SELECT ", strconv.Itoa(i)).FromOneRow().Write(" WHERE ")
		all[i].recentRow(q)
	}
	recent := map[int]bool{}
	var fault error
	_, err := x.each(ctx, q, func(raw []any) bool {
		i, err := dialect.Integer(raw[0])
		recent[int(i)] = true
		fault = err
		return err == nil
	})
	if err == nil {
		err = fault
	}
	return recent, err
}

// recentRow writes the condition that some SQL of a table returns such a row. The
// bound is that of a window, so it may include more, never less.
func (s Since) recentRow(q *dialect.Query) {
	views := s.Table.timed()
	q.List(len(views), " OR ", func(i int) {
		v := views[i]
		from, _ := v.updated.known().Bounds(doc.Window{From: s.From, To: s.From.Add(recentSpan)})
		q.Reads(&v.Described)
		q.Write("EXISTS (SELECT 1 ", v.From()).Where(v.updated.Is(" >= ", from)).Write(")")
	})
}
