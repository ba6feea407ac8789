package deletecheck

import (
	"context"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// unmatched reports whether there may be pages without a document. As many
// pages as documents means none, unless a document lacks its page.
func (c *comparison) unmatched(unpaged bool) (bool, error) {
	n, err := c.index.Count()
	return unpaged || n != uint64(c.pages.Len()), err
}

// orphans finds the pages that have neither document nor row. Those that have a
// row have been found with it.
func (c *comparison) orphans(ctx context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		var metas []doc.Meta
		flush := func() bool {
			p, err := c.orphaned(ctx, metas)
			metas = metas[:0]
			return yield(p, err) && err == nil
		}
		for meta, err := range c.pages.All() {
			if err != nil {
				yield(part{}, err)
				return
			}
			if metas = append(metas, meta); len(metas) == c.chunk && !flush() {
				return
			}
		}
		if len(metas) > 0 {
			flush()
		}
	}
}

func (c *comparison) orphaned(ctx context.Context, metas []doc.Meta) (part, error) {
	var p part
	oids := make([]doc.OID, len(metas))
	for i := range metas {
		oids[i] = metas[i].OID
	}
	versions, err := c.index.Versions(oids)
	if err != nil {
		return p, err
	}
	for i, v := range versions {
		if v == 0 {
			p.alone = append(p.alone, metas[i].Stamp)
		}
	}
	rows, err := rowsOf(ctx, c.source, oidsOf(p.alone))
	p.alone = slices.DeleteFunc(p.alone, func(s doc.Stamp) bool { _, there := rows[s.OID]; return there })
	p.compared = len(p.alone)
	return p, err
}
