package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
)

// heldAtMost is how long a search may take while the storage is opened again
// behind it, on a machine that others use. The tests that judge it run alone.
const heldAtMost = 5 * time.Second

// A daemon that starts where not a byte is left answers searches at once, from
// what is on disk, and its own commands too. Once there is room it goes on by
// itself.
func TestStartOnAFullDisk(t *testing.T) {
	d := newFilling(t)
	d.daemon = follow(t, d.file)
	d.daemon.kill()
	d.fill(t)
	d.write(t, 50)
	before := tree(t, d.data)

	says(t, 0, "3000 found", "search", "-c", d.file, "note", "first")
	says(t, 0, "note: ", "status", "-c", d.file)
	if after := tree(t, d.data); after != before {
		t.Errorf("questions on a full disk changed the data directory: got\n%s\nwant\n%s", after, before)
	}

	d.daemon = start(t, "run", "-c", d.file)
	s := d.searches(t)
	if a := d.daemon.search(t, "note", "first", "size=0"); a.Total != 3000 {
		t.Errorf("search on a full disk: got %d found, want 3000", a.Total)
	}
	if log := d.daemon.log.String(); strings.Count(log, "no space left on device") == 0 || !strings.Contains(log, "make room") {
		t.Errorf("the log does not say that the disk is full: %s", log)
	}
	d.refuses(t)
	d.daemon.hangUp(t)
	d.daemon.waitForLog(t, took, 1)
	late := d.goesOn(t)
	d.proves(t, d.daemon)
	slowest, n := s.end(t)
	t.Logf("indexed %v after there was room; the longest of %d searches took %v", late, n, slowest)
}

// Searches are answered all the while when the last byte goes as rows change.
func TestDiskFillsWhileFollowing(t *testing.T) {
	d := newFilling(t)
	d.daemon = follow(t, d.file)
	s := d.searches(t)
	d.fill(t)
	d.write(t, 500)
	d.daemon.waitFor(t, "the disk is full", func(s httpapi.TableStatus) bool { return s.LastError != nil && s.LastError.Pass == "storage" })
	late := d.goesOn(t)
	d.proves(t, d.daemon)
	slowest, n := s.end(t)
	t.Logf("indexed %v after there was room; the longest of %d searches took %v", late, n, slowest)
}

// fill takes all room of the disk.
func (d *filling) fill(t *testing.T) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.disk, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 1 << 12} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(d.disk, &disk); err != nil || disk.Bavail > 0 {
		t.Fatalf("got %d blocks left, %v, want none", disk.Bavail, err)
	}
}

// refuses wants whatever would write to be refused in one line.
func (d *filling) refuses(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"sweep", "-c", d.file, "note"}, {"reindex", "-c", d.file, "note"}, {"reload", "-c", d.file, "note"},
		{"verify", "-c", d.file, "--repair"}, {"backup", "-c", d.file, filepath.Join(t.TempDir(), "copy")},
	} {
		_, stderr, code := ask(t, args...)
		if code == 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "no space left on device") {
			t.Errorf("%s on a full disk: exit %d: %q, want one line with the reason", args[0], code, stderr)
		}
	}
}

// searching is somebody who searches all the while.
type searching struct {
	stop    context.CancelFunc
	done    sync.WaitGroup
	slowest time.Duration
	n       int
	failed  []string
}

func (d *filling) searches(t *testing.T) *searching {
	ctx, stop := context.WithCancel(t.Context())
	s := &searching{stop: stop}
	address := d.daemon.base + "/api/v1/tables/note/search?q=first&size=1"
	s.done.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			if _, err := get(address); err != nil && len(s.failed) < 5 {
				s.failed = append(s.failed, fmt.Sprintf("after %v: %v", time.Since(began), err))
			}
			s.n++
			s.slowest = max(s.slowest, time.Since(began))
			<-time.After(10 * time.Millisecond)
		}
	})
	return s
}

// end wants every search to have been answered soon.
func (s *searching) end(t *testing.T) (slowest time.Duration, n int) {
	t.Helper()
	s.stop()
	s.done.Wait()
	if len(s.failed) > 0 {
		t.Errorf("got searches that were not answered: %q", s.failed)
	}
	if s.slowest > heldAtMost {
		t.Errorf("the longest search took %v, want at most %v", s.slowest, heldAtMost)
	}
	return s.slowest, s.n
}

// tree lists the files of a directory, with owner, permissions and content.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		owner, _ := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&list, "%s %v uid %d %d bytes", name, info.Mode(), owner.Uid, info.Size())
		if e.Type().IsRegular() {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			sum := sha256.New()
			if _, err := io.Copy(sum, f); err != nil {
				return err
			}
			fmt.Fprintf(&list, " %x", sum.Sum(nil))
		}
		list.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}
