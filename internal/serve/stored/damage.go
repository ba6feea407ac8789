package stored

import (
	"errors"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/scrub"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/state/quarantine"
	"indexerd/store"
)

// IndexDamaged is why a table is unverified whose index had a damaged file: the documents
// are added again from the pages, and searches are refused until that has ended. Then the
// reason is IndexRebuilt.
const (
	IndexDamaged = "the index was damaged, and is being rebuilt from the pages"
	IndexRebuilt = "the index was damaged, and was rebuilt from the pages"
)

// IndexOfBuild is why a table is unverified whose index can't be read, since it is of a build
// that did not store the mapping: it is rebuilt as a damaged one is. Then the reason is
// BuildIndexRebuilt.
const (
	IndexOfBuild      = "the index is of a build that did not store its mapping, and is being rebuilt from the pages"
	BuildIndexRebuilt = "the index was of a build that did not store its mapping, and was rebuilt from the pages"
)

// isRebuilding reports whether a table is unverified for an index that is being rebuilt.
func isRebuilding(unverified string) bool {
	return unverified == IndexDamaged || unverified == IndexOfBuild
}

// FilesDamaged is why a table is unverified after a page or a list was damaged.
const FilesDamaged = "files were damaged"

// A checkedIndex can be damaged: one whose files are below the data directory.
type checkedIndex interface {
	Scrub(*scrub.Run) error
	Damage() error
	Suspect() error
}

// IsIndexDamaged reports whether an error is that of a damaged index.
func IsIndexDamaged(err error) bool { return errors.Is(err, fulltext.ErrDamaged) }

// Rebuilding reports whether the index lacks documents that the pages have.
func (s *Table) Rebuilding() bool {
	marks, _ := s.Trace.Table(s.Conf.Name)
	return isRebuilding(marks.Unverified)
}

// WhyRebuilding returns why the index lacks documents that the pages have.
func (s *Table) WhyRebuilding() string {
	marks, _ := s.Trace.Table(s.Conf.Name)
	return marks.Unverified
}

// HasFiles reports whether index or pages are below the data directory, when the table is
// open.
func (s *Table) HasFiles() bool {
	return s.Config.Index.Engine != configs.OpenSearch || !s.Config.PageStore.Remote()
}

// Damage returns the error of the index if one of its files is damaged.
func (s *Table) Damage() error {
	if x, ok := s.Current().(checkedIndex); ok {
		return x.Damage()
	}
	return nil
}

// suspectPage reports whether an error of a page is that of a damaged one, and has the
// files looked into.
func (s *Table) suspectPage(err error) bool {
	if IsGone(err) || !IsDamaged(err) {
		return false
	}
	s.suspected.Store(&err)
	return true
}

// Suspect returns the error of a search that a damaged file may have caused, once.
func (s *Table) Suspect() error {
	if err := s.suspected.Swap(nil); err != nil {
		return *err
	}
	if x, ok := s.Current().(checkedIndex); ok {
		return x.Suspect()
	}
	return nil
}

// Scrub reads all files of the table, and with the first table those of the data
// directory. What it can repair from memory it repairs. A damaged index returns an error
// from then on, and a damaged page is absent.
func (s *Table) Scrub(r *scrub.Run) error {
	s.mu.Lock()
	index, pages, tree, list := s.Index, s.Pages, s.Tree, s.Quarantine
	s.mu.Unlock()
	if s.Config.Tables[0].Name == s.Conf.Name {
		if err := s.Trace.Scrub(r); err != nil {
			return err
		}
	}
	if x, ok := index.(checkedIndex); ok {
		if err := x.Scrub(r); err != nil {
			return err
		}
	}
	if m, ok := pages.(*store.FileMap); ok {
		if err := m.Scrub(r); err != nil {
			return err
		}
	}
	if tree != nil {
		if err := tree.Scrub(r); err != nil {
			return err
		}
	}
	if list == nil { // closed meanwhile
		return nil
	}
	return list.Scrub(r)
}

// DoubtFiles marks the table as unverified, so that a sweep fetches what is damaged.
func (s *Table) DoubtFiles() error { return s.doubt(FilesDamaged) }

// ReplaceIndex puts an empty index in the place of a damaged one. The caller holds the
// lane, and runs no sweep. The mark is durable first: until Refilled, a restart begins
// again with an empty index.
func (s *Table) ReplaceIndex() error {
	if err := s.doubt(IndexDamaged); err != nil {
		return err
	}
	old := s.Current()
	p := &adoption{place: s.place}
	made, err := p.Create(old.Generation())
	if err != nil {
		return err
	}
	s.writes.Set(made)
	if err := p.Commit(); err != nil {
		s.writes.Set(old)
		return errors.Join(err, made.Close(), p.Discard())
	}
	_ = s.adopt(p.made) // closing the damaged one returns its damage
	return p.Retire()
}

// Refilled notes that the index has the documents of all pages.
func (s *Table) Refilled() error {
	marks, _ := s.Trace.Table(s.Conf.Name)
	switch marks.Unverified {
	case IndexDamaged:
		return s.doubt(IndexRebuilt)
	case IndexOfBuild:
		return s.doubt(BuildIndexRebuilt)
	}
	return nil
}

// lookForDamage marks the table as unverified if the list of the quarantine is damaged:
// opening it drops the damaged lines.
func (s *Table) lookForDamage() error {
	list, err := quarantine.OpenReadOnly(atomicfile.OS, quarantine.Name(s.Dir))
	if err != nil || list.Damaged() == nil {
		return err
	}
	return s.DoubtFiles()
}
