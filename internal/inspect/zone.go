package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// A shift is a moment at which a zone sets its clocks.
type shift struct {
	at     time.Time
	by     time.Duration // ahead; negative: back
	before time.Time     // what they show just before, as UTC
}

// figures are what the clocks skip, or show twice.
func (s shift) figures() doc.Window {
	if s.by < 0 {
		return doc.Window{From: s.before.Add(s.by), To: s.before}
	}
	return doc.Window{From: s.before, To: s.before.Add(s.by)}
}

// shifts are those of a span of time.
func shifts(zone *time.Location, w doc.Window) (all []shift) {
	for at := w.From; ; {
		end := doc.NextJump(at, zone)
		if end.IsZero() || !end.Before(w.To) {
			return all
		}
		_, old := end.Add(-time.Second).In(zone).Zone()
		_, next := end.In(zone).Zone()
		if old != next {
			all = append(all, shift{end.UTC(), time.Duration(next-old) * time.Second, end.UTC().Add(time.Duration(old) * time.Second)})
		}
		at = end
	}
}

// zone looks at updateTimes that are what a zone's clocks showed: those of the
// last year that its clocks showed twice, or never.
func (l *look) zone() error {
	zone := l.Rows.Wall()
	if zone == nil || l.rows == 0 {
		return nil
	}
	now, err := l.Rows.Now(l.ctx)
	if err != nil {
		return err
	}
	all := shifts(zone, doc.Window{From: now.AddDate(-1, 0, 0), To: now})
	if err := l.agrees(zone, now, all); err != nil {
		return err
	}
	for _, s := range all {
		if err := l.written(zone, s); err != nil {
			return err
		}
	}
	return nil
}

// agrees compares what the database has the clocks of the zone show with what
// this program does, now and around each shift.
func (l *look) agrees(zone *time.Location, now time.Time, all []shift) error {
	instants := []time.Time{now.Truncate(time.Second)}
	for _, s := range all {
		instants = append(instants, s.at.Add(-time.Second), s.at)
	}
	shown, err := l.Rows.Shown(l.ctx, instants)
	const do = "renew the time zone data of both, and write the zone as Region/City"
	switch {
	case errors.Is(err, doc.ErrUnavailable):
		return err
	case err != nil:
		l.add(zoneDiffers, l.path+".timezone", fmt.Sprintf("the database can't read times of %v: %s", zone, oneLine(err)), do)
		return nil
	}
	for i, figures := range shown {
		here := instants[i].In(zone).Format(time.DateTime)
		if there := figures.Format(time.DateTime); there != here {
			l.add(zoneDiffers, l.path+".timezone", fmt.Sprintf("at %s the clocks of %v show %s by the database, and %s by this program",
				instants[i].Format(time.RFC3339), zone, there, here), do)
			return nil
		}
	}
	return nil
}

// written looks for rows with figures of a shift.
func (l *look) written(zone *time.Location, s shift) error {
	w := s.figures()
	n := 0
	_, err := l.probe("times when clocks were set", func(ctx context.Context) (err error) {
		n, err = l.Rows.ShownIn(ctx, w, most)
		return err
	})
	if n == 0 || err != nil {
		return err
	}
	from, to := w.From.Format("2006-01-02 15:04"), w.To.Format("15:04")
	if s.by < 0 {
		l.add(ambiguousTimes, l.path+".updated", fmt.Sprintf("%s written between %s and %s, which the clocks of %v showed twice", counted(n), from, to, zone),
			"use a column with a time zone, or write it in UTC")
		return nil
	}
	l.add(impossibleTimes, l.path+".updated", fmt.Sprintf("%s written between %s and %s, which the clocks of %v never showed", counted(n), from, to, zone),
		"look whether timezone is where they are written; it may be UTC")
	return nil
}
