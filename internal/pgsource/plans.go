package pgsource

import (
	"context"
	"slices"

	"indexerd/internal/doc"
)

// A question is a query of the daemon to be planned.
type question struct {
	path  string
	asks  doc.Question
	view  *view
	query query
}

// Plans returns the server's plans, without running them, for the daemon's
// queries: a window of updateTime, a range of keys, and some rows by key. The
// OIDs are of existing rows; without any, no query by key is planned.
func (t *Table) Plans(ctx context.Context, w doc.Window, some []doc.OID) (plans []doc.Plan, err error) {
	err = t.read(ctx, func(x *tx) error {
		questions, err := t.byTime(ctx, x, w)
		if err != nil {
			return err
		}
		byKey, err := t.byKey(some)
		if err != nil {
			return err
		}
		for _, q := range append(questions, byKey...) {
			p, err := x.plan(ctx, q)
			if err != nil {
				return err
			}
			plans = append(plans, p)
		}
		return nil
	})
	return plans, err
}

func (t *Table) byTime(ctx context.Context, x *tx, w doc.Window) (all []question, err error) {
	views, paths := t.views()
	for i, v := range views {
		if v.updated == nil {
			continue
		}
		unit, err := v.unit(ctx, x)
		if err != nil {
			return nil, err
		}
		from, to := v.updated.bounds(w, unit)
		q := v.changedQuery(noCondition, from, to, nil, t.stampPage)
		if i == 0 {
			q = t.stampsQuery(windowPage{from: from, to: to, first: true}, true)
		}
		all = append(all, question{paths[i], doc.AsksWindow, v, q})
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
	r := doc.Range{From: some[middle], To: some[min(middle+1, len(some)-1)]}
	inRange, err := t.rangeQuery(r)
	if err != nil {
		return nil, err
	}
	one := some[middle : middle+1]
	docs, err := t.docsQuery(one)
	if err != nil {
		return nil, err
	}
	all = []question{{"sql", doc.AsksRange, &t.view, inRange}, {"sql", doc.AsksKeys, &t.view, docs}}
	for _, c := range t.children {
		q, err := c.bodiesQuery(one)
		if err != nil {
			return nil, err
		}
		all = append(all, question{c.path + ".sql", doc.AsksKeys, &c.view, q})
	}
	if t.deleted.list != nil {
		q, _, err := t.deletedQuery(one)
		if err != nil {
			return nil, err
		}
		all = append(all, question{"deleted.sql", doc.AsksKeys, t.deleted.list, q})
	}
	return all, nil
}

// plan has the server plan a question.
func (x *tx) plan(ctx context.Context, q question) (doc.Plan, error) {
	p := doc.Plan{Path: q.path, Asks: q.asks}
	node, err := x.explain(ctx, q.query)
	if err != nil {
		return p, err
	}
	p.Cost, p.Rows = node.Cost, node.Rows
	if p.FullScans, err = x.fullScans(ctx, node); err != nil {
		return p, err
	}
	p.By, p.Indexed, err = x.columnOrigins(ctx, q.filterColumns())
	return p, err
}

func (q question) filterColumns() []column {
	if q.asks == doc.AsksWindow {
		return []column{q.view.columns[q.view.updated.column]}
	}
	var columns []column
	for _, p := range q.view.key {
		columns = append(columns, q.view.columns[p.column])
	}
	return columns
}
