package tables

import (
	"context"
	"maps"

	"indexerd/internal/base/timeunit"
	"indexerd/internal/serve/database"
	"indexerd/timetrace"
)

// The unit of an updateTime, once found, is kept in timeTrace, by the path of its
// SQL, before it is used: rows read under a mark of one unit must not be read on
// in another.

// unitsKept returns the kept units of this configuration's SQLs.
func (t *Table) unitsKept() database.Units {
	marks, ok := t.Trace.Table(t.Conf.Name)
	u := database.Units{Keep: t.keepUnit, Kinds: marks.Kinds}
	if marks.SQL == t.Conf.SQLFingerprint() { // another SQL may compute another unit
		u.Kept = marks.Units
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.units, t.unitsUnkept = maps.Clone(u.Kept), ok && marks.Units == nil
	return u
}

// unitsFound returns the units of this configuration's SQLs.
func (t *Table) unitsFound() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.units)
}

// keepUnit keeps the unit of an SQL: durably at once if the table has marks, else
// together with its first marks.
func (t *Table) keepUnit(path, unit string) error {
	t.mu.Lock()
	before := t.units[path]
	if t.units == nil {
		t.units = map[string]string{}
	}
	t.units[path] = unit
	doubt := t.unitsUnkept && timeunit.Unit(unit).Duration() != 0 && t.IsOpen()
	t.mu.Unlock()
	if t.ReadOnly {
		return nil // the daemon finds it again
	}
	// The marks of another SQL get the units when they get the SQL.
	marks, ok := t.Trace.Table(t.Conf.Name)
	if before == unit || !ok || marks.SQL != t.Conf.SQLFingerprint() {
		return nil
	}
	return t.Trace.UpdateTable(t.Conf.Name, func(m *timetrace.Table) {
		m.SetUnit(path, unit)
		// A version that kept no unit may have read its documents in another.
		if doubt {
			m.Doubt("the unit of updated was not kept")
		}
	})
}

// noteUnits records the SQLs whose rows were sampled and showed no unit yet.
func (t *Table) noteUnits(found map[string]timeunit.Unit) error {
	for path, unit := range found {
		if unit != timeunit.Unknown {
			continue // kept when it was found
		}
		if err := t.keepUnit(path, timetrace.UnknownUnit); err != nil {
			return err
		}
	}
	return nil
}

// checkUpdated runs after the whole table was read. It checks whether the
// updateTimes still have the units that were found, and counts those that are not
// plausible times.
func (t *Table) checkUpdated(ctx context.Context, r database.Rows) error {
	if t.Conf.ByComparison() {
		return nil
	}
	n, err := guarded(ctx, t, r, func(ctx context.Context) (int64, error) {
		if err := r.CheckUnits(ctx); err != nil {
			return 0, database.AsFault(t.Config, t.Conf.Name, err)
		}
		return r.OutOfRange(ctx)
	})
	if err != nil {
		return err
	}
	marks, _ := t.Trace.Table(t.Conf.Name)
	if marks.OutOfRange == uint64(n) {
		return nil
	}
	if n > 0 {
		t.log.Warn("updateTimes are out of range", "rows", n, "column", t.Conf.Updated,
			"why", "before 1990, or more than a year after the database's clock: only the sweep finds changes of these rows", "do", "find who writes them")
	}
	return t.Trace.UpdateTable(t.Conf.Name, func(m *timetrace.Table) { m.OutOfRange = uint64(n) })
}
