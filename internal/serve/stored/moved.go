package stored

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"indexerd/internal/pages/move"
	"indexerd/store"
)

// MovedPages are pages of any store.
type MovedPages interface {
	move.Pages
	Close() error
}

// PagesToRead opens the pages of a move's source.
func (s *Table) PagesToRead() (MovedPages, error) {
	if !s.Config.PageStore.Remote() {
		return store.Open(filepath.Join(s.Dir, "pages"), store.Options{Versions: s.Conf.Pages.Versions, ReadOnly: true, Locked: true})
	}
	shared, err := s.pageStore.open()
	if err != nil {
		return nil, err
	}
	return s.remoteConfig(shared).OpenReadOnly(), nil
}

// PagesToFill opens the pages of a move's target. Pages of another data directory are
// refused. The numbers of the table and of the store become those of both.
func (s *Table) PagesToFill(ctx context.Context) (MovedPages, error) {
	if !s.Config.PageStore.Remote() {
		return store.Open(filepath.Join(s.Dir, "pages"), store.Options{
			Versions: s.Conf.Pages.Versions, Compression: compressions[s.Conf.Pages.Compression], Locked: true,
		})
	}
	shared, err := s.pageStore.open()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, OpenWithin)
	defer cancel()
	p, err := s.remoteConfig(shared).Open(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.raiseNumbers(p.Numbers()); err == nil {
		marks, _ := s.Trace.Table(s.Conf.Name)
		err = p.Reserve(marks.Numbers)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// SettleMove makes durable that the pages were moved. Pages that were damaged or differ
// are fetched by a sweep, so the table becomes unverified before.
func (s *Table) SettleMove(to string, m move.Counts) error {
	if err := s.raiseNumbers(uint64(m.Highest)); err != nil {
		return err
	}
	if !m.Exact() || m.Pages == 0 { // without a page, the source may have been deleted
		if err := s.doubt(fmt.Sprintf("%d pages were moved, and %d could not be moved", m.Pages, m.Damaged+m.Differ)); err != nil {
			return err
		}
	}
	return s.WriteStore(to)
}
