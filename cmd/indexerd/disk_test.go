package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestFullDisk fills the disk under the data directory, DISK_N times: with
// another amount of room each time, while following and during the initial load
// alternately. What scorch holds in memory may then differ from what is on disk, and
// only opening the index again shows that. Searches are answered all the while, and
// work goes on alone once there is room; also where the daemon was ended and
// started again on the full disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	n := rounds(t, "DISK_N", 2, 1)
	var d *filling
	var v httpapi.VerifiedTable
	var slowest time.Duration
	for i := range n {
		// A subtest gives its disk, its database and its files back when it ends.
		well := t.Run(fmt.Sprint(i), func(t *testing.T) {
			d = newFilling(t)
			d.fills(t, i%2 == 1)
			d.answers(t)
			if i%3 == 0 {
				d.startsAgain(t)
			}
			slowest = max(slowest, d.goesOn(t))
			v = d.proves(t, d.daemon)
		})
		if d == nil {
			t.Skip("there is no small disk")
		}
		if !well {
			break // the last line has the seed that has it again
		}
	}
	d.figures(t, "disk", fmt.Sprintf("n=%d indexed_max_ms=%d", n, slowest.Milliseconds()), v)
}

// A filling is a daemon on a disk that is too small.
type filling struct {
	*chaos
	disk   string
	daemon *proc
}

// newFilling mounts a disk in memory.
func newFilling(t *testing.T) *filling {
	t.Helper()
	d := &filling{disk: t.TempDir()}
	dsn := pgtest.DB(t)
	d.chaos = newChaos(t, dsn, dsn, filepath.Join(d.disk, "data"))
	if err := syscall.Mount("tmpfs", d.disk, "tmpfs", 0, "size=128m"); err != nil {
		if os.Getenv("CI") != "" && os.Geteuid() == 0 {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v: run as root", err)
	}
	t.Cleanup(func() {
		if d.daemon != nil {
			d.daemon.kill()
		}
		// What another test forks has this process's files open until it executes its program.
		eventually(t, soon, "unmount", func() error { return syscall.Unmount(d.disk, 0) })
	})
	return d
}

// ballast takes all room of the disk but a megabyte, in which a daemon can
// begin, and a random part of so many bytes.
func (d *filling) ballast(t *testing.T, more int64) {
	t.Helper()
	left := 1<<20 + d.random.Int64N(more)
	t.Logf("%d bytes are left", left)
	d.leave(t, left)
}

// leave takes all room of the disk but so many bytes.
func (d *filling) leave(t *testing.T, left int64) {
	t.Helper()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(d.disk, &disk); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.disk, "ballast"), make([]byte, int64(disk.Bavail)*disk.Bsize-left), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fills commits more notes than there is room for, before the daemon loads them
// or while it follows, and waits until the log reports it.
func (d *filling) fills(t *testing.T, loading bool) {
	t.Helper()
	if loading {
		d.write(t, 2000)
		d.ballast(t, 3<<20)
	}
	d.daemon = start(t, "run", "-c", d.file)
	if !loading {
		d.daemon.ready(t)
		d.ballast(t, 2<<20)
		d.write(t, 2000)
	}
	eventually(t, 2*time.Minute, "the log reports that the disk is full", func() error {
		if log := d.daemon.log.String(); !strings.Contains(log, "no space left on device") || !strings.Contains(log, "make room") {
			return errors.New(lastLine(log))
		}
		return nil
	})
}

// answers wants the daemon to answer searches, and status to say what is wrong.
func (d *filling) answers(t *testing.T) {
	t.Helper()
	eventually(t, soon, "searches are answered again from what is durable", func() error {
		_, err := get(d.daemon.base + "/api/v1/tables/note/search?q=first")
		return err
	})
	for range 20 {
		if err := d.daemon.unbroken(); err != nil {
			t.Fatal(err)
		}
		d.daemon.search(t, "note", "first", "size=0") // fails the test where there is no answer
		<-time.After(50 * time.Millisecond)
	}
	if s := d.daemon.status(t).Tables[0]; s.LastError == nil || !strings.Contains(s.LastError.What, "no space left on device") {
		t.Errorf("status: got last error %+v, want the full disk", s.LastError)
	}
}

// startsAgain ends the daemon on the full disk: a search in process needs no
// room, and a daemon that is started again serves.
func (d *filling) startsAgain(t *testing.T) {
	t.Helper()
	d.daemon.kill()
	commands(t, 0, "search", "-c", d.file, "note", "first")
	d.daemon = start(t, "run", "-c", d.file)
	if err := d.daemon.unbroken(); err != nil {
		t.Error(err)
	}
}

// write commits notes that compress badly.
func (d *filling) write(t *testing.T, rows int) {
	t.Helper()
	pgtest.Exec(t, d.dsn, `INSERT INTO note (id, body) SELECT (SELECT max(id) FROM note) + i,
		(SELECT string_agg(md5(i::text || j || random()), ' ') FROM generate_series(1, 60) j) FROM generate_series(1, $1::int) i`, rows)
}

// goesOn makes room, and returns how long it took until every note was in the
// index.
func (d *filling) goesOn(t *testing.T) time.Duration {
	t.Helper()
	if err := os.Remove(filepath.Join(d.disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	rows := pgtest.Value[uint64](t, d.dsn, "SELECT count(*) FROM note")
	eventually(t, 2*time.Minute, "every note is in the index", func() error {
		if err := d.daemon.unbroken(); err != nil {
			t.Fatal(err)
		}
		body, err := get(d.daemon.base + "/api/v1/status") // no response while the storage is being opened
		var s httpapi.Status
		if err == nil {
			err = json.Unmarshal(body, &s)
		}
		if err == nil && s.Tables[0].Documents != rows {
			err = fmt.Errorf("%d of %d", s.Tables[0].Documents, rows)
		}
		return err
	})
	return time.Since(began)
}
