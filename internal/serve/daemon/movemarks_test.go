package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/moves"
	"indexerd/internal/state/history"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/test/etcdtest"
	"indexerd/timetrace"
)

// A markMove is a data directory whose marks are moved. Both configurations have it.
type markMove struct {
	t          *testing.T
	file, etcd *configs.Config
}

func newMarkMove(t *testing.T, server *etcdtest.Server) markMove {
	t.Helper()
	shared := sharedConfig(t, server, "http://127.0.0.1:1")
	file := *shared
	file.Marks = configs.Marks{Engine: configs.File}
	m := markMove{t, &file, shared}
	m.fill()
	return m
}

func (m markMove) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// fill makes marks, rows in quarantine, and removals of the last hour.
func (m markMove) fill() {
	m.t.Helper()
	trace, err := timetrace.Open(atomicfile.OS, m.file.Data, release.Version)
	m.must(err)
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for i, table := range []string{"actor", "item"} {
		m.must(trace.UpdateTable(table, func(x *timetrace.Table) {
			x.Source, x.SQL, x.Epoch, x.Generation, x.Numbers, x.Loaded = "s", "q", 7, doc.Generation(3+i), 70<<36+5, true
			x.Settled, x.Incremental = at, at.Add(time.Minute)
			x.SetTier("5m", at)
			x.SetUnit("sql", timetrace.UnknownUnit)
		}))
		dir := filepath.Join(m.file.Data, table)
		m.must(os.MkdirAll(dir, 0o700))
		q, err := quarantine.Open(atomicfile.OS, quarantine.Name(dir))
		m.must(err)
		for tries := range 2 {
			var rejects []doc.Reject
			for n := range int64(150) { // more than one transaction of etcd
				oid, err := doc.NewOID(n)
				m.must(err)
				rejects = append(rejects, doc.Reject{OID: oid, Reason: "too long", Document: doc.Visible})
			}
			m.must(q.Add(doc.Batch{At: at.Add(time.Duration(tries) * time.Second), Rejects: rejects}))
		}
		h, err := history.Open(atomicfile.OS, history.Name(dir))
		m.must(err)
		_, err = h.Append(history.Run{Pass: "deletecheck", Started: time.Now().Add(-time.Minute), Took: time.Second, Report: doc.Report{Deleted: 4}})
		m.must(err)
	}
}

// A markState is all that a move has to keep.
type markState struct {
	Marks      timetrace.State
	Quarantine map[string][]quarantine.Row
	Removed    map[string]int
	Owner      string
}

// state returns what the file, or etcd, has.
func (m markMove) state(cfg *configs.Config) markState {
	m.t.Helper()
	h := holding{}
	s := markState{Quarantine: map[string][]quarantine.Row{}, Removed: map[string]int{}}
	if cfg.Marks.Shared() {
		var err error
		h.shared, err = leader.Connect(m.t.Context(), cfg)
		m.must(err)
		defer h.shared.Close()
		s.Owner, err = leader.KnownOwner(m.t.Context(), cfg)
		m.must(err)
	} else {
		var err error
		s.Owner, err = datadir.Owner(cfg.Data)
		m.must(err)
	}
	trace, err := h.shared.OpenTrace(cfg, true)
	m.must(err)
	s.Marks = trace.Tables()
	for table := range s.Marks {
		dir := filepath.Join(cfg.Data, table)
		q, err := quarantine.OpenReadOnly(atomicfile.OS, quarantine.Name(dir))
		if h.shared != nil {
			q, err = quarantine.OpenIn(h.shared.Store("quarantine/"+table+"/", false))
		}
		m.must(err)
		s.Quarantine[table] = q.Rows()
		runs, err := history.OpenReadOnly(atomicfile.OS, history.Name(dir))
		m.must(err)
		removals, err := leader.RecentRemovals(dir, runs)
		m.must(err)
		if h.shared != nil {
			values, err := h.shared.Store("guard/", false).Read()
			m.must(err)
			removals = nil
			m.must(json.Unmarshal(values[table], &removals))
		}
		for _, r := range removals {
			s.Removed[table] += r.N
		}
	}
	return s
}

// believed returns which places a daemon would start on: the file, and etcd from a data
// directory that has never had marks.
func (m markMove) believed() (file, inEtcd bool) {
	m.t.Helper()
	place, err := datadir.RecordedMarks(m.file.Data)
	m.must(err)
	file = place == datadir.InFile && datadir.CheckMarks(m.file) == nil
	other := *m.etcd
	other.Data = m.t.TempDir()
	sh, err := leader.Connect(m.t.Context(), &other)
	if err != nil {
		if !leader.IsMoved(err) {
			m.t.Fatal(err)
		}
		return file, false
	}
	defer sh.Close()
	marks, err := sh.Store("marks/", false).Read()
	m.must(err)
	return file, len(marks) > 0
}

var errCut = errors.New("cut")

// move moves the marks until a step, and returns how many there were.
func (m markMove) move(from, to *configs.Config, cut int) (steps int, at string, err error) {
	m.t.Helper()
	_, err = moves.MarksBy(m.t.Context(), from, to, func(step string) error {
		if steps++; steps == cut {
			at = step
			return errCut
		}
		return nil
	})
	return steps, at, err
}

