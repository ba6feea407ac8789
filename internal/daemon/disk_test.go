package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

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
		if err := probe(dir, batchSize); err != nil {
			t.Error(err)
		}
	}
	stop()
	if n := <-seen; n > 0 {
		t.Errorf("a probe that writes had its name %d times, want never", n)
	}
}
