package etcd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/etcdtest"
)

// TestMain runs the tests, or one leader in a process of its own.
func TestMain(m *testing.M) {
	if endpoint := os.Getenv("ETCD_LEADER"); endpoint != "" {
		os.Exit(lead(endpoint, os.Getenv("ETCD_PREFIX")))
	}
	os.Exit(etcdtest.Main(m))
}

// lead leads, and writes until it can't any more. It prints "leads" and then why it ended.
func lead(endpoint, prefix string) int {
	c, err := Config{Endpoints: []string{endpoint}, Prefix: prefix, TTL: shortest}.Open(context.Background())
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	s, err := c.Join(context.Background(), Member{Name: "process"})
	if err != nil {
		fmt.Println("join:", err)
		return 1
	}
	term, err := s.Campaign(context.Background())
	if err != nil {
		fmt.Println("campaign:", err)
		return 1
	}
	fmt.Println("leads")
	for n := 0; ; n++ {
		if err := term.Write(map[string][]byte{"mark": fmt.Append(nil, "process ", n)}); err != nil {
			fmt.Println("ended:", errors.Is(err, ErrLost), err)
			return 0
		}
	}
}

// shortest is the shortest lease that etcd grants with its default timeouts.
const shortest = 2 * time.Second

// prefix returns a prefix of the test.
func prefix(t testing.TB) string { return "/indexerd/" + strings.ReplaceAll(t.Name(), "/", "-") }

func open(t testing.TB, endpoint string, ttl time.Duration) *Client {
	t.Helper()
	c, err := Config{Endpoints: []string{endpoint}, Prefix: prefix(t), TTL: ttl}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// join joins. An etcd that was restarted on a busy machine may not answer within the time of
// a short lease: then join tries again.
func join(t testing.TB, c *Client, name string) *Session {
	t.Helper()
	var s *Session
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		var err error
		if s, err = c.Join(t.Context(), Member{Name: name}); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { s.stop(); s.ended.Wait() })
	return s
}

