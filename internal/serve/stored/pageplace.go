package daemon

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

// pagesFile names, in the directory of a table, the store that has its pages. If the
// configuration names another store, its pages may be missing or old: the table becomes
// unverified. `indexerd move` writes the name when the other store has all pages.
const pagesFile = "pages.store"

// recordStore makes durable that the pages are in the configured store. Call it before
// the pages are opened: that makes them.
func (s *storage) recordStore() error {
	if s.readOnly {
		return nil
	}
	was, err := s.recordedStore()
	now := s.cfg.PageStore.Name()
	if err != nil || was == now {
		return err
	}
	marks, _ := s.trace.Table(s.conf.Name)
	if was == "" && now == configs.FileMap && marks.Loaded {
		was = "a store that is not known"
	}
	if marks.Numbers > 0 && was != "" {
		if err := s.doubt("the pages are in another store: " + now + " instead of " + was); err != nil {
			return err
		}
	}
	return s.writeStore(now)
}

// recordedStore returns the store that has the pages; "" if it is not known. A data
// directory of an earlier release has no name: its pages are files if there are any.
func (s *storage) recordedStore() (string, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(s.dir, pagesFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(text)), err
	}
	if _, err := os.Stat(filepath.Join(s.dir, "pages")); err == nil {
		return configs.FileMap, nil
	}
	return "", nil
}

func (s *storage) writeStore(name string) error {
	return atomicfile.Write(atomicfile.OS, filepath.Join(s.dir, pagesFile), []byte(name+"\n"))
}

// raiseNumbers makes the next number of the table higher than n.
func (s *storage) raiseNumbers(n uint64) error {
	return s.trace.UpdateTable(s.conf.Name, func(m *timetrace.Table) { m.Numbers = max(m.Numbers, n) })
}
