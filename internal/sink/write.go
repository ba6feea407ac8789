package sink

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"indexerd/internal/doc"
)

// write makes entries durable and returns those that are. One that the storage
// refuses is looked for when the pass tries again, and comes back as a reject.
// Not at once: an index that writes in the background may return the fault of a
// disk a moment before its Err has it, and must not be written to any more.
func (s *Sink) write(ctx context.Context, entries []entry) (written []entry, refused []doc.Reject, err error) {
	again := s.failed.Load()
	err = s.writeAll(entries)
	switch {
	case err == nil:
		return entries, nil, nil
	case !s.blames(ctx, err):
		return nil, nil, err
	case !again:
		s.failed.Store(true)
		return nil, nil, err
	}
	written, refused, err = s.halve(ctx, entries, err)
	if err == nil {
		s.failed.Store(false)
	}
	return written, refused, err
}

// halve writes the halves of what failed for a cause, down to the documents
// that are refused alone.
func (s *Sink) halve(ctx context.Context, entries []entry, cause error) (written []entry, refused []doc.Reject, err error) {
	if len(entries) == 1 {
		d := &entries[0].doc
		return nil, []doc.Reject{{OID: d.OID, Reason: errors.Unwrap(cause).Error(), Groups: s.acl.Of(d.Row)}}, nil
	}
	half := len(entries) / 2
	for _, part := range [][]entry{entries[:half], entries[half:]} {
		w, r := part, []doc.Reject(nil)
		if err := s.writeAll(part); err != nil {
			if !s.blames(ctx, err) {
				return nil, nil, err
			}
			if w, r, err = s.halve(ctx, part, err); err != nil {
				return nil, nil, err
			}
		}
		written, refused = append(written, w...), append(refused, r...)
	}
	return written, refused, nil
}

// blames reports whether a failed write may be the fault of a document in it.
// It is not where index or pages say that they are broken, where the operating
// system refused (the disk is full or faulty, there are too many files), or
// where the pass was told to end: any document would be refused then, and all
// would be set aside that have done nothing.
func (s *Sink) blames(ctx context.Context, err error) bool {
	var system syscall.Errno
	return ctx.Err() == nil && s.index.Err() == nil && s.pages.Err() == nil && !errors.As(err, &system)
}

// writeAll makes entries durable, index first, then pages.
func (s *Sink) writeAll(entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	docs := make([]doc.Doc, 0, len(entries))
	pages := make([]doc.Page, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.change != skipped {
			docs = append(docs, e.doc)
		}
		pages[i] = doc.Page{Meta: e.doc.Meta, Body: e.body}
	}
	if len(docs) > 0 {
		if err := s.index.Apply(docs, nil); err != nil {
			return fmt.Errorf("index %d documents: %w", len(docs), err)
		}
	}
	if err := s.pages.Put(pages); err != nil {
		return fmt.Errorf("store %d pages: %w", len(pages), err)
	}
	return nil
}

// tell tells the tree, which knows only of what is durable.
func (s *Sink) tell(written []entry) error {
	if len(written) == 0 {
		return nil
	}
	stamps := make([]doc.Stamp, len(written))
	for i := range written {
		stamps[i] = written[i].doc.Stamp
	}
	if err := s.tree.Put(stamps); err != nil {
		return fmt.Errorf("remember %d stamps: %w", len(stamps), err)
	}
	return nil
}

func oidsOf(entries []entry) []doc.OID {
	oids := make([]doc.OID, len(entries))
	for i := range entries {
		oids[i] = entries[i].doc.OID
	}
	return oids
}
