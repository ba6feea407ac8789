package tables

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/stored"
	"indexerd/timetrace"
)

// The files of a table are first read a day after its load, and then a day after they were
// read. They are read at once where it is not known when they were.
func TestWhenFilesWereRead(t *testing.T) {
	dir := t.TempDir()
	trace, err := timetrace.Open(atomicfile.OS, dir, "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	loaded := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)
	if err := trace.UpdateTable("film", func(m *timetrace.Table) { m.Load, m.Loaded = loaded, true }); err != nil {
		t.Fatal(err)
	}
	table := &Table{Table: &stored.Table{Trace: trace, Dir: dir, Conf: configs.Table{Name: "film"}}}
	want := func(when string, at time.Time) {
		t.Helper()
		if got := table.readLastScrub(); !got.Equal(at) {
			t.Errorf("%s: got %v, want %v", when, got, at)
		}
	}
	want("after the load", loaded)
	if err := table.writeLastScrub(loaded.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	want("after a scrub", loaded.Add(time.Minute))
	if err := os.WriteFile(filepath.Join(dir, scrubFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("where the file is broken", time.Time{})
}
