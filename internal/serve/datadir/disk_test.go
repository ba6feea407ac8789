package datadir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if err := Room(dir, 1); err != nil {
		t.Error(err)
	}
	if err := Room(dir, 1<<60); err == nil || !strings.Contains(err.Error(), "MB left of the 1099511627777 MB needed") {
		t.Errorf("got %v, want too little room", err)
	}
	if err := Room(filepath.Join(dir, "missing"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: got %v", err)
	}
}

// A probe has its name only while it is empty: a crash leaves no garbage.
func TestProbeWritesUnderNoName(t *testing.T) {
	dir := t.TempDir()
	seen := make(chan int)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		n := 0
		for ctx.Err() == nil {
			if info, err := os.Stat(filepath.Join(dir, probeName)); err == nil && info.Size() > 0 {
				n++
			}
		}
		seen <- n
	}()
	for range 5 {
		if err := Probe(dir, BatchSize); err != nil {
			t.Error(err)
		}
	}
	stop()
	if n := <-seen; n > 0 {
		t.Errorf("a probe that writes had its name %d times, want never", n)
	}
}
