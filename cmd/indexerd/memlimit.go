package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Go's share of the memory that the cgroup may take, in percent. The rest is for
// what Go does not count: SQLite's caches, the kernel's buffers, and the pages of
// the index that have just been read.
const goShare = 80

// limitMemory tells Go the memory limit of the process's cgroup, so that it
// collects garbage before the kernel ends the process. GOMEMLIMIT in the
// environment decides by itself.
func limitMemory(getenv func(string) (string, bool), root fs.FS) {
	if _, set := getenv("GOMEMLIMIT"); set {
		return
	}
	if limit := cgroupLimit(root); limit < math.MaxInt64 {
		debug.SetMemoryLimit(limit / 100 * goShare)
	}
}

// cgroupLimit returns the least memory limit of the process's cgroup and of those
// above it, in bytes; math.MaxInt64 where there is none, or none can be read.
func cgroupLimit(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return math.MaxInt64
	}
	limit := int64(math.MaxInt64)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		// hierarchy:controllers:path, and 0::path in the unified hierarchy
		fields := strings.SplitN(lines.Text(), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[0] == "0":
			limit = min(limit, limitAbove(root, "sys/fs/cgroup", fields[2], "memory.max", "memory.high"))
		case hasController(fields[1], "memory"):
			limit = min(limit, limitAbove(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes"))
		}
	}
	return limit
}

func hasController(list, name string) bool {
	return slices.Contains(strings.Split(list, ","), name)
}

// limitAbove returns the least limit of a cgroup and of those above it. In a
// container the path may be the host's, and only the root is there.
func limitAbove(root fs.FS, mount, cgroup string, files ...string) int64 {
	limit := int64(math.MaxInt64)
	for dir := path.Clean("/" + cgroup); ; dir = path.Dir(dir) {
		for _, file := range files {
			limit = min(limit, limitIn(root, path.Join(mount, dir, file)))
		}
		if dir == "/" {
			return limit
		}
	}
}

// limitIn reads a file of one number. Without a limit it says max, or in the
// first version of cgroups a number that no machine has.
func limitIn(root fs.FS, file string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return math.MaxInt64
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n >= 1<<60 {
		return math.MaxInt64
	}
	return n
}

// machine is the file system that the limits are read from.
func machine() fs.FS { return os.DirFS("/") }
