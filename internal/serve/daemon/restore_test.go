package daemon

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/stored"
	"indexerd/internal/serve/tables"
	"indexerd/internal/state/backup"
	"indexerd/internal/test/etcdtest"
	"indexerd/timetrace"
)

// The index and the pages of a table in other stores. While a backup describes them, a pass
// goes on: it moves the marks.
type (
	indexElsewhere struct {
		stored.Index
		work func() error
	}
	pagesElsewhere struct {
		stored.Pages
		work func() error
	}
)

func (c indexElsewhere) CopyTo(dir string) error {
	return errors.Join(c.work(), os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "cluster.json"), []byte("{}\n"), 0o600))
}

func (c pagesElsewhere) Snapshot(dir string) error {
	return errors.Join(c.work(), os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "store.json"), []byte("{}\n"), 0o600))
}

// later is after all marks of a markMove.
var later = time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC)

// numbersInUse are reserved while the backup is made.
const numbersInUse = 71<<36 + 9

// backup makes a backup of a leader whose marks go on meanwhile.
func (m markMove) backup() (src string) {
	m.t.Helper()
	sh, err := leader.Connect(m.t.Context(), m.etcd)
	m.must(err)
	leads(m.t, sh)
	trace, err := timetrace.OpenIn(sh.Store("marks/", false), release.Version)
	m.must(err)
	e := &Engine{holding: holding{shared: sh}, cfg: m.etcd, trace: trace}
	for name := range trace.Tables() {
		work := func() error {
			rows, err := sh.Store("quarantine/"+name+"/", false).Read()
			for key := range rows {
				rows[key] = nil
			}
			return errors.Join(err, sh.Store("quarantine/"+name+"/", false).Write(rows), trace.UpdateTable(name, func(x *timetrace.Table) { x.Incremental, x.Numbers = later, numbersInUse }))
		}
		t := tables.New(stored.New(m.etcd, configs.Table{Name: name}, trace, nil), nil)
		t.Index, t.Pages = indexElsewhere{work: work}, pagesElsewhere{work: work}
		e.tables = append(e.tables, t)
	}
	src = filepath.Join(m.t.TempDir(), "b.tar.zst")
	m.must(saveBackup(e, src))
	m.must(sh.Close())
	return src
}

func saveBackup(e *Engine, dest string) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(e.Backup(context.Background(), w)) }()
	return errors.Join(backup.Save(r, dest), r.Close())
}

// restored returns the state that a restore of a backup has to leave.
func restored(s markState) markState {
	s.Marks = maps.Clone(s.Marks)
	for table, marks := range s.Marks {
		marks.Numbers = numbersInUse
		s.Marks[table] = marks
	}
	return s
}

// emptied returns the configurations of an empty data directory and an empty prefix.
func (m markMove) emptied(prefix string) markMove {
	file, etcd := *m.file, *m.etcd
	file.Data = filepath.Join(m.t.TempDir(), "data")
	etcd.Data = file.Data
	etcd.Marks.Prefix += "/" + prefix
	return markMove{m.t, &file, &etcd}
}

// restoreUntil restores a backup until a step, and returns its name; "": there was none.
func (m markMove) restoreUntil(cfg *configs.Config, src string, cut int) (at string, err error) {
	steps := 0
	_, err = moves.RestoreBy(m.t.Context(), cfg, src, nil, func(step string) error {
		if steps++; steps == cut {
			at = step
			return errCut
		}
		return nil
	})
	return at, err
}

