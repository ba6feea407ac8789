package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"indexerd/internal/state/etcd"
	"indexerd/internal/test/simtest/servers"
)

// switched is the way to a server that can be cut.
type switched struct {
	one chan struct{} // held by a request
	cut bool
}

// Send implements servers.Gate.
func (s *switched) Send(_ context.Context, _, _ string, effect func() func()) error {
	s.one <- struct{}{}
	defer func() { <-s.one }()
	if s.cut {
		return errSimNoWay
	}
	effect()
	return nil
}

// turn cuts the way, or opens it.
func (s *switched) turn(cut bool) {
	s.one <- struct{}{}
	s.cut = cut
	<-s.one
}

// What a standby has seen serves while etcd does not answer. A daemon that leads does not
// continue from it: the leader before may have written since.
func TestALeaderDoesNotContinueFromWhatItHasSeen(t *testing.T) {
	keys, way := servers.NewKeyValues(), &switched{one: make(chan struct{}, 1)}
	var both [2]*shared
	for i, name := range []string{"a", "b"} {
		connected, leases := keys.Connect(name, way, 1)
		client, err := etcd.Config{Prefix: "/indexerd/shop", TTL: time.Minute}.OpenOver(t.Context(), connected, leases)
		if err != nil {
			t.Fatal(err)
		}
		both[i] = &shared{client: client, data: t.TempDir(), id: name, changed: make(chan struct{}), seen: map[string]map[string][]byte{}}
		defer both[i].close()
	}
	a, b := both[0], both[1]
	write := func(s *shared, value string) {
		t.Helper()
		if err := s.opened("marks/", false).Write(map[string][]byte{"film": []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	leads(t, b)
	write(b, "1")
	if _, err := a.opened("marks/", true).Read(); err != nil {
		t.Fatal(err)
	}
	write(b, "2")
	resigns(t, b)
	leads(t, a)
	way.turn(true)
	if got, err := a.opened("marks/", true).Read(); err != nil || string(got["film"]) != "1" {
		t.Errorf("etcd does not answer a standby: got %s, error %v, want what it has seen", got, err)
	}
	if got, err := a.opened("marks/", false).Read(); !errors.Is(err, etcd.ErrAway) {
		t.Errorf("etcd does not answer a leader: got %s, error %v, want ErrAway", got, err)
	}
	way.turn(false)
	if got, err := a.opened("marks/", false).Read(); err != nil || string(got["film"]) != "2" {
		t.Errorf("etcd answers: got %s, error %v, want what it has", got, err)
	}
}
