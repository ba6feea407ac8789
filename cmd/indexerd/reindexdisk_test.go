package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A disk without room for two indexes: reindex refuses, names the numbers and what to do,
// and writes nothing. Searches and writes go on by the old analyzer. With room the same
// command succeeds.
func TestReindexWithoutRoom(t *testing.T) {
	d := newFilling(t)
	d.daemon = follow(t, d.file)
	settledPast(t, d.daemon, d.dsn)
	d.daemon.stop(t)
	rewrite(t, d.file, "content: {fields: [body]}", "content: {fields: [body], analyzer: en}")
	d.daemon = follow(t, d.file)
	d.daemon.waitForLog(t, "searches by the old mapping", 1)
	d.leave(t, d.indexBytes(t)/2)

	_, stderr, code := ask(t, "reindex", "-c", d.file, "note")
	for _, want := range []string{"MB left of the", "searches go on in the old index", "make room and reindex again"} {
		if code != 1 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("reindex: exit %d: %q, want a line with %q", code, stderr, want)
		}
	}
	if found, err := filepath.Glob(filepath.Join(d.data, "note", "index*")); err != nil || len(found) != 1 {
		t.Errorf("got indexes %v, %v, want the old one alone", found, err)
	}
	d.write(t, 5)
	settledPast(t, d.daemon, d.dsn)
	if n := d.daemon.status(t).Tables[0].Documents; n != 3005 {
		t.Errorf("after writes: got %d documents, want 3005", n)
	}
	d.totals(t, 3000, 0)

	if err := os.Remove(filepath.Join(d.disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	commands(t, 0, "reindex", "-c", d.file, "note")
	d.totals(t, 3000, 3000)
}

// totals wants so many hits of a word, and of its plural, which only analyzer en finds.
func (d *filling) totals(t *testing.T, word, plural uint64) {
	t.Helper()
	for q, want := range map[string]uint64{"first": word, "firsts": plural} {
		d.daemon.has(t, "note", q, want)
	}
}

// indexBytes returns the size of the files of the index.
func (d *filling) indexBytes(t *testing.T) (n int64) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(d.data, "note"), func(name string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".zap") {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("got %d bytes of segments, %v", n, err)
	}
	return n
}
