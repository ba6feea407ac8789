package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A Member is a daemon that runs. Both daemons show it in their status.
type Member struct {
	Name    string    `json:"name"`    // of the machine
	Address string    `json:"address"` // where it answers searches
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	// Unfit is why it does not lead; "": it can.
	Unfit string `json:"unfit,omitempty"`
	// Unreached is what does not answer to it; "": all do.
	Unreached string `json:"unreached,omitempty"`
}

// A Session is a lease that is kept alive.
type Session struct {
	client *Client
	lease  clientv3.LeaseID
	lost   chan struct{}
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu     sync.Mutex
	member Member
	until  time.Time // when the lease may be over
	why    error     // it is lost
}

// Join makes a lease, and the daemon a member.
func (c *Client) Join(ctx context.Context, m Member) (*Session, error) {
	sent := time.Now()
	grant, err := within(ctx, c.patience(), func(ctx context.Context) (*clientv3.LeaseGrantResponse, error) {
		return c.client.Grant(ctx, int64(c.TTL/time.Second))
	})
	if err != nil {
		return nil, fmt.Errorf("make a lease: %w", err)
	}
	alive, stop := context.WithCancel(context.Background())
	s := &Session{client: c, lease: grant.ID, lost: make(chan struct{}), stop: stop, until: sent.Add(time.Duration(grant.TTL) * time.Second)}
	if err := s.Describe(ctx, m); err != nil {
		stop()
		return nil, err
	}
	s.ended.Go(func() { s.keepAlive(alive) })
	return s, nil
}

// Describe replaces what the members see of the daemon.
func (s *Session) Describe(ctx context.Context, m Member) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = within(ctx, s.client.patience(), func(ctx context.Context) (*clientv3.PutResponse, error) {
		return s.client.client.Put(ctx, s.client.key("members/"+s.id()), string(text), clientv3.WithLease(s.lease))
	})
	if err != nil {
		return fmt.Errorf("become a member: %w", err)
	}
	s.mu.Lock()
	s.member = m
	s.mu.Unlock()
	return nil
}

func (s *Session) described() Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.member
}

func (s *Session) id() string { return strconv.FormatInt(int64(s.lease), 16) }

// Alive reports whether a member renews its lease now. The key of a daemon that died stays
// for a TTL. The answer takes up to two renewals, or until that lease is over: it counts
// whole seconds, so a lease with more left than the last look and the time since allow was
// renewed in between.
func (c *Client) Alive(ctx context.Context, id string) (bool, error) {
	lease, err := strconv.ParseInt(id, 16, 64)
	if err != nil {
		return false, fmt.Errorf("the session of a member: %w", err)
	}
	var first int64
	for began := (time.Time{}); ; {
		sent := time.Now()
		answer, err := within(ctx, c.patience(), func(ctx context.Context) (*clientv3.LeaseTimeToLiveResponse, error) {
			return c.client.TimeToLive(ctx, clientv3.LeaseID(lease))
		})
		switch {
		case err != nil:
			return false, fmt.Errorf("read a lease: %w", err)
		case answer.TTL <= 0:
			return false, nil
		case began.IsZero():
			first, began = answer.TTL, time.Now()
		case answer.TTL > first-int64(sent.Sub(began)/time.Second):
			return true, nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// keepAlive keeps the lease alive until it is lost.
func (s *Session) keepAlive(ctx context.Context) {
	for {
		s.mu.Lock()
		left := time.Until(s.until)
		s.mu.Unlock()
		if left <= 0 {
			s.lose(fmt.Errorf("%w: etcd did not answer for %s", ErrLost, s.client.TTL))
			return
		}
		if err := s.keepAliveOnce(ctx, left); errors.Is(err, rpctypes.ErrLeaseNotFound) {
			s.lose(fmt.Errorf("%w: its lease expired or was revoked", ErrLost))
			return
		}
		select {
		case <-time.After(min(s.client.TTL/5, left)):
		case <-ctx.Done():
			return
		}
	}
}

// keepAliveOnce asks for another TTL, which counts from now. The client's own method of
// this name asks without a pause while no server answers.
func (s *Session) keepAliveOnce(ctx context.Context, left time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, min(s.client.patience(), left))
	defer cancel()
	sent := time.Now()
	stream, err := s.client.leases.LeaseKeepAlive(ctx)
	if err == nil {
		err = stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(s.lease)})
	}
	if err != nil {
		return rpctypes.Error(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		return rpctypes.Error(err)
	}
	if answer.TTL <= 0 {
		return rpctypes.ErrLeaseNotFound
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = sent.Add(time.Duration(answer.TTL) * time.Second)
	return nil
}

// lose ends the session. The first reason stays.
func (s *Session) lose(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = why
		close(s.lost)
	}
}

// Lost is closed when the lease is lost, or may be.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// Err returns why the lease is lost; nil if it is not. It looks at the clock, so it is
// right also if the process was stopped.
func (s *Session) Err() error {
	s.mu.Lock()
	over := s.why == nil && !time.Now().Before(s.until)
	why := s.why
	s.mu.Unlock()
	if over {
		why = fmt.Errorf("%w: its lease may have expired", ErrLost)
		s.lose(why)
	}
	return why
}

// Leave ends the session, and with it its term, at once.
func (s *Session) Leave(ctx context.Context) error {
	s.stop()
	s.ended.Wait()
	s.lose(fmt.Errorf("%w: it has ended", ErrLost))
	_, err := within(ctx, s.client.patience(), func(ctx context.Context) (*clientv3.LeaseRevokeResponse, error) {
		return s.client.client.Revoke(ctx, s.lease)
	})
	if err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return fmt.Errorf("revoke the lease: %w", err)
	}
	return nil
}

// within makes one request.
func within[T any](ctx context.Context, patience time.Duration, request func(context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := request(limited)
	if err != nil && ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return answer, explain(err)
}
