package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/stored"
	"indexerd/timetrace"
)

// inPlace copies the template, and returns the only segment that the index uses: the last.
func (f *flips) inPlace(t *testing.T) (segment string) {
	t.Helper()
	if err := os.RemoveAll(f.data); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(f.data, os.DirFS(f.template)); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(f.data, "note", "index", "*.zap"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("segments: got %v, %v", segments, err)
	}
	return segments[len(segments)-1]
}

// A damaged segment is found when the daemon starts, and the index is rebuilt from the
// pages: the database is not there.
func TestDamagedIndexIsRebuiltWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFlips(t)
	flipMiddle(t, f.inPlace(t))
	if err := os.Rename(f.dsn, f.dsn+".away"); err != nil {
		t.Fatal(err)
	}
	says(t, 1, "the index is damaged", "search", "-c", f.config, "note", "first")
	p := start(t, "run", "-c", f.config)
	f.rebuilt(t, p)
	if log := p.log.String(); !strings.Contains(log, "the index is damaged") || !strings.Contains(log, "rebuilt from the pages") {
		t.Errorf("the log does not say what was done: %s", log)
	}
	p.kill()

	// without a daemon
	segment := f.inPlace(t)
	flipMiddle(t, segment)
	if err := os.Rename(f.dsn+".away", f.dsn); err != nil {
		t.Fatal(err)
	}
	says(t, exitBad, filepath.Base(segment)+": the index is damaged", "verify", "--content", "-c", f.config)
	says(t, 0, "note: equal", "verify", "--content", "--repair", "-c", f.config)
	says(t, 0, "note: equal", "verify", "--content", "-c", f.config)
}

// A rebuild that was interrupted begins again, whatever the index has by then.
func TestInterruptedRebuild(t *testing.T) {
	t.Parallel()
	f := newFlips(t)
	f.inPlace(t)
	trace, err := timetrace.Open(atomicfile.OS, f.data, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.UpdateTable("note", func(m *timetrace.Table) { m.Doubt(stored.IndexDamaged) }); err != nil {
		t.Fatal(err)
	}
	p := start(t, "run", "-c", f.config)
	f.rebuilt(t, p)
	if log := p.log.String(); !strings.Contains(log, "refill ended") || !strings.Contains(log, "documents=980") {
		t.Errorf("the log does not say that all documents were added again: %s", log)
	}
	isEqual(t, f.config)
}

// A segment that is damaged while the daemon runs is found by verify. The daemon rebuilds
// the index, and counts the damage.
func TestDamageWhileTheDaemonRuns(t *testing.T) {
	t.Parallel()
	f := newFlips(t)
	segment := f.inPlace(t)
	p := follow(t, f.config)
	flipMiddle(t, segment)
	says(t, 1, filepath.Base(segment), "verify", "--content", "-c", f.config)
	f.rebuilt(t, p)
	isEqual(t, f.config)
	for _, want := range []string{`indexerd_damaged_files_total{table="note"} 1`, `indexerd_scrub_last_timestamp_seconds{table="note"} 1.`} {
		eventually(t, soon, want, func() error {
			metrics, err := get(p.base + "/metrics")
			if err == nil && !strings.Contains(string(metrics), want) {
				err = errors.New("the metrics lack it")
			}
			return err
		})
	}
}

// rebuilt waits until all answers are right. Until then they are refused.
func (f *flips) rebuilt(t *testing.T, p *proc) {
	t.Helper()
	eventually(t, soon, "all answers are right", func() error {
		if !f.judge(t, "while the index is rebuilt", "a segment", f.answers(t, p)) {
			return errors.New("some are refused")
		}
		return nil
	})
}

// flipMiddle flips a bit in the middle of a file.
func flipMiddle(t *testing.T, name string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := flipBit(file, info.Size()/2, 3); err != nil {
		t.Fatal(err)
	}
}

// flipBit flips a bit of a byte of a file.
func flipBit(file *os.File, at int64, bit int) error {
	b := make([]byte, 1)
	if _, err := file.ReadAt(b, at); err != nil {
		return fmt.Errorf("byte %d: %w", at, err)
	}
	b[0] ^= 1 << bit
	_, err := file.WriteAt(b, at)
	return err
}
