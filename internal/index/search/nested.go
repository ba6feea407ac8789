package search

import (
	"context"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// The limits of a query.Nested. Each document that may match costs the read of a page,
// and a thousand rows of a child about as much as an index of a thousand documents.
const (
	maxCandidates = 10_000
	maxRows       = 100_000
)

// resolve replaces each query.Nested of a search by the keys of the documents that it
// matches, as far as the caller may see them.
func (t *tableSearch) resolve(ctx context.Context) (err error) {
	t.request.Query = query.Map(t.request.Query, func(n query.Node) query.Node {
		nested, ok := n.(query.Nested)
		if !ok || err != nil {
			return n
		}
		c := rowCheck{tableSearch: t, nested: nested}
		err = c.run(ctx)
		return c.found
	})
	return err
}

// A rowCheck finds the documents of one query.Nested.
type rowCheck struct {
	*tableSearch
	nested query.Nested
	found  query.Keys
	read   int       // rows
	rows   []doc.Doc // to check, as documents with one row; the key is its place in of
	of     []doc.OID // the document of each of rows
}

func (c *rowCheck) run(ctx context.Context) error {
	req := query.Request{Query: query.Constant{Node: c.nested.Candidates(), Score: 1}, Visible: c.request.Visible, Size: query.MaxSize}
	for {
		res, err := c.Index.Search(ctx, req)
		if err != nil {
			return err
		}
		if res.Total > maxCandidates {
			return query.Errorf("narrow it with a word that fewer rows have", "nested query of %s has %d documents to check, more than %d", query.Shorten(c.nested.Path), res.Total, maxCandidates)
		}
		for _, h := range res.Hits {
			if err := c.add(ctx, h.OID); err != nil {
				return err
			}
		}
		if req.After = res.Next; res.Next == "" {
			return c.check(ctx)
		}
	}
}

// add adds the rows of one document.
func (c *rowCheck) add(ctx context.Context, oid doc.OID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, row, ok, err := c.page(oid)
	if err != nil || !ok {
		return err
	}
	for _, child := range row.Children {
		if child.Name != c.nested.Path {
			continue
		}
		if c.read += len(child.Rows); c.read > maxRows {
			return query.Errorf("narrow it with a word that fewer rows have", "nested query of %s has more than %d rows to check", query.Shorten(c.nested.Path), maxRows)
		}
		for _, r := range child.Rows {
			if err := c.addRow(ctx, oid, row, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRow adds a document that has nothing but one row of the child.
func (c *rowCheck) addRow(ctx context.Context, oid doc.OID, whole, row doc.Row) error {
	key, err := doc.NewOID(int64(len(c.of)))
	if err != nil {
		return err
	}
	only := doc.Row{Names: slices.Clone(whole.Names)}
	for _, name := range slices.Concat(c.Content, c.Metadata) {
		if !slices.Contains(only.Names, name) {
			only.Names = append(only.Names, name)
		}
	}
	only.Values = make([]any, len(only.Names))
	for _, child := range whole.Children {
		alone := doc.Child{Name: child.Name}
		if child.Name == c.nested.Path {
			alone.Rows = []doc.Row{row}
		}
		only.Children = append(only.Children, alone)
	}
	c.rows = append(c.rows, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: key}}, Row: only})
	if c.of = append(c.of, oid); len(c.rows) == query.MaxSize {
		return c.check(ctx)
	}
	return nil
}

// check finds the documents of those rows that match.
func (c *rowCheck) check(ctx context.Context) error {
	if len(c.rows) == 0 {
		return nil
	}
	matching, err := c.Index.Matching(ctx, c.rows, query.Request{Query: c.nested.Node})
	if err != nil {
		return fmt.Errorf("rows of %s: %w", c.nested.Path, err)
	}
	for i, d := range c.rows {
		if n := len(c.found.OIDs); matching[d.OID] && (n == 0 || c.found.OIDs[n-1] != c.of[i]) {
			c.found.OIDs = append(c.found.OIDs, c.of[i])
		}
	}
	c.rows, c.of = nil, nil
	return nil
}
