package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"indexerd/internal/base/progress"

	"github.com/klauspost/compress/zstd"
)

// maxWindow limits zstd's memory for an archive.
const maxWindow = 64 << 20

// A source is a stored backup.
type source interface {
	// manifest returns the manifest, and compares an archive with it.
	manifest() (manifest, error)
	// files passes the files of the manifest to a taker, and compares them with it.
	files(manifest, taker) error
	io.Closer
}

func openSource(src string, meter *progress.Meter) (source, error) {
	info, err := os.Stat(src)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(src)
		return directory{root, meter}, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("the backup is neither a directory nor a file")
	}
	f, err := os.Open(src)
	return archive{f, info.Size(), meter}, err
}

// archive is a backup in one compressed file, with the manifest at the end.
type archive struct {
	*os.File
	size  int64
	meter *progress.Meter
}

func (a archive) manifest() (manifest, error) {
	a.meter.Step("checking the backup", progress.Bytes, 0, a.size)
	return a.read(func(_ string, _ int64, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
}

func (a archive) files(m manifest, take taker) error {
	sizes := make(map[string]int64, len(m.Files))
	for _, f := range m.Files {
		sizes[f.Name] = f.Size
	}
	a.meter.Step("", progress.Bytes, 0, a.size)
	_, err := a.read(func(name string, size int64, r io.Reader) error {
		if known, ok := sizes[name]; !ok || known != size {
			return fmt.Errorf("%s has changed since it was checked", name)
		}
		return take(name, size, r)
	})
	return err
}

func (a archive) read(take taker) (manifest, error) {
	if _, err := a.Seek(0, io.SeekStart); err != nil {
		return manifest{}, err
	}
	z, err := zstd.NewReader(progress.Reader{Reader: a.File, Meter: a.meter}, zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return manifest{}, err
	}
	defer z.Close()
	return read(z, take)
}

// directory is a backup in a directory.
type directory struct {
	*os.Root
	meter *progress.Meter
}

func (d directory) manifest() (manifest, error) {
	f, size, err := d.open(manifestName)
	if err != nil {
		return manifest{}, err
	}
	defer f.Close()
	if size > maxManifest {
		return manifest{}, fmt.Errorf("%s is too large: %d bytes", manifestName, size)
	}
	text, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return manifest{}, err
	}
	return decodeManifest(text)
}

func (d directory) files(m manifest, take taker) error {
	var size int64
	for _, f := range m.Files {
		size += f.Size
	}
	d.meter.Step("", progress.Bytes, 0, size)
	for _, want := range m.Files {
		if err := d.file(want, take); err != nil {
			return err
		}
	}
	return nil
}

func (d directory) file(want fileEntry, take taker) error {
	f, size, err := d.open(want.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	// Compare the size first: a file that has grown could fill the disk.
	if size != want.Size {
		return want.compare(fileEntry{Size: size})
	}
	got, err := pass(want.Name, size, progress.Reader{Reader: io.LimitReader(f, size), Meter: d.meter}, take)
	if err != nil {
		return err
	}
	return want.compare(got)
}

// open opens a regular file. It checks the type first: opening a pipe would block.
func (d directory) open(name string) (*os.File, int64, error) {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fmt.Errorf("%s is missing", name)
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := d.Open(name)
	return f, info.Size(), err
}
