package daemon

import (
	"context"
	"errors"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/store"
	"indexerd/timetrace"
)

// A holding is what a process has of a data directory through all its engines: the lock,
// and what it shares with the daemons of other data directories.
type holding struct {
	lock   *store.FileLock
	shared *shared // nil: marks are below data
}

func (h holding) release() error {
	var err error
	if h.shared != nil {
		err = h.shared.close()
	}
	return errors.Join(err, h.lock.Release())
}

// holdToWrite takes the data directory for a command that writes. Where marks are shared
// it leads for as long as the command takes; it fails if another daemon leads.
func holdToWrite(cfg *configs.Config) (h holding, err error) {
	if h.lock, err = lockToWrite(cfg); err != nil {
		return h, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWithin)
	defer cancel()
	if h.shared, err = connect(ctx, cfg); err != nil {
		return h, errors.Join(err, h.lock.Release())
	}
	if h.shared == nil {
		return h, nil
	}
	if err = h.shared.leadUnlessLed(ctx); err == nil && h.shared.term() == nil {
		err = h.shared.standby(ctx)
	}
	if err != nil {
		return h, errors.Join(err, h.release())
	}
	return h, nil
}

// openTrace opens the marks.
func (h holding) openTrace(cfg *configs.Config, readOnly bool) (*timetrace.Trace, error) {
	if h.shared != nil {
		return timetrace.OpenIn(h.shared.opened("marks/", readOnly))
	}
	if err := checkMarksFile(cfg); err != nil {
		return nil, err
	}
	fsys := atomicfile.OS
	if readOnly {
		fsys = atomicfile.ReadOnly(fsys)
	}
	return timetrace.Open(fsys, cfg.Data)
}

// ownerOf returns the id by which index and pages know the daemon.
func (h holding) ownerOf(cfg *configs.Config, readOnly bool) (string, error) {
	if h.shared == nil {
		return ownerOf(cfg, readOnly)
	}
	return h.shared.ownerID(), nil
}
