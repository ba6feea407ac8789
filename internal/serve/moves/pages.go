// Package moves moves what a data directory has to another place: pages to another
// store, while a daemon runs or without one, marks from a file to etcd or back, and a
// backup into an empty data directory. Each move can be cut anywhere and continues
// when it is called again; until its last step the old place counts.
package moves

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/pages/move"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/stored"
	"indexerd/store"
)

// A Moved is the result of a move of one table.
type Moved struct {
	Table    string
	From, To string // names of stores
	move.Counts
	Took time.Duration
}

// Pages copies the pages of all tables that are loaded from the store of one
// configuration to that of another one. It fails with store.ErrLocked while a daemon has
// the data directory, and with ErrPagesElsewhere where the pages are not in the first
// store. A table is said to have its pages in the other store when all of
// them were compared: ended before that, a table is as it was, and the move continues
// when it is called again. The meter counts the pages.
func Pages(ctx context.Context, from, to *configs.Config, meter *progress.Meter, each func(Moved)) (err error) {
	if err := movable(from, to); err != nil {
		return err
	}
	lock, err := datadir.Lock(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	trace, err := datadir.OpenTrace(to, false)
	if err != nil {
		return err
	}
	sources, sourceStore := stored.NewAll(from, trace)
	targets, targetStore := stored.NewAll(to, trace)
	defer func() { err = errors.Join(err, sourceStore.Close(), targetStore.Close()) }()
	owner, err := datadir.OwnerOf(to, false)
	if err == nil && from.PageStore.Remote() {
		owner, err = datadir.OwnerOf(from, false)
	}
	if err != nil {
		return err
	}
	for _, t := range targets {
		marks, ok := trace.Table(t.Conf.Name)
		source := named(sources, t.Conf.Name)
		if !ok || !marks.Loaded || source == nil {
			continue
		}
		source.Owner, t.Owner = owner, owner
		moved, err := movePages(ctx, source, t, meter)
		if err != nil {
			return fmt.Errorf("move the pages of %s: %w", t.Conf.Name, err)
		}
		each(moved)
	}
	return nil
}

// sameData returns a fault if two configurations have different data directories.
func sameData(from, to *configs.Config) error {
	a, err := filepath.Abs(from.Data)
	if err != nil {
		return err
	}
	b, err := filepath.Abs(to.Data)
	if err == nil && a != b {
		err = to.Fault("data", fmt.Sprintf("%s is not the data directory of %s", to.Data, from.File), "write the same data directory")
	}
	return err
}

// movable returns why the pages can't be moved from one configuration to the other.
func movable(from, to *configs.Config) error {
	if err := sameData(from, to); err != nil {
		return err
	}
	switch {
	case from.Marks.Shared() || to.Marks.Shared():
		return to.Fault("marks", "pages are moved while marks are in the file", "move the marks to the file with `indexerd move`, then the pages, and then the marks back")
	case from.PageStore.Name() == to.PageStore.Name():
		return to.Fault("pages", "the pages are where those of "+from.File+" are", "write the store that the pages are to be moved to")
	}
	return nil
}

// ErrPagesElsewhere reports that the pages are not in the store that they are to be moved
// from, as after a move.
var ErrPagesElsewhere = errors.New("the pages are in")

// named returns what is stored of a table; nil if it is not among them.
func named(all []*stored.Table, table string) *stored.Table {
	for _, s := range all {
		if s.Conf.Name == table {
			return s
		}
	}
	return nil
}

// movePages moves the pages of one table.
func movePages(ctx context.Context, from, to *stored.Table, meter *progress.Meter) (moved Moved, err error) {
	moved = Moved{Table: to.Conf.Name, From: from.Config.PageStore.Name(), To: to.Config.PageStore.Name()}
	began := time.Now()
	was, err := to.RecordedStore()
	if err != nil {
		return moved, err
	}
	if was != "" && was != moved.From {
		if was == moved.To {
			return moved, fmt.Errorf("%w %s already: start indexerd with %s", ErrPagesElsewhere, was, to.Config.File)
		}
		return moved, fmt.Errorf("%w %s and not in %s: name a configuration with that store after --from", ErrPagesElsewhere, was, moved.From)
	}
	if err := to.WriteStore(moved.From); err != nil { // a data directory of an earlier release has no name
		return moved, err
	}
	source, err := from.PagesToRead()
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := to.PagesToFill(ctx)
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	total := int64(progress.Unknown)
	if files, ok := source.(*store.FileMap); ok {
		total = int64(files.Stats().Pages)
	}
	moved.Counts, err = move.Copy{
		From: source, To: target, Versions: max(to.Conf.Pages.Versions, 1),
		Damaged: stored.IsDamaged,
		Table:   to.Conf.Name, Meter: meter, Total: total,
	}.Run(ctx)
	if err == nil {
		err = to.SettleMove(moved.To, moved.Counts)
	}
	moved.Took = time.Since(began)
	return moved, err
}
