package daemon

import (
	"context"
	"errors"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/store"
)

// A holding is what a process has of a data directory through all its engines: the lock,
// and what it shares with the daemons of other data directories.
type holding struct {
	lock   *store.FileLock
	shared *leader.Shared      // nil: marks are below data
	over   *stored.Connections // nil: those of the configuration
}

func (h holding) release() error {
	var err error
	if h.shared != nil {
		err = h.shared.Close()
	}
	return errors.Join(err, h.lock.Release())
}

// holdToWrite takes the data directory for a command that writes. Where marks are shared
// it leads for as long as the command takes; it fails if another daemon leads.
func holdToWrite(cfg *configs.Config) (h holding, err error) {
	lock, err := datadir.Lock(cfg)
	if err != nil {
		return h, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stored.OpenWithin)
	defer cancel()
	if h, err = connectShared(ctx, cfg); err != nil {
		return h, errors.Join(err, lock.Release())
	}
	h.lock = lock
	if h.shared == nil {
		return h, nil
	}
	if err = h.shared.LeadUnlessLed(ctx); err == nil && h.shared.Term() == nil {
		err = h.shared.Standby(ctx)
	}
	if err != nil {
		return h, errors.Join(err, h.release())
	}
	return h, nil
}
