// Package backup copies a data directory while the daemon writes to it, and
// restores the copy.
//
// A backup is a tar stream:
//
//	timeTrace.properties        the marks at the beginning
//	film/load                   for each table: the progress of a running load
//	film/pages/key.dat ...      for each table: pages, then
//	film/index/...              index, then
//	film/quarantine.jsonl ...   logs, up to the last whole line
//	MANIFEST.json               sizes, SHA-256 and numbers of all that
//
// Marks may lag behind the data, but never lead it. So Write copies marks and
// progress first: a row written during the backup is in the copy, or is read again
// after the restore. Marks copied last would cover rows that the copies of pages
// and index lack, and no pass would read these rows again. Pages and index are
// copied at two moments, as after a crash between two writes: a row whose page and
// document are of different writes counts as different.
//
// Numbers (FetchSeq and V) must not be used twice: the sink drops a row fetched
// before the fetch in its page. Write copies the marks before the pages, and the
// pages may have numbers that were reserved in between. MANIFEST.json has the
// numbers that were reserved when the copies of a table were complete, and Restore
// raises the marks to them. Later numbers may be used again: nothing in the backup
// has them.
//
// Marks that are not files of the data directory, and the logs that are kept with them,
// come from Backup.Snapshot: it writes them as files, as of one moment, before anything
// else is copied. So the archive is the same, and Restore treats it the same.
//
// Steps of Write: create a staging directory in the data directory; stream marks
// and progress; for each table copy pages and index to the staging directory and
// stream them; stream the manifest. A crash leaves the staging directory, which
// Clean removes at the next start. Write returns an error if a table is rebuilt
// during the backup, since its marks are for another index.
//
// Steps of Save: write everything to .NAME.indexerd.tmp beside the destination and
// compare it with the manifest; sync files and directories; rename; sync the
// parent directory. Restore does the same beside the data directory, and needs
// write permission there. It marks every table as unverified, so that a full sweep
// runs first, and removes an empty data directory just before the rename. A crash
// leaves nothing, or everything under its name, and perhaps the temporary
// directory, which the next run removes. An error leaves nothing, unless the sync
// of the parent directory failed: then everything is there, and a power cut may
// undo the rename.
//
// Save and Restore do not trust the backup: they check names and open them below
// an os.Root, accept only regular files, and Restore compares a whole archive with
// its manifest before it writes the first byte.
//
// Assumptions: a rename is atomic; a synced directory keeps its entries; pages and
// index need no empty directories; no other process writes to the destination or
// to the empty data directory at the same time.
//
// Cost: writers wait as long as Snapshot and CopyTo make them wait. Disk: copies of
// the largest table, unless they are links. Memory: a buffer, the list of files,
// and zstd's window. Restore reads an archive twice.
package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/timetrace"
)

// staging is the pattern of the staging directories, one for each Write. No table
// can have such a name.
const staging = "backup-*.tmp"

// A Table lists what to copy of one table.
type Table struct {
	Name string
	// Progress names files that must not lead the data, like the marks: the record
	// of a running load, and the name of the store of pages. They may be missing.
	Progress []string
	Pages    interface{ Snapshot(dir string) error }
	Index    interface{ CopyTo(dir string) error }
	Files    []string // logs with one entry per line
}

// A Backup lists what to copy. Write skips a table without marks: its load began
// later.
type Backup struct {
	Dir     string // the data directory
	Version string // of this program
	Trace   *timetrace.Trace
	Tables  []Table
	// Snapshot writes timeTrace.properties, and logs to a directory for each table, as of
	// one moment. nil: marks and all logs are files below Dir.
	Snapshot func(dir string) error
}

// snapshotDir is the staging directory of Snapshot. No table can have such a name.
const snapshotDir = "marks.snapshot"

// Write streams a backup. After an error the stream has no manifest, and Save
// rejects it.
func Write(ctx context.Context, w io.Writer, b Backup) error {
	c := &copying{
		Backup: b, ctx: ctx, tar: tar.NewWriter(w),
		manifest: manifest{Format: format, Version: b.Version, Time: time.Now().UTC()},
	}
	err := c.run()
	if c.staging != "" {
		err = and(err, os.RemoveAll(c.staging))
	}
	if err != nil {
		return fmt.Errorf("back up %s: %w", b.Dir, err)
	}
	return nil
}

// Clean removes staging directories that a crash has left in a data directory. No
// Write may be running.
func Clean(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if left, _ := path.Match(staging, e.Name()); left {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("remove an unfinished backup: %w", err)
	}
	return nil
}

