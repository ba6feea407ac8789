package daemon

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"indexerd/configs"
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
		h.shared.Describe(func(m *etcd.Member) { m.Version = Version })
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
		e, err = openLocked(cfg, h, nil)
	}
	if h.shared.IsDeposed(err) { // while it opened
		if err = h.shared.Resign(); err == nil {
			err = h.shared.Standby(ctx)
		}
	}
	return e, err
}
