package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"indexerd/internal/test/etcdtest"
)

// What one request can't carry is several ones, and is read by several.
func TestLargeChanges(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	term := campaign(t, c, "a")
	for name, sizes := range map[string][2]int{"many": {2500, 10}, "large": {6, 900_000}, "largest": {1, maxBytes - len("largest/0")}} {
		want := map[string][]byte{}
		changes := map[string][]byte{}
		for n := range sizes[0] {
			key := fmt.Sprint(n)
			want[key] = bytes.Repeat([]byte{byte('a' + n%26)}, sizes[1])
			changes[name+"/"+key] = want[key]
		}
		if err := term.Write(changes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := read(t, c, name+"/"); !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: got %d values, want the %d that were written", name, len(got), len(want))
		}
		for key := range changes {
			changes[key] = nil
		}
		if err := term.Write(changes); err != nil {
			t.Fatalf("%s: remove: %v", name, err)
		}
		if got := read(t, c, name+"/"); len(got) != 0 {
			t.Errorf("%s: got %d values that were removed, want none", name, len(got))
		}
	}
	err := term.Write(map[string][]byte{"x": make([]byte, maxBytes)})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("a value of %d bytes: got error %v, want ErrTooLarge", maxBytes, err)
	}
}

// A transaction whose answer was lost is not made again: it would undo a later one. No
// other transaction is taken for it.
func TestALostAnswer(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	term := campaign(t, c, "a")
	before, next := term.last, term.next()
	set := func(value string) error {
		return term.commit(next, []string{"mark"}, map[string][]byte{"mark": []byte(value)})
	}
	if err := set("1"); err != nil {
		t.Fatal(err)
	}
	term.done, term.last = 0, before // as if the answer had been lost
	if err := set("again"); err != nil {
		t.Error(err)
	}
	wantMark(t, c, "1")
	write(t, term, "mark", "2")
	wantMark(t, c, "2")

	term.done, term.last = 0, before
	if err := term.Write(map[string][]byte{"mark": []byte("another")}); !errors.Is(err, ErrLost) {
		t.Errorf("got error %v, want ErrLost", err)
	}
	wantMark(t, c, "2")
}

