package sourcetest

import (
	"context"

	"indexerd/internal/base/doc"
)

// A question is what a caller asks of a table.
type question struct {
	name string
	ask  asker
	now  bool // the parameters depend on the clock
}

// drained reads an iterator to its end.
func drained[T any](pages func(func(T, error) bool)) (last error) {
	for _, err := range pages {
		last = err
	}
	return last
}

type asker = func(context.Context, SQLTable, keyShape) error

func askRangeOf(r doc.Range) asker {
	return func(ctx context.Context, t SQLTable, _ keyShape) error { return drained(t.Range(ctx, r)) }
}

func askWindowOf(w doc.Window) asker {
	return func(ctx context.Context, t SQLTable, _ keyShape) error { return drained(t.Stamps(ctx, w)) }
}

func askStampsInRange(r doc.Range) asker {
	return func(ctx context.Context, t SQLTable, _ keyShape) error { return drained(t.StampsInRange(ctx, r)) }
}

var (
	askRange = question{name: "read all rows", ask: askRangeOf(all)}
	askDocs  = question{name: "read rows by key", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		return drained(t.Docs(ctx, k.oids(3, 4)))
	}}
	askWindow   = question{name: "read the stamps of a window", ask: askWindowOf(doc.Window{From: at(0), To: at(9)})}
	askStampsOf = question{name: "read stamps by key", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		_, err := t.StampsOf(ctx, k.oids(3, 4))
		return err
	}}
	askLeft = question{name: "read the rows that left in a window", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		return drained(t.Left(ctx, doc.Window{From: at(0), To: at(9)}))
	}}
	askCount = question{name: "count the rows", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Count(ctx)
		return err
	}}
	askOutOfRange = question{name: "count updateTimes out of range", now: true, ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.OutOfRange(ctx)
		return err
	}}
)

var askQuiet = question{name: "look for recent rows", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
	_, err := t.Quiet(ctx, at(2))
	return err
}}

var plainQuestions = []question{
	askRange,
	{name: "read a range of rows", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		return drained(t.Range(ctx, doc.Range{From: k.oids(1)[0], To: k.oids(4)[0]}))
	}},
	{name: "read one row by key", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		return drained(t.Docs(ctx, k.oids(2)))
	}},
	askDocs,
	askWindow,
	{name: "read all stamps", ask: askStampsInRange(all)},
	{name: "read the stamps of a range", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		return drained(t.StampsInRange(ctx, doc.Range{From: k.oids(1)[0], To: k.oids(4)[0]}))
	}},
	{name: "read the stamp of one key", ask: func(ctx context.Context, t SQLTable, k keyShape) error {
		_, err := t.StampsOf(ctx, k.oids(2))
		return err
	}},
	askStampsOf,
	{name: "find the ranges of a load", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Breakpoints(ctx, 2)
		return err
	}},
	askCount,
	{name: "look for rows without a key", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Keyless(ctx)
		return err
	}},
	{name: "look for rows without a key in a window", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Unusable(ctx, doc.Window{From: at(0), To: at(9)})
		return err
	}},
	{name: "read some keys", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Sample(ctx, 3)
		return err
	}},
	{name: "look for a key of several rows", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Duplicate(ctx)
		return err
	}},
	{name: "count rows without updateTime", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.WithoutUpdated(ctx, 10)
		return err
	}},
	{name: "count the rows of a window", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.UpdatedIn(ctx, doc.Window{From: at(0), To: at(9)}, 10)
		return err
	}},
	{name: "compare the updateTimes", ask: func(ctx context.Context, t SQLTable, _ keyShape) error {
		_, err := t.Constant(ctx)
		return err
	}},
	askOutOfRange,
}

var (
	childQuestions   = []question{askRange, askWindow, askOutOfRange}
	leftQuestions    = []question{askLeft, askQuiet}
	markQuestions    = []question{askRange, askDocs, askWindow, askLeft, askCount}
	unitQuestions    = []question{askWindow, askOutOfRange}
	failureQuestions = []question{askRange, askWindow}
)
