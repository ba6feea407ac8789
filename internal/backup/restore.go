package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"indexerd/timetrace"
)

// lockName is the lock of a data directory, which whoever restores may hold.
const lockName = "lock"

// Restore makes a data directory of a backup, a directory or a file that Save
// has written. data must be missing or empty, but for its lock, which stays
// held. Every table is unverified then, until a full sweep has ended.
func Restore(src, data string) error {
	if err := restoreTo(src, data); err != nil {
		return fmt.Errorf("restore %s: %w", src, err)
	}
	return nil
}

func restoreTo(src, data string) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real // a link would be replaced instead of what it names
	}
	root, err := os.OpenRoot(filepath.Dir(data))
	if err != nil {
		return err
	}
	defer root.Close()
	from, err := openSource(src)
	if err != nil {
		return err
	}
	defer from.Close()
	return restore(rooted{root}, from, filepath.Base(data))
}

func restore(d disk, from source, data string) error {
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
		if err := mark(d, tmp, m); err != nil {
			return err
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

// vacant makes sure that there is nothing to lose.
func vacant(d disk, data string) error {
	entries, err := d.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != lockName {
			return fmt.Errorf("%s is not empty, it has %s: move it away first", data, e.Name())
		}
	}
	return err
}

// mark makes the marks fit for use again.
func mark(d disk, dir string, m manifest) error {
	trace, err := timetrace.Open(d, dir)
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
		clear(s) // marks of a table that is not in the backup would speak of nothing
		for _, t := range m.Tables {
			s[t.Table] = marks[t.Table]
		}
	})
	if err != nil {
		return err
	}
	// As it was copied, it has neither the doubt nor the numbers.
	return d.Remove(path.Join(dir, timetrace.FileName+".prev"))
}

// keepLock gives the lock a second name in the new directory. It is the same
// file, since whoever holds it goes on holding that.
func keepLock(d disk, data, tmp string) error {
	return unlessMissing(d.Link(path.Join(data, lockName), path.Join(tmp, lockName)))
}

// vacate makes room for the rename. It fails where something has come into the
// directory since it was found vacant.
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
