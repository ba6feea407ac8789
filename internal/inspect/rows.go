package inspect

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// most is how far rows of a kind are counted.
const most = 1000

// counted says how many there are.
func counted(n int) string {
	if n == most {
		return "at least " + count(n, "row")
	}
	return count(n, "row")
}

// countable is how many rows are counted. Of more, the planner's guess is enough.
const countable = 1_000_000

// size says how many rows there are, or about how many.
func (l *look) size() error {
	guess, err := l.Rows.Estimate(l.ctx)
	if err != nil {
		return err
	}
	known := false
	if guess <= countable {
		known, err = l.probe("the number of rows", func(ctx context.Context) (err error) {
			l.rows, err = l.Rows.Count(ctx)
			return err
		})
	}
	about := ""
	if !known {
		about, l.rows = "about ", max(guess, int64(len(l.oids)))
	}
	if err != nil {
		return err
	}
	l.add(tableRead, l.path, fmt.Sprintf("%s%s, key %v, updateTime in steps of %v", about, count(l.rows, "row"), l.Rows.Kinds(), l.Rows.Tick()), nothing)
	if l.rows == 0 {
		l.add(emptyResult, l.path+".sql", "it returns no row", nothing)
	}
	return nil
}

// keys looks for rows that share one.
func (l *look) keys() error {
	var twice doc.OID
	seen := map[doc.OID]bool{}
	for _, oid := range l.oids {
		if seen[oid] {
			twice = oid
		}
		seen[oid] = true
	}
	if twice == "" {
		_, err := l.probe("whether a key comes twice", func(ctx context.Context) (err error) {
			twice, err = l.Rows.Duplicate(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	if twice != "" {
		l.add(duplicateKey, l.path+".key", fmt.Sprintf("several rows have the key %v: their document would be now one, now another", twice),
			"group them, make the other rows a child, or name more columns")
	}
	return nil
}

// lastTime is after every updateTime.
var lastTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// times looks at the updateTimes of the rows.
func (l *look) times() error {
	if l.rows == 0 {
		return nil
	}
	updated := l.Conf.Updated
	if tick := l.Rows.Tick(); tick >= time.Minute {
		l.add(coarseUpdated, l.path+".updated", fmt.Sprintf("%s is in steps of %s: each window reads the last two again", updated, span(tick)), "use a timestamp")
	}
	if err := l.missing(updated); err != nil {
		return err
	}
	if err := l.future(updated); err != nil {
		return err
	}
	return l.constant(updated)
}

func (l *look) missing(updated string) error {
	n := 0
	_, err := l.probe("rows without "+updated, func(ctx context.Context) (err error) {
		n, err = l.Rows.WithoutUpdated(ctx, most)
		return err
	})
	if n > 0 {
		l.add(nullUpdated, l.path+".updated", fmt.Sprintf("%s without %s: only the sweep finds their changes", counted(n), updated), "fill it, and make the column NOT NULL")
	}
	return err
}

// future allows for rows that were written while this was asked.
func (l *look) future(updated string) error {
	now, err := l.Rows.Now(l.ctx)
	if err != nil {
		return err
	}
	n := 0
	_, err = l.probe("rows with a future "+updated, func(ctx context.Context) (err error) {
		n, err = l.Rows.UpdatedIn(ctx, doc.Window{From: now.Add(time.Minute), To: lastTime}, most)
		return err
	})
	if n > 0 {
		do := "find who writes it: a change is found when its time has come"
		if wall := l.Rows.Wall(); wall != nil {
			do = fmt.Sprintf("look whether it is written in %v, as timezone has it, and find who writes it", wall)
		}
		l.add(futureUpdated, l.path+".updated", fmt.Sprintf("%s with %s after the database's clock", counted(n), updated), do)
	}
	return err
}

// constant looks for an updateTime that nobody keeps. Of an expression it can't
// be told.
func (l *look) constant(updated string) error {
	if l.rows < 2 || l.window.By == nil || l.window.By[0].Table == "" || l.window.By[0].Maintained {
		return nil
	}
	same := false
	_, err := l.probe("whether all "+updated+" are equal", func(ctx context.Context) (err error) {
		same, err = l.Rows.Constant(ctx)
		return err
	})
	if same {
		l.add(constantUpdated, l.path+".updated", fmt.Sprintf("all rows have the same %s, and no trigger sets it", updated), "make sure that each UPDATE sets it, or only the sweep finds changes")
	}
	return err
}