func campaign(t testing.TB, c *Client, name string) *Term {
	t.Helper()
	term, err := join(t, c, name).Campaign(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return term
}

// campaigning campaigns beside the test, which gets the term when it is won.
func campaigning(t testing.TB, s *Session) <-chan *Term {
	won := make(chan *Term, 1)
	go func() {
		if term, err := s.Campaign(t.Context()); err == nil {
			won <- term
		}
	}()
	return won
}

func wins(t testing.TB, won <-chan *Term) *Term {
	t.Helper()
	select {
	case term := <-won:
		return term
	case <-time.After(time.Minute):
		t.Fatal("got no leader for a minute, want the standby")
		return nil
	}
}

func write(t testing.TB, term *Term, key, value string) {
	t.Helper()
	if err := term.Write(map[string][]byte{key: []byte(value)}); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, c *Client, under string) map[string][]byte {
	t.Helper()
	values, err := c.Read(t.Context(), under)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func wantMark(t testing.TB, c *Client, want string) {
	t.Helper()
	if got := string(read(t, c, "")["mark"]); got != want {
		t.Errorf("got mark %q, want %q", got, want)
	}
}

// refused checks that a term that was lost stores nothing.
func refused(t testing.TB, c *Client, lost *Term, want string) {
	t.Helper()
	if err := lost.Write(map[string][]byte{"mark": []byte("of the lost term")}); !errors.Is(err, ErrLost) {
		t.Errorf("write of a lost term: got error %v, want ErrLost", err)
	}
	wantMark(t, c, want)
}

// One of two candidates leads. The other one leads as soon as the first leaves, in the
// next term.
func TestACleanStopIsATakeover(t *testing.T) {
	t.Parallel()
	c := open(t, etcdtest.Shared(t), time.Minute)
	first := campaign(t, c, "a")
	write(t, first, "mark", "of a")
	standby := join(t, c, "b")
	won := campaigning(t, standby)
	members, err := c.Members(t.Context())
	if err != nil || len(members) != 2 {
		t.Fatalf("got members %v, error %v, want a and b", members, err)
	}
	if leader, ok, err := c.Leader(t.Context()); err != nil || !ok || leader.Name != "a" || leader.Term != 1 {
		t.Fatalf("got leader %+v, %v, error %v, want a in term 1", leader, ok, err)
	}
	select {
	case <-won:
		t.Fatal("got two leaders, want one")
	default:
	}
	for id, m := range members {
		if want := map[bool]string{true: "a", false: "b"}[id == first.Leader.Session]; m.Name != want {
			t.Errorf("got member %+v, want %s", m, want)
		}
	}
	left := time.Now()
	if err := first.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := wins(t, won)
	if took := time.Since(left); took > 30*time.Second { // the lease has a minute
		t.Errorf("took over after %v, want the moment that the leader left", took)
	}
	if second.Leader.Term != 2 || second.Leader.Name != "b" {
		t.Errorf("got leader %+v, want b in term 2", second.Leader)
	}
	if got, want := second.First(), first.First()+1<<NumberBits; got != want {
		t.Errorf("got first number %d, want %d", got, want)
	}
	select {
	case <-first.Lost():
	default:
		t.Error("Lost is open after Leave, want it closed")
	}
	refused(t, c, first, "of a")
	write(t, second, "mark", "of b")
	wantMark(t, c, "of b")
}

// A leader whose lease expires knows that no later than another one leads.
func TestTheLeaseExpires(t *testing.T) {
	t.Parallel()
	c := open(t, etcdtest.Shared(t), shortest)
	first := campaign(t, c, "a")
	write(t, first, "mark", "of a")
	first.stop() // nothing keeps it alive any more
	first.ended.Wait()
	second := wins(t, campaigning(t, join(t, c, "b")))
	if err := first.Err(); !errors.Is(err, ErrLost) {
		t.Errorf("another daemon leads: got error %v, want ErrLost", err)
	}
	if second.Leader.Term != 2 {
		t.Errorf("got term %d, want 2", second.Leader.Term)
	}
	refused(t, c, first, "of a")
}

// etcd refuses the transaction of a leader that believes in its lease, as a process does
// that was stopped between the look at the clock and the request.
func TestALostTermIsRefusedByEtcd(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	first := campaign(t, c, "a")
	write(t, first, "mark", "of a")
	if _, err := c.client.Revoke(t.Context(), first.lease); err != nil {
		t.Fatal(err)
	}
	if err := first.Err(); err != nil {
		t.Fatalf("got error %v before the request, want a leader that believes to lead", err)
	}
	refused(t, c, first, "of a") // though no other daemon leads yet
	second := wins(t, campaigning(t, join(t, c, "b")))
	write(t, second, "mark", "of b")
	wantMark(t, c, "of b")
}

// A process that is stopped while it writes, and goes on after another one has taken
// over, stores nothing any more.
func TestAStoppedProcess(t *testing.T) {
	t.Parallel()
	endpoint := etcdtest.Shared(t)
	c := open(t, endpoint, shortest)
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), "ETCD_LEADER="+endpoint, "ETCD_PREFIX="+prefix(t))
	p.Stderr = os.Stderr
	runtime.LockOSThread() // whose end would kill the process
	defer runtime.UnlockOSThread()
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Process.Kill(); _ = p.Wait() }()
	says := bufio.NewScanner(out)
	if !says.Scan() || says.Text() != "leads" {
		t.Fatalf("got %q, want that the process leads", says.Text())
	}
	if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second := wins(t, campaigning(t, join(t, c, "b")))
	if second.Leader.Term != 2 {
		t.Errorf("got term %d, want 2", second.Leader.Term)
	}
	write(t, second, "mark", "of b")
	if err := p.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if says.Scan(); !strings.HasPrefix(says.Text(), "ended: true ") {
		t.Errorf("got %q, want that the process has lost its term", says.Text())
	}
	wantMark(t, c, "of b")
}

