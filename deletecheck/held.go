package deletecheck

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// A heldList steps through the removals that the guard held in the last sweep, in
// key order.
type heldList struct {
	at   note
	ok   bool // at is valid
	next func() (note, error, bool)
	stop func()
}

// openHeld opens the list, which is empty if there is no file.
func openHeld(fsys atomicfile.FS, dir string) (*heldList, error) {
	h := &heldList{}
	h.next, h.stop = iter.Pull2(heldNotes(fsys, filepath.Join(dir, heldName)))
	return h, h.step()
}

func heldNotes(fsys atomicfile.FS, name string) iter.Seq2[note, error] {
	return func(yield func(note, error) bool) {
		f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(note{}, err)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(note{}, err)
			return
		}
		for n, err := range readNotes(f, info.Size()) {
			if err != nil {
				err = fmt.Errorf("%s: %w: the next sweep writes the file again", name, err)
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// Held returns the number of removals that the guard held in the last sweep.
func Held(fsys atomicfile.FS, dir string) (n int, err error) {
	for _, err := range heldNotes(fsys, filepath.Join(dir, heldName)) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (h *heldList) step() (err error) {
	h.at, err, h.ok = h.next()
	return err
}

// has reports whether the removal of a document is held. The caller asks for keys
// in ascending order.
func (h *heldList) has(oid doc.OID) (bool, error) {
	for h.ok && h.at.stamp.OID < oid {
		if err := h.step(); err != nil {
			return false, err
		}
	}
	return h.ok && h.at.stamp.OID == oid, nil
}
