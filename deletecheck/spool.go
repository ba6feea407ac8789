package deletecheck

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"indexerd/internal/base/atomicfile"
)

// A spool is a file of notes, in the order in which they were added. It replaces
// a list in memory, which could grow as large as the table.
type spool struct {
	fsys  atomicfile.FS
	name  string
	file  atomicfile.File
	out   *bufio.Writer
	size  int64 // bytes, with those that are still in out
	count int
	buf   []byte
}

// newSpool creates an empty spool, or empties an existing one.
func newSpool(fsys atomicfile.FS, name string) (*spool, error) { return openSpool(fsys, name, 0) }

// openSpool opens a spool and keeps the first size bytes, which are durable. It
// returns errDamaged if these can't be read.
func openSpool(fsys atomicfile.FS, name string, size int64) (*spool, error) {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s := &spool{fsys: fsys, name: name, file: f, out: bufio.NewWriterSize(f, 1<<16), size: size}
	if err := s.keep(); err != nil {
		_ = f.Close() // the first error is returned
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// keep checks the first size bytes, and truncates the file after them.
func (s *spool) keep() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < s.size {
		return fmt.Errorf("%w: cut short", errDamaged)
	}
	if info.Size() > s.size {
		if err := s.file.Truncate(s.size); err != nil {
			return err
		}
	}
	for _, err := range readNotes(s.file, s.size) {
		if err != nil {
			return err
		}
		s.count++
	}
	return nil
}

func (s *spool) add(n note) error {
	s.buf = n.append(s.buf[:0])
	if _, err := s.out.Write(s.buf); err != nil {
		return err
	}
	s.size += int64(len(s.buf))
	s.count++
	return nil
}

// sync makes all notes durable.
func (s *spool) sync() error {
	if err := s.out.Flush(); err != nil {
		return err
	}
	return s.file.Sync()
}

// notes returns the notes that were added before the call.
func (s *spool) notes() iter.Seq2[note, error] {
	return func(yield func(note, error) bool) {
		if err := s.out.Flush(); err != nil {
			yield(note{}, err)
			return
		}
		for n, err := range readNotes(s.file, s.size) {
			if err != nil {
				err = fmt.Errorf("%s: %w", s.name, err)
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// batches returns the notes in slices of up to n. A slice is valid until the
// next one.
func (s *spool) batches(n int) iter.Seq2[[]note, error] {
	return func(yield func([]note, error) bool) {
		batch := make([]note, 0, n)
		for note, err := range s.notes() {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, note); len(batch) == n {
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// discard closes the spool and removes its file. A file that can't be removed is
// emptied when it is opened again.
func (s *spool) discard() {
	_ = s.file.Close()
	_ = s.fsys.Remove(s.name)
}

// rename makes the spool durable under another name, and closes it.
func (s *spool) rename(to string) error {
	if err := s.sync(); err != nil {
		return err
	}
	if err := s.file.Close(); err != nil {
		return err
	}
	if err := s.fsys.Rename(s.name, to); err != nil {
		return err
	}
	return s.fsys.SyncDir(filepath.Dir(to))
}

// readNotes reads the notes in the first size bytes of a file.
func readNotes(f io.ReaderAt, size int64) iter.Seq2[note, error] {
	return func(yield func(note, error) bool) {
		r := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 1<<16)
		for {
			n, err := readNote(r)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(n, err) || err != nil {
				return
			}
		}
	}
}

// removeFile removes a file durably, if it exists.
func removeFile(fsys atomicfile.FS, name string) error {
	err := fsys.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}
