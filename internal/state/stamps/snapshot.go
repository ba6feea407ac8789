package stamps

import (
	"errors"
	"iter"

	"indexerd/internal/base/doc"
)

// A snapshot is the state of the tree at a moment. It keeps the files of its runs
// until it is closed.
type snapshot struct {
	mem  *memory
	runs layers
}

// snapshot returns the current state. An error, here or of window, means that a run
// can't be read; the next change empties the tree.
func (t *Tree) snapshot() (*snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs.broken() {
		return nil, errors.New("stamps: a run could not be read before")
	}
	t.runs.hold()
	return &snapshot{mem: t.mem.freeze(), runs: t.runs}, nil
}

// window returns the stamps with an updateTime in the window, in key order. It ends
// with the first error.
func (s *snapshot) window(w doc.Window) iter.Seq2[doc.Stamp, error] {
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

// Window returns the stamps with an updateTime in the window, in key order, of the
// tree's state when the iteration begins. It ends with the first error: the caller
// then compares with the pages.
func (t *Tree) Window(w doc.Window) iter.Seq2[doc.Stamp, error] {
	return func(yield func(doc.Stamp, error) bool) {
		s, err := t.snapshot()
		if err != nil {
			yield(doc.Stamp{}, err)
			return
		}
		more := true
		for stamp, err := range s.window(w) {
			if more = yield(stamp, err) && err == nil; !more {
				break
			}
		}
		if err := s.close(); err != nil && more {
			yield(doc.Stamp{}, err)
		}
	}
}

// close releases the files. It is called once, after all iterations have ended.
func (s *snapshot) close() error { return s.runs.release() }
