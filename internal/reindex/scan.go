package reindex

import (
	"context"
	"fmt"

	"indexerd/internal/doc"
)

// scan brings the page of each document into the new index. What is put behind
// it meanwhile goes to both, and what is put before it is brought once more.
func (b *build) scan(ctx context.Context) error {
	done := int64(0)
	for from := doc.OID(""); ; {
		docs, next, err := b.Old.Documents(from, b.chunk)
		if err != nil {
			return fmt.Errorf("list the index: %w", err)
		}
		if err := b.bring(docs); err != nil {
			return err
		}
		done += int64(len(docs))
		if b.Progress != nil {
			b.Progress(done, max(b.of, done))
		}
		if next == "" {
			return nil
		}
		if err := b.rest(ctx); err != nil {
			return err
		}
		from = next
	}
}

// bring brings the pages of a chunk.
func (b *build) bring(docs []doc.Indexed) error {
	for _, d := range docs {
		page, whole, err := b.page(d.OID)
		if err != nil {
			return err
		}
		if err := b.add(d.OID, page, whole); err != nil {
			return err
		}
		if b.bytes >= maxBytes {
			if err := b.write(); err != nil {
				return err
			}
		}
	}
	return b.write()
}

// page reads a page; it reports false where there is none, or a damaged one.
// Another fault is not the page's: to leave out what can't be read just now
// would empty the index.
func (b *build) page(oid doc.OID) (doc.Page, bool, error) {
	page, err := b.Pages.Get(oid)
	if err == nil {
		return page, true, nil
	}
	if _, ok, metaErr := b.Pages.Meta(oid); ok || metaErr != nil {
		return page, false, err
	}
	return page, false, nil
}

// add adds what a page says to what is to be written.
func (b *build) add(oid doc.OID, page doc.Page, whole bool) error {
	if !whole {
		return b.leave(oid, "its page is missing or damaged")
	}
	row, err := doc.ParseRow(page.Body)
	if err != nil {
		return b.leave(oid, err.Error())
	}
	d := doc.Doc{Meta: page.Meta, Row: row}
	if hash, err := b.index.Hash(row); err == nil {
		b.result.Indexed++
		if page.Hash != hash {
			page.Hash = hash
			b.pages = append(b.pages, page)
		}
	} else {
		d.Row, d.V = b.index.Pad(row), 0
		if _, err := b.index.Hash(d.Row); err != nil {
			return b.leave(oid, err.Error())
		}
		b.result.Partial++
	}
	b.docs = append(b.docs, d)
	b.bytes += len(page.Body)
	return nil
}

// leave counts a document that is left out.
func (b *build) leave(oid doc.OID, reason string) error {
	b.result.Left++
	if n := b.result.Left; n > leftCount && n > b.of/leftShare {
		return fmt.Errorf("%d of %d documents can't be brought over, the newest is %.40s: %s: correct the mapping, or reload the table", n, b.of, oid, reason)
	}
	return nil
}

// write makes documents and then their pages durable.
func (b *build) write() error {
	if len(b.docs) > 0 {
		if err := b.index.Apply(b.docs, nil); err != nil {
			return fmt.Errorf("index %d documents: %w", len(b.docs), err)
		}
	}
	if len(b.pages) > 0 {
		if err := b.Pages.Put(b.pages); err != nil {
			return fmt.Errorf("store %d pages: %w", len(b.pages), err)
		}
	}
	b.docs, b.pages, b.bytes = b.docs[:0], b.pages[:0], 0
	return nil
}
