package fulltext

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/scrub"
	"indexerd/internal/index/fulltext/segment"
)

// ErrDamaged is the error of an index with a file that is not as it was written. The
// remedy is a new index, built from the pages.
var ErrDamaged = errors.New("the index is damaged")

// A BrokenError is the error of a search that found in a file what no index has. Scrub
// finds out whether the file is damaged.
type BrokenError = segment.BrokenError

// checkedAtOpen is the size of an index up to which Open checks its segments. That takes
// 0.2 s if the files are in memory (BenchmarkCheckFile). Scrub checks larger ones.
const checkedAtOpen = 128 << 20

// Scrub reads all files of the index. After it has found a damaged one, every use of the
// index returns ErrDamaged. It holds no lock while it reads.
func (ix *Index) Scrub(r *scrub.Run) error {
	files, err := ix.files()
	if err != nil {
		return err
	}
	r.Files++
	if err := checkRoot(ix.dir); errors.Is(err, ErrDamaged) {
		ix.found(r, rootName, err)
	}
	for _, path := range files {
		switch err := checkFile(path, r.Read); {
		case err == nil:
			r.Files++
		case errors.Is(err, fs.ErrNotExist): // it was merged into another one
		case errors.Is(err, ErrDamaged):
			ix.found(r, filepath.Base(path), err)
		default:
			return err
		}
	}
	return r.Rest()
}

// files returns the files of the segments that are on the disk.
func (ix *Index) files() (paths []string, err error) {
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		for _, s := range r.Segments() {
			if path := segment.Path(s.Segment()); path != "" {
				paths = append(paths, path)
			}
		}
		return nil
	})
	return paths, err
}

// found notes a damaged file.
func (ix *Index) found(r *scrub.Run, name string, err error) {
	r.Files++
	r.Found(filepath.Join(ix.dir, name), err)
	ix.damage(err)
}

// damage makes every later use of the index an error.
func (ix *Index) damage(err error) {
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	err = fmt.Errorf("index %s: %w", ix.dir, err)
	ix.damaged.CompareAndSwap(nil, &err)
	ix.persist.fail(err)
}

// Damage returns the error of the damaged file that was found first, nil if there is
// none.
func (ix *Index) Damage() error {
	if err := ix.damaged.Load(); err != nil {
		return *err
	}
	return nil
}

// Suspect returns the error of a search which may be that of a damaged file, nil if there
// is none since the last call. Scrub finds out.
func (ix *Index) Suspect() error {
	if err := ix.suspected.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// suspect notes an error that may be that of a damaged file.
func (ix *Index) suspect(err error) { ix.suspected.Store(&err) }

// checkFile returns ErrDamaged if the file of a segment is not as it was written, or the
// disk can't read it.
func checkFile(path string, read func(bytes int) error) error {
	err := segment.CheckFile(path, read)
	if errors.Is(err, segment.ErrDamaged) || errors.Is(err, syscall.EIO) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s: %w: %w", filepath.Base(path), ErrDamaged, err)
	}
	return err
}

// checkSegments checks the segments of an index that is not larger than a limit.
func checkSegments(store index.Index, limit int64) (err error) {
	snap, err := snapshot(store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	size := int64(0)
	for _, s := range snap.Segments() {
		size += s.FileSize()
	}
	if size > limit {
		return nil
	}
	for _, s := range snap.Segments() {
		if err := checkFile(segment.Path(s.Segment()), func(int) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// diagnose returns the error of an index that does not open: ErrDamaged if that is what
// the files show.
func diagnose(dir string, err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.zap")) // the pattern is right
	for _, file := range files {
		if damage := checkFile(file, func(int) error { return nil }); errors.Is(damage, ErrDamaged) {
			return fmt.Errorf("%w: %w", damage, err)
		}
	}
	return err
}
