package leader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/state/etcd"
)

// errWithdrawn ends a campaign of a daemon that must not lead. It can begin another one.
var errWithdrawn = errors.New("this daemon must not lead")

// Lead waits until this daemon leads. newcomer is as in begin.
func (s *Shared) Lead(ctx context.Context, newcomer bool) error {
	for {
		err := s.campaign(ctx, newcomer)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case errors.Is(err, etcd.ErrFormat):
			s.judge(err.Error())
			continue
		case errors.Is(err, errWithdrawn):
			continue
		case !errors.Is(err, etcd.ErrAway) && !errors.Is(err, etcd.ErrLost):
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (s *Shared) campaign(ctx context.Context, newcomer bool) error {
	m, _ := s.Described()
	session, err := s.Client.Join(ctx, m)
	if err != nil {
		return err
	}
	term, err := s.stand(ctx, session)
	if err == nil {
		err = s.begin(ctx, term, newcomer)
	}
	if err != nil {
		return errors.Join(err, leave(session))
	}
	return nil
}

// stand waits for an election while the daemon is fit to lead, and shows the members why it
// is not. A session that may have won never waits for that: it ends.
func (s *Shared) stand(ctx context.Context, session *etcd.Session) (*etcd.Term, error) {
	for stood := false; ; {
		m, changed := s.Described()
		if err := session.Describe(ctx, m); err != nil {
			return nil, err
		}
		if m.Unfit != "" && stood {
			return nil, errWithdrawn
		}
		if m.Unfit != "" {
			select {
			case <-changed:
				continue
			case <-session.Lost():
				return nil, session.Err()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		stood = true
		until, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-changed:
				stop()
			case <-until.Done():
			}
		}()
		s.yield(until)
		term, err := session.Campaign(until)
		stop()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			return term, err
		}
	}
}

// YieldFor is how long a leader that has stepped down leaves the election to others, from
// the end of its term: a standby that lives watches the election, and needs a moment. Then
// the one that has stepped down leads again.
const YieldFor = 2 * time.Second

// yield waits until another daemon leads, if this one has stepped down a moment ago.
func (s *Shared) yield(ctx context.Context) {
	s.mu.Lock()
	end := s.yielding
	s.mu.Unlock()
	for time.Now().Before(end) {
		if _, led, err := s.Client.Leader(ctx); led || err != nil {
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}

// begin begins a term. It returns errWithdrawn if the daemon that led last had another
// configuration. A newcomer leads all the same: its user has started it just now.
func (s *Shared) begin(ctx context.Context, term *etcd.Term, newcomer bool) error {
	values, err := s.Client.Read(ctx, "place/")
	if err != nil {
		return err
	}
	moved := movedAway(s.Client.Prefix, values)
	if moved != nil && newcomer {
		return moved
	}
	if why := s.differs(values); why != "" && !newcomer {
		s.judge(why)
		return errWithdrawn
	}
	if string(values["last"]) != s.ID {
		if err := RemoveProgress(s.data); err != nil {
			return err
		}
	}
	owner, err := datadir.Owner(s.data)
	if err != nil {
		return err
	}
	if known := string(values["owner"]); known != "" {
		owner = known
	}
	if err := term.Write(map[string][]byte{"place/last": []byte(s.ID), "place/owner": []byte(owner)}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.led, s.owner = term, owner
	s.takeovers.Add(1)
	return nil
}

// RemoveProgress removes the files of loads and sweeps under way.
func RemoveProgress(data string) error {
	for _, name := range []string{"load", "sweep", "sweep.*"} {
		files, err := filepath.Glob(filepath.Join(data, "*", name))
		for _, file := range files {
			err = errors.Join(err, os.Remove(file))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// YieldFirst makes the campaign after the term wait until another daemon leads.
func (s *Shared) YieldFirst() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yields = true
}

// Replaceable reports whether another daemon may lead, reaches everything and lives. If
// that one has just died, it takes until its lease is over.
func (s *Shared) Replaceable(ctx context.Context, term *etcd.Term) bool {
	members, err := s.Client.Members(ctx)
	for id, m := range members {
		if err == nil && id != term.Leader.Session && m.Unfit == "" && m.Unreached == "" {
			if alive, err := s.Client.Alive(ctx, id); err == nil && alive {
				return true
			}
		}
	}
	return false
}

// Confirm makes etcd confirm the term, with the configuration of the daemon that leads.
func (s *Shared) Confirm(cfg *configs.Config) error {
	term := s.Term()
	if term == nil {
		return fmt.Errorf("%w: it is the standby", etcd.ErrLost)
	}
	return term.Write(map[string][]byte{"place/configuration": []byte(Fingerprint(cfg))})
}

// OwnerID returns the id by which index and pages know the daemons.
func (s *Shared) OwnerID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// moveAddress is what a move or a restore shows as the address of a leader. One that was
// killed leads until its lease expires.
const moveAddress = "indexerd move or restore"

// LeadToMove takes the term for a move or a restore of the marks at a place. No daemon leads
// as long as it takes.
func (s *Shared) LeadToMove(ctx context.Context, place string) error {
	ctx, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	leader, led, err := s.Client.Leader(ctx)
	if err != nil {
		return err
	}
	if led && leader.Address != moveAddress {
		return fmt.Errorf("%s (%s) leads with the marks in %s: stop all daemons, and run the command again", leader.Name, leader.Address, place)
	}
	s.Describe(func(d *etcd.Member) { d.Address, d.Unreached = moveAddress, "" })
	member, _ := s.Described()
	session, err := s.Client.Join(ctx, member)
	if err != nil {
		return err
	}
	term, err := session.Campaign(ctx)
	if err != nil {
		return errors.Join(err, leave(session))
	}
	s.led = term
	return nil
}
