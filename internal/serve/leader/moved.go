package leader

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
)

// MovedKey says, in etcd, that the marks there don't count: "from ID" until all marks of
// that data directory are in etcd, "to ID" since they are moved to its file, and "restore to
// ID" until a backup is restored.
const MovedKey = "place/moved"

// checkMarksShared returns a fault where marks in etcd do not count, or those in the file of
// the data directory do.
func (s *Shared) checkMarksShared(ctx context.Context, cfg *configs.Config) error {
	place, err := datadir.RecordedMarks(cfg.Data)
	if err != nil {
		return err
	}
	if place == datadir.InFile {
		return cfg.Fault("marks", cfg.Data+" has the marks in a file", datadir.DoMove)
	}
	if err := datadir.CutRestore(cfg, place); err != nil {
		return err
	}
	values, err := s.Client.Read(ctx, "place/")
	if err != nil {
		return err
	}
	if err := movedAway(s.Client.Prefix, values); err != nil {
		return err
	}
	if place == datadir.MarksName(cfg.Marks) {
		return nil
	}
	return datadir.RecordMarks(cfg.Data, datadir.MarksName(cfg.Marks))
}

// A MovedError is why marks in etcd don't count.
type MovedError struct {
	Prefix string
	Cut    bool // before all of them were there

	Restored bool // a restore was cut, or is under way
}

func (e *MovedError) Error() string {
	if e.Restored {
		return fmt.Sprintf("a restore to etcd, %s, was cut, or is under way: %s", e.Prefix, datadir.DoRestore)
	}
	if e.Cut {
		return fmt.Sprintf("a move of the marks to etcd, %s, was cut: run the same `indexerd move` again", e.Prefix)
	}
	return fmt.Sprintf("the marks were moved from etcd, %s, to a file, or a move there was cut: run the same `indexerd move` again, or start indexerd with the configuration of that file", e.Prefix)
}

// movedAway returns a *MovedError if the marks beside these values of place don't count.
func movedAway(prefix string, place map[string][]byte) error {
	moved := string(place["moved"])
	if moved == "" {
		return nil
	}
	return &MovedError{prefix, strings.HasPrefix(moved, datadir.MoveFrom), strings.HasPrefix(moved, datadir.RestoreTo)}
}

// TryMarks returns why marks can't be read, or don't count; nil if they can.
func TryMarks(ctx context.Context, cfg *configs.Config) error {
	if !cfg.Marks.Shared() {
		return datadir.CheckMarks(cfg)
	}
	client, err := EtcdConfig(cfg.Marks).Open(ctx)
	if err != nil {
		return err
	}
	values, err := client.Read(ctx, "place/")
	if err = errors.Join(err, client.Close()); err == nil {
		err = movedAway(cfg.Marks.Prefix, values)
	}
	if err != nil {
		return err
	}
	place, err := datadir.RecordedMarks(cfg.Data)
	if err != nil || place == datadir.InFile {
		return errors.Join(err, cfg.Fault("marks", cfg.Data+" has the marks in a file", datadir.DoMove))
	}
	return datadir.CutRestore(cfg, place)
}

// IsMoved reports whether an error means that the marks are in another place, or on the way.
func IsMoved(err error) bool {
	return errors.As(err, new(*MovedError)) || errors.As(err, new(configs.Fault))
}
