package store

import (
	"os"
	"syscall"
	"unsafe"

	"indexerd/internal/atomicfile"
)

// mapShared maps size bytes of the segment for reading, also beyond its end
// where it will grow. Only a real file can be mapped; another is read as
// before.
func (s *segment) mapShared(size int64) error {
	f, ok := s.file.(*os.File)
	if !ok {
		return nil
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	// Gets are random: read-ahead would fetch 128 KiB from a cold disk for each.
	if err := syscall.Madvise(data, syscall.MADV_RANDOM); err != nil {
		return join(err, syscall.Munmap(data))
	}
	s.data = data
	return nil
}

func (s *segment) unmap() error {
	if s.data == nil {
		return nil
	}
	data := s.data
	s.data = nil
	return syscall.Munmap(data)
}

// mapPrivate maps a whole file for reading and writing; what is written stays
// in memory. It returns nil where the file can't be mapped or the machine's
// byte order is not the file's.
func mapPrivate(file atomicfile.File, size int64) ([]byte, error) {
	f, ok := file.(*os.File)
	if !ok || !littleEndian() {
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

func littleEndian() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}

// syncData makes a file's bytes and length durable, but not its times.
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
