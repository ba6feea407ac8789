package pagetable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
)

// A Filter excludes keys of pages that are surely not stored: a Bloom filter. It may
// forget nothing. A filter that may have is lost, and returns an error, until Rebuild
// ends.
type Filter interface {
	// Add adds keys. With the error of a lost filter these keys are added.
	Add(ctx context.Context, keys []doc.OID) error
	Maybe(ctx context.Context, keys []doc.OID) ([]bool, error)
	// Rebuild adds all keys of a list, and is complete then.
	Rebuild(ctx context.Context, keys iter.Seq2[[]doc.OID, error]) error
	// Name names a filter that is shared, with its size; "" for one of this process.
	Name() string
}

// A sieve is a Filter with what is known of it. The filter has the key of a page before
// the page is written, and the cell meta:owner names the filter that has all keys. So a
// daemon that writes without the filter, or with another one, first takes its name
// away; the next one with that filter lists all pages before it trusts it.
type sieve struct {
	Filter
	lost    error       // of a filter that is lost
	trusted atomic.Bool // it has the keys of all pages
	missed  atomic.Bool // keys were not added since the last list began
	wake    chan struct{}

	asked, excluded atomic.Uint64
}

// filterWithin limits how long one batch waits for the filter.
const filterWithin = 2 * time.Second

// rebuildEvery is the pause after a list that was not completed.
const rebuildEvery = 10 * time.Second

// UseFilter puts a filter before look-ups. lost is the error of a filter that may have
// forgotten keys. In the background all pages are listed and their keys added, unless
// the store records that the filter has them. Call it once, before the first Put.
func (p *Pages) UseFilter(ctx context.Context, f Filter, lost error) error {
	s := &sieve{Filter: f, lost: lost, wake: make(chan struct{}, 1)}
	switch {
	case p.made: // there is no page: an empty filter has all keys
		s.trusted.Store(f.Rebuild(ctx, func(func([]doc.OID, error) bool) {}) == nil)
	case f.Name() != "":
		s.trusted.Store(p.filtered == f.Name())
	}
	if err := p.nameFilter(ctx, s); err != nil {
		return fmt.Errorf("pages of %s: %w", p.Name, err)
	}
	if !s.trusted.Load() {
		s.wakeUp()
	}
	p.sieve = s
	p.background.Go(func() { p.rebuild(s) })
	return nil
}

// nameFilter makes durable which filter has all keys.
func (p *Pages) nameFilter(ctx context.Context, s *sieve) error {
	name := ""
	if s.trusted.Load() {
		name = s.Name()
	}
	return p.change(ctx, func(now *owner) { now.Filter = name })
}

// addKeys adds the keys of pages to the filter, before they are written.
func (p *Pages) addKeys(pages []doc.Page) error {
	s := p.sieve
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.life, filterWithin)
	defer cancel()
	err := s.Add(ctx, doc.OIDs(pages))
	if err == nil {
		return nil
	}
	wasTrusted := s.trusted.Swap(false)
	if !errors.Is(err, s.lost) {
		s.missed.Store(true)
		if wasTrusted { // another daemon would trust it
			if err := p.again(p.Patience, func(ctx context.Context) error { return p.nameFilter(ctx, s) }); err != nil {
				return fmt.Errorf("write pages without the filter: %w", err)
			}
		}
	}
	if wasTrusted { // else a list is under way, or about to begin
		s.wakeUp()
	}
	return nil
}

func (s *sieve) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// among returns the keys that the filter does not exclude. Without a filter, or with a
// lost one, these are all.
func (p *Pages) among(oids []doc.OID) []doc.OID {
	s := p.sieve
	if s == nil || len(oids) == 0 || !s.trusted.Load() {
		return oids
	}
	ctx, cancel := context.WithTimeout(p.life, filterWithin)
	defer cancel()
	maybe, err := s.Maybe(ctx, oids)
	if err != nil {
		if errors.Is(err, s.lost) && s.trusted.Swap(false) {
			s.wakeUp()
		}
		return oids
	}
	kept := make([]doc.OID, 0, len(oids))
	for i, m := range maybe {
		if m {
			kept = append(kept, oids[i])
		}
	}
	s.asked.Add(uint64(len(oids)))
	s.excluded.Add(uint64(len(oids) - len(kept)))
	return kept
}

// rebuild lists all pages whenever the filter is lost, until Close.
func (p *Pages) rebuild(s *sieve) {
	for {
		select {
		case <-p.life.Done():
			return
		case <-s.wake:
		}
		if err := p.listAll(s); err != nil {
			select {
			case <-p.life.Done():
				return
			case <-time.After(rebuildEvery):
			}
			s.wakeUp()
		}
	}
}

// errMissed ends a list during which keys were not added.
var errMissed = errors.New("pages were written without the filter")

// listAll adds the keys of all pages, and then trusts the filter. Writes that began
// before the list have ended when it begins: what they did not add is listed.
func (p *Pages) listAll(s *sieve) error {
	if err := p.writing.Acquire(p.life, allPuts); err != nil {
		return err
	}
	s.missed.Store(false)
	p.writing.Release(allPuts)
	if err := s.Rebuild(p.life, p.keys()); err != nil {
		return err
	}
	if s.missed.Load() {
		return errMissed
	}
	s.trusted.Store(true)
	ctx, cancel := context.WithTimeout(p.life, readWithin)
	defer cancel()
	if err := p.nameFilter(ctx, s); err != nil {
		s.trusted.Store(false)
		return err
	}
	return nil
}

// keys lists the keys of all rows in batches.
func (p *Pages) keys() iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		var batch []doc.OID
		for s, err := range p.scan() {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, s.OID); len(batch) == scanRows {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
		}
		yield(batch, nil)
	}
}

// Saved returns how many keys the filter was asked for, and how many of them it
// excluded, each of which is a read less.
func (p *Pages) Saved() (asked, excluded uint64) {
	if p.sieve == nil {
		return 0, 0
	}
	return p.sieve.asked.Load(), p.sieve.excluded.Load()
}
