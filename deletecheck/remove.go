package deletecheck

import (
	"context"
	"path/filepath"

	"indexerd/internal/atomicfile"
)

// remove asks for the candidates again and removes those that are gone. What
// is held stays listed until the next sweep has ended.
func (w *sweep) remove(ctx context.Context) error {
	gone, err := newSpool(w.FS, filepath.Join(w.Dir, askedName))
	if err != nil {
		return err
	}
	defer gone.discard()
	held, err := newSpool(w.FS, filepath.Join(w.Dir, heldName+".new"))
	if err != nil {
		return err
	}
	defer held.discard()
	if err := w.asker.again(ctx, w.gone, gone); err != nil {
		return err
	}
	if err := w.asker.remove(ctx, gone, held); err != nil {
		return err
	}
	return keepHeld(w.FS, w.Dir, held)
}

// keepHeld makes the list of what is held durable.
func keepHeld(fsys atomicfile.FS, dir string, held *spool) error {
	name := filepath.Join(dir, heldName)
	if held.count == 0 {
		return removeFile(fsys, name)
	}
	return held.rename(name)
}
