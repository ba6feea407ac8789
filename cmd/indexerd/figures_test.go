package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// exported is what a daemon answers at /metrics.
type exported string

func (p *proc) metrics(t testing.TB) exported {
	t.Helper()
	text, err := get(p.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	return exported(text)
}

// figure returns a figure by its name with labels.
func (e exported) figure(series string) (v float64, found bool) {
	_, after, found := strings.Cut(string(e), "\n"+series+" ")
	text, _, _ := strings.Cut(after, "\n")
	v, err := strconv.ParseFloat(text, 64)
	return v, found && err == nil
}

// must returns a figure that has to be there.
func (e exported) must(t testing.TB, series string) float64 {
	t.Helper()
	v, found := e.figure(series)
	if !found {
		t.Fatalf("no metric %s in %.500s", series, e)
	}
	return v
}

// kernelDir is where the kernel describes the process.
func (p *proc) kernelDir() string { return fmt.Sprintf("/proc/%d", p.cmd.Process.Pid) }

// cpu is the processor time of the process, in seconds: of user and system, in
// ticks of a hundredth.
func (p *proc) cpu(t testing.TB) float64 {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, filepath.Join(p.kernelDir(), "stat")), ") ")
	fields := strings.Fields(after)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		t.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		t.Fatal(err)
	}
	return float64(user+system) / 100
}

// written is how many bytes the process has passed to write calls.
func (p *proc) written(t testing.TB) int64 {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, filepath.Join(p.kernelDir(), "io")), "wchar: ")
	n, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// memory is a figure of the process, such as VmRSS, or VmHWM, its peak, in MB.
func (p *proc) memory(t testing.TB, name string) float64 {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, filepath.Join(p.kernelDir(), "status")), name+":")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return float64(kb) / 1024
}

// handles is how many files and connections the process has open.
func (p *proc) handles() (int, error) {
	open, err := os.ReadDir(filepath.Join(p.kernelDir(), "fd"))
	return len(open), err
}
