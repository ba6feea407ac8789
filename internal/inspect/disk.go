package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// leastFree is how much room a file system should have for an index to grow.
const leastFree = 1 << 30

// disk looks at the directory of the daemon's files, or, where run has yet to
// make it, at the one that it will be in.
func (c *Check) disk(free func(dir string) (uint64, bool)) {
	dir := filepath.Clean(c.cfg.Data)
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		c.add(dataRights, "data", fmt.Sprintf("%s has rights %04o: others than its owner may read what is indexed", dir, info.Mode().Perm()), "chmod 700 "+dir)
	}
	for ; err != nil && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	if left, ok := free(dir); ok && left < leastFree {
		c.add(diskSpace, "data", fmt.Sprintf("the file system of %s has %d MiB free", c.cfg.Data, left>>20), "make room, or name another directory")
	}
}

// freeBytes is how much room others than root have.
func freeBytes(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
