package daemon

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/recovered"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/internal/state/etcd"
	"indexerd/store"
)

// openToRun opens the engine of a daemon that starts: read-only where the disk
// takes no writes, the cluster does not answer, or another daemon leads. It waits
// while etcd does not answer.
func openToRun(ctx context.Context, cfg *configs.Config, log *slog.Logger, connect connector) (*Engine, error) {
	lock, err := datadir.Lock(cfg)
	if err != nil {
		return nil, err
	}
	for {
		e, err := openHeld(ctx, cfg, lock, connect)
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, etcd.ErrAway) || ctx.Err() != nil {
			return nil, errors.Join(err, lock.Release())
		}
		log.Error("indexerd waits for etcd", "error", configs.Message(err))
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// A connector returns what a process holds of a configuration beside the lock.
type connector func(context.Context, *configs.Config) (holding, error)

// connectShared connects to what daemons share, if the configuration has its marks there.
func connectShared(ctx context.Context, cfg *configs.Config) (h holding, err error) {
	if h.shared, err = leader.Connect(ctx, cfg); err == nil && h.shared != nil {
		h.shared.Describe(func(m *etcd.Member) { m.Version = release.Version })
	}
	return h, err
}

// openHeld is openToRun for a daemon that holds the lock of its data directory, also after
// an error.
func openHeld(ctx context.Context, cfg *configs.Config, lock *store.FileLock, connect connector) (*Engine, error) {
	h, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	h.lock = lock
	e, err := openToLead(ctx, cfg, h)
	if err == nil {
		return e, nil
	}
	fault := err
	if datadir.IsDiskFault(err) || stored.IsAway(err) || errors.As(err, new(*leader.StandbyError)) {
		if e, err = openLocked(cfg, h, fault); err == nil {
			e.blame(fault)
			return e, nil
		}
		err = errors.Join(fault, err)
	}
	if h.shared != nil {
		err = errors.Join(err, h.shared.Close())
	}
	return nil, err
}

// openToLead opens the engine to write. The error is a standbyError if another daemon leads.
func openToLead(ctx context.Context, cfg *configs.Config, h holding) (e *Engine, err error) {
	if err = datadir.Probe(cfg.Data, datadir.StartSize); err == nil && h.shared != nil {
		if err = h.shared.LeadUnlessLed(ctx); err == nil && h.shared.Term() == nil {
			err = h.shared.Standby(ctx)
		}
	}
	if err == nil {
		err = h.carryOutReloads(cfg)
	}
	if err == nil {
		e, err = openLocked(cfg, h, nil)
	}
	if h.shared.IsDeposed(err) { // while it opened
		if err = h.shared.Resign(); err == nil {
			err = h.shared.Standby(ctx)
		}
	}
	return e, err
}

// Open takes the data directory for this process alone, removes what a crash has
// left of a backup, and opens what is stored. It fails with store.ErrLocked where
// a daemon has the directory.
func Open(cfg *configs.Config) (*Engine, error) {
	h, err := holdToWrite(cfg)
	if err != nil {
		return nil, err
	}
	return openOrRelease(cfg, h, nil)
}

// OpenReadOnly opens what is stored beside others that read it. It changes
// nothing in the data directory.
func OpenReadOnly(cfg *configs.Config) (*Engine, error) {
	lock, err := store.LockShared(datadir.LockFile(cfg))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stored.OpenWithin)
	defer cancel()
	h, err := connectShared(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	h.lock = lock
	return openOrRelease(cfg, h, atomicfile.ErrReadOnly)
}

// openOrRelease is openLocked, and releases what is held on error.
func openOrRelease(cfg *configs.Config, h holding, frozen error) (*Engine, error) {
	e, err := openLocked(cfg, h, frozen)
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return e, nil
}

// openLocked opens the data directory for a caller that already holds its lock.
// On error the caller still holds it. frozen, if any, is why nothing may be
// written: then what is stored is opened read-only, which needs no room.
func openLocked(cfg *configs.Config, h holding, frozen error) (*Engine, error) {
	return openShown(cfg, h, frozen, stages{waits: func(string) {}, made: func(*Engine) error { return nil }})
}

// openShown is openLocked, and shows how far it has come.
func openShown(cfg *configs.Config, h holding, frozen error, at stages) (*Engine, error) {
	h.shared.Configured(cfg)
	if frozen == nil {
		at.waits(stored.WaitIndex)
		if err := h.takeOver(cfg); err != nil {
			return nil, err
		}
	}
	at.waits(stored.WaitMarks)
	trace, err := h.shared.OpenTrace(cfg, frozen != nil)
	if err != nil {
		return nil, err
	}
	owner, err := h.shared.OwnerOf(cfg, frozen != nil)
	if err != nil {
		return nil, err
	}
	e := newEngine(cfg, trace)
	e.holding, e.frozen = h, frozen
	e.pageStore.ConnectOver(h.over)
	for _, t := range e.tables {
		t.ReadOnly, t.Owner, t.Shared, t.Over = frozen != nil, owner, h.shared, h.over
	}
	e.waitFor(stored.WaitTables)
	if err = at.made(e); err == nil {
		err = e.openTables()
	}
	if err != nil {
		return nil, errors.Join(err, e.closeStored())
	}
	return e, nil
}

// openTables opens what is stored of the tables.
func (e *Engine) openTables() error {
	var opening errgroup.Group
	opening.SetLimit(openedAtOnce)
	for _, t := range e.tables {
		opening.Go(func() (err error) {
			defer recovered.Into(&err)
			defer t.WaitFor("")
			_, err = t.OpenStored()
			return err
		})
	}
	return opening.Wait()
}

// openedAtOnce is how many tables are opened at once: opening mostly waits for the
// disk.
const openedAtOnce = 16

// stages show how far the opening of an engine has come.
type stages struct {
	waits func(what string)   // before there is an engine
	made  func(*Engine) error // with the marks, and nothing open
}
