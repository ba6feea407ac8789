package sqlitesource

import (
	"context"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// maxKeyless bounds the rejects that Keyless and Unusable return.
const maxKeyless = 100

// Keyless rejects the rows whose key is unusable: NULL, of another type than the
// table's key, or text that is not UTF-8. Nothing distinguishes such rows, so
// there is one reject for each reason. It reads every key, unless all parts are
// integers: then SQLite selects the unusable ones.
func (t *Table) Keyless(ctx context.Context) (doc.Batch, error) {
	return t.keyless(ctx, "look for rows without a key of ", nil)
}

// Unusable does what Keyless does, for the rows with updateTime in the window.
func (t *Table) Unusable(ctx context.Context, w doc.Window) (doc.Batch, error) {
	return t.keyless(ctx, "look in a window for rows without a key of ", &w)
}

// keyless reads the keys of a window; nil: all keys.
func (t *Table) keyless(ctx context.Context, doing string, w *doc.Window) (doc.Batch, error) {
	x, b, err := t.begin(ctx)
	if err != nil {
		return doc.Batch{}, t.source.fault(doing+t.name, err)
	}
	defer t.numbers.End(b.Fetch)
	defer x.end()
	where := t.suspect()
	if w != nil {
		bounds, err := t.boundsOf(ctx, x.tx, *w)
		if bounds == nil || err != nil {
			return b, t.source.fault(doing+t.name, err)
		}
		t.inWindow(&where, bounds)
	}
	t.live(&where)
	seen := map[string]bool{}
	err = eachRow(ctx, x.tx, t.statements.keys+where.String(), where.args, len(t.key), func(raw []any) bool {
		if _, err := t.oid(raw); err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			b.Rejects = append(b.Rejects, doc.Reject{Reason: err.Error()})
		}
		return len(b.Rejects) < maxKeyless
	})
	if err != nil {
		return doc.Batch{}, t.source.fault(doing+t.name, err)
	}
	return b, nil
}

// suspect returns the condition that a key may be unusable. SQLite can't check
// text for UTF-8, so a key with text has no condition.
func (t *Table) suspect() (where condition) {
	if slices.Contains(t.kinds, doc.Text) {
		return where
	}
	var bad []string
	for _, name := range qualify(t.keyNames()) {
		bad = append(bad, "typeof("+name+") <> 'integer'")
	}
	where.and("(" + strings.Join(bad, " OR ") + ")")
	return where
}

// inWindow limits a condition to the rows with updateTime in a window.
func (v *view) inWindow(where *condition, b *bounds) {
	where.and(v.statements.updated+" >= ?", b.from)
	where.and(v.statements.updated+" < ?", b.to)
}
