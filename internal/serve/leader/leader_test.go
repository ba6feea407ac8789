package leader

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/state/etcd"
	"indexerd/internal/test/etcdtest"
)

// sharing returns the connection of a data directory to etcd.
func sharing(t *testing.T, s *etcdtest.Server, data string) *Shared {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(data, "film"), 0o700); err != nil {
		t.Fatal(err)
	}
	sh, err := Connect(t.Context(), &configs.Config{Data: data, Marks: configs.Marks{Engine: configs.Etcd, Endpoints: []string{"http://" + s.Endpoint}, Prefix: "/indexerd/" + t.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sh.Close() })
	return sh
}

func leads(t *testing.T, s *Shared) {
	t.Helper()
	if err := s.LeadUnlessLed(t.Context()); err != nil || s.Term() == nil {
		t.Fatalf("got term %v, error %v, want that it leads", s.Term(), err)
	}
}

func resigns(t *testing.T, s *Shared) {
	t.Helper()
	if err := s.Resign(); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until f returns no error.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := f()
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%s: not within a minute: %v", what, err)
		}
	}
}

// Files of a load or a sweep under way are kept by the daemon that led last, and removed
// when another one has led since. All daemons have one id for index and pages.
func TestProgressOfAnEarlierLeader(t *testing.T) {
	server := etcdtest.New(t)
	a, b := sharing(t, server, t.TempDir()), sharing(t, server, t.TempDir())
	progress := []string{"load", "sweep", "sweep.gone", "history.jsonl"}
	files := func() (found []string) {
		t.Helper()
		entries, err := os.ReadDir(filepath.Join(a.data, "film"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			found = append(found, e.Name())
		}
		return found
	}
	leads(t, a)
	for _, name := range progress {
		if err := os.WriteFile(filepath.Join(a.data, "film", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resigns(t, a)
	leads(t, a)
	if got := files(); len(got) != len(progress) {
		t.Errorf("the same daemon leads again: got files %v, want %v", got, progress)
	}
	if err := b.LeadUnlessLed(t.Context()); err != nil || b.Term() != nil {
		t.Fatalf("got term %v, error %v, want that the other daemon leads", b.Term(), err)
	}
	if why := b.Standby(t.Context()); !errors.As(why, new(*StandbyError)) {
		t.Errorf("got %v, want the name of the leader", why)
	}
	resigns(t, a)
	leads(t, b)
	resigns(t, b)
	leads(t, a)
	if got := files(); len(got) != 1 || got[0] != "history.jsonl" {
		t.Errorf("another daemon has led: got files %v, want history.jsonl alone", got)
	}
	if a.owner != a.ID || b.owner != a.ID {
		t.Errorf("got owners %s and %s, want %s for both", a.owner, b.owner, a.ID)
	}
}

// While etcd does not answer, a part is what was read or written last. Nothing can be
// written then, or without a term.
func TestPartsWithoutEtcd(t *testing.T) {
	server := etcdtest.New(t)
	s := sharing(t, server, t.TempDir())
	p := part{s, "marks/"}
	if err := p.Write(map[string][]byte{"film": nil}); !errors.Is(err, etcd.ErrLost) {
		t.Errorf("write of a standby: got error %v, want ErrLost", err)
	}
	leads(t, s)
	if _, err := p.Read(); err != nil {
		t.Fatal(err)
	}
	for _, values := range []map[string][]byte{{"film": []byte("1"), "actor": []byte("1")}, {"film": []byte("2"), "actor": nil}} {
		if err := p.Write(values); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][]byte{"film": []byte("2")}
	for _, away := range []bool{false, true} {
		if away {
			server.Kill()
		}
		got, err := p.Read()
		if err != nil || !maps.EqualFunc(got, want, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("etcd is away: %t: got %s, error %v, want %s", away, got, err, want)
		}
	}
	if _, err := (part{s, "guard/"}).Read(); !errors.Is(err, etcd.ErrAway) {
		t.Errorf("a part that was never read: got error %v, want ErrAway", err)
	}
	if err := p.Write(want); !errors.Is(err, etcd.ErrLost) {
		t.Errorf("write without etcd: got error %v, want ErrLost", err)
	}
	if !s.IsDeposed(s.Term().Err()) || s.IsDeposed(context.Canceled) || (*Shared)(nil).IsDeposed(etcd.ErrLost) {
		t.Error("isDeposed: want true for the error of a term that was lost, and for no other")
	}
}

// A daemon whose configuration differs from that of the daemon that led last does not
// lead, also if it wins before it can know. A newcomer does: it was started just now.
func TestConfigurationOfTheLastLeader(t *testing.T) {
	server := etcdtest.New(t)
	a, b := sharing(t, server, t.TempDir()), sharing(t, server, t.TempDir())
	first := &configs.Config{PageStore: configs.PageStore{Engine: configs.HBase, Table: "pages"}}
	second := &configs.Config{PageStore: configs.PageStore{Engine: configs.HBase, Table: "others"}}
	a.Configured(first)
	b.Configured(second)
	leads(t, a)
	if err := a.Confirm(first); err != nil {
		t.Fatal(err)
	}
	resigns(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	led := make(chan error, 1)
	go func() { led <- b.Lead(ctx, false) }()
	eventually(t, "the daemon is unfit", func() error {
		if m, _ := b.Described(); m.Unfit == "" {
			return errors.New("it is not")
		}
		return nil
	})
	if b.Term() != nil {
		t.Error("another configuration: got a term")
	}
	b.Configured(first)
	if err := b.Inspect(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-led; err != nil || b.Term() == nil {
		t.Errorf("the same configuration: got term %v, error %v", b.Term(), err)
	}
	cancel()
	resigns(t, b)
	b.Configured(second)
	leads(t, b)
}

// A daemon that becomes unfit during its campaign leaves its session, which may have won.
func TestWithdrawal(t *testing.T) {
	server := etcdtest.New(t)
	a := sharing(t, server, t.TempDir())
	m, _ := a.Described()
	session, err := a.Client.Join(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	other := sharing(t, server, t.TempDir())
	leads(t, other)
	stood := make(chan error, 1)
	go func() {
		_, err := a.stand(t.Context(), session)
		stood <- err
	}()
	eventually(t, "the session ends", func() error {
		a.judge("")
		select { // it is in its campaign now, or the next time
		case err := <-stood:
			if !errors.Is(err, errWithdrawn) {
				t.Fatalf("got error %v, want errWithdrawn", err)
			}
			return nil
		case <-time.After(200 * time.Millisecond):
		}
		a.judge("of another configuration")
		select {
		case err := <-stood:
			stood <- err
		case <-time.After(200 * time.Millisecond):
		}
		return errors.New("it stays")
	})
	if err := leave(session); err != nil {
		t.Error(err)
	}
}

// A leader that steps down lets the other daemon be elected, also if that is slower.
func TestYield(t *testing.T) {
	server := etcdtest.New(t)
	a, b := sharing(t, server, t.TempDir()), sharing(t, server, t.TempDir())
	leads(t, a)
	term := a.Term()
	if a.Replaceable(t.Context(), term) {
		t.Error("alone: want that no daemon can replace it")
	}
	won := make(chan error, 2)
	go func() { won <- b.Lead(t.Context(), false) }()
	for _, unreached := range []string{notLooked, "", "pages: away", ""} {
		b.Describe(func(m *etcd.Member) { m.Unreached = unreached })
		eventually(t, "the leader sees what the standby reaches", func() error {
			if got := a.Replaceable(t.Context(), term); got != (unreached == "") {
				return fmt.Errorf("it does not reach %q: got %t", unreached, got)
			}
			return nil
		})
	}
	a.YieldFirst()
	resigns(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = a.Lead(ctx, false) }()
	if err := <-won; err != nil || b.Term() == nil {
		t.Errorf("got term %v, error %v, want that the standby leads", b.Term(), err)
	}
	cancel()
}

// A daemon that has just died can't replace a leader, although its lease is not over. A
// leader that has stepped down all the same leads again soon, if no other one does.
func TestNoLeaderIsMissedAfterAStepDown(t *testing.T) {
	server := etcdtest.New(t)
	a, b := sharing(t, server, t.TempDir()), sharing(t, server, t.TempDir())
	leads(t, a)
	if _, err := b.Client.Join(t.Context(), etcd.Member{Name: "b"}); err != nil {
		t.Fatal(err)
	}
	if !a.Replaceable(t.Context(), a.Term()) {
		t.Error("want that a standby which lives can replace the leader")
	}
	if err := b.Client.Close(); err != nil { // it renews no lease any more
		t.Fatal(err)
	}
	if a.Replaceable(t.Context(), a.Term()) {
		t.Error("want that a standby which has just died can't replace the leader")
	}
	a.YieldFirst()
	<-time.After(100 * time.Millisecond) // passes end, and the term goes on
	resigns(t, a)
	began := time.Now()
	if err := a.Lead(t.Context(), false); err != nil || a.Term() == nil {
		t.Fatalf("got term %v, error %v, want that it leads again", a.Term(), err)
	}
	if took := time.Since(began); took < YieldFor-100*time.Millisecond || took > 8*time.Second {
		t.Errorf("the daemon leads again after %v, want about %v", took, YieldFor)
	}
}
