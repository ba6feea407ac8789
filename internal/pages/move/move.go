// Package move copies the pages of a table from one store to another.
//
// Copy makes the pages of the target those of the source, and then compares all of
// both. It writes only pages that differ, so a copy that was ended at any step is
// continued by another one. Neither store may be written by others meanwhile. A Live
// copies pages that others write.
//
// A page that the target has with a higher number than the source stays. Damaged
// pages of the source are not copied. Copy counts both: the rows must be fetched again.
//
// Copy lists both stores twice, reads the content of all pages of both, and has one
// batch of up to 200 pages or 8 MiB, and the keys of what it removes, in memory.
package move

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
)

// Pages are the pages of one table in a store.
type Pages interface {
	All() iter.Seq2[doc.Meta, error]
	Metas(oids []doc.OID) ([]doc.Meta, error)
	NewestVersions(oid doc.OID, bytes int) (_ []doc.Page, more bool, _ error)
	Put(pages []doc.Page) error
	Delete(gone []doc.Removal) error
}

// A Copy is one move of pages.
type Copy struct {
	From, To Pages
	Versions int // of a page that To keeps
	// Damaged reports whether an error of From is that of a damaged page.
	Damaged func(error) bool
	Table   string // for Meter
	// Meter counts the pages that were copied, and then those that were compared; nil: they
	// are not counted. Total is their number, or progress.Unknown.
	Meter *progress.Meter
	Total int64

	live *Live // whose copy it is; nil: From is not written meanwhile
}

// Counts are what Copy did.
type Counts struct {
	Pages   int // of the source
	Copied  int // of them
	Removed int // from the target, since the source does not have them
	Damaged int // in the source
	Differ  int // in the target, after the copy
	Highest doc.Version
}

// Exact reports whether both stores have the same pages, and none was damaged.
func (c Counts) Exact() bool { return c.Damaged == 0 && c.Differ == 0 }

// The size of a batch.
const (
	batchPages = 200
	batchBytes = 8 << 20
)

// Run copies, removes and compares.
func (c Copy) Run(ctx context.Context) (n Counts, err error) {
	if err := c.copyAll(ctx, &n); err != nil {
		return n, fmt.Errorf("copy pages: %w", err)
	}
	if err := c.removeOthers(ctx, &n); err != nil {
		return n, fmt.Errorf("remove pages that are gone: %w", err)
	}
	if err := c.compare(ctx, &n); err != nil {
		return n, fmt.Errorf("compare pages: %w", err)
	}
	return n, nil
}

// count begins a step of the move, whose pages are counted.
func (c Copy) count(doing string, of int64) *progress.Meter {
	c.Meter.Step(strings.TrimSpace(doing+" "+c.Table), "pages", 0, of)
	return c.Meter
}

// batches calls f with the pages of a list, and counts them.
func (c Copy) batches(ctx context.Context, p Pages, counted *progress.Meter, f func([]doc.Meta) error) error {
	var batch []doc.Meta
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(batch); err != nil {
			return err
		}
		counted.Add(int64(len(batch)))
		batch = batch[:0]
		return nil
	}
	for m, err := range p.All() {
		if err != nil {
			return err
		}
		if batch = append(batch, m); len(batch) == batchPages {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// copyAll puts the pages that the target does not have as the source has them.
func (c Copy) copyAll(ctx context.Context, n *Counts) error {
	return c.batches(ctx, c.From, c.count("copying", c.Total), func(batch []doc.Meta) error {
		n.Pages += len(batch)
		there, err := c.To.Metas(doc.OIDs(batch))
		if err != nil {
			return err
		}
		b := &puts{Copy: c, counts: n}
		for i, m := range batch {
			n.Highest = max(n.Highest, m.V)
			if same(m, there[i]) || there[i].V > m.V {
				continue
			}
			if err := b.add(m, there[i]); err != nil {
				return err
			}
		}
		return b.flush()
	})
}

// puts are pages to write. The versions of a page are written one after the other, so
// that the newest is the last one: until then the page differs from that of the source.
type puts struct {
	Copy
	counts *Counts
	layers [][]doc.Page // the oldest first
	gone   []doc.Removal
	pages  int
	bytes  int
}

func (b *puts) add(m, there doc.Meta) error {
	versions, _, err := b.From.NewestVersions(m.OID, math.MaxInt)
	if err != nil && b.isGone(m.OID, err) {
		return nil
	}
	if err != nil && b.Damaged(err) {
		b.counts.Damaged++
		return nil
	}
	if err != nil {
		return err
	}
	versions = versions[:min(len(versions), b.Versions)]
	if there.OID != "" && b.Versions > 1 { // its versions would be kept beside those of the source
		b.gone = append(b.gone, doc.Removal{OID: m.OID, V: there.V})
	}
	for i := range versions {
		if len(b.layers) == i {
			b.layers = append(b.layers, nil)
		}
		page := versions[len(versions)-1-i]
		b.layers[i] = append(b.layers[i], page)
		b.bytes += len(page.Body)
	}
	if b.pages++; b.bytes > batchBytes {
		return b.flush()
	}
	return nil
}

func (b *puts) flush() error {
	if len(b.gone) > 0 {
		if err := b.To.Delete(b.gone); err != nil {
			return err
		}
	}
	for _, layer := range b.layers {
		if err := b.To.Put(layer); err != nil {
			return err
		}
	}
	b.counts.Copied += b.pages
	b.layers, b.gone, b.pages, b.bytes = nil, nil, 0, 0
	return nil
}

// removeOthers removes the pages of the target that the source does not have.
func (c Copy) removeOthers(ctx context.Context, n *Counts) error {
	var gone []doc.Removal
	err := c.batches(ctx, c.To, nil, func(batch []doc.Meta) error {
		there, err := c.From.Metas(doc.OIDs(batch))
		for i := 0; i < len(there) && err == nil; i++ {
			if there[i].OID == "" {
				gone = append(gone, doc.Removal{OID: batch[i].OID, V: batch[i].V})
			}
		}
		return err
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	n.Removed = len(gone)
	return c.To.Delete(gone)
}

// compare compares the newest version of every page, byte for byte, and the number of pages.
func (c Copy) compare(ctx context.Context, n *Counts) error {
	pages, others := 0, 0
	err := c.batches(ctx, c.From, c.count("comparing", int64(n.Pages)), func(batch []doc.Meta) error {
		for _, m := range batch {
			equal, err := c.equal(m.OID)
			if err != nil {
				return err
			}
			if pages++; !equal {
				n.Differ++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, err := range c.To.All() {
		if err != nil {
			return err
		}
		others++
	}
	if others != pages && n.Differ == 0 {
		n.Differ = max(others-pages, pages-others)
	}
	return nil
}

// equal reports whether both stores have the same newest version. A damaged one is not.
func (c Copy) equal(oid doc.OID) (bool, error) {
	var to []doc.Page
	from, _, err := c.From.NewestVersions(oid, 0)
	if err == nil {
		to, _, err = c.To.NewestVersions(oid, 0)
	}
	if err != nil && !c.Damaged(err) {
		return false, err
	}
	return err == nil && len(from) > 0 && len(to) > 0 && same(from[0].Meta, to[0].Meta) && bytes.Equal(from[0].Body, to[0].Body), nil
}

// same compares descriptions. Times are the same moment in any zone.
func same(a, b doc.Meta) bool {
	if !a.Updated.Equal(b.Updated) || !a.Fetched.Equal(b.Fetched) {
		return false
	}
	a.Updated, a.Fetched = b.Updated, b.Fetched
	return a == b
}
