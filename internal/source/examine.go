package source

import (
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
)

// Estimate returns the planner's estimate of the number of rows; 0 if there is
// none.
func (t *Table) Estimate(ctx context.Context) (int64, error) {
	return asking(ctx, t, "estimate the rows", func(d dialect.Inspector, x *tx) (int64, error) { return d.Estimate(ctx, x.session, &t.view.Described) })
}

// Writable returns the tables of all SQLs that the role could also write, each
// once.
func (t *Table) Writable(ctx context.Context) ([]string, error) {
	return asking(ctx, t, "look at the role's privileges", func(d dialect.Inspector, x *tx) ([]string, error) { return d.Writable(ctx, x.session, t.sqls()) })
}

// Inexact returns why no horizon is exact for the table's rows now, and what to do;
// "": it may be exact.
func (t *Table) Inexact(ctx context.Context) (reason string, err error) {
	return asking(ctx, t, "look at what the SQLs read", func(d dialect.Watcher, x *tx) (string, error) { return d.Inexact(ctx, x.session, t.sqls()) })
}

// Footprint returns the base tables that the table's SQLs read now.
func (t *Table) Footprint(ctx context.Context) (doc.Footprint, error) {
	live := t.keys().Where(t.live(), t.unlisted()).Statement()
	return asking(ctx, t, "look at what the SQLs read", func(d dialect.Footprinter, x *tx) (doc.Footprint, error) {
		return d.Footprint(ctx, x.session, live, t.kinds, t.sqls())
	})
}

// Relations returns the base tables that the main SQL and each child's SQL read.
// It does not run the SQLs.
func (t *Table) Relations(ctx context.Context) ([]doc.Relation, error) {
	return asking(ctx, t, "look at the tables", func(d dialect.Planner, x *tx) (all []doc.Relation, err error) {
		for _, v := range t.rowViews() {
			updated := -1
			if v.updated != nil {
				updated = v.updated.at
			}
			of, err := d.Relations(ctx, x.session, &v.Described, updated)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.paths.sql, err)
			}
			for i := range of {
				of[i].Path = v.path()
			}
			all = append(all, of...)
		}
		return all, nil
	})
}

// Maintained reports whether the database sets updateTime with each change of a row: the
// main SQL and each child's read one table, which sets it.
func (t *Table) Maintained(ctx context.Context) (bool, error) {
	return reading(ctx, t, "look for what sets updated", func(x *tx) (bool, error) {
		maintainer, maintains := t.dialect.(dialect.Maintainer)
		planner, plans := t.dialect.(dialect.Planner)
		if !maintains || !plans {
			return false, nil
		}
		for _, v := range t.rowViews() {
			if v.updated == nil {
				return false, nil
			}
			read, err := planner.Relations(ctx, x.session, &v.Described, v.updated.at)
			if err != nil || len(read) != 1 {
				return false, err
			}
			if sets, err := maintainer.Maintains(ctx, x.session, &v.Described, v.updated.at); err != nil || !sets {
				return false, err
			}
		}
		return true, nil
	})
}

// A question is a query of the daemon to be planned.
type question struct {
	asks  doc.Question
	view  *view
	query *dialect.Query
}

// Plans returns the database's plans, without running them, for the daemon's
// queries: a window of updateTime, a range of keys, and some rows by key. The OIDs
// are of existing rows; without any, no query by key is planned.
func (t *Table) Plans(ctx context.Context, w doc.Window, some []doc.OID) ([]doc.Plan, error) {
	return asking(ctx, t, "look at the plans", func(d dialect.Planner, x *tx) (plans []doc.Plan, err error) {
		questions, err := t.byTime(ctx, x, w)
		if err != nil {
			return nil, err
		}
		byKey, err := t.byKey(some)
		if err != nil {
			return nil, err
		}
		for _, q := range append(questions, byKey...) {
			by := q.view.key
			if q.asks == doc.AsksWindow {
				by = []int{q.view.updated.at}
			}
			p, err := d.Plan(ctx, x.session, &q.view.Described, q.query.Statement(), by)
			if err != nil {
				return nil, err
			}
			p.Path, p.Asks = q.view.paths.sql, q.asks
			plans = append(plans, p)
		}
		return plans, nil
	})
}

// byTime returns the queries for a window: none for a view in which no row has an
// updateTime.
func (t *Table) byTime(ctx context.Context, x *tx, w doc.Window) (all []question, err error) {
	for _, v := range t.timed() {
		s := &windowScan{view: v, window: w, nulls: v == t.view}
		if ok, err := s.begin(ctx, x); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		q := v.stamps(v == t.view).Where(append(s.where(), t.liveOf(v))...).Order(s.order()).Limit(t.stampPage)
		all = append(all, question{doc.AsksWindow, v, q})
	}
	return all, nil
}

// byKey returns the queries for a range between two neighbours and for one row.
func (t *Table) byKey(some []doc.OID) (all []question, err error) {
	if len(some) == 0 {
		return nil, nil
	}
	some = slices.Sorted(slices.Values(some))
	middle := (len(some) - 1) / 2
	s, err := t.newScan(doc.Range{From: some[middle], To: some[min(middle+1, len(some)-1)]})
	if err != nil {
		return nil, err
	}
	q := t.bodies().Where(append(s.where(), t.live())...).Order(t.keyOrder()).Limit(t.batch)
	all = []question{{doc.AsksRange, t.view, q}}
	for _, v := range t.views() {
		if v == t.changes {
			continue // it is only queried by window
		}
		among, err := v.among(some[middle : middle+1])
		if err != nil {
			return nil, err
		}
		q := v.bodies()
		if v == t.deletion.list {
			q = v.keys()
		}
		all = append(all, question{doc.AsksKeys, v, q.Where(among, t.liveOf(v))})
	}
	return all, nil
}
