package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/httpapi"
	"indexerd/timetrace"
)

// TestEarlyFormats opens the data directories of the first two formats, without a manual
// step: nothing is loaded again, what changed while no daemon ran is found, and the log
// has what the upgrade means.
func TestEarlyFormats(t *testing.T) {
	t.Parallel()
	for day, logged := range map[string]string{
		"2026-11-21": "the index is rebuilt from the pages",
		"2026-11-22": "indexerd searches by the old mapping",
	} {
		t.Run(day, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			unpack(t, filepath.Join("testdata", "release", day, "sqlite.tar.gz"), dir)
			db, data := filepath.Join(dir, "db.sqlite"), filepath.Join(dir, "data")
			file := writeFile(t, configOf("sqlite", db, data, `  note:
    source: db
    sql: SELECT id, updated, title, kind, price FROM note
    key: id
    updated: updated
    content: {fields: [title]}
    metadata: {kind: keyword, price: number}
`))
			before := marksOf(t, data, "note")
			now := releaseTime(time.Now())
			execSQLite(t, db, "UPDATE note SET title = 'note 9 was changed', updated = "+now+" WHERE id = 9",
				"DELETE FROM note WHERE id = 3", "INSERT INTO note VALUES (42, 'note 42 is new', 'kind1', 42, "+now+")")
			began := time.Now()
			p := start(t, "run", "-c", file)
			eventually(t, soon, "the table is settled and verified", func() error {
				s := p.status(t).Tables[0]
				if s.Settled.Unverified || s.Settled.At == nil || time.Time(*s.Settled.At).Before(began) {
					return fmt.Errorf("settled %+v, last error %+v", s.Settled, s.LastError)
				}
				if s.Silent > 0 {
					t.Errorf("got %d rows changed without updated, want none: their tokens are computed again", s.Silent)
				}
				return nil
			})
			for query, want := range map[string]uint64{"*": 41, "changed": 2, "new": 1, "late": 1, "catalogue": 37} {
				if got := p.search(t, "note", query, "size=0").Total; got != want {
					t.Errorf("%s: got %d documents, want %d", query, got, want)
				}
			}
			verifies(t, 0, file, "note")
			var h httpapi.History
			decode(t, p.base+"/api/v1/tables/note/history?size=1000", &h)
			if oldest := h.Runs[len(h.Runs)-1]; oldest.Pass != "incremental" || oldest.Added != 1 || !time.Time(oldest.Started).Before(began) {
				t.Errorf("history: got %+v as the oldest run, want that of the earlier build", oldest)
			}
			commands(t, 0, "reindex", "-c", file, "note")
			verifies(t, 0, file, "note", "--content")
			p.stop(t)
			if log := p.log.String(); !strings.Contains(log, logged) || strings.Contains(log, "initial load") {
				t.Errorf("the log lacks %q, or has a load: %s", logged, log)
			}
			if got := marksOf(t, data, "note"); !got.Load.Equal(before.Load) || got.Numbers < before.Numbers {
				t.Errorf("marks: got %+v, want those of the load kept: %+v", got, before)
			}
			refusesNewer(t, file, filepath.Join(data, timetrace.FileName))
		})
	}
}

// marksOf reads the marks of a table of a directory that no daemon uses.
func marksOf(t *testing.T, data, table string) timetrace.Table {
	t.Helper()
	trace, err := timetrace.Open(atomicfile.OS, data, "test")
	if err != nil {
		t.Fatal(err)
	}
	m, ok := trace.Table(table)
	if !ok || !m.Loaded {
		t.Fatalf("marks of %s: got %+v, want those of a loaded table", table, m)
	}
	return m
}

// refusesNewer expects each command to refuse marks that a later release wrote, with a line
// that names it, and to leave them as they are.
func refusesNewer(t *testing.T, file, marks string) {
	t.Helper()
	const newer = "# How far\n# written by indexerd 9.0.0\nformat = 2\ncolours = 3\n"
	if err := os.WriteFile(marks, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"run", "status"} {
		if stderr := commands(t, exitNo, command, "-c", file); !strings.Contains(stderr, "a newer release wrote it, indexerd 9.0.0") || !strings.Contains(stderr, "start indexerd 9.0.0, or restore a backup") {
			t.Errorf("%s: got %q, want it to name the release to start", command, stderr)
		}
	}
	if got := readFile(t, marks); got != newer {
		t.Errorf("got marks %q, want them as they were", got)
	}
}
