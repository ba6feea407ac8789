package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/timetrace"
)

// TestBackupCycles backs up while the notes change, lets them change further,
// and restores the backup, BACKUP_N times. What it has of rows that are gone
// since leaves with the sweep that starts by itself.
func TestBackupCycles(t *testing.T) {
	t.Parallel()
	n := rounds(t, "BACKUP_N", 3, 1)
	dsn := pgtest.DB(t)
	b := &backingUp{chaos: newChaos(t, dsn, dsn, freshData(t)), dests: t.TempDir()}
	b.daemon = follow(t, b.file)
	stop := b.storm(t)
	for i := range n {
		b.cycle(t, i)
	}
	commits := stop()
	v := b.proves(t, b.daemon)
	b.figures(t, "backup", fmt.Sprintf("n=%d commits=%d backup_max_ms=%d verified_max_ms=%d",
		n, commits, b.saving.Milliseconds(), b.verified.Milliseconds()), v)
}

// A backingUp is a TestBackupCycles under way.
type backingUp struct {
	*chaos
	daemon   *proc
	dests    string
	saving   time.Duration // the longest backup
	verified time.Duration // the longest time from a start until all was verified
}

// cycle backs up, alternately into a directory and into a file; changes; ends the
// daemon, alternately by a kill and by a signal; and restores the backup.
func (b *backingUp) cycle(t *testing.T, i int) {
	t.Helper()
	word := fmt.Sprintf("doomed%d", i)
	pgtest.Exec(t, b.dsn, "INSERT INTO note (id, body) SELECT i, $1 FROM generate_series(30001, 30050) i", word)
	b.daemon.found(t, "note", word, 50)
	dest := filepath.Join(b.dests, fmt.Sprint(i)+[]string{"", ".tar.zst"}[i%2])
	began := time.Now()
	commands(t, 0, "backup", "-c", b.file, dest)
	b.saving = max(b.saving, time.Since(began))

	pgtest.Exec(t, b.dsn, "DELETE FROM note WHERE id > 30000")
	b.marked(t, fmt.Sprintf("since%d", i))
	if i%2 == 0 {
		b.daemon.kill()
	} else {
		b.daemon.stop(t)
	}
	b.refusals(t, dest)
	if err := os.RemoveAll(b.data); err != nil {
		t.Fatal(err)
	}
	commands(t, 0, "restore", "-c", b.file, dest)

	began = time.Now()
	if marks := b.marks(t); marks.Unverified == "" {
		t.Error("restored: got no mark that it is unverified")
	}
	b.daemon = start(t, "run", "-c", b.file)
	b.daemon.swept(t, time.Minute)
	b.verified = max(b.verified, time.Since(began))
	if err := finds(b.daemon, t, word, 0); err != nil {
		t.Errorf("rows deleted before the restore, after its sweep: %v", err)
	}
	verifies(t, 0, b.file) // at once, while the notes change
}

// marked makes a change that the backup does not have, and waits until the
// daemon does: its marks are then ahead of the backup's.
func (b *backingUp) marked(t *testing.T, word string) {
	t.Helper()
	pgtest.Exec(t, b.dsn, "INSERT INTO note (id, body) VALUES (40000, $1) ON CONFLICT (id) DO UPDATE SET body = excluded.body, updated = now()", word)
	b.daemon.found(t, "note", word, 1)
}

// refusals: nothing is restored over what is there, and nothing damaged.
func (b *backingUp) refusals(t *testing.T, dest string) {
	t.Helper()
	if said := commands(t, 1, "restore", "-c", b.file, dest); !strings.Contains(said, "is not empty") {
		t.Errorf("restore over what is there: got %q", said)
	}
	file := dest
	if !strings.HasSuffix(dest, ".tar.zst") {
		file = filepath.Join(dest, timetrace.FileName)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, content...)
	damaged[len(damaged)/4+b.random.IntN(len(damaged)/2)] ^= 0x20
	if err := os.WriteFile(file, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	away := b.data + ".away"
	if err := os.Rename(b.data, away); err != nil {
		t.Fatal(err)
	}
	commands(t, 1, "restore", "-c", b.file, dest)
	if left, err := os.ReadDir(b.data); err != nil || len(left) > 1 { // the lock
		t.Errorf("after a damaged backup was refused: got %v, %v, want nothing but the lock", left, err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(away); err != nil {
		t.Fatal(err)
	}
}

// A backup of nothing is refused as any other question that comes too early.
func TestBackupBeforeALoad(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, lateConfig("postgres://none@127.0.0.1:1/none", filepath.Join(dir, "data"), "{horizon: auto}"))
	start(t, "run", "-c", file)
	_, stderr, code := ask(t, "backup", "-c", file, filepath.Join(dir, "b.tar.zst"))
	if code != 1 || !strings.HasPrefix(stderr, "not_ready: nothing is loaded yet: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.tar.zst")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is there: %v", err)
	}
}

// A start takes away what a crash has left of a backup and of a probe of the disk, and no
// backup that is finished, in whatever directory it is.
func TestStartRemovesWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	left := []string{filepath.Join(data, "backup-123.tmp", "note", "pages", "1.dat"), filepath.Join(data, "probe.tmp")}
	kept := []string{filepath.Join(data, "b.tar.zst"), filepath.Join(dir, "b.tar.zst"), filepath.Join(dir, "b", "MANIFEST.json")}
	for _, name := range append(kept, left...) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, name, "a copy")
	}
	start(t, "run", "-c", writeFile(t, lateConfig("postgres://none@127.0.0.1:1/none", data, "{horizon: auto}")))
	for _, name := range left {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after a start: got %v, want no %s", err, name)
		}
	}
	for _, name := range kept {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("after a start: %v", err)
		}
	}
}
