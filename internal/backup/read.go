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

// A taker takes one file of a backup.
type taker func(name string, size int64, r io.Reader) error

// read hands the files of a tar stream to take, and compares them with the
// manifest at the end. Without an error all that was taken is as it was
// written.
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
			return manifest{}, fmt.Errorf("it has %s twice", h.Name)
		}
		if len(seen) == maxFiles {
			return manifest{}, fmt.Errorf("it has more than %d files", maxFiles)
		}
		if seen[h.Name], err = pass(h.Name, h.Size, archive, take); err != nil {
			return manifest{}, inWords(err)
		}
	}
}

// pass hands a file on, and returns what it was.
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

// checkRegular refuses links, devices, directories and sparse files, which
// grow without end from a few bytes.
func checkRegular(h *tar.Header) error {
	if h.Typeflag != tar.TypeReg {
		return fmt.Errorf("%s is no regular file", h.Name)
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

// maxPadding is how much may stand behind a tar archive's end.
const maxPadding = 1 << 20

// atEnd makes sure that nothing follows the manifest, and that what carried the
// archive, a connection or zstd, ends well too.
func atEnd(r io.Reader, archive *tar.Reader) error {
	switch _, err := archive.Next(); {
	case err == nil:
		return fmt.Errorf("something follows %s", manifestName)
	case err != io.EOF:
		return inWords(err)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxPadding))
	if err == nil && n == maxPadding {
		err = errors.New("something follows the archive")
	}
	return inWords(err)
}

// inWords says what the errors of tar and zstd mean.
func inWords(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before its manifest does: it was cut off")
	case errors.Is(err, tar.ErrHeader):
		return errors.New("it is damaged, or no tar archive")
	case errors.Is(err, zstd.ErrMagicMismatch):
		return errors.New("it is damaged, or not compressed by zstd")
	}
	return err
}
