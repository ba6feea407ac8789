package fulltext

import (
	"fmt"
	"slices"
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/versions"
)

// Apply writes and deletes documents, and returns when all of them are durable.
// Documents that need much memory are written in several batches, one after
// another; the first batch has the deletes. Versions are stored, not compared. After an error any part may have
// been written. An OID must not be in both lists. If puts has an OID twice, the
// later document wins.
func (ix *Index) Apply(puts []doc.Doc, deletes []doc.Removal) (err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	defer ix.recoverPanic(&err)
	switch {
	case ix.closed:
		return ErrClosed
	case ix.readOnly:
		return errReadOnly
	}
	perByte, err := costOfByte(ix.Schema, puts)
	if err != nil {
		return err
	}
	for len(puts)+len(deletes) > 0 {
		p := part{deletes: deletes}
		if puts, err = p.fill(ix.Schema, puts, perByte, partCost); err != nil {
			return err
		}
		if err := sharedBudget().run(p.cost, func() error { return ix.write(&p) }); err != nil {
			return ix.examine(err)
		}
		deletes = nil
	}
	return nil
}

// A part is what one batch of the store writes.
type part struct {
	puts    []segment.Row
	deletes []doc.Removal
	cost    int64
}

// fill adds documents, at least one, while the part costs at most maxCost, where a
// byte of a short text costs perByte. It returns the rest.
func (p *part) fill(s *schema.Schema, puts []doc.Doc, perByte, maxCost int64) (rest []doc.Doc, err error) {
	var in schema.Lists
	p.puts = slices.Grow(p.puts, len(puts))
	work := giveway.Background()
	defer work.End()
	for i := range puts {
		work.Step()
		d := &puts[i]
		b, err := s.Built(d, &in)
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", d.OID, err)
		}
		cost := costOf(s, b, perByte)
		if i > 0 && p.cost+cost > maxCost {
			return puts[i:], nil
		}
		p.puts, p.cost = append(p.puts, row(b, d.OID, d.V)), p.cost+cost
	}
	return nil, nil
}

// row returns a document as a row of a segment.
func row(b schema.Indexed, oid doc.OID, v doc.Version) segment.Row {
	return segment.Row{ID: string(oid), Stored: versions.EncodeVersion(v), Texts: b.Texts, Values: b.Values}
}

// write writes a part durably, and empties it so that its memory is free when
// write returns.
func (ix *Index) write(p *part) error {
	if err := ix.Err(); err != nil {
		return err
	}
	deleted := make([]string, len(p.deletes))
	for i, r := range p.deletes {
		deleted[i] = string(r.OID)
	}
	batch := ix.rows.Batch(p.puts, deleted)
	p.puts = nil
	rec := record{fingerprint: ix.Fingerprint(), generation: ix.generation, batch: ix.batches.Add(1)}
	batch.SetInternal(recordKey, rec.encode())
	batch.SetInternal(mappingKey, ix.mapping) // an index of an earlier version lacks it
	if err := ix.persist.write(ix.store, batch); err != nil {
		return fmt.Errorf("index %s: %w", ix.dir, err)
	}
	return nil
}

// A persistState waits for the background writes of a store, and keeps their
// first error.
//
// Scorch can wait until a batch is durable. But if its persister then fails,
// scorch closes the segment of the batch while searches and the persister,
// which retries without a pause, still read it. They panic in goroutines that
// recover nothing. So the store runs with "unsafe" batches, which do not wait,
// and write waits instead.
type persistState struct {
	failed   chan struct{} // closed when failure is set
	released chan struct{} // closed just before the store is closed
	once     sync.Once
	failure  error
}

func newPersistState() *persistState {
	return &persistState{failed: make(chan struct{}), released: make(chan struct{})}
}

// write applies a batch. It returns when the batch is durable or the store has
// failed.
func (s *persistState) write(store index.Index, batch *index.Batch) error {
	durable := make(chan error, 1)
	batch.SetPersistedCallback(func(err error) { durable <- err })
	if err := store.Batch(batch); err != nil {
		return err // the store has nothing of the batch
	}
	select {
	case err := <-durable:
		return err
	case <-s.failed:
		return s.failure
	}
}

// closeDelay is how long a failed goroutine is held after release. By then the
// following Close has asked all goroutines of the store to end.
const closeDelay = 250 * time.Millisecond

// hold records the error of a goroutine of the store, and blocks the goroutine
// until the store is being closed. Otherwise the goroutine would retry without
// end: after a failed commit, bbolt may panic in the next one and keep its lock,
// and Close would wait for that lock forever. If the persister was notified
// meanwhile, it makes one more try in spite of hold; Close then reports
// ErrStuck.
func (s *persistState) hold(err error) {
	s.fail(err)
	<-s.released
	time.Sleep(closeDelay)
}

// fail records an error, if it is the first.
func (s *persistState) fail(err error) {
	s.once.Do(func() {
		s.failure = err
		close(s.failed)
	})
}

// err returns the first error.
func (s *persistState) err() error {
	select {
	case <-s.failed:
		return s.failure
	default:
		return nil
	}
}

// release lets the goroutines that hold has blocked go on, so that Close can
// end them.
func (s *persistState) release() { close(s.released) }
