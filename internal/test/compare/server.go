package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A serverMeter reads the CPU time of a PostgreSQL server: of its first process,
// of those that it has started, and of those that have ended.
type serverMeter struct{ postmaster int }

// ticks is how many units of CPU time in /proc are a second, on every Linux.
const ticks = 100

// newServerMeter returns the meter of the server that has a session's process.
func newServerMeter(backend int) (*serverMeter, error) {
	s, err := readStat(backend)
	if err != nil {
		return nil, err
	}
	return &serverMeter{s.parent}, nil
}

// read returns CPU seconds; 0 without a server.
func (m *serverMeter) read() (float64, error) {
	if m == nil {
		return 0, nil
	}
	s, err := readStat(m.postmaster)
	if err != nil {
		return 0, err
	}
	sum := s.own + s.ended
	files, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(file))
		if err != nil {
			return 0, err
		}
		if child, err := readStat(pid); err == nil && child.parent == m.postmaster { // others may end meanwhile
			sum += child.own
		}
	}
	return float64(sum) / ticks, nil
}

// A stat is what /proc has of a process.
type stat struct {
	parent int
	own    int // ticks of the process
	ended  int // ticks of its children that have ended
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat parses /proc/PID/stat. The name in parentheses may contain anything.
func parseStat(text string) (stat, error) {
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("the state of a process has %d fields: %q", len(fields), text)
	}
	var n [5]int
	for i, at := range []int{1, 11, 12, 13, 14} { // parent, user, system, the same of ended children
		var err error
		if n[i], err = strconv.Atoi(fields[at]); err != nil {
			return stat{}, err
		}
	}
	return stat{n[0], n[1] + n[2], n[3] + n[4]}, nil
}
