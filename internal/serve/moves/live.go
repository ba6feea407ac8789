package moves

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"syscall"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/pages/move"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
	"indexerd/store"
	"indexerd/timetrace"
)

// A Live moves the pages of all loaded tables while the daemon runs. copy copies
// and compares them while passes run. Then the order of the move ends the engine, so
// that nothing writes: finish copies and compares the last pages while searches are
// still answered, and makes durable that the pages are in the other store. The next
// engine has them there. Until finish has written the first data/TABLE/pages.store,
// nothing has changed for the configuration of the daemon.
type Live struct {
	cfg    *configs.Config // of the engine that has the pages
	trace  *timetrace.Trace
	from   []*stored.Table
	other  *configs.Config // with the other store
	to     []*stored.Table
	store  *stored.PageStore // the other one
	cancel context.CancelCauseFunc
	tables []*tableMove // set by copy

	mu sync.Mutex // guards what the tables have opened
}

// A tableMove is the move of one table.
type tableMove struct {
	from, to *stored.Table
	live     move.Live
	opened   []stored.MovedPages
	began    time.Time
}

// ErrCut is why the copy of a move ended with its engine. The order of the move stays, and
// the next engine copies again.
var ErrCut = errors.New("indexerd opens its storage again, and then continues the move: run the command again to follow it")

// NewLive returns a move of what is stored to the store of another configuration. Its
// copy ends with the context that it returns.
func NewLive(ctx context.Context, is, to *configs.Config, trace *timetrace.Trace, from []*stored.Table) (context.Context, *Live) {
	m := &Live{cfg: is, trace: trace, from: from, other: to}
	m.to, m.store = stored.NewAll(to, trace)
	ctx, m.cancel = context.WithCancelCause(ctx)
	return ctx, m
}

// LoadTarget reads the configuration of a move, and returns a fault if the pages can't
// be moved to its store.
func LoadTarget(r httpapi.MoveRequest, is *configs.Config, getenv func(string) (string, bool)) (*configs.Config, error) {
	if err := checkTrusted(r.Config); err != nil {
		return nil, err
	}
	to, err := configs.Load(r.Config, getenv)
	if err != nil {
		return nil, err
	}
	now := is.PageStore.Name()
	switch {
	case sameData(is, to) != nil:
		return nil, sameData(is, to)
	case now == to.PageStore.Name():
		return nil, fmt.Errorf("%w %s already: put %s in the place of the configuration of the daemon", ErrPagesElsewhere, now, to.File)
	case now != r.From:
		return nil, fmt.Errorf("%w %s and not in %s: name a configuration with that store after --from", ErrPagesElsewhere, now, r.From)
	}
	return to, movable(is, to)
}

// checkTrusted returns an error if users beside root and that of the daemon can have
// written a file: a caller of the API names it.
func checkTrusted(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o002 != 0 || !ok || owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: the daemon reads only a file that root or its own user has, and that others can't write: change its owner or mode", file)
	}
	return nil
}

// Copy copies the pages while they are written. The meter counts them.
func (m *Live) Copy(ctx context.Context, meter *progress.Meter) error {
	for _, to := range m.to {
		from := named(m.from, to.Conf.Name)
		if marks, ok := m.trace.Table(to.Conf.Name); ok && marks.Loaded && from != nil && from.IsOpen() {
			m.tables = append(m.tables, &tableMove{from: from, to: to, began: time.Now()})
		}
	}
	if m.tables == nil {
		return errors.New("no table is loaded: wait until status shows one")
	}
	defer m.interrupt(ctx)()
	for _, t := range m.tables {
		err := m.openTable(ctx, t)
		if err == nil {
			t.live.Table, t.live.Meter, t.live.Total = t.to.Conf.Name, meter, int64(t.from.CountDocuments())
			err = t.live.Run(ctx)
		}
		if err != nil {
			return fmt.Errorf("move the pages of %s: %w", t.to.Conf.Name, err)
		}
	}
	return ctx.Err()
}

// interrupt has calls to other machines fail when ctx ends: a store that hangs delays
// no end. stop ends that.
func (m *Live) interrupt(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, t := range m.tables {
			for _, p := range t.opened {
				if p, ok := p.(*pagetable.Pages); ok {
					p.Interrupt()
				}
			}
		}
	})
}

// openTable opens both stores of a table, unless ctx has ended.
func (m *Live) openTable(ctx context.Context, t *tableMove) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.open(ctx, m.trace)
}

