package fulltext

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// Matching returns those of up to query.MaxSize documents that a request would find
// if the index had them: visible ones that match its query and its filters. It does
// not return a document whose values do not fit the mapping.
//
// It answers from an index in memory, so it matches exactly what Search does. That
// takes about a millisecond, and the memory of a batch with these documents.
func (r Requests) Matching(ctx context.Context, docs []doc.Doc, req query.Request) (found map[doc.OID]bool, err error) {
	memory := &Index{Requests: r, dir: "in memory"}
	if err := memory.openStore(""); err != nil {
		return nil, fmt.Errorf("match %d documents: %w", len(docs), err)
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	defer memory.recoverPanic(&err)
	var rows []segment.Row
	var in schema.Lists
	for _, d := range docs {
		b, err := r.Build(d.Row, &in)
		if err != nil || hides(req, b.Flaws) {
			continue
		}
		rows = append(rows, row(b, d.OID, 1))
	}
	if err := memory.store.Batch(memory.rows.Batch(rows, nil)); err != nil {
		return nil, fmt.Errorf("match %d documents: %w", len(docs), err)
	}
	res, err := memory.Search(ctx, query.Request{Query: req.Query, Filters: req.Filters, Visible: req.Visible, Size: len(docs)})
	found = map[doc.OID]bool{}
	for _, h := range res.Hits {
		found[h.OID] = true
	}
	return found, err
}

// hides reports whether a document lacks a value of the field by which it would be
// visible: by groups that can't be read completely nothing is found.
func hides(req query.Request, flaws []doc.Flaw) bool {
	return slices.ContainsFunc(flaws, func(f doc.Flaw) bool { return req.Visible.By(f.Column) })
}
