package daemon

import (
	"context"
	"errors"
	"fmt"
	"indexerd/internal/pages/move"
	"indexerd/store"
	"path/filepath"
)

// movedPages are pages of any store.
type movedPages interface {
	move.Pages
	Close() error
}

// pagesToRead opens the pages of a move's source.
func (s *storage) pagesToRead() (movedPages, error) {
	if !s.cfg.PageStore.Remote() {
		return store.Open(filepath.Join(s.dir, "pages"), store.Options{Versions: s.conf.Pages.Versions, ReadOnly: true, Locked: true})
	}
	shared, err := s.pageStore.open()
	if err != nil {
		return nil, err
	}
	return s.remoteConfig(shared).OpenReadOnly(), nil
}

// pagesToFill opens the pages of a move's target. Pages of another data directory are
// refused. The numbers of the table and of the store become those of both.
func (s *storage) pagesToFill(ctx context.Context) (movedPages, error) {
	if !s.cfg.PageStore.Remote() {
		return store.Open(filepath.Join(s.dir, "pages"), store.Options{
			Versions: s.conf.Pages.Versions, Compression: compressions[s.conf.Pages.Compression], Locked: true,
		})
	}
	shared, err := s.pageStore.open()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	p, err := s.remoteConfig(shared).Open(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.raiseNumbers(p.Numbers()); err == nil {
		marks, _ := s.trace.Table(s.conf.Name)
		err = p.Reserve(marks.Numbers)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// settleMove makes durable that the pages were moved. Pages that were damaged or differ
// are fetched by a sweep, so the table becomes unverified before.
func (s *storage) settleMove(to string, m move.Counts) error {
	if err := s.raiseNumbers(uint64(m.Highest)); err != nil {
		return err
	}
	if !m.Exact() || m.Pages == 0 { // without a page, the source may have been deleted
		if err := s.doubt(fmt.Sprintf("%d pages were moved, and %d could not be moved", m.Pages, m.Damaged+m.Differ)); err != nil {
			return err
		}
	}
	return s.writeStore(to)
}
