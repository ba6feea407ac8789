package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"indexerd/internal/test/etcdtest"
)

// movesWithin is how long after the loss of a member, or after its return, a mark moves
// again: the lease of a daemon that etcd did not answer has to expire first.
const movesWithin = 20 * time.Second

// A mover is two daemons of which the leader raises a mark, a number, as long as it leads.
type mover struct {
	mu    sync.Mutex
	acked []string // values that were written, each "TERM N"
	moved chan struct{}
}

// lead leads and raises the mark, again and again, until ctx ends.
func (m *mover) lead(ctx context.Context, c *Client, name string) {
	for ctx.Err() == nil {
		err := m.leadOnce(ctx, c, name)
		if !errors.Is(err, ErrLost) && !errors.Is(err, ErrAway) && ctx.Err() == nil {
			m.note("error of " + name + ": " + err.Error())
			return
		}
	}
}

func (m *mover) leadOnce(ctx context.Context, c *Client, name string) error {
	session, err := c.Join(ctx, Member{Name: name})
	if err != nil {
		return err
	}
	defer func() {
		leaving, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = session.Leave(leaving) // or its lease expires
	}()
	term, err := session.Campaign(ctx)
	if err != nil {
		return err
	}
	values, err := c.Read(ctx, "")
	if err != nil {
		return err
	}
	var of, n uint64
	if text := string(values["mark"]); text != "" {
		if _, err := fmt.Sscan(text, &of, &n); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		n++
		value := fmt.Sprint(term.Leader.Term, " ", n)
		if err := term.Write(map[string][]byte{"mark": []byte(value)}); err != nil {
			return err
		}
		m.note(value)
		select {
		case <-time.After(10 * time.Millisecond):
		case <-term.Lost():
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

func (m *mover) note(value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.acked = append(m.acked, value)
	close(m.moved)
	m.moved = make(chan struct{})
}

// state returns the last value, how many were written, and what is closed with the next one.
func (m *mover) state() (last string, n int, moved chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n = len(m.acked); n > 0 {
		last = m.acked[n-1]
	}
	return last, n, m.moved
}

// moves waits until the mark has moved some times more.
func (m *mover) moves(t *testing.T, after string) {
	t.Helper()
	began := time.Now()
	before, from, _ := m.state()
	end := time.After(movesWithin)
	for {
		last, n, moved := m.state()
		if n > from+5 {
			t.Logf("%s: the mark moves again after %v, from %q to %q", after, time.Since(began).Round(time.Millisecond), before, last)
			return
		}
		select {
		case <-moved:
		case <-end:
			t.Fatalf("%s: the mark has moved %d times within %v, want more than 5", after, n-from, movesWithin)
		}
	}
}

// rests checks that the mark does not move until both daemons must have lost their leases.
func (m *mover) rests(t *testing.T, after string) {
	t.Helper()
	_, before, _ := m.state()
	<-time.After(DefaultTTL + time.Second)
	if last, n, _ := m.state(); n > before+1 { // one may have been on its way
		t.Errorf("%s: the mark has moved %d times to %q, want that it rests", after, n-before, last)
	}
}

// One member of three is killed, the one that leads etcd and then another one, and comes
// back: marks go on to move. With two killed no mark moves, and when one is back they do.
// Every move was of the daemon that led then, none is missing, and none came twice.
func TestMembersAreKilled(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.NewCluster(t, 3)
	var clients []*Client
	for range 2 {
		c, err := Config{Endpoints: cluster.Endpoints(), Prefix: prefix(t)}.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c)
	}
	ctx, stop := context.WithCancel(t.Context())
	m := &mover{moved: make(chan struct{})}
	var daemons sync.WaitGroup
	defer daemons.Wait()
	defer stop()
	for i, c := range clients {
		daemons.Go(func() { m.lead(ctx, c, []string{"a", "b"}[i]) })
	}
	run := func(s *etcdtest.Server) {
		t.Helper()
		if err := s.Run(); err != nil {
			t.Fatal(err)
		}
	}
	m.moves(t, "the start")
	leader, _ := cluster.Leader(t)
	leader.Kill()
	m.moves(t, "etcd's leader is killed")
	run(leader)
	_, others := cluster.Leader(t)
	others[0].Kill()
	m.moves(t, "a follower is killed")
	run(others[0])
	leader, others = cluster.Leader(t)
	others[1].Kill()
	leader.Kill()
	m.rests(t, "two of three are killed")
	run(leader)
	m.moves(t, "one of them is back")
	run(others[1])
	m.moves(t, "all are back")
	stop()
	daemons.Wait()
	m.judge(t, clients[0])
}

// judge compares what was written with all that etcd has seen.
func (m *mover) judge(t *testing.T, c *Client) {
	t.Helper()
	now, err := c.client.Get(t.Context(), c.key("state/mark"))
	if err != nil {
		t.Fatal(err)
	}
	var term, terms, n, moves uint64
	rest := m.acked
	for answer := range c.client.Watch(t.Context(), c.Prefix+"/", clientv3.WithPrefix(), clientv3.WithRev(1)) {
		if err := answer.Err(); err != nil {
			t.Fatal(err)
		}
		for _, e := range answer.Events {
			switch value := string(e.Kv.Value); strings.TrimPrefix(string(e.Kv.Key), c.Prefix+"/") {
			case "leader":
				term = 0
			case "term":
				if _, err := fmt.Sscan(value, &term); err != nil {
					t.Fatal(err)
				}
				terms = max(terms, term)
			case "state/mark":
				var of, number uint64
				if _, err := fmt.Sscan(value, &of, &number); err != nil || of != term || number != n+1 {
					t.Fatalf("got mark %q, error %v, want number %d in term %d", value, err, n+1, term)
				}
				n, moves = number, moves+1
				if len(rest) > 0 && rest[0] == value {
					rest = rest[1:]
				}
			}
		}
		if answer.Events[len(answer.Events)-1].Kv.ModRevision >= now.Kvs[0].ModRevision {
			break
		}
	}
	if len(rest) > 0 {
		t.Errorf("etcd does not have %q, and %d other marks of %d that were written", rest[0], len(rest)-1, len(m.acked))
	}
	t.Logf("%d moves in etcd, %d acknowledged, in %d terms", moves, len(m.acked), terms)
}