// open opens both stores of a table. Pages in files are open once in a process, so the
// move reads those that the engine has.
func (t *tableMove) open(ctx context.Context, trace *timetrace.Trace) (err error) {
	remote := t.from.Config.PageStore.Remote()
	if t.to.Owner = t.from.Owner; !remote {
		if t.to.Owner, err = datadir.OwnerOf(t.to.Config, false); err != nil {
			return err
		}
	}
	t.live = move.Live{
		Copy:     move.Copy{From: listedOnce(t.from.Pages), Versions: max(t.from.Conf.Pages.Versions, 1), Damaged: stored.IsDamaged},
		Recorder: t.from.Recorder, Gone: stored.IsGone,
	}
	if remote { // the engine's own are interrupted at its end
		source, err := t.from.PagesToRead()
		if err != nil {
			return err
		}
		t.live.From, t.opened = source, append(t.opened, source)
	}
	target, err := t.to.PagesToFill(ctx)
	if err != nil {
		return err
	}
	t.live.To, t.opened = target, append(t.opened, target)
	if p, ok := target.(*pagetable.Pages); ok {
		t.live.To = reservingPages{p, func() uint64 {
			marks, _ := trace.Table(t.to.Conf.Name)
			return marks.Numbers
		}}
	}
	return nil
}

// listedOnce returns the pages, of which a list ends however fast they are written: what
// is written meanwhile is noted.
func listedOnce(p stored.Pages) move.Pages {
	if files, ok := p.(*store.FileMap); ok {
		return presentPages{files}
	}
	return p
}

type presentPages struct{ *store.FileMap }

// All implements move.Pages.
func (p presentPages) All() iter.Seq2[doc.Meta, error] { return p.Present() }

// reservingPages reserve the numbers of pages that are copied while more are reserved.
type reservingPages struct {
	*pagetable.Pages
	reserved func() uint64
}

// Put implements move.Pages.
func (p reservingPages) Put(pages []doc.Page) error {
	for i := range pages {
		if uint64(pages[i].V) > p.Numbers() {
			if err := p.Reserve(p.reserved()); err != nil {
				return err
			}
		}
	}
	return p.Pages.Put(pages)
}

// Cut ends the copy with its engine.
func (m *Live) Cut() { m.cancel(ErrCut) }

// Next returns the configuration of the next engine. It fails if another engine has
// begun since the copy.
func (m *Live) Next(now *configs.Config, trace *timetrace.Trace) (*configs.Config, error) {
	if m.trace != trace {
		return nil, ErrCut
	}
	cfg := *now
	cfg.PageStore, cfg.Bloom = m.other.PageStore, m.other.Bloom
	return &cfg, nil
}

// Finish copies what was written since, when nothing writes any more, and makes durable
// that the pages are in the other store. After an error they are in the store that they
// were in. The other store is closed.
func (m *Live) Finish(ctx context.Context) (r httpapi.MoveResult, err error) {
	defer m.interrupt(ctx)()
	var all []Moved
	for _, t := range m.tables {
		one := Moved{Table: t.to.Conf.Name, From: m.cfg.PageStore.Name(), To: t.to.Config.PageStore.Name()}
		if one.Counts, err = t.live.Finish(ctx); err != nil {
			return r, errors.Join(fmt.Errorf("move the pages of %s: %w", one.Table, err), m.Close())
		}
		one.Took = time.Since(t.began)
		all = append(all, one)
	}
	if err := m.Close(); err != nil {
		return r, err
	}
	r.Config = m.cfg.File
	for i, t := range m.tables {
		if err := t.to.SettleMove(all[i].To, all[i].Counts); err != nil {
			return r, errors.Join(fmt.Errorf("move the pages of %s: %w", all[i].Table, err), m.Undo())
		}
		r.Tables = append(r.Tables, all[i].result())
	}
	return r, nil
}

// Undo makes durable that the pages are in the store that they were in. No engine has
// written to the other one.
func (m *Live) Undo() error {
	var errs []error
	for _, t := range m.tables {
		errs = append(errs, t.from.WriteStore(m.cfg.PageStore.Name()))
	}
	return errors.Join(errs...)
}

// Close closes what the move has opened, and ends recording.
func (m *Live) Close() error {
	m.cancel(nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, t := range m.tables {
		t.from.Recorder.Stop()
		for _, p := range t.opened {
			errs = append(errs, p.Close())
		}
		t.opened = nil
	}
	return errors.Join(append(errs, m.store.Close())...)
}

// result is the result of one table for callers.
func (m Moved) result() httpapi.MovedTable {
	return httpapi.MovedTable{
		Table: m.Table, From: m.From, To: m.To, Pages: m.Pages, Copied: m.Copied, Removed: m.Removed,
		Damaged: m.Damaged, Differ: m.Differ, TookS: m.Took.Seconds(),
	}
}
