package leader

import (
	"errors"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/state/etcd"
	"indexerd/internal/test/simtest/servers"
)

// What a standby has seen serves while etcd does not answer. A daemon that leads does not
// continue from it: the leader before may have written since.
func TestALeaderDoesNotContinueFromWhatItHasSeen(t *testing.T) {
	keys, way := servers.NewKeyValues(), servers.NewSwitch()
	var both [2]*Shared
	for i, name := range []string{"a", "b"} {
		connected, leases := keys.Connect(name, way, 1)
		client, err := etcd.Config{Prefix: "/indexerd/shop", TTL: time.Minute}.OpenOver(t.Context(), connected, leases)
		if err != nil {
			t.Fatal(err)
		}
		both[i] = New(client, &configs.Config{Data: t.TempDir()}, name)
		defer both[i].Close()
	}
	a, b := both[0], both[1]
	write := func(s *Shared, value string) {
		t.Helper()
		if err := s.Store("marks/", false).Write(map[string][]byte{"film": []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	leads(t, b)
	write(b, "1")
	if _, err := a.Store("marks/", true).Read(); err != nil {
		t.Fatal(err)
	}
	write(b, "2")
	resigns(t, b)
	leads(t, a)
	way.Cut(true)
	if got, err := a.Store("marks/", true).Read(); err != nil || string(got["film"]) != "1" {
		t.Errorf("etcd does not answer a standby: got %s, error %v, want what it has seen", got, err)
	}
	if got, err := a.Store("marks/", false).Read(); !errors.Is(err, etcd.ErrAway) {
		t.Errorf("etcd does not answer a leader: got %s, error %v, want ErrAway", got, err)
	}
	way.Cut(false)
	if got, err := a.Store("marks/", false).Read(); err != nil || string(got["film"]) != "2" {
		t.Errorf("etcd answers: got %s, error %v, want what it has", got, err)
	}
}
