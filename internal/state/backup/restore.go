package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"indexerd/internal/base/progress"
	"indexerd/timetrace"
)

// lockName is the lock of a data directory. The caller of Restore may hold it.
const lockName = "lock"

// An Extra is a file of the data directory that no backup has.
type Extra struct {
	Name string // without a directory
	Text string
}

// Restore writes a backup, a directory or a file from Save, to the data directory
// data. data must be missing, or empty except for its lock, which stays locked.
// Afterwards every table is unverified until a full sweep ends. release is the version of
// this program, for the marks. The meter counts the bytes of the backup that are checked,
// and then those that are restored. Extra files appear in data in the same rename.
func Restore(src, data, release string, meter *progress.Meter, extra ...Extra) error {
	if err := restoreTo(src, data, release, meter, extra); err != nil {
		return fmt.Errorf("restore %s: %w", src, err)
	}
	return nil
}

func restoreTo(src, data, release string, meter *progress.Meter, extra []Extra) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real // the rename would replace a link, not its target
	}
	root, err := os.OpenRoot(filepath.Dir(data))
	if err != nil {
		return err
	}
	defer root.Close()
	from, err := openSource(src, meter)
	if err != nil {
		return err
	}
	defer from.Close()
	return restore(rooted{root}, from, filepath.Base(data), release, extra)
}

func restore(d disk, from source, data, release string, extra []Extra) error {
	if err := vacant(d, data); err != nil {
		return err
	}
	m, err := from.manifest()
	if err != nil {
		return err
	}
	return replacement{d, data}.make(func(tmp string) error {
		f := &folder{disk: d, dir: tmp}
		if err := from.files(m, f.take); err != nil {
			return err
		}
		if err := mark(d, tmp, release, m); err != nil {
			return err
		}
		for _, e := range extra {
			if err := f.take(e.Name, int64(len(e.Text)), strings.NewReader(e.Text)); err != nil {
				return err
			}
		}
		if err := keepLock(d, data, tmp); err != nil {
			return err
		}
		if err := f.sync(); err != nil {
			return err
		}
		return vacate(d, data)
	})
}

// vacant returns an error if data has a file other than its lock.
func vacant(d disk, data string) error {
	entries, err := d.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != lockName {
			return fmt.Errorf("%s is not empty, it has %s: move that away first", data, e.Name())
		}
	}
	return err
}

// mark raises the numbers of the marks, marks each table as unverified, and removes
// the marks of tables that are not in the backup.
func mark(d disk, dir, release string, m manifest) error {
	trace, err := timetrace.Open(d, dir, release)
	if err != nil {
		return err
	}
	marks := trace.Tables()
	reason := "restored from the backup of " + m.Time.UTC().Format(time.RFC3339)
	for _, t := range m.Tables {
		table, ok := marks[t.Table]
		if !ok {
			return fmt.Errorf("%s has no marks of %s", timetrace.FileName, t.Table)
		}
		table.Numbers = max(table.Numbers, t.Numbers)
		table.Doubt(reason)
		marks[t.Table] = table
	}
	err = trace.Update(func(s timetrace.State) {
		clear(s)
		for _, t := range m.Tables {
			s[t.Table] = marks[t.Table]
		}
	})
	if err != nil {
		return err
	}
	// The previous copy is not marked as unverified, and has lower numbers.
	return d.Remove(path.Join(dir, timetrace.FileName+".prev"))
}

// keepLock links the lock into the new directory: the same file stays locked.
func keepLock(d disk, data, tmp string) error {
	return unlessMissing(d.Link(path.Join(data, lockName), path.Join(tmp, lockName)))
}

// vacate removes the empty data directory, for the rename. It fails if the
// directory has got a file since vacant.
func vacate(d disk, data string) error {
	if err := unlessMissing(d.Remove(path.Join(data, lockName))); err != nil {
		return err
	}
	return unlessMissing(d.Remove(data))
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