// Marks, quarantine, removals and owner go from the file to etcd and back. A move is cut
// before each of its changes: never do both places count, a daemon starts on neither
// between them, and the next call finishes it.
func TestMoveMarks(t *testing.T) {
	server := etcdtest.New(t)
	cuts := func(back bool) {
		for cut := 1; ; cut++ {
			m := newMarkMove(t, server)
			m.etcd.Marks.Prefix += "/" + map[bool]string{false: "to", true: "back"}[back] + "/" + strings.Repeat("x", cut)
			want := m.state(m.file)
			from, to := m.file, m.etcd
			if back {
				if _, _, err := m.move(from, to, 0); err != nil {
					t.Fatal(err)
				}
				from, to = to, from
			}
			_, at, err := m.move(from, to, cut)
			if file, inEtcd := m.believed(); file && inEtcd {
				t.Errorf("cut before %q: both places count", at)
			}
			done := err == nil
			if !done {
				if !errors.Is(err, errCut) {
					t.Fatalf("cut before %q: got error %v, want that it was cut", at, err)
				}
				if _, _, err := m.move(from, to, 0); err != nil {
					t.Fatalf("cut before %q: the next call: %v", at, err)
				}
			}
			if file, inEtcd := m.believed(); file == inEtcd || inEtcd == back {
				t.Errorf("cut before %q, and finished: the file counts: %t, etcd counts: %t", at, file, inEtcd)
			}
			got := m.state(to)
			if back {
				for table, marks := range got.Marks {
					if marks.Unverified == "" {
						t.Errorf("cut before %q: %s is verified", at, table)
					}
					marks.Unverified, marks.Rewinds = "", 0
					got.Marks[table] = marks
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("cut before %q: got %+v, want %+v", at, got, want)
			}
			if _, _, err := m.move(from, to, 0); err != nil {
				t.Errorf("cut before %q: moved already: got error %v", at, err)
			}
			if done {
				t.Logf("%d steps", cut-1)
				return
			}
		}
	}
	cuts(false)
	cuts(true)
}

// Marks that don't count, or that others have, are not moved, and no daemon starts on them.
// Each error says what to do.
func TestMoveMarksRefuses(t *testing.T) {
	server := etcdtest.New(t)
	m := newMarkMove(t, server)
	refused := func(what string, err error, says string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got error %v, want %q", what, err, says)
		}
	}
	to := func(cut int) error { _, _, err := m.move(m.file, m.etcd, cut); return err }
	back := func(cut int) error { _, _, err := m.move(m.etcd, m.file, cut); return err }
	start := func(cfg *configs.Config) error {
		e, err := OpenReadOnly(cfg)
		if err == nil {
			err = e.Close()
		}
		return err
	}
	refused("a daemon on etcd beside the file", start(m.etcd), "has the marks in a file")
	refused("back before", back(0), "has the marks in its file")

	for cut := 3; cut <= 5; cut++ { // while it is copied
		refused("to etcd", to(cut), "cut")
		refused("back from a half", back(0), "don't count")
		refused("a daemon on the file", start(m.file), "a move of the marks to etcd /indexerd/TestMoveMarksRefuses was cut: run the same")
		refused("a daemon on etcd", start(m.etcd), "was cut: run the same `indexerd move` again")
		refused("check of the file", leader.TryMarks(t.Context(), m.file), "was cut")
		refused("check of etcd", leader.TryMarks(t.Context(), m.etcd), "was cut")
	}
	m.must(to(0))
	refused("a daemon on the file", start(m.file), "the marks are in etcd /indexerd/TestMoveMarksRefuses")
	m.must(leader.TryMarks(t.Context(), m.etcd))

	other := newMarkMove(t, server)
	other.file.Data, other.etcd.Data = t.TempDir(), ""
	other.etcd.Data = other.file.Data
	other.fill()
	_, _, err := other.move(other.file, other.etcd, 0)
	refused("marks of another data directory", err, "has the marks of other daemons")

	leading := sharing(t, server, t.TempDir())
	leads(t, leading)
	refused("beside a leader", back(0), "leads with the marks in etcd /indexerd/TestMoveMarksRefuses: stop all daemons")
	resigns(t, leading)

	refused("back", back(4), "cut")
	refused("to etcd again", to(0), "a move of the marks from etcd /indexerd/TestMoveMarksRefuses to a file was cut")
	refused("a daemon on the file", start(m.file), "a move of the marks from etcd /indexerd/TestMoveMarksRefuses was cut")
	refused("an election", leading.LeadUnlessLed(t.Context()), "were moved from etcd")
	m.must(back(0))
	refused("a daemon on etcd", start(m.etcd), "has the marks in a file")

	pages, table := *m.etcd, *m.etcd
	pages.PageStore.Table = "others"
	table.Tables = nil
	_, _, err = m.move(m.file, &pages, 0)
	refused("other pages", err, "move the pages first")
	_, _, err = m.move(m.file, &table, 0)
	refused("other tables", err, "differs from")
}
