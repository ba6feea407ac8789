package moves

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/state/history"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/sync/sink"
	"indexerd/timetrace"
)

// MovedMarks is the result of a move of marks.
type MovedMarks struct {
	From, To    string // names of places
	Tables      int
	Quarantined int
	Already     bool // an earlier move has moved them
}

// Marks moves marks, quarantine, the guard's removals and the id by which index and
// pages know the daemon from the file of a data directory to etcd, or back. No daemon may
// use either.
//
// Steps: take the data directory and the term; make the target not count; make the source
// not count; copy; make the target count. Between the third and the last one no daemon
// starts on either place, and MoveMarks continues when it is called again. At no step do
// both count. Last, it removes what does not count any more.
//
// Tables that come from etcd are unverified: a leader that is paused may have sent a write
// to the pages.
func Marks(ctx context.Context, from, to *configs.Config) (MovedMarks, error) {
	return MarksBy(ctx, from, to, func(string) error { return nil })
}

// MarksBy is MoveMarks, and calls step before each change that a kill could prevent.
func MarksBy(ctx context.Context, from, to *configs.Config, step func(string) error) (moved MovedMarks, err error) {
	if err := marksMovable(from, to); err != nil {
		return moved, err
	}
	m := &marksMover{file: from, etcd: to, step: step}
	if from.Marks.Shared() {
		m.file, m.etcd = to, from
	}
	lock, err := datadir.Lock(to)
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	id, err := datadir.ID(to.Data)
	if err != nil {
		return moved, err
	}
	if m.s, err = leader.Dial(ctx, m.etcd, id); err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(m.s.Close(), err) }()
	err = m.s.LeadToMove(ctx, datadir.MarksName(m.etcd.Marks))
	if err == nil {
		err = m.look(ctx)
	}
	if err == nil {
		err = m.refuseRestored()
	}
	if err != nil {
		return moved, err
	}
	m.moved = MovedMarks{From: datadir.MarksName(from.Marks), To: datadir.MarksName(to.Marks)}
	if to.Marks.Shared() {
		err = m.toEtcd()
	} else {
		err = m.toFile()
	}
	return m.moved, err
}

// marksMovable returns why marks can't be moved from one configuration to the other.
func marksMovable(from, to *configs.Config) error {
	if err := sameData(from, to); err != nil {
		return err
	}
	switch {
	case from.Marks.Shared() == to.Marks.Shared():
		return to.Fault("marks", "marks are moved from a file to etcd, or back", "move them to the file of a data directory first")
	case from.PageStore.Name() != to.PageStore.Name():
		return to.Fault("pages", "the pages of "+from.File+" are in another store", "move the pages first, with marks in the file, and then the marks")
	case from.Index.Engine != to.Index.Engine:
		return to.Fault("index", "the index of "+from.File+" is in another engine", "start indexerd with this index, and marks in the file, until it has verified all tables; then move the marks")
	case leader.Fingerprint(from) != leader.Fingerprint(to):
		return to.Fault("marks", "the configuration differs from "+from.File+" in more than marks", "change one thing after the other")
	}
	return nil
}

// A marksMover is one move of marks. It holds the data directory, and leads.
type marksMover struct {
	file, etcd *configs.Config // with marks in each of these places
	s          *leader.Shared
	step       func(string) error
	moved      MovedMarks

	local string            // what the data directory says of the place of the marks
	kept  leader.State      // what etcd has
	place map[string][]byte // what etcd says of the place of the marks
	state timetrace.State   // what marks etcd has
}

// look reads which places count.
func (m *marksMover) look(ctx context.Context) (err error) {
	if m.local, err = datadir.RecordedMarks(m.file.Data); err != nil {
		return err
	}
	if m.kept, err = m.s.Client.Read(ctx, ""); err != nil {
		return err
	}
	m.place = m.kept.Under("place/")
	m.state, err = m.kept.Marks()
	return err
}

// write writes values in etcd.
func (m *marksMover) write(step string, values map[string][]byte) error {
	if err := m.step(step); err != nil {
		return err
	}
	return m.s.Term().Write(values)
}

// record writes to the data directory where the marks are.
func (m *marksMover) record(place string) error {
	if err := m.step("record " + place); err != nil {
		return err
	}
	return datadir.RecordMarks(m.file.Data, place)
}

// each calls f for each table of marks, in the order of names, before which it calls step.
func (m *marksMover) each(what string, marks timetrace.State, f func(table, dir string) error) error {
	for _, table := range slices.Sorted(maps.Keys(marks)) {
		err := m.step(what + " of " + table)
		if err == nil {
			err = f(table, filepath.Join(m.file.Data, table))
		}
		if err != nil {
			return fmt.Errorf("move the %s of %s: %w", what, table, err)
		}
	}
	return nil
}

