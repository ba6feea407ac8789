package source

import (
	"context"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
)

// maxKeyless limits the rejects of Keyless and Unusable.
const maxKeyless = 100

// Keyless returns rejects for the live rows without a usable key: NULL, of another
// type than the table's key, or text that is not UTF-8. Nothing distinguishes such
// rows, so there is one reject for each reason, at most maxKeyless.
func (t *Table) Keyless(ctx context.Context) (doc.Batch, error) {
	return t.unusable(ctx, nil, t.keyless)
}

// Unusable is Keyless for the rows with updateTime in the window.
func (t *Table) Unusable(ctx context.Context, w doc.Window) (doc.Batch, error) {
	return t.unusable(ctx, &w, t.keyless)
}

// unusable runs find, which is keyless or nullKey, for the rows with updateTime in
// the window, or for all.
func (t *Table) unusable(ctx context.Context, w *doc.Window, find func(context.Context, *tx, dialect.Condition) ([]doc.Reject, error)) (doc.Batch, error) {
	b, err := reading(ctx, t, "look for rows without a key", func(x *tx) (b doc.Batch, err error) {
		b.At = x.at
		var in dialect.Condition
		if w != nil {
			in, err = t.within(ctx, x, *w)
		}
		if err == nil {
			b.Rejects, err = find(ctx, x, in)
		}
		return b, err
	})
	if err != nil {
		b.Rejects, err = t.failsAtNull(ctx, err)
	}
	return b, err
}

// keyless returns rejects for the live rows with an unusable key that meet a
// condition.
func (t *Table) keyless(ctx context.Context, x *tx, in dialect.Condition) ([]doc.Reject, error) {
	rejects, err := t.nullKey(ctx, x, in)
	if err != nil {
		return nil, err
	}
	for i, at := range t.key {
		suspect := t.dialect.Suspect(&t.view.Columns[at], t.kinds[i], t.exprs[at])
		if suspect == "" || len(rejects) >= maxKeyless {
			continue
		}
		if rejects, err = t.readSuspects(ctx, x, suspect, in, rejects); err != nil {
			return nil, notRowFault(err)
		}
	}
	return rejects, nil
}

// nullKey returns one reject for all live rows that have no key and meet a
// condition.
func (t *Table) nullKey(ctx context.Context, x *tx, in dialect.Condition) (rejects []doc.Reject, err error) {
	_, err = x.each(ctx, t.query("1").Where(t.null(), in, t.live()).Limit(1), func([]any) bool { rejects = t.keylessRow(); return true })
	return rejects, err
}

func (t *Table) keylessRow() []doc.Reject { return []doc.Reject{{Reason: t.nullFault().Error()}} }

// failsAtNull converts an error of nullKey to a reject if a row without a key
// caused it: such a row exists, then.
func (t *Table) failsAtNull(ctx context.Context, err error) ([]doc.Reject, error) {
	if !isRowFault(err) {
		return nil, err
	}
	if err := t.checkStatements(ctx); err != nil {
		return nil, err
	}
	return t.keylessRow(), nil
}

// readSuspects reads keys that may be unusable and adds rejects for those that
// are.
func (t *Table) readSuspects(ctx context.Context, x *tx, suspect string, in dialect.Condition, rejects []doc.Reject) ([]doc.Reject, error) {
	_, err := x.each(ctx, t.keys().Where(t.notNull(), dialect.SQL(suspect), in, t.live()), func(raw []any) bool {
		if _, err := t.oid(raw); err != nil {
			known := slices.ContainsFunc(rejects, func(r doc.Reject) bool { return r.Reason == err.Error() })
			if !known {
				rejects = append(rejects, doc.Reject{Reason: err.Error()})
			}
		}
		return len(rejects) < maxKeyless
	})
	return rejects, err
}
