package daemon

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/etcd"
	"indexerd/internal/etcd/etcdtest"
)

// sharing returns the connection of a data directory to etcd.
func sharing(t *testing.T, s *etcdtest.Server, data string) *shared {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(data, "film"), 0o700); err != nil {
		t.Fatal(err)
	}
	sh, err := connect(t.Context(), &configs.Config{Data: data, Marks: configs.Marks{Engine: configs.Etcd, Endpoints: []string{"http://" + s.Endpoint}, Prefix: "/indexerd/" + t.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sh.close() })
	return sh
}

func leads(t *testing.T, s *shared) {
	t.Helper()
	if err := s.leadUnlessLed(t.Context()); err != nil || s.term() == nil {
		t.Fatalf("got term %v, error %v, want that it leads", s.term(), err)
	}
}

func resigns(t *testing.T, s *shared) {
	t.Helper()
	if err := s.resign(); err != nil {
		t.Fatal(err)
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
	if err := b.leadUnlessLed(t.Context()); err != nil || b.term() != nil {
		t.Fatalf("got term %v, error %v, want that the other daemon leads", b.term(), err)
	}
	if why := b.standby(t.Context()); !errors.As(why, new(*standbyError)) {
		t.Errorf("got %v, want the name of the leader", why)
	}
	resigns(t, a)
	leads(t, b)
	resigns(t, b)
	leads(t, a)
	if got := files(); len(got) != 1 || got[0] != "history.jsonl" {
		t.Errorf("another daemon has led: got files %v, want history.jsonl alone", got)
	}
	if a.owner != a.id || b.owner != a.id {
		t.Errorf("got owners %s and %s, want %s for both", a.owner, b.owner, a.id)
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
	if !s.isDeposed(s.term().Err()) || s.isDeposed(context.Canceled) || (*shared)(nil).isDeposed(etcd.ErrLost) {
		t.Error("isDeposed: want true for the error of a term that was lost, and for no other")
	}
}

// What works on the files of one data directory refuses marks that are shared.
func TestSharedMarksAreNoFiles(t *testing.T) {
	files := &configs.Config{Data: t.TempDir(), PageStore: configs.PageStore{Engine: configs.FileMap}}
	remote := &configs.Config{Data: files.Data, PageStore: configs.PageStore{Engine: configs.HBase}, Marks: configs.Marks{Engine: configs.Etcd}}
	for _, way := range [][2]*configs.Config{{files, remote}, {remote, files}} {
		err := MovePages(t.Context(), way[0], way[1], nil, nil)
		if err == nil || !strings.Contains(err.Error(), "share marks") {
			t.Errorf("move: got error %v, want that it is refused", err)
		}
	}
	e := &Engine{holding: holding{shared: &shared{}}}
	if err := e.Backup(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "marks are in etcd") {
		t.Errorf("backup: got error %v, want that it is refused", err)
	}
}
