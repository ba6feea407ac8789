package fakeworld

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// TextKey returns a text key.
func TextKey(text string) doc.OID {
	oid, err := doc.NewOID(text)
	if err != nil {
		panic(err) // the text of a test is valid
	}
	return oid
}

// FoldCase compares text keys as a case-insensitive collation does, which is not
// the order of OIDs.
func FoldCase(a, b doc.OID) int {
	return strings.Compare(strings.ToLower(a.String()), strings.ToLower(b.String()))
}

// Ordered reports whether the database orders keys as OIDs are ordered.
func (t *Table) Ordered() bool { return t.Order == nil }

// order compares keys as the database does. Keys that the database takes for
// equal are ordered as OIDs.
func (t *Table) order(a, b doc.OID) int {
	if t.Order == nil {
		return cmp.Compare(a, b)
	}
	return cmp.Or(t.Order(a, b), cmp.Compare(a, b))
}

// StampsOf reads the stamps of rows by key. Keys match byte by byte: a key that
// only the collation takes for equal does not match.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	if err := t.before(ctx, "stamps of"); err != nil {
		return nil, err
	}
	var stamps []doc.Stamp
	t.scan(t.snapshot(), func(oid doc.OID, r Row) {
		if slices.Contains(oids, oid) {
			stamps = append(stamps, r.Stamp(oid))
		}
	})
	return stamps, nil
}

// StampsInRange reads the stamps of the rows with keys in a range, in the
// database's order. Each page reads a new snapshot.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return t.stampsWhere(ctx, func(oid doc.OID) bool {
		return (r.From == "" || t.order(oid, r.From) >= 0) && (r.To == "" || t.order(oid, r.To) < 0)
	})
}

// StampsInRanges is StampsInRange for ranges by the order of OIDs.
func (t *Table) StampsInRanges(ctx context.Context, ranges []doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return t.stampsWhere(ctx, func(oid doc.OID) bool {
		return slices.ContainsFunc(ranges, func(r doc.Range) bool { return oid >= r.From && (r.To == "" || oid < r.To) })
	})
}

func (t *Table) stampsWhere(ctx context.Context, wanted func(doc.OID) bool) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		for last := doc.OID(""); ; {
			if err := t.before(ctx, "stamps in range"); err != nil {
				yield(nil, err)
				return
			}
			page := t.pageAfter(last, wanted)
			if len(page) == 0 {
				return
			}
			last = page[len(page)-1].OID // before yield: the caller may change the page
			if !yield(page, nil) || len(page) < t.Page {
				return
			}
		}
	}
}

func (t *Table) pageAfter(last doc.OID, wanted func(doc.OID) bool) []doc.Stamp {
	var page []doc.Stamp
	t.scan(t.snapshot(), func(oid doc.OID, r Row) {
		if (last == "" || t.order(oid, last) > 0) && wanted(oid) {
			page = append(page, r.Stamp(oid))
		}
	})
	slices.SortFunc(page, func(a, b doc.Stamp) int { return t.order(a.OID, b.OID) })
	return page[:min(t.Page, len(page))]
}

// Keyless returns NoKey.
func (t *Table) Keyless(ctx context.Context) (doc.Batch, error) {
	if err := t.before(ctx, "keyless"); err != nil {
		return doc.Batch{}, err
	}
	return doc.Batch{At: t.Clock(), Rejects: t.NoKey}, nil
}

// Unusable returns NoKey if NoKeyAt is in the window.
func (t *Table) Unusable(ctx context.Context, w doc.Window) (doc.Batch, error) {
	if err := t.before(ctx, "unusable"); err != nil {
		return doc.Batch{}, err
	}
	b := doc.Batch{At: t.Clock()}
	if t.hasUnusable(w) {
		b.Rejects = t.NoKey
	}
	return b, nil
}

func (t *Table) hasUnusable(w doc.Window) bool {
	return len(t.NoKey) > 0 && !t.NoKeyAt.Before(w.From) && t.NoKeyAt.Before(w.To)
}

// yieldUnusable yields an empty stamp if the window has rows without a usable
// key.
func (t *Table) yieldUnusable(w doc.Window, yield func([]doc.Stamp, error) bool) {
	if t.hasUnusable(w) {
		yield([]doc.Stamp{{}}, nil)
	}
}

// Behind returns Standby.
func (t *Table) Behind(ctx context.Context) (string, error) {
	return t.Standby, t.before(ctx, "behind")
}
