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

	"indexerd/internal/atomicfile"
)

// A spool is a file of notes, in the order of adding: what is found may be as
// large as the table, and memory is not.
type spool struct {
	fsys  atomicfile.FS
	name  string
	file  atomicfile.File
	out   *bufio.Writer
	size  int64 // with what is still in out
	count int
	room  []byte
}

// newSpool begins an empty one.
func newSpool(fsys atomicfile.FS, name string) (*spool, error) { return openSpool(fsys, name, 0) }

// openSpool opens a spool of which the first size bytes are known to be
// durable; what is behind them is dropped. errSpool: they are not there.
func openSpool(fsys atomicfile.FS, name string, size int64) (*spool, error) {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s := &spool{fsys: fsys, name: name, file: f, out: bufio.NewWriterSize(f, 1<<16), size: size}
	if err := s.keep(); err != nil {
		_ = f.Close() // the fault before says more
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// keep reads what is to be kept, and cuts off the rest.
func (s *spool) keep() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < s.size {
		return fmt.Errorf("%w: cut short", errSpool)
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
	s.room = n.append(s.room[:0])
	if _, err := s.out.Write(s.room); err != nil {
		return err
	}
	s.size += int64(len(s.room))
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

// notes returns the notes that were added before it was called.
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

// batches returns the notes in slices of up to n, valid until the next one.
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

// discard closes the spool and removes its file. One that stays does no harm:
// whoever opens it next drops what it does not know.
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

// readNotes reads the notes in the first size bytes of a file, and not beyond.
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

// removeFile removes a file durably, if it is there.
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
