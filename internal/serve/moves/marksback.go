package moves

import (
	"errors"
	"os"
	"path/filepath"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/timetrace"
)

// toFile moves the marks to the file of the data directory.
func (m *marksMover) toFile() error {
	name, moved := m.moved.From, string(m.place["moved"])
	own := moved == datadir.MovingTo+m.s.ID
	switch {
	case m.local == datadir.InFile && own:
		m.moved.Already = true
		return m.clearEtcd()
	case m.local == datadir.InFile:
		return refuse(m.file.Data+" has the marks in its file", "use another data directory, or move that file away")
	case moved != "" && !own:
		return refuse("the marks in "+name+" don't count: a move to etcd was cut, or the file of another data directory has them", "run that move again first")
	case m.local != "" && m.local != name && m.local != datadir.MovingTo+name && m.local != datadir.MoveFrom+name:
		return refuse("the marks are in "+m.local, "move them from there")
	case len(m.state) == 0:
		return refuse(name+" has no marks", "start indexerd with "+m.file.File)
	}
	if err := m.record(datadir.MoveFrom + name); err != nil {
		return err
	}
	if err := m.write("fence etcd", map[string][]byte{leader.MovedKey: []byte(datadir.MovingTo + m.s.ID)}); err != nil {
		return err
	}
	if err := m.copyToFile(); err != nil {
		return err
	}
	if err := m.record(datadir.InFile); err != nil {
		return err
	}
	return m.clearEtcd()
}

// copyToFile makes the data directory have what etcd has. Neither counts.
func (m *marksMover) copyToFile() error {
	if err := m.step("progress"); err != nil {
		return err
	}
	if err := m.clearFiles(); err != nil {
		return err
	}
	if err := m.each("quarantine", m.state, m.quarantineToFile); err != nil {
		return err
	}
	if err := m.each("guard", m.state, m.kept.SaveRemovals); err != nil {
		return err
	}
	if err := m.step("owner"); err != nil {
		return err
	}
	if err := atomicfile.Write(atomicfile.OS, filepath.Join(m.file.Data, datadir.SharedOwnerFile), append(m.place["owner"], '\n')); err != nil {
		return err
	}
	if err := m.step("marks"); err != nil {
		return err
	}
	for table, marks := range m.state {
		marks.Doubt("the marks were moved from etcd")
		m.state[table] = marks
	}
	m.moved.Tables = len(m.state)
	to, err := timetrace.Open(atomicfile.OS, m.file.Data, release.Version)
	if err != nil {
		return err
	}
	return to.Replace(m.state)
}

// clearFiles removes what is left of other marks: their files, loads and sweeps under way
// that another daemon has continued since, and directories of tables without marks.
func (m *marksMover) clearFiles() error {
	name := filepath.Join(m.file.Data, timetrace.FileName)
	err := errors.Join(unlessGone(os.Remove(name+".prev")), unlessGone(os.Remove(name)))
	if err == nil && string(m.place["last"]) != m.s.ID {
		err = leader.RemoveProgress(m.file.Data)
	}
	for _, t := range m.file.Tables {
		if _, ok := m.state[t.Name]; !ok && err == nil {
			err = os.RemoveAll(filepath.Join(m.file.Data, t.Name))
		}
	}
	return err
}

func (m *marksMover) quarantineToFile(table, dir string) error {
	rows, err := m.kept.SaveQuarantine(table, dir)
	m.moved.Quarantined += rows
	return err
}
