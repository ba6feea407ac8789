package fakeworld

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"time"

	"indexerd/internal/base/doc"
)

// Now returns the database's time.
func (t *Table) Now(ctx context.Context) (time.Time, error) {
	if err := t.before(ctx, "now"); err != nil {
		return time.Time{}, err
	}
	return t.Clock(), nil
}

// Moment reads the database's clock and the local one.
func (t *Table) Moment(ctx context.Context) (doc.Moment, error) {
	if err := t.before(ctx, "now"); err != nil {
		return doc.Moment{}, err
	}
	now, local := t.clocks()
	return doc.Moment{Now: now, Seen: now, Asked: local, Local: local}, nil
}

// Tick returns the precision of updateTime.
func (t *Table) Tick() time.Duration { return t.Precision }

// Count returns the number of live rows.
func (t *Table) Count(ctx context.Context) (int64, error) {
	if err := t.before(ctx, "count"); err != nil {
		return 0, err
	}
	return int64(len(t.Rows())), nil
}

// Breakpoints returns every n-th key in key order, except the first.
func (t *Table) Breakpoints(ctx context.Context, n int) ([]doc.OID, error) {
	if err := t.before(ctx, "breakpoints"); err != nil {
		return nil, err
	}
	var points []doc.OID
	i := 0
	t.scan(t.snapshot(), func(oid doc.OID, _ Row) {
		if i > 0 && i%n == 0 {
			points = append(points, oid)
		}
		i++
	})
	return points, nil
}

// Sums returns the number of rows and the sum of the hashes of their keys, for each
// range between bounds.
func (t *Table) Sums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error) {
	return t.sums(ctx, bounds, func(oid doc.OID, _ Row) doc.Token {
		h := sha256.Sum256([]byte(oid)) // not FNV: its sums of short keys are often equal
		return doc.Token{Digest: binary.BigEndian.Uint64(h[:])}
	})
}

// TokenSums is Sums of the rows' tokens.
func (t *Table) TokenSums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error) {
	return t.sums(ctx, bounds, func(oid doc.OID, r Row) doc.Token { return r.Stamp(oid).Token })
}

func (t *Table) sums(ctx context.Context, bounds []doc.OID, token func(doc.OID, Row) doc.Token) ([]doc.Sum, error) {
	if err := t.before(ctx, "sums"); err != nil {
		return nil, err
	}
	sums := make([]doc.Sum, len(bounds)+1)
	t.scan(t.snapshot(), func(oid doc.OID, r Row) {
		at, found := slices.BinarySearch(bounds, oid)
		if found {
			at++
		}
		one := token(oid, r)
		sums[at].Rows, sums[at].Digest, sums[at].Epoch = sums[at].Rows+1, sums[at].Digest+one.Digest, one.Epoch
	})
	return sums, nil
}

// Range reads the rows with keys in a range, with any updateTime, as one fetch.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		t.fetch(ctx, "range", yield, func(oid doc.OID) bool {
			return oid >= r.From && (r.To == "" || oid < r.To)
		})
	}
}

// Docs reads rows by key, one fetch per batch of keys. Rows that are Marked are
// returned as deleted.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, t.Batch) {
			if !t.fetch(ctx, "docs", yield, func(oid doc.OID) bool { return slices.Contains(chunk, oid) }) {
				return
			}
		}
	}
}

// fetch yields the rows of one snapshot in one or more batches. It reports
// whether the caller wants more.
func (t *Table) fetch(ctx context.Context, step string, yield func(doc.Batch, error) bool, want func(doc.OID) bool) bool {
	if err := t.before(ctx, step); err != nil {
		yield(doc.Batch{}, err)
		return false
	}
	var snapshot int
	seq, err := t.Numbers.Begin(func() error { snapshot = t.snapshot(); return nil })
	if err != nil {
		yield(doc.Batch{}, err)
		return false
	}
	defer t.Numbers.End(seq)
	at := t.Clock()
	var docs []doc.Doc
	var deleted []doc.OID
	t.scanAll(snapshot, func(oid doc.OID, r Row) {
		switch {
		case !want(oid) || r.Outside:
		case !r.Marked:
			docs = append(docs, r.Doc(oid, seq, at))
		case step == "docs":
			deleted = append(deleted, oid)
		}
	})
	for first := true; first || len(docs) > 0; first = false {
		n := min(t.Batch, len(docs))
		if err := t.before(ctx, "rows"); err != nil {
			yield(doc.Batch{}, err)
			return false
		}
		if !yield(doc.Batch{Fetch: seq, At: at, Docs: docs[:n], Deleted: deleted}, nil) {
			return false
		}
		docs, deleted = docs[n:], nil
	}
	return true
}

// Stamps reads the stamps of a window in pages by (updateTime, OID). Each page
// reads a new snapshot.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		last := doc.Stamp{Updated: w.From}
		for {
			if err := t.before(ctx, "stamps"); err != nil {
				yield(nil, err)
				return
			}
			page := t.stampsAfter(last, w.To)
			if len(page) > 0 && !yield(page, nil) {
				return
			}
			if len(page) < t.Page {
				t.yieldUnusable(w, yield)
				return
			}
			last = page[len(page)-1]
		}
	}
}

func (t *Table) stampsAfter(last doc.Stamp, to time.Time) []doc.Stamp {
	var page []doc.Stamp
	t.scan(t.snapshot(), func(oid doc.OID, r Row) {
		after := compareStamps(doc.Stamp{OID: oid, Updated: r.Updated}, last) > 0
		if after && !r.Updated.IsZero() && r.Updated.Before(to) {
			page = append(page, r.Stamp(oid))
		}
	})
	slices.SortFunc(page, compareStamps)
	return page[:min(t.Page, len(page))]
}

func compareStamps(a, b doc.Stamp) int {
	return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.OID, b.OID))
}

// Left reads the keys of the rows of a window that are Marked or Outside, as the
// `changes` SQL does, in pages by key.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if err := t.before(ctx, "left"); err != nil {
			yield(nil, err)
			return
		}
		var left []doc.OID
		t.scanAll(t.snapshot(), func(oid doc.OID, r Row) {
			if !r.live() && !r.Updated.IsZero() && !r.Updated.Before(w.From) && r.Updated.Before(w.To) {
				left = append(left, oid)
			}
		})
		for page := range slices.Chunk(left, t.Page) {
			if !yield(page, nil) {
				return
			}
		}
	}
}

// Horizon returns the time at which the oldest open transaction began, or the
// clock if none is open.
func (t *Table) Horizon(ctx context.Context) (doc.Horizon, error) {
	if err := t.before(ctx, "horizon"); err != nil {
		return doc.Horizon{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock()
	h := doc.Horizon{At: now, Now: now, Local: time.Now(), Exact: true, Version: strconv.Itoa(t.commits)}
	for x := range t.open {
		if x.began.Before(h.At) {
			h.At, h.Pin = x.began, &doc.Pin{Age: now.Sub(x.began)}
		}
	}
	return h, nil
}

// Hint returns an exact hint, whose version changes with every commit.
func (t *Table) Hint(ctx context.Context) (doc.Hint, error) {
	if err := t.before(ctx, "hint"); err != nil {
		return doc.Hint{}, err
	}
	at := t.Clock()
	version := strconv.Itoa(t.snapshot())
	return doc.Hint{At: at, Version: version, Exact: true, Counters: version, Removals: version}, nil
}
