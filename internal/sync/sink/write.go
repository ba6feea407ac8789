package sink

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"indexerd/internal/base/doc"
)

// write makes entries durable and returns them. If a healthy storage refuses them,
// the first call returns the error, and the pass tries again; the second call
// isolates the refused documents and returns them as rejects. The first call does
// not, because an index that writes in the background may return an error of the
// disk a moment before Err does, and must then not be written to.
func (s *Sink) write(ctx context.Context, entries []entry) (written []entry, refused []doc.Reject, err error) {
	again, since := s.failed.Load(), 0
	if s.Sums != nil {
		since = s.Sums.Writing()
	}
	if err = s.writeAll(entries); err != nil {
		s.noteChanged(doc.OIDs(entries))
	}
	switch {
	case err == nil:
		s.noteWritten(since, entries)
		return entries, nil, nil
	case !s.blamesDocument(ctx, err):
		return nil, nil, err
	case !again:
		s.failed.Store(true)
		return nil, nil, err
	}
	written, refused, err = s.isolate(ctx, entries, err)
	if err == nil {
		s.failed.Store(false)
	}
	return written, refused, err
}

// isolate writes entries that failed together, half by half, down to the single
// documents that are refused.
func (s *Sink) isolate(ctx context.Context, entries []entry, cause error) (written []entry, refused []doc.Reject, err error) {
	if len(entries) == 1 {
		d := entries[0].doc
		return nil, []doc.Reject{{OID: d.OID, Reason: errors.Unwrap(cause).Error(), Groups: s.acl.Of(d.Row)}}, nil
	}
	half := len(entries) / 2
	for _, part := range [][]entry{entries[:half], entries[half:]} {
		w, r := part, []doc.Reject(nil)
		err := s.writeAll(part)
		s.noteChanged(doc.OIDs(part))
		if err != nil {
			if !s.blamesDocument(ctx, err) {
				return nil, nil, err
			}
			if w, r, err = s.isolate(ctx, part, err); err != nil {
				return nil, nil, err
			}
		}
		written, refused = append(written, w...), append(refused, r...)
	}
	return written, refused, nil
}

// blamesDocument reports whether a document may be the cause of a failed write. It
// is not if index or pages have an Err, if the operating system refused the write
// (a full or faulty disk, too many open files), or if the pass was cancelled: then
// every document would be refused and quarantined.
func (s *Sink) blamesDocument(ctx context.Context, err error) bool {
	return ctx.Err() == nil && s.index.Err() == nil && s.pages.Err() == nil && !errors.As(err, new(syscall.Errno))
}

// writeAll makes entries durable, index first, then pages.
func (s *Sink) writeAll(entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	defer s.noteAdded(entries)
	docs := make([]doc.Doc, 0, len(entries))
	pages := make([]doc.Page, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.change != skipped {
			docs = append(docs, *e.doc)
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

// noteAdded calls Added.
func (s *Sink) noteAdded(entries []entry) {
	var all []doc.OID
	for i := range entries {
		if entries[i].change == added {
			all = append(all, entries[i].doc.OID)
		}
	}
	if s.Added != nil && len(all) > 0 {
		s.Added(all)
	}
}

// noteWritten adjusts the sums for entries that are durable.
func (s *Sink) noteWritten(since int, entries []entry) {
	if s.Sums == nil || len(entries) == 0 {
		return
	}
	var torn []doc.OID
	for i := range entries {
		if e := &entries[i]; !e.whole {
			torn = append(torn, e.doc.OID)
		}
	}
	s.Sums.Wrote(since, func(yield func(before, after doc.Stamp) bool) {
		for i := range entries {
			if e := &entries[i]; e.whole && !yield(e.before, e.doc.Stamp) {
				return
			}
		}
	})
	s.noteChanged(torn)
}

func (s *Sink) noteChanged(oids []doc.OID) {
	if s.Sums != nil && len(oids) > 0 {
		s.Sums.Changed(oids)
	}
}

// putStamps puts the stamps of durable documents into the tree.
func (s *Sink) putStamps(written []entry) error {
	if len(written) == 0 {
		return nil
	}
	stamps := make([]doc.Stamp, len(written))
	for i := range written {
		stamps[i] = written[i].doc.Stamp
	}
	if err := s.tree.Put(stamps); err != nil {
		return fmt.Errorf("tree: put %d stamps: %w", len(stamps), err)
	}
	return nil
}
