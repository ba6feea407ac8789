package fulltext

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/scrub"
	"indexerd/internal/index/fulltext/segment"
)

// ErrDamaged is the error of an index with a file that is not as it was written. The
// remedy is a new index, built from the pages.
var ErrDamaged = errors.New("the index is damaged")

// A BrokenError is the error of a search that found in a file what no index has. Scrub
// finds out whether the file is damaged.
type BrokenError = segment.BrokenError

// checkedAtOpen is the size of an index up to which Open reads its segments whole. That takes
// 0.2 s if the files are in memory (BenchmarkCheckFile). Scrub reads larger ones, of which
// Open checks the layout alone. A test changes it.
var checkedAtOpen int64 = 128 << 20

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
	return damageOf(path, segment.CheckFile(path, read))
}

// damageOf makes the error of a check ErrDamaged if the file is the reason.
func damageOf(path string, err error) error {
	if errors.Is(err, segment.ErrDamaged) || errors.As(err, new(*BrokenError)) || errors.Is(err, syscall.EIO) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s: %w: %w", filepath.Base(path), ErrDamaged, err)
	}
	return err
}

// A checker checks segments before they are opened: the layout of each, and all bytes until
// it has read as much as an index may have that Open checks.
type checker struct {
	left   int64
	damage error // of the first that is damaged
}

func (c *checker) check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	err = damageOf(path, segment.CheckLayout(path))
	if c.left -= info.Size(); c.left >= 0 && err == nil {
		err = checkFile(path, func(int) error { return nil })
	}
	if errors.Is(err, ErrDamaged) {
		c.damage = cmp.Or(c.damage, err)
		return err
	}
	return nil // Plugin.OpenUsing says what else is wrong
}

// checkFields returns ErrDamaged if a segment has a field that the index has not: a name is
// no part of the layout.
func (ix *Index) checkFields() error {
	known := map[string]bool{"_id": true, ix.rows.Stored: true}
	for _, name := range slices.Concat(ix.rows.Texts, ix.rows.Lengths, ix.rows.Values) {
		known[name] = true
	}
	return ix.read(func(r *scorch.IndexSnapshot) error {
		for _, s := range r.Segments() {
			for _, name := range s.Segment().Fields() {
				if !known[name] {
					return fmt.Errorf("%s: %w: the field %q is not of the index", filepath.Base(segment.Path(s.Segment())), ErrDamaged, name)
				}
			}
		}
		return nil
	})
}

// examine notes an error that a damaged file may have.
func (ix *Index) examine(err error) error {
	if errors.As(err, new(*BrokenError)) {
		ix.suspect(err)
	}
	return err
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
