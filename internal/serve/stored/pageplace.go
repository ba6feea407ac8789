package stored

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/timetrace"
)

// PagesFile names, in the directory of a table, the store that has its pages. If the
// configuration names another store, its pages may be missing or old: the table becomes
// unverified. `indexerd move` writes the name when the other store has all pages.
const PagesFile = "pages.store"

// recordStore makes durable that the pages are in the configured store. Call it before
// the pages are opened: that makes them. The files of a new table say it themselves.
func (s *Table) recordStore() error {
	if s.ReadOnly {
		return nil
	}
	was, err := s.RecordedStore()
	now := s.Config.PageStore.Name()
	if err != nil || was == now {
		return err
	}
	marks, _ := s.Trace.Table(s.Conf.Name)
	if was == "" && now == configs.FileMap {
		if !marks.Loaded {
			return nil
		}
		was = "a store that is not known"
	}
	if marks.Numbers > 0 && was != "" {
		if err := s.doubt("the pages are in another store: " + now + " instead of " + was); err != nil {
			return err
		}
	}
	return s.WriteStore(now)
}

// RecordedStore returns the store that has the pages; "" if it is not known. A data
// directory of an earlier release has no name: its pages are files if there are any.
func (s *Table) RecordedStore() (string, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(s.Dir, PagesFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(text)), err
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "pages")); err == nil {
		return configs.FileMap, nil
	}
	return "", nil
}

// WriteStore makes durable that the pages are in a store.
func (s *Table) WriteStore(name string) error {
	return atomicfile.Write(atomicfile.OS, filepath.Join(s.Dir, PagesFile), []byte(name+"\n"))
}

// raiseNumbers makes the next number of the table higher than n.
func (s *Table) raiseNumbers(n uint64) error {
	return s.Trace.UpdateTable(s.Conf.Name, func(m *timetrace.Table) { m.Numbers = max(m.Numbers, n) })
}
