package stamps

import (
	"errors"
	"iter"

	"indexerd/internal/doc"
)

// A Snapshot is the tree as it was. It keeps the files that it can see until
// it is closed.
type Snapshot struct {
	mem  *memory
	runs layers
}

// Snapshot returns the tree as it is now. An error, here or of Window, means
// that spilled stamps can't be read: compare everything with the pages. The
// next change of the tree forgets them.
func (t *Tree) Snapshot() (*Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs.broken() {
		return nil, errors.New("spilled stamps could not be read before")
	}
	t.runs.hold()
	return &Snapshot{mem: t.mem.freeze(), runs: t.runs}, nil
}

// Window yields the stamps with an updateTime in the window, in the order of
// keys. It ends with the first error.
func (s *Snapshot) Window(w doc.Window) iter.Seq2[doc.Stamp, error] {
	from, to := micros(w.From), micros(w.To)
	return func(yield func(doc.Stamp, error) bool) {
		for r, err := range overlay(s.mem.all(), s.runs) {
			switch {
			case err != nil:
				yield(doc.Stamp{}, err)
				return
			case r.u == gone || r.u < from || r.u >= to:
			case !yield(r.stamp(), nil):
				return
			}
		}
	}
}

// Window yields the stamps with an updateTime in the window, in the order of
// keys, as the tree was when the walk began. It is a Snapshot for one walk,
// closed when that ends, so that no caller keeps the files of one. It ends with
// the first error, which may be that of closing.
func (t *Tree) Window(w doc.Window) iter.Seq2[doc.Stamp, error] {
	return func(yield func(doc.Stamp, error) bool) {
		s, err := t.Snapshot()
		if err != nil {
			yield(doc.Stamp{}, err)
			return
		}
		more := true
		for stamp, err := range s.Window(w) {
			if more = yield(stamp, err) && err == nil; !more {
				break
			}
		}
		if err := s.Close(); err != nil && more {
			yield(doc.Stamp{}, err)
		}
	}
}

// Close lets go of the files. Call it once, when no walk is under way.
func (s *Snapshot) Close() error { return s.runs.release() }
