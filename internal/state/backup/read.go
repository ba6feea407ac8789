package backup

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A taker receives one file of a backup.
type taker func(name string, size int64, r io.Reader) error

// read passes the files of a tar stream to take, and compares them with the
// manifest at the end.
func read(r io.Reader, take taker) (manifest, error) {
	archive := tar.NewReader(r)
	seen := map[string]fileEntry{}
	for {
		h, err := archive.Next()
		if err != nil {
			return manifest{}, inWords(err)
		}
		if h.Name == manifestName {
			m, err := readManifest(h, archive)
			if err == nil {
				err = m.compare(seen)
			}
			if err == nil {
				err = atEnd(r, archive)
			}
			return m, err
		}
		if err := checkHeader(h); err != nil {
			return manifest{}, err
		}
		if _, twice := seen[h.Name]; twice {
			return manifest{}, fmt.Errorf("the backup has %s twice", h.Name)
		}
		if len(seen) == maxFiles {
			return manifest{}, fmt.Errorf("the backup has more than %d files", maxFiles)
		}
		if seen[h.Name], err = pass(h.Name, h.Size, archive, take); err != nil {
			return manifest{}, inWords(err)
		}
	}
}

// pass passes a file to take, and returns its manifest entry.
func pass(name string, size int64, r io.Reader, take taker) (fileEntry, error) {
	sum := sha256.New()
	err := take(name, size, io.TeeReader(r, sum))
	return fileEntry{Name: name, Size: size, SHA256: digest(sum.Sum(nil))}, err
}

func checkHeader(h *tar.Header) error {
	if err := checkName(h.Name); err != nil {
		return err
	}
	return checkRegular(h)
}

// checkRegular rejects links, devices, directories and sparse files. A few bytes
// of a sparse file can fill a disk.
func checkRegular(h *tar.Header) error {
	if h.Typeflag != tar.TypeReg {
		return fmt.Errorf("%s is not a regular file", h.Name)
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return fmt.Errorf("%s is a sparse file", h.Name)
		}
	}
	return nil
}

func readManifest(h *tar.Header, r io.Reader) (manifest, error) {
	if err := checkRegular(h); err != nil {
		return manifest{}, err
	}
	if h.Size > maxManifest {
		return manifest{}, fmt.Errorf("%s is too large: %d bytes", manifestName, h.Size)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return manifest{}, inWords(err)
	}
	return decodeManifest(text)
}

// maxPadding is the maximum length of what follows the end of a tar archive.
const maxPadding = 1 << 20

// atEnd expects the end of the archive, and of the connection or zstd stream
// around it.
func atEnd(r io.Reader, archive *tar.Reader) error {
	switch _, err := archive.Next(); {
	case err == nil:
		return fmt.Errorf("the archive continues after %s", manifestName)
	case err != io.EOF:
		return inWords(err)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxPadding))
	if err == nil && n == maxPadding {
		err = errors.New("the file continues after the archive")
	}
	return inWords(err)
}

// inWords explains errors of tar and zstd.
func inWords(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the backup ends before its manifest: it was cut off")
	case errors.Is(err, tar.ErrHeader):
		return errors.New("the backup is damaged, or not a tar archive")
	case errors.Is(err, zstd.ErrMagicMismatch):
		return errors.New("the backup is damaged, or not compressed by zstd")
	}
	return err
}
