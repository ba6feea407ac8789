package backup

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// suffix is the suffix of a backup in one file.
const suffix = ".tar.zst"

// Save stores the stream of a Write durably as dest, which must not exist: in one
// compressed file if the name ends in .tar.zst, otherwise in a directory.
func Save(r io.Reader, dest string) error {
	dest = filepath.Clean(dest)
	if _, err := os.Lstat(dest); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists: choose another name")
		}
		return fmt.Errorf("save to %s: %w", dest, err)
	}
	root, err := os.OpenRoot(filepath.Dir(dest))
	if err != nil {
		return fmt.Errorf("save to %s: %w", dest, err)
	}
	defer root.Close()
	if err := save(rooted{root}, r, filepath.Base(dest)); err != nil {
		return fmt.Errorf("save to %s: %w", dest, err)
	}
	return nil
}

func save(d disk, r io.Reader, name string) error {
	build := func(tmp string) error { return saveFolder(d, r, tmp) }
	if strings.HasSuffix(name, suffix) {
		build = func(tmp string) error { return saveFile(d, r, tmp) }
	}
	return replacement{d, name}.make(build)
}

func saveFolder(d disk, r io.Reader, dir string) error {
	f := &folder{disk: d, dir: dir}
	if err := takeAll(r, f.take); err != nil {
		return err
	}
	return f.sync()
}

// takeAll reads the stream, and has its files and then its manifest taken.
func takeAll(r io.Reader, take taker) error {
	m, err := read(r, take)
	if err != nil {
		return err
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	return take(manifestName, int64(len(text)), bytes.NewReader(text))
}

func saveFile(d disk, r io.Reader, name string) error {
	return create(d, name, func(w io.Writer) error {
		return compressed(w, func(t *tar.Writer) error { return repack(t, r) })
	})
}

// repack copies the stream, but of each file only the name and the content.
func repack(t *tar.Writer, r io.Reader) error {
	return takeAll(r, func(name string, size int64, r io.Reader) error {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600}); err != nil {
			return err
		}
		_, err := io.Copy(t, r)
		return err
	})
}
