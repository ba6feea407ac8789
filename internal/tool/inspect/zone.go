package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
)

// A clockChange is a moment at which a time zone changes its offset, such as for
// daylight saving time.
type clockChange struct {
	at     time.Time
	by     time.Duration // negative if clocks go back
	before time.Time     // what clocks show at that moment with the old offset, as UTC
}

// wall returns the times that clocks skip, or show twice.
func (c clockChange) wall() doc.Window {
	if c.by < 0 {
		return doc.Window{From: c.before.Add(c.by), To: c.before}
	}
	return doc.Window{From: c.before, To: c.before.Add(c.by)}
}

// clockChanges returns the clock changes of a zone in a window.
func clockChanges(zone *time.Location, w doc.Window) (all []clockChange) {
	for at := w.From; ; {
		end := doc.NextJump(at, zone)
		if end.IsZero() || !end.Before(w.To) {
			return all
		}
		_, old := end.Add(-time.Second).In(zone).Zone()
		_, next := end.In(zone).Zone()
		if old != next {
			all = append(all, clockChange{end.UTC(), time.Duration(next-old) * time.Second, end.UTC().Add(time.Duration(old) * time.Second)})
		}
		at = end
	}
}

// zone checks updateTimes without time zone: whether database and indexerd
// convert them in the same way, and whether rows of the last year have times
// that clocks skipped or showed twice.
func (tc *tableCheck) zone() error {
	zone := tc.Rows.Wall()
	if zone == nil || tc.rows == 0 {
		return nil
	}
	now, err := tc.Rows.Now(tc.ctx)
	if err != nil {
		return err
	}
	all := clockChanges(zone, doc.Window{From: now.AddDate(-1, 0, 0), To: now})
	if err := tc.agrees(zone, now, all); err != nil {
		return err
	}
	for _, c := range all {
		if err := tc.written(zone, c); err != nil {
			return err
		}
	}
	return nil
}

// agrees compares how the database and indexerd convert times of the zone: now,
// and around each clock change.
func (tc *tableCheck) agrees(zone *time.Location, now time.Time, all []clockChange) error {
	instants := []time.Time{now.Truncate(time.Second)}
	for _, c := range all {
		instants = append(instants, c.at.Add(-time.Second), c.at)
	}
	shown, err := tc.Rows.Shown(tc.ctx, instants)
	const do = "update the time zone data of both, and write the zone as Region/City"
	switch {
	case errors.Is(err, doc.ErrUnavailable):
		return err
	case err != nil:
		tc.add(zoneDiffers, tc.path+".timezone", fmt.Sprintf("the database can't convert times of %v: %s", zone, oneLine(err)), do)
		return nil
	}
	for i, wall := range shown {
		here := instants[i].In(zone).Format(time.DateTime)
		if there := wall.Format(time.DateTime); there != here {
			tc.add(zoneDiffers, tc.path+".timezone", fmt.Sprintf("%s in %v is %s by the database, and %s by indexerd",
				instants[i].Format(time.RFC3339), zone, there, here), do)
			return nil
		}
	}
	return nil
}

// written reports rows with times that clocks skipped or showed twice.
func (tc *tableCheck) written(zone *time.Location, c clockChange) error {
	w := c.wall()
	n, _, err := ask(tc, "rows with times around clock changes", func(ctx context.Context) (int, error) { return tc.Rows.ShownIn(ctx, w, most) })
	if n == 0 || err != nil {
		return err
	}
	from, to := w.From.Format("2006-01-02 15:04"), w.To.Format("15:04")
	if c.by < 0 {
		tc.add(ambiguousTimes, tc.path+".updated", fmt.Sprintf("%s between %s and %s, a time that occurred twice in %v", counted(n), from, to, zone),
			"use a column with a time zone, or write it in UTC")
		return nil
	}
	tc.add(impossibleTimes, tc.path+".updated", fmt.Sprintf("%s between %s and %s, a time that did not occur in %v", counted(n), from, to, zone),
		"check that the times are written in the table's timezone; they may be in UTC")
	return nil
}