// Many candidates at a time: each term has one leader, and terms rise by one.
func TestOneLeaderATerm(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	const candidates = 8
	terms := make(chan uint64, candidates)
	for n := range candidates {
		s := join(t, c, fmt.Sprint(n))
		go func() {
			term, err := s.Campaign(t.Context())
			if err != nil {
				return
			}
			terms <- term.Leader.Term
			_ = term.Leave(t.Context())
		}()
	}
	for want := uint64(1); want <= candidates; want++ {
		select {
		case got := <-terms:
			if got != want {
				t.Fatalf("got term %d, want %d", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("got no leader of term %d for a minute", want)
		}
	}
}

func TestTheLastTerm(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	if _, err := c.client.Put(t.Context(), c.key("term"), fmt.Sprint(MaxTerm-1)); err != nil {
		t.Fatal(err)
	}
	last := campaign(t, c, "a")
	if got := last.First() + (1<<NumberBits - 1); got != 1<<53-1 {
		t.Errorf("got last number %d, want 2^53 - 1", got)
	}
	if err := last.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if term, err := join(t, c, "b").Campaign(t.Context()); !errors.Is(err, ErrLastTerm) {
		t.Errorf("got %v, error %v, want ErrLastTerm", term, err)
	}
}

// A daemon leads with the keys of an earlier version, and makes them those of its own. It
// reads the keys of a later version, and does not lead: also not after it led before.
func TestKeysOfAnotherVersion(t *testing.T) {
	c := open(t, etcdtest.Shared(t), time.Minute)
	put := func(format string) {
		t.Helper()
		if _, err := c.client.Put(t.Context(), c.key("format"), format); err != nil {
			t.Fatal(err)
		}
	}
	put("0")
	term := campaign(t, c, "a")
	if found, err := c.client.Get(t.Context(), c.key("format")); err != nil || string(found.Kvs[0].Value) != Format {
		t.Errorf("an earlier version: got %v, error %v, want that the format is raised", found, err)
	}
	if err := c.CheckFormat(t.Context()); err != nil {
		t.Errorf("its own version: got error %v", err)
	}
	if err := term.Write(map[string][]byte{"marks/film": []byte("1")}); err != nil {
		t.Fatal(err)
	}
	if err := term.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, later := range []string{"2", "x"} {
		put(later)
		other, err := c.Config.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if values, err := other.Read(t.Context(), "marks/"); err != nil || string(values["film"]) != "1" {
			t.Errorf("format %s: got marks %s, error %v", later, values, err)
		}
		if err := other.CheckFormat(t.Context()); !errors.Is(err, ErrFormat) {
			t.Errorf("format %s: got error %v, want ErrFormat", later, err)
		}
		if _, err := join(t, other, "b").Campaign(t.Context()); !errors.Is(err, ErrFormat) {
			t.Errorf("campaign in format %s: got error %v, want ErrFormat", later, err)
		}
	}
}

// A change below a name is noticed, also after etcd was away, and one of another name is not.
func TestChanges(t *testing.T) {
	server := etcdtest.New(t)
	c := open(t, server.Endpoint, time.Minute)
	changes := c.Changes(t.Context(), "quarantine/")
	<-changes // it has begun
	put := func(key string) {
		t.Helper()
		if _, err := c.client.Put(t.Context(), c.key("state/"+key), "1"); err != nil {
			t.Fatal(err)
		}
	}
	put("marks/film")
	put("quarantine/film/1")
	<-changes
	select {
	case <-changes:
		t.Error("got a second change, want one")
	default:
	}
	server.Kill()
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	for len(changes) == 0 {
		put("quarantine/film/2")
		<-time.After(20 * time.Millisecond)
	}
}
