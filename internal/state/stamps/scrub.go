package stamps

import "indexerd/internal/base/scrub"

// Scrub reads the runs. If one is damaged, it empties the tree: the pages have all stamps.
func (t *Tree) Scrub(r *scrub.Run) error {
	t.mu.Lock()
	runs := t.runs
	runs.hold()
	t.mu.Unlock()
	var err error
	for _, l := range runs {
		if err == nil {
			err = l.run.scrub(r)
		}
	}
	if releaseErr := runs.release(); err == nil {
		err = releaseErr
	}
	if err != nil {
		return err
	}
	return t.change(func() error { return nil })
}

// scrub reads all of a run.
func (r *run) scrub(to *scrub.Run) error {
	to.Files++
	if _, err := openRun(r.fsys, r.file); err != nil {
		r.broken.Store(true)
		to.Found(r.file.Name(), err)
		return nil
	}
	var buf []byte
	for i := range r.blocks {
		var reader blockReader
		var err error
		if reader, buf, err = r.block(i, buf); err == nil {
			for more := true; more && err == nil; {
				_, more, err = reader.next()
			}
		}
		if err != nil {
			r.broken.Store(true)
			to.Found(r.file.Name(), err)
			return nil
		}
		if err := to.Read(r.blocks[i].length); err != nil {
			return err
		}
	}
	return nil
}
