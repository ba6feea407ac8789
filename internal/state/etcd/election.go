package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A Leader is the daemon that works.
type Leader struct {
	Member
	Term  uint64    `json:"term"`
	Since time.Time `json:"since"` // by its own clock

	Session string `json:"-"` // its id among the members
}

// A standing is what elections have left.
type standing struct {
	leader       *mvccpb.KeyValue // nil: none
	term         uint64
	termChanged  int64 // revision; 0: there was no election
	formatted    int64 // revision of format; 0: none
	foreign      error // ErrFormat if a later version has written it
	revision     int64 // at which this was read
	leaderParsed Leader
}

// standing reads what elections have left, in one transaction.
func (c *Client) standing(ctx context.Context) (s standing, err error) {
	answer, err := within(ctx, c.patience(), func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return c.client.Txn(ctx).Then(clientv3.OpGet(c.key("leader")), clientv3.OpGet(c.key("term")), clientv3.OpGet(c.key("format"))).Commit()
	})
	if err != nil {
		return s, err
	}
	s.revision = answer.Header.Revision
	if s.leader = only(answer, 0); s.leader != nil {
		if err := json.Unmarshal(s.leader.Value, &s.leaderParsed); err != nil {
			return s, fmt.Errorf("%s: %w", c.key("leader"), err)
		}
		s.leaderParsed.Session = strconv.FormatInt(s.leader.Lease, 16)
	}
	if term := only(answer, 1); term != nil {
		s.termChanged = term.ModRevision
		if s.term, err = strconv.ParseUint(string(term.Value), 10, 64); err != nil {
			return s, fmt.Errorf("%s: %w", c.key("term"), err)
		}
	}
	if format := only(answer, 2); format != nil {
		s.formatted = format.ModRevision
		if got, err := strconv.Atoi(string(format.Value)); err != nil || got > formatNumber {
			s.foreign = fmt.Errorf("%w: %s is %q, this version writes %s: update indexerd on this host", ErrFormat, c.key("format"), format.Value, Format)
		}
	}
	return s, nil
}

// only returns the key that a Get of a transaction has found; nil: none.
func only(answer *clientv3.TxnResponse, i int) *mvccpb.KeyValue {
	if found := answer.Responses[i].GetResponseRange().Kvs; len(found) > 0 {
		return found[0]
	}
	return nil
}

// Leader returns the leader, and reports whether there is one.
func (c *Client) Leader(ctx context.Context) (Leader, bool, error) {
	s, err := c.standing(ctx)
	if err != nil {
		return Leader{}, false, fmt.Errorf("read the leader: %w", err)
	}
	return s.leaderParsed, s.leader != nil, nil
}

// CheckFormat returns ErrFormat if a later version of indexerd has led. This version then
// can read marks, but not lead.
func (c *Client) CheckFormat(ctx context.Context) error {
	s, err := c.standing(ctx)
	if err != nil {
		return fmt.Errorf("read the format: %w", err)
	}
	return s.foreign
}

// Members returns the daemons that run, by the ids of their sessions.
func (c *Client) Members(ctx context.Context) (map[string]Member, error) {
	under := c.key("members/")
	found, err := within(ctx, c.patience(), func(ctx context.Context) (*clientv3.GetResponse, error) {
		return c.client.Get(ctx, under, clientv3.WithPrefix())
	})
	if err != nil {
		return nil, fmt.Errorf("read the members: %w", err)
	}
	members := map[string]Member{}
	for _, kv := range found.Kvs {
		var m Member
		if err := json.Unmarshal(kv.Value, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", kv.Key, err)
		}
		members[strings.TrimPrefix(string(kv.Key), under)] = m
	}
	return members, nil
}

// A Term is the right to work, from an election until its session is lost.
type Term struct {
	*Session
	Leader  Leader
	created int64 // revision at which the key leader was made

	one  chan struct{} // held by the transaction that is under way
	done uint64        // transactions
	last string        // value of the key writes after them
}

// First is below all numbers of the term, and above those of all terms before.
func (t *Term) First() uint64 { return t.Leader.Term << NumberBits }

// Campaign waits until the daemon leads. It returns an error if ctx ends, the session is
// lost, or this version can't lead; while etcd does not answer it waits.
func (s *Session) Campaign(ctx context.Context) (*Term, error) {
	for {
		if err := s.Err(); err != nil {
			return nil, err
		}
		now, err := s.client.standing(ctx)
		if err == nil && now.leader == nil {
			err = s.run(ctx, now)
		} else if err == nil && now.leader.Lease == int64(s.lease) {
			t := &Term{Session: s, Leader: now.leaderParsed, created: now.leader.CreateRevision, one: make(chan struct{}, 1)}
			t.last = writes(t.Leader.Term, 0, "")
			return t, nil
		} else if err == nil {
			s.waitForEnd(ctx, now.revision)
		}
		if errors.Is(err, ErrAway) {
			err = s.pause(ctx)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("election: %w", err)
		}
	}
}

// run makes the daemon the leader, unless anything has changed since now was read. Who
// has won shows when that is read again, also if the outcome is unknown.
func (s *Session) run(ctx context.Context, now standing) error {
	if now.foreign != nil {
		return now.foreign
	}
	if now.term >= MaxTerm {
		return ErrLastTerm
	}
	term := now.term + 1
	leader, err := json.Marshal(Leader{Member: s.described(), Term: term, Since: time.Now().UTC()})
	if err != nil {
		return err
	}
	c := s.client
	_, err = within(ctx, c.patience(), func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return c.client.Txn(ctx).If(
			clientv3.Compare(clientv3.CreateRevision(c.key("leader")), "=", 0),
			clientv3.Compare(clientv3.ModRevision(c.key("term")), "=", now.termChanged),
			clientv3.Compare(clientv3.ModRevision(c.key("format")), "=", now.formatted),
		).Then(
			clientv3.OpPut(c.key("leader"), string(leader), clientv3.WithLease(s.lease)),
			clientv3.OpPut(c.key("term"), strconv.FormatUint(term, 10)),
			clientv3.OpPut(c.key("format"), Format),
			clientv3.OpPut(c.key("writes"), writes(term, 0, "")),
		).Commit()
	})
	return err
}

// waitForEnd waits until the leader's key is removed, for a TTL at most: a watch may
// have been cut without an error.
func (s *Session) waitForEnd(ctx context.Context, after int64) {
	ctx, cancel := context.WithTimeout(ctx, s.client.TTL)
	defer cancel()
	watch := s.client.client.Watch(clientv3.WithRequireLeader(ctx), s.client.key("leader"), clientv3.WithRev(after+1), clientv3.WithFilterPut())
	select {
	case answer, ok := <-watch:
		if !ok || answer.Err() != nil {
			_ = s.pause(ctx) // Campaign looks at the reason
		}
	case <-s.lost:
	case <-ctx.Done():
	}
}

// pause waits before a request is made again.
func (s *Session) pause(ctx context.Context) error {
	select {
	case <-time.After(200 * time.Millisecond):
		return nil
	case <-s.lost:
		return s.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
