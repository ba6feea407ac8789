package quarantine

import (
	"fmt"
	"os"
	"path/filepath"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/scrub"
)

// Name returns the name of the file in a table's directory.
func Name(dir string) string { return filepath.Join(dir, "quarantine.jsonl") }

// Save replaces a file by the rows of the list, durably.
func (q *Quarantine) Save(fsys atomicfile.FS, name string) error {
	text, err := encode(q.Rows())
	if err != nil {
		return err
	}
	return atomicfile.Write(fsys, name, text)
}

// A file is the log on a disk.
type file struct {
	fsys   atomicfile.FS
	name   string
	size   int64 // bytes of the synced lines
	broken error // the error after which the end of the file is unknown
}

func (f *file) append(changes []Row, _ map[string]Row) error {
	if len(changes) == 0 {
		return nil
	}
	if f.broken != nil {
		return fmt.Errorf("%w: repair the disk and restart indexerd", f.broken)
	}
	lines, err := encode(changes)
	if err != nil {
		return err
	}
	return f.write(lines)
}

// write appends lines durably. If the write fails, as on a full disk, it truncates
// the file to what it was. If that fails too, or the sync, the end of the file is
// unknown, and every later write fails until the file is opened again.
func (f *file) write(lines []byte) error {
	file, err := f.fsys.OpenFile(f.name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close() // what was written is synced, or is truncated
	if f.size == 0 {   // Open has not waited until the name of an empty file is durable
		if err := f.fsys.SyncDir(filepath.Dir(f.name)); err != nil {
			return err
		}
	}
	if _, err := file.Write(lines); err != nil {
		f.broken = file.Truncate(f.size)
		return err
	}
	if err := file.Sync(); err != nil {
		f.broken = err
		return err
	}
	f.size += int64(len(lines))
	return nil
}

// Scrub reads the file, and writes it again from memory if it is damaged. A list in a Store
// has none.
func (q *Quarantine) Scrub(r *scrub.Run) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, ok := q.log.(*file)
	if !ok || f.fsys == nil {
		return nil
	}
	r.Files++
	onDisk, err := OpenReadOnly(f.fsys, f.name)
	if err != nil || onDisk.damaged == nil {
		return err
	}
	r.Found(f.name, onDisk.damaged)
	text, err := encode(q.sorted())
	if err == nil {
		err = atomicfile.Write(f.fsys, f.name, text)
	}
	if err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	f.size = int64(len(text))
	return nil
}