// isRestored compares what a place has with what the backup had: nothing of the time after
// the snapshot, all tables unverified, and an id that no daemon had before.
func (m markMove) isRestored(what string, cfg *configs.Config, want markState) {
	m.t.Helper()
	got := m.state(cfg)
	if got.Owner == "" || got.Owner == want.Owner {
		m.t.Errorf("%s: got owner %q, want another one than %q", what, got.Owner, want.Owner)
	}
	got.Owner = want.Owner
	for table, marks := range got.Marks {
		if !strings.HasPrefix(marks.Unverified, "restored from the backup of 20") {
			m.t.Errorf("%s: %s: got unverified %q, want restored", what, table, marks.Unverified)
		}
		marks.Unverified, marks.Rewinds = "", 0
		got.Marks[table] = marks
	}
	if !reflect.DeepEqual(got, want) {
		m.t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// A backup of marks in etcd is what etcd had at one moment before index and pages were
// described. It is restored to etcd, or to a file, and a backup of files to etcd. A restore
// to etcd is cut before each of its changes: no daemon starts on the data directory, none
// finds marks in etcd, and the next call restores everything, also if it is cut again.
func TestRestoreToEtcd(t *testing.T) {
	m := newMarkMove(t, etcdtest.New(t))
	_, _, err := m.move(m.file, m.etcd, 0)
	m.must(err)
	want := restored(m.state(m.etcd))
	src := m.backup()
	if now := m.state(m.etcd); now.Marks["item"].Incremental != later || len(now.Quarantine["item"]) > 0 {
		t.Fatalf("got marks %+v after the backup, want that a pass has gone on", now.Marks["item"])
	}
	for cut := 1; ; cut++ {
		n := m.emptied(strings.Repeat("x", cut))
		at, err := n.restoreUntil(n.etcd, src, cut)
		if err == nil {
			t.Logf("%d steps", cut-1)
			n.isRestored("not cut", n.etcd, want)
			break
		}
		for _, again := range []int{cut, cut + 1, 2, 3, 0} {
			if !errors.Is(err, errCut) {
				t.Fatalf("cut before %q: got error %v, want that it was cut", at, err)
			}
			if file, inEtcd := n.believed(); file || inEtcd {
				t.Errorf("cut before %q: the file counts: %t, etcd counts: %t, want none", at, file, inEtcd)
			}
			if place, _ := datadir.RecordedMarks(n.etcd.Data); place != "" {
				if err := n.starts(); err == nil || !strings.Contains(err.Error(), "run the same `indexerd restore` again") {
					t.Errorf("cut before %q: a start: got error %v, want what to do", at, err)
				}
			}
			if again == 0 {
				n.must(n.restoreAll(n.etcd, src))
			} else if at, err = n.restoreUntil(n.etcd, src, again); err == nil {
				break
			}
		}
		n.isRestored("cut before "+at, n.etcd, want)
		n.must(n.starts())
	}
	n := m.emptied("file")
	n.must(n.restoreAll(n.file, src))
	n.isRestored("to a file", n.file, want)
}

func (m markMove) restoreAll(cfg *configs.Config, src string) error {
	_, err := moves.Restore(m.t.Context(), cfg, src, nil)
	return err
}

// starts connects as a daemon does.
func (m markMove) starts() error {
	s, err := leader.Connect(m.t.Context(), m.etcd)
	if err == nil {
		err = s.Close()
	}
	return err
}

// A backup with marks in a file is restored to etcd.
func TestRestoreOfAFileToEtcd(t *testing.T) {
	m := newMarkMove(t, etcdtest.New(t))
	want := restored(m.state(m.file))
	trace, err := datadir.OpenTrace(m.file, false)
	m.must(err)
	e := &Engine{cfg: m.file, trace: trace}
	for name := range trace.Tables() {
		work := func() error {
			return trace.UpdateTable(name, func(x *timetrace.Table) { x.Incremental, x.Numbers = later, numbersInUse })
		}
		t := tables.New(stored.New(m.file, configs.Table{Name: name}, trace, nil), nil)
		t.Index, t.Pages = indexElsewhere{work: work}, pagesElsewhere{work: work}
		e.tables = append(e.tables, t)
	}
	src := filepath.Join(t.TempDir(), "b")
	m.must(saveBackup(e, src))
	n := m.emptied("x")
	n.must(n.restoreAll(n.etcd, src))
	n.isRestored("to etcd", n.etcd, want)
}

// What is there is not replaced, a damaged backup leaves etcd empty, and what a cut restore
// has left is neither moved nor started on. A standby makes no backup.
func TestRestoreRefuses(t *testing.T) {
	m := newMarkMove(t, etcdtest.New(t))
	refused := func(what string, err error, says string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got error %v, want %q", what, err, says)
		}
	}
	_, _, err := m.move(m.file, m.etcd, 0)
	m.must(err)
	src := m.backup()
	n := m.emptied("x")
	other := m.emptied("y")
	other.etcd.Marks.Prefix = m.etcd.Marks.Prefix
	refused("marks of others", other.restoreAll(other.etcd, src), "is not empty: stop all daemons, and remove their marks with `etcdctl del --prefix /indexerd/TestRestoreRefuses/state/`, or write another prefix")
	occupied := *n.etcd
	occupied.Data = m.etcd.Data
	refused("a data directory in use", n.restoreAll(&occupied, src), "is not empty")

	leading, err := leader.Connect(t.Context(), m.etcd)
	m.must(err)
	leads(t, leading)
	refused("beside a leader", other.restoreAll(other.etcd, src), "leads with the marks in etcd /indexerd/TestRestoreRefuses: stop all daemons")
	standby, err := leader.Connect(t.Context(), other.etcd)
	m.must(err)
	t.Cleanup(func() { _ = standby.Close() })
	e := &Engine{holding: holding{shared: standby}, cfg: m.etcd, frozen: standby.Standby(t.Context())}
	refused("a backup of a standby", e.Backup(t.Context(), io.Discard), "leads since")
	e.frozen = nil
	refused("a snapshot of a standby", standby.Snapshot(t.Context(), t.TempDir()), "does not lead")
	m.must(leading.Close())

	damaged := filepath.Join(t.TempDir(), "b.tar.zst")
	text, err := os.ReadFile(src)
	m.must(err)
	text[len(text)/2] ^= 0x20
	m.must(os.WriteFile(damaged, text, 0o600))
	if err := n.restoreAll(n.etcd, damaged); err == nil {
		t.Error("a damaged backup: got no error")
	}
	m.must(n.starts())
	m.must(os.RemoveAll(n.etcd.Data))

	for cut := 4; cut <= 6; cut++ { // while it is copied
		_, err = n.restoreUntil(n.etcd, src, cut)
		refused("a restore", err, "cut")
		refused("check", leader.TryMarks(t.Context(), n.etcd), "run the same `indexerd restore` again")
		refused("check of the file", leader.TryMarks(t.Context(), n.file), "was cut: run the same `indexerd restore` again")
		for _, way := range [][2]*configs.Config{{n.file, n.etcd}, {n.etcd, n.file}} {
			_, _, err = n.move(way[0], way[1], 0)
			refused("a move", err, "a restore was cut: run the same `indexerd restore` again")
		}
	}
	elsewhere := n.emptied("") // another machine may finish it: nothing counts yet
	elsewhere.etcd.Marks.Prefix = n.etcd.Marks.Prefix
	m.must(elsewhere.restoreAll(elsewhere.etcd, src))
	refused("a start on what was cut", n.starts(), "run the same `indexerd restore` again")
	refused("the first one again", n.restoreAll(n.etcd, src), "is not empty")
}

// Terms begin at 1 again in an etcd that was lost. Numbers of a table that was restored go
// on above those of the backup.
func TestNumbersAfterARestore(t *testing.T) {
	m := newMarkMove(t, etcdtest.New(t))
	_, _, err := m.move(m.file, m.etcd, 0)
	m.must(err)
	n := m.emptied("x")
	n.must(n.restoreAll(n.etcd, m.backup()))
	sh, err := leader.Connect(t.Context(), n.etcd)
	n.must(err)
	defer sh.Close()
	leads(t, sh)
	if term := sh.Term().Leader.Term; term > 2 {
		t.Fatalf("got term %d, want one of an etcd that was lost", term)
	}
	trace, err := timetrace.OpenIn(sh.Store("marks/", false), release.Version)
	n.must(err)
	s := &stored.Table{Config: n.etcd, Conf: configs.Table{Name: "item"}, Trace: trace, Shared: sh}
	if first, err := s.Reserve(10); err != nil || first <= numbersInUse || doc.Version(first) <= 0 {
		t.Errorf("got number %d, error %v, want one above %d", first, err, uint64(numbersInUse))
	}
}
