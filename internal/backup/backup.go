// Package backup copies a data directory while it is written, and brings it
// back.
//
// A backup is a tar stream:
//
//	timeTrace.properties        the marks, as they were when it began
//	film/load                   the progress of a load under way, of each table
//	film/pages/key.dat ...      per table: its pages, then
//	film/index/...              its index, then
//	film/quarantine.jsonl ...   its logs, up to a whole line
//	MANIFEST.json               what all of it must be: sizes, SHA-256, numbers
//
// Invariant: marks may lag the data they speak of, never lead it. So progress
// is copied first: what is done while the rest is copied is in the copy or is
// read again after the restore. Copied last, the marks would claim rows that
// the copies of pages and index do not have, and nobody would read those again.
// Pages and index are copies of two moments, as after a crash between the two:
// a row whose page and document are not of one write counts as different.
//
// Numbers (FetchSeq and V) are never to be given out twice: the sink drops what
// was fetched before what the row's page has. The marks are copied before the
// pages, which may have numbers that were reserved in between. MANIFEST.json
// says how far each table's were reserved when its copies were complete, and
// Restore raises the marks to it. Numbers given out later still may be given
// out again: what they went into is not in the backup.
//
// Write: staging directory in the data directory; marks and progress; per table
// a snapshot of pages and index into the staging directory, from where they are
// streamed; manifest. A crash leaves the staging directory, which Clean removes
// at the next start. No table is built anew meanwhile: its marks would speak of
// another index; Write sees that and fails.
//
// Save: everything into .NAME.indexerd.tmp beside the destination, checked as it
// passes; sync of files and directories; rename; sync of the directory above.
// Restore does the same beside the data directory, where it needs the right to
// write. It says in the new marks that every table is unverified, so that a full
// sweep comes first, and takes an empty data directory away just before the
// rename. A crash leaves nothing, or all of it under its name, and perhaps the
// temporary one, which the next run removes. An error leaves nothing; only when
// the directory above can't be synced at last, all is there, and a power cut may
// undo the rename.
//
// What is read back is not trusted: names are checked and opened below an
// os.Root, only regular files are taken, and an archive is read whole and
// compared with its manifest before Restore writes its first byte.
//
// Assumptions: rename is atomic; a synced directory keeps its entries; neither
// pages nor index need an empty directory; nobody else writes to DEST or to an
// empty data directory at the same time.
//
// Cost: writing is held up only as far as Snapshot and CopyTo do it. Disk: the
// copies of the largest table, where they can't be links. Memory: a buffer, the
// list of files, and zstd's window. Restore reads an archive twice.
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

	"indexerd/internal/atomicfile"
	"indexerd/timetrace"
)

// staging is the pattern of the directories that hold copies until they are
// streamed, one for each Write. No table is named so.
const staging = "backup-*.tmp"

// A Table is what is copied of one table.
type Table struct {
	Name string
	// Progress names files that, as the marks, may lag the data and never lead
	// it: the record of a load under way. They come and go.
	Progress []string
	Pages    interface{ Snapshot(dir string) error }
	Index    interface{ CopyTo(dir string) error }
	Files    []string // logs, a line an entry
}

// A Backup says what to copy. A table that has no marks when Write begins is
// left out: its load began later.
type Backup struct {
	Dir     string // the data directory
	Version string // of this program
	Trace   *timetrace.Trace
	Tables  []Table
}

// Write streams a backup. A stream whose Write failed has no manifest, and is
// no backup.
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

// Clean removes from a data directory what a crash has left of a Write: copies
// as large as a table, which nobody would miss, or find. None may be under way.
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

// copying is a Write under way.
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

// marks copies the marks, and returns what they say.
func (c *copying) marks() (timetrace.State, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(c.Dir, timetrace.FileName))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(c.staging, timetrace.FileName)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	trace, err := timetrace.Open(atomicfile.OS, c.staging)
	if err != nil {
		return nil, err
	}
	return trace.Tables(), c.file(timetrace.FileName, name)
}

func (c *copying) progress(t Table) error {
	for _, name := range t.Progress {
		// Where it has gone the load has ended: marks that say otherwise lag.
		if err := c.lines(t.Name, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// table copies a table whose marks were m when the backup began.
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
	// Numbers are reserved before they are given out: none in the copies is above.
	now := c.Trace.Tables()[t.Name]
	if now.Generation != m.Generation {
		return fmt.Errorf("%s was built anew meanwhile: back up again", t.Name)
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
	return os.RemoveAll(staging) // room for the next one
}

// tree streams the files of a directory.
func (c *copying) tree(as, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", name)
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

// lines streams a log that is being appended to, up to a whole line.
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

// add streams a file and enters it into the manifest.
func (c *copying) add(name string, size int64, r io.Reader) error {
	if err := c.header(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(c.tar, sum), io.LimitReader(untilDone{c.ctx, r}, size))
	if err == nil && n < size {
		err = fmt.Errorf("%s became shorter while it was copied", name)
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

// finish writes the manifest, which makes the stream a backup.
func (c *copying) finish() error {
	if err := c.manifest.check(); err != nil { // what Restore would refuse is no backup
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

// wholeLines is the size of a file up to its last line's end.
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

// untilDone reads until ctx ends.
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