// An etcd that was restored from a backup has fewer writes than the leader.
func TestARestoredEtcd(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	term := campaign(t, c, "a")
	before, err := c.client.Get(t.Context(), c.key("writes"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, term, "mark", "1")
	write(t, term, "mark", "2")
	if _, err := c.client.Put(t.Context(), c.key("writes"), string(before.Kvs[0].Value)); err != nil {
		t.Fatal(err)
	}
	err = term.Write(map[string][]byte{"mark": []byte("3")})
	if !errors.Is(err, ErrRestored) || !errors.Is(err, ErrLost) {
		t.Errorf("got error %v, want ErrRestored and ErrLost", err)
	}
	wantMark(t, c, "2")
}

// A compaction between two requests of a reader forgets the moment that it reads.
func TestReadDuringACompaction(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	term := campaign(t, c, "a")
	write(t, term, "mark", "1")
	old, err := c.client.Get(t.Context(), c.key("state/mark"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, term, "mark", "2")
	if _, err := c.client.Compact(t.Context(), old.Header.Revision+1); err != nil {
		t.Fatal(err)
	}
	if _, err := c.readAt(t.Context(), c.key("state/"), old.Header.Revision); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Fatalf("read of a forgotten moment: got error %v, want ErrCompacted", err)
	}
	wantMark(t, c, "2")
}

// etcd restarts: a request that it did not answer is made, once, and the term goes on if
// that took less than the lease.
func TestEtcdRestarts(t *testing.T) {
	t.Parallel()
	server := etcdtest.New(t)
	c := open(t, server.Endpoint, time.Minute)
	term := campaign(t, c, "a")
	write(t, term, "mark", "0")
	server.Kill()
	written := make(chan error, 1)
	go func() { written <- term.Write(map[string][]byte{"mark": []byte("1")}) }()
	if _, err := c.Read(t.Context(), ""); !errors.Is(err, ErrAway) {
		t.Errorf("read without etcd: got error %v, want ErrAway", err)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatalf("written over a restart: %v", err)
	}
	wantMark(t, c, "1")
	if err := term.Err(); err != nil {
		t.Errorf("after the restart: got error %v, want the same term", err)
	}
}

// While etcd is away for longer than the lease the leader ends, and Write does so too.
func TestEtcdIsAway(t *testing.T) {
	t.Parallel()
	server := etcdtest.New(t)
	c := open(t, server.Endpoint, shortest)
	term := campaign(t, c, "a")
	write(t, term, "mark", "0")
	server.Kill()
	if err := term.Write(map[string][]byte{"mark": []byte("1")}); !errors.Is(err, ErrLost) {
		t.Errorf("got error %v, want ErrLost", err)
	}
	select {
	case <-term.Lost():
	case <-time.After(time.Minute):
		t.Error("Lost is open a minute after etcd went away, want it closed")
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if next := campaign(t, c, "a"); next.Leader.Term != 2 {
		t.Errorf("got term %d, want 2", next.Leader.Term)
	}
}

// A full database refuses writes at once, with what to do. Nothing is lost by that.
func TestAFullEtcd(t *testing.T) {
	t.Parallel()
	server := etcdtest.New(t, "--quota-backend-bytes", "1000000")
	c := open(t, server.Endpoint, time.Minute)
	term := campaign(t, c, "a")
	write(t, term, "mark", "0")
	var err error
	for n := 0; err == nil && n < 100; n++ {
		err = term.Write(map[string][]byte{"large": make([]byte, 500_000)})
	}
	if !errors.Is(err, rpctypes.ErrNoSpace) || errors.Is(err, ErrLost) {
		t.Fatalf("got error %v, want that etcd is full", err)
	}
	if err := term.Write(map[string][]byte{"mark": []byte("refused")}); !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Errorf("got error %v, want that etcd is full", err)
	}
	wantMark(t, c, "0")
	now, err := c.client.Get(t.Context(), c.key("writes"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.Compact(t.Context(), now.Header.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.Defragment(t.Context(), server.Endpoint); err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	write(t, term, "mark", "1")
	wantMark(t, c, "1")
}

func TestAUserAndAPassword(t *testing.T) {
	t.Parallel()
	server := etcdtest.New(t)
	admin := open(t, server.Endpoint, time.Minute).client
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := admin.RoleAdd(ctx, "indexerd"); return err },
		func(ctx context.Context) error {
			_, err := admin.RoleGrantPermission(ctx, "indexerd", prefix(t)+"/", clientv3.GetPrefixRangeEnd(prefix(t)+"/"), clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func(ctx context.Context) error { _, err := admin.UserAdd(ctx, "root", "secret"); return err },
		func(ctx context.Context) error { _, err := admin.UserGrantRole(ctx, "root", "root"); return err },
		func(ctx context.Context) error { _, err := admin.UserAdd(ctx, "shop", "pw"); return err },
		func(ctx context.Context) error { _, err := admin.UserGrantRole(ctx, "shop", "indexerd"); return err },
		func(ctx context.Context) error { _, err := admin.AuthEnable(ctx); return err },
	} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	config := Config{Endpoints: []string{server.Endpoint}, Prefix: prefix(t), User: "shop", Password: "pw", TTL: time.Minute}
	c, err := config.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	term := campaign(t, c, "a")
	write(t, term, "mark", "1")
	wantMark(t, c, "1")
	if err := term.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	for name, broken := range map[string]func(*Config){
		"a wrong password": func(c *Config) { c.Password = "no" },
		"no user":          func(c *Config) { c.User, c.Password = "", "" },
		"another prefix":   func(c *Config) { c.Prefix = "/other" },
	} {
		other := config
		broken(&other)
		if _, err := other.Open(t.Context()); err == nil || errors.Is(err, ErrAway) {
			t.Errorf("%s: got error %v, want that etcd refuses it", name, err)
		}
	}
}
