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

// goShare is Go's share of the memory limit of the cgroup, in percent. The rest is
// for memory that Go does not count: SQLite's caches, the kernel's buffers and
// pages of the index in the page cache.
const goShare = 80

// limitMemory sets Go's memory limit from the process's cgroup, so that Go collects
// garbage before the kernel kills the process. GOMEMLIMIT in the environment takes
// precedence.
func limitMemory(getenv func(string) (string, bool), root fs.FS) {
	if _, set := getenv("GOMEMLIMIT"); set {
		return
	}
	if limit := cgroupLimit(root); limit < math.MaxInt64 {
		debug.SetMemoryLimit(limit / 100 * goShare)
	}
}

// cgroupLimit returns the lowest memory limit of the process's cgroup and its
// parents in bytes, math.MaxInt64 if there is none or it can't be read.
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

// limitAbove returns the lowest limit of a cgroup and its parents. In a container
// the path may be the host's; then only the root exists.
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

// limitIn reads a file with one number. No limit is the text max, or in cgroups v1
// a number above 2^60.
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

// machine returns the file system that limits are read from.
func machine() fs.FS { return os.DirFS("/") }