// refuse returns an error that says where the marks are instead.
func refuse(what, do string) error { return fmt.Errorf("%s: %s", what, do) }

// toEtcd moves the marks to etcd.
func (m *marksMover) toEtcd() error {
	name, moved := m.moved.To, string(m.place["moved"])
	own := moved == datadir.MoveFrom+m.s.ID
	switch back := moved == datadir.MovingTo+m.s.ID; {
	case (m.local == name || m.local == datadir.MovingTo+name) && moved == "":
		m.moved.Already = true
		return m.endToEtcd()
	case m.local == datadir.MoveFrom+name || (m.local == name || m.local == datadir.MovingTo+name) && !own:
		return refuse("a move of the marks from "+name+" to a file was cut", "run that again first")
	case m.local == "":
		return refuse(m.file.Data+" has no marks", "start indexerd with "+m.etcd.File)
	case m.local != datadir.InFile && m.local != name && m.local != datadir.MovingTo+name:
		return refuse("the marks are in "+m.local, "move them to the file first")
	case m.local == datadir.InFile && !own && !back && (moved != "" || len(m.state) > 0):
		return refuse(name+" has the marks of other daemons", "name another prefix")
	}
	if err := m.write("fence etcd", map[string][]byte{leader.MovedKey: []byte(datadir.MoveFrom + m.s.ID)}); err != nil {
		return err
	}
	if err := m.record(datadir.MovingTo + name); err != nil {
		return err
	}
	if err := m.copyToEtcd(); err != nil {
		return err
	}
	if err := m.write("believe etcd", map[string][]byte{leader.MovedKey: nil}); err != nil {
		return err
	}
	return m.endToEtcd()
}

// copyToEtcd makes etcd have what the file has. Neither counts.
func (m *marksMover) copyToEtcd() error {
	from, err := timetrace.Open(atomicfile.OS, m.file.Data, release.Version)
	if err != nil {
		return err
	}
	marks := from.Tables()
	if err := m.clearEtcd(); err != nil {
		return err
	}
	if err := m.each("quarantine", marks, m.quarantineToEtcd); err != nil {
		return err
	}
	if err := m.each("guard", marks, m.guardToEtcd); err != nil {
		return err
	}
	owner, err := datadir.Owner(m.file.Data)
	if err != nil {
		return err
	}
	if err := m.write("place", map[string][]byte{"place/owner": []byte(owner), "place/last": []byte(m.s.ID), "place/configuration": []byte(leader.Fingerprint(m.etcd))}); err != nil {
		return err
	}
	if err := m.step("marks"); err != nil {
		return err
	}
	m.moved.Tables = len(marks)
	to, err := timetrace.OpenIn(m.s.Store("marks/", false), release.Version)
	if err != nil {
		return err
	}
	return to.Replace(marks)
}

func (m *marksMover) quarantineToEtcd(table, dir string) error {
	q, err := quarantine.OpenReadOnly(atomicfile.OS, quarantine.Name(dir))
	if err != nil {
		return err
	}
	m.moved.Quarantined += q.Len()
	return q.CopyTo(m.s.Store("quarantine/"+table+"/", false))
}

func (m *marksMover) guardToEtcd(table, dir string) error {
	h, err := history.OpenReadOnly(atomicfile.OS, history.Name(dir))
	if err != nil {
		return err
	}
	recent, err := leader.RecentRemovals(dir, h)
	if err != nil {
		return err
	}
	text, err := json.Marshal(slices.DeleteFunc(recent, func(r sink.Removals) bool { return time.Since(r.At) > time.Hour }))
	if err != nil {
		return err
	}
	return m.s.Store("guard/", false).Write(map[string][]byte{table: text})
}

// clearEtcd removes what etcd has of tables. It does not count.
func (m *marksMover) clearEtcd() error {
	for _, under := range []string{"marks/", "quarantine/", "guard/"} {
		if err := m.step("clear " + under); err != nil {
			return err
		}
		p := m.s.Store(under, false)
		values, err := p.Read()
		if err != nil {
			return err
		}
		for key := range values {
			values[key] = nil
		}
		if err := p.Write(values); err != nil {
			return err
		}
	}
	return nil
}

// endToEtcd puts the file of marks away: it does not count.
func (m *marksMover) endToEtcd() error {
	if err := m.record(m.moved.To); err != nil {
		return err
	}
	if err := m.step("put the file away"); err != nil {
		return err
	}
	name := filepath.Join(m.file.Data, timetrace.FileName)
	err := unlessGone(os.Remove(name + ".prev"))
	return errors.Join(err, unlessGone(os.Rename(name, name+".moved")))
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
