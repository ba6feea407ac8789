package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/state/etcd"
)

// A StandbyError is why an engine is read-only whose daemon does not lead.
type StandbyError struct {
	leader etcd.Leader
	unfit  string // why it must not lead; "": it may
}

func (e *StandbyError) Error() string {
	if e.unfit != "" {
		return "this daemon does not lead: " + e.unfit
	}
	if e.leader.Term == 0 {
		return "no daemon leads, and this one waits for its turn"
	}
	return fmt.Sprintf("the daemon on %s (%s) leads since %s", e.leader.Name, e.leader.Address, e.leader.Since.Format(time.RFC3339))
}

// Standby returns why this daemon does not lead.
func (s *Shared) Standby(ctx context.Context) error {
	leader, _, err := s.Client.Leader(ctx)
	if err != nil && !errors.Is(err, etcd.ErrAway) {
		return err
	}
	m, _ := s.Described()
	return &StandbyError{leader, m.Unfit}
}

// LeadUnlessLed begins to lead if no daemon does, and the keys are not of a later version.
// Otherwise term returns nil.
func (s *Shared) LeadUnlessLed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	if err := s.Client.CheckFormat(ctx); errors.Is(err, etcd.ErrFormat) {
		s.judge(err.Error())
		return nil
	}
	if _, led, err := s.Client.Leader(ctx); led || err != nil {
		return passing(err)
	}
	return passing(s.Lead(ctx, true))
}

// leadWithin limits how long a start waits for an election.
const leadWithin = 10 * time.Second

// passing returns nil for errors after which a daemon stands by.
func passing(err error) error {
	if errors.Is(err, etcd.ErrAway) || errors.Is(err, etcd.ErrLost) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// KnownOwner is ownerOf for a command that holds nothing.
func KnownOwner(ctx context.Context, cfg *configs.Config) (string, error) {
	if !cfg.Marks.Shared() {
		return datadir.OwnerOf(cfg, true)
	}
	client, err := EtcdConfig(cfg.Marks).Open(ctx)
	if err != nil {
		return "", err
	}
	values, err := client.Read(ctx, "place/")
	return string(values["owner"]), errors.Join(err, client.Close())
}
