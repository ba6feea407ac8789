package store

import (
	"encoding/binary"
	"os"
	"syscall"

	"indexerd/internal/base/atomicfile"
)

// mapPrivate maps a whole file for reading and writing. Changes stay in memory.
// It returns nil if the file cannot be mapped, or if the machine's byte order
// is not that of the file.
func mapPrivate(file atomicfile.File, size int64) ([]byte, error) {
	f, ok := file.(*os.File)
	if littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1; !ok || !littleEndian {
		return nil, nil
	}
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
}

func unmapPrivate(data []byte) error {
	if data == nil {
		return nil
	}
	return syscall.Munmap(data)
}

// syncData makes the content and the length of a file durable, but not its
// times.
func syncData(file atomicfile.File) error {
	f, ok := file.(*os.File)
	if !ok {
		return file.Sync()
	}
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return err
		}
	}
}
