package servers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/pages/pagetable"
	"indexerd/internal/state/etcd"
	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/pagestest"
	"indexerd/internal/test/simtest/servers"
)

func TestMain(m *testing.M) { os.Exit(etcdtest.Main(m)) }

// locked is a gate that lets one request through at a time, at once.
type locked chan struct{}

func (l locked) Send(_ context.Context, _, _ string, effect func() func()) error {
	l <- struct{}{}
	defer func() { <-l }()
	if later := effect(); later != nil {
		later()
	}
	return nil
}

// The table of pages does what Bigtable and HBase do.
func TestPages(t *testing.T) {
	gate := make(locked, 1)
	store := servers.NewPageTable().Connect("a", gate)
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store { return store }, time.Second)
}

// The simulated etcd answers a client as a real one does: elections, transactions of a
// leader, of one whose lease was revoked, of one that another has followed, and lists.
func TestEtcd(t *testing.T) {
	config := etcd.Config{Endpoints: []string{etcdtest.Shared(t)}, Prefix: "/simulated/" + t.Name(), TTL: time.Minute}
	actual, err := config.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer actual.Close()
	connected, leases := servers.NewKeyValues().Connect("a", make(locked, 1), 1)
	simulated, err := config.OpenOver(t.Context(), connected, leases)
	if err != nil {
		t.Fatal(err)
	}
	defer simulated.Close()
	got, want := elect(t, simulated), elect(t, actual)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// elect describes the answers of an etcd.
func elect(t *testing.T, c *etcd.Client) (answers []string) {
	t.Helper()
	note := func(what string, err error) {
		lost, away := errors.Is(err, etcd.ErrLost), errors.Is(err, etcd.ErrAway)
		values, readErr := c.Read(t.Context(), "")
		leader, led, leaderErr := c.Leader(t.Context())
		members, memberErr := c.Members(t.Context())
		answers = append(answers, fmt.Sprintf("%s: %v lost=%t away=%t; %q; %s in term %d, %t; %d members; %v",
			what, err == nil, lost, away, text(values), leader.Name, leader.Term, led, len(members), errors.Join(readErr, leaderErr, memberErr)))
	}
	campaign := func(name string) *etcd.Term {
		s, err := c.Join(t.Context(), etcd.Member{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		term, err := s.Campaign(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return term
	}
	note("nothing", nil)
	first := campaign("first")
	note("first leads", nil)
	note("write", first.Write(map[string][]byte{"a": []byte("1"), "b": []byte("2")}))
	note("replace and remove", first.Write(map[string][]byte{"a": []byte("3"), "b": nil}))
	note("confirm", first.Confirm())
	note("leave", first.Leave(t.Context()))
	note("leave again", first.Leave(t.Context()))
	note("write after that", first.Write(map[string][]byte{"a": []byte("4")}))
	second := campaign("second")
	note("second leads", nil)
	note("first confirms", first.Confirm())
	many := map[string][]byte{}
	for n := range 250 { // several transactions
		many[fmt.Sprintf("many/%03d", n)] = bytes.Repeat([]byte{'x'}, n%3+1)
	}
	note("many", second.Write(many))
	note("second leaves", second.Leave(t.Context()))
	return answers
}

// text returns the values in the order of their keys.
func text(values map[string][]byte) (all string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all += fmt.Sprintf(" %s=%s", key, values[key])
	}
	return all
}