// copying is a running Write.
type copying struct {
	Backup
	ctx      context.Context
	tar      *tar.Writer
	staging  string
	manifest manifest
}

func (c *copying) run() error {
	var err error
	if c.staging, err = os.MkdirTemp(c.Dir, staging); err != nil {
		return err
	}
	marks, err := c.marks()
	if err != nil {
		return err
	}
	for _, t := range c.Tables {
		if _, begun := marks[t.Name]; begun {
			if err := c.progress(t); err != nil {
				return err
			}
		}
	}
	for _, t := range c.Tables {
		if m, begun := marks[t.Name]; begun {
			if err := c.table(t, m); err != nil {
				return err
			}
		}
	}
	return c.finish()
}

// marks copies the marks and returns them.
func (c *copying) marks() (timetrace.State, error) {
	from := c.Dir
	if c.Snapshot != nil {
		from = filepath.Join(c.staging, snapshotDir)
		if err := errors.Join(os.Mkdir(from, 0o700), c.Snapshot(from)); err != nil {
			return nil, err
		}
	}
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(from, timetrace.FileName))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(c.staging, timetrace.FileName)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	trace, err := timetrace.Open(atomicfile.OS, c.staging, c.Version)
	if err != nil {
		return nil, err
	}
	return trace.Tables(), c.file(timetrace.FileName, name)
}

func (c *copying) progress(t Table) error {
	for _, name := range t.Progress {
		// If the file is missing the load has ended, and the marks lag behind.
		if err := c.lines(t.Name, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// table copies a table. m are its marks at the beginning of the backup.
func (c *copying) table(t Table, m timetrace.Table) error {
	staging := filepath.Join(c.staging, t.Name)
	if err := os.Mkdir(staging, 0o700); err != nil {
		return err
	}
	if err := t.Pages.Snapshot(filepath.Join(staging, "pages")); err != nil {
		return err
	}
	if err := t.Index.CopyTo(filepath.Join(staging, "index")); err != nil {
		return err
	}
	// Numbers are reserved before they are used: the copies have no higher ones.
	now := c.Trace.Tables()[t.Name]
	if now.Generation != m.Generation {
		return fmt.Errorf("table %s was rebuilt during the backup: back up again", t.Name)
	}
	c.manifest.Tables = append(c.manifest.Tables, tableEntry{Table: t.Name, Numbers: now.Numbers})
	for _, part := range []string{"pages", "index"} {
		if err := c.tree(path.Join(t.Name, part), filepath.Join(staging, part)); err != nil {
			return err
		}
	}
	for _, name := range t.Files {
		if err := c.lines(t.Name, name); err != nil {
			return err
		}
	}
	if c.Snapshot != nil {
		if err := c.tree(t.Name, filepath.Join(c.staging, snapshotDir, t.Name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(staging) // makes room for the next table
}

// tree streams the files of a directory.
func (c *copying) tree(as, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return c.file(path.Join(as, filepath.ToSlash(rel)), name)
	})
}

func (c *copying) file(as, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return c.add(as, info.Size(), f)
}

// lines streams a growing log up to its last whole line.
func (c *copying) lines(table, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := wholeLines(f)
	if err != nil {
		return err
	}
	return c.add(path.Join(table, filepath.Base(name)), size, f)
}

// add streams a file and adds it to the manifest.
func (c *copying) add(name string, size int64, r io.Reader) error {
	if err := c.header(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(c.tar, sum), io.LimitReader(untilDone{c.ctx, r}, size))
	if err == nil && n < size {
		err = fmt.Errorf("%s became shorter during the backup", name)
	}
	if err != nil {
		return err
	}
	c.manifest.Files = append(c.manifest.Files, fileEntry{Name: name, Size: size, SHA256: digest(sum.Sum(nil))})
	return nil
}

func (c *copying) header(name string, size int64) error {
	return c.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: c.manifest.Time.Truncate(time.Second)})
}

// finish writes the manifest, which completes the backup.
func (c *copying) finish() error {
	if err := c.manifest.check(); err != nil { // Restore would reject it
		return err
	}
	text, err := c.manifest.encode()
	if err != nil {
		return err
	}
	if err := c.header(manifestName, int64(len(text))); err != nil {
		return err
	}
	if _, err := c.tar.Write(text); err != nil {
		return err
	}
	return c.tar.Close()
}

// wholeLines returns the size of a file up to its last newline.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	var block [4096]byte
	for end := info.Size(); end > 0; {
		at := max(end-int64(len(block)), 0)
		b := block[:end-at]
		if _, err := f.ReadAt(b, at); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		end = at
	}
	return 0, nil
}

// untilDone is a reader that ends with ctx.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
