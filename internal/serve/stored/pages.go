package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"sync"

	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/index/search"
	"indexerd/internal/pages/bigtable"
	"indexerd/internal/pages/hbase"
	"indexerd/internal/pages/move"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/sync/sink"
	"indexerd/store"
	"indexerd/store/bloom"
)

// Pages are the pages of one table, of any engine.
type Pages interface {
	sink.Pages
	search.Pages
	deletecheck.Pages
	reindex.Pages
	// Snapshot makes a durable copy of what a backup holds of the pages.
	Snapshot(dir string) error
	Close() error
}

// A PageStore opens the store that the tables of an engine share, when the first of
// them needs it.
type PageStore struct {
	open   func() (pagetable.Store, error)
	opened pagetable.Store // nil: not yet
}

func newPageStore(x configs.PageStore) *PageStore {
	p := &PageStore{}
	p.open = sync.OnceValues(func() (s pagetable.Store, err error) {
		switch x.Engine {
		case configs.Bigtable:
			s, err = bigtable.Config{Project: x.Project, Instance: x.Instance, Table: x.Table, CredentialsFile: x.CredentialsFile}.Open(context.Background())
		case configs.HBase:
			s = &hbase.Store{Gateways: x.REST, Table: x.Table, User: x.User, Password: x.Password}
		}
		p.opened = s
		return s, err
	})
	return p
}

// Close closes the store, if it was opened.
func (p *PageStore) Close() error {
	if p.opened == nil {
		return nil
	}
	return p.opened.Close()
}

// openPages opens the pages. Pages on other machines may know higher numbers than the
// marks of a data directory that is older. If they are new and the table is loaded,
// the pages were deleted: the table becomes unverified first.
func (s *Table) openPages() (Pages, error) {
	if err := s.recordStore(); err != nil {
		return nil, err
	}
	if !s.Config.PageStore.Remote() {
		return store.Open(filepath.Join(s.Dir, "pages"), store.Options{
			Versions: s.Conf.Pages.Versions, Compression: compressions[s.Conf.Pages.Compression], ReadOnly: s.ReadOnly, Locked: true,
		})
	}
	shared, err := s.pageStore.open()
	if err != nil {
		return nil, err
	}
	c := s.remoteConfig(shared)
	if s.ReadOnly {
		return remotePages{Pages: c.OpenReadOnly()}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), OpenWithin)
	defer cancel()
	p, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	marks, _ := s.Trace.Table(s.Conf.Name)
	if p.New() && marks.Loaded {
		err = s.doubt("the pages were deleted")
	}
	if err == nil {
		err = s.raiseNumbers(p.Numbers())
	}
	r := remotePages{Pages: p}
	if err == nil {
		r.filter, err = s.useFilter(ctx, p)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return r, nil
}

func (s *Table) remoteConfig(shared pagetable.Store) pagetable.Config {
	return pagetable.Config{Store: shared, Name: s.Conf.Name, Versions: s.Conf.Pages.Versions, Owner: s.Owner, TakeOver: s.Config.TakeOver, Patience: writeWithin}
}

// useFilter puts a Bloom filter before the pages. The next start makes it larger if the
// table has grown to its size.
func (s *Table) useFilter(ctx context.Context, p *pagetable.Pages) (closer func() error, err error) {
	count, err := s.Index.Count()
	if err != nil {
		return nil, err
	}
	size, err := bloom.SizeFor(max(1<<20, uint64(2)<<bits.Len64(count)), falsePositives)
	if err != nil {
		return nil, err
	}
	f, closer, err := s.openFilter(size)
	if err != nil {
		return nil, err
	}
	if err := p.UseFilter(ctx, f, bloom.ErrLost); err != nil {
		return nil, errors.Join(err, closer())
	}
	return closer, nil
}

// falsePositives is the rate of keys that a full filter does not exclude.
const falsePositives = 0.01

// remotePages are pages on other machines.
type remotePages struct {
	*pagetable.Pages
	filter func() error // closes the connection to the filter; nil: none
}

// Close closes the pages and then their filter.
func (p remotePages) Close() error {
	err := p.Pages.Close()
	if p.filter != nil {
		err = errors.Join(err, p.filter())
	}
	return err
}

// Snapshot names the store. A backup has no pages of it: stores have backups of their
// own, and any page can be fetched from the database again.
func (p remotePages) Snapshot(dir string) error {
	text, err := json.Marshal(map[string]any{"pages": p.Store.String(), "table": p.Name, "numbers": p.Numbers()})
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "store.json"), append(text, '\n'), 0o600)
}

// reservePages makes numbers durable where the pages are.
func (s *Table) reservePages(upTo uint64) error {
	if p, ok := s.Pages.(remotePages); ok && !s.ReadOnly {
		return p.Reserve(upTo)
	}
	return nil
}

// clearPages removes what a load before this one has left where the pages are. Files
// are removed with their directory.
func (s *Table) clearPages() error {
	p, ok := s.Pages.(remotePages)
	if !ok {
		return nil
	}
	v, err := s.Reserve(1)
	if err != nil {
		return err
	}
	if err := p.Clear(doc.Version(v)); err != nil {
		return fmt.Errorf("remove the pages of an earlier load: %w", err)
	}
	return nil
}

// InterruptCalls ends the calls to the machines that have index and pages.
func (s *Table) InterruptCalls() {
	s.place.interrupt()
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.Pages.(remotePages); ok {
		p.Interrupt()
	}
}

// ExaminePages returns an error if the pages are not those that were opened, or
// another daemon has taken them over.
func (s *Table) ExaminePages(ctx context.Context) error {
	s.mu.Lock()
	p, ok := s.Pages.(remotePages)
	s.mu.Unlock()
	if !ok {
		return nil
	}
	return p.Examine(ctx)
}

// recordedPages are pages whose writes a move gets. Put and Delete are those of passes
// and reindexes.
type recordedPages struct {
	Pages
	recorder *move.Recorder
}

// Put implements sink.Pages.
func (p recordedPages) Put(pages []doc.Page) error {
	defer func() { p.recorder.Note(doc.OIDs(pages)...) }()
	return p.Pages.Put(pages)
}

// Delete implements sink.Pages.
func (p recordedPages) Delete(gone []doc.Removal) error {
	defer func() {
		for _, g := range gone {
			p.recorder.Note(g.OID)
		}
	}()
	return p.Pages.Delete(gone)
}

// Ask reads a row that no table has.
func (p *PageStore) Ask(ctx context.Context) error {
	s, err := p.open()
	if err != nil || s == nil {
		return err
	}
	_, err = s.Read(ctx, []string{"reach"}, "", 1)
	return err
}
