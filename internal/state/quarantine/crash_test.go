package quarantine

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/scrub"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

// lines is a file of three rows, and the rows.
func lines(t rapid.TB) ([]byte, []Row) {
	t.Helper()
	fsys := disk(t)
	q := open(t, fsys)
	for n := range int64(3) {
		add(t, q, batch(int(n), doc.Reject{OID: oid(t, n), Reason: fmt.Sprintf("reason %d", n)}))
	}
	return read(t, fsys), q.Rows()
}

// A crash may cut the last line anywhere, or leave zero bytes in it. Earlier lines
// count, and later ones are readable.
func TestIncompleteLastLine(t *testing.T) {
	whole, rows := lines(t)
	second := bytes.IndexByte(whole, '\n') + 1
	for n := range len(whole) + 1 {
		opensAs(t, whole[:n], rows[:bytes.Count(whole[:n], []byte("\n"))])
	}
	// A later block is on the disk, and an earlier one not.
	for n := second; n < len(whole); n++ {
		holed := bytes.Clone(whole)
		clear(holed[second : n+1])
		opensAs(t, holed, rows[:1])
	}
}

func opensAs(t *testing.T, text []byte, rows []Row) {
	t.Helper()
	fsys := disk(t)
	if err := atomicfile.Write(fsys, name, text); err != nil {
		t.Fatal(err)
	}
	q := open(t, fsys)
	want(t, q, rows...)
	add(t, q, batch(60, doc.Reject{OID: oid(t, 99), Reason: "after the crash"}))
	want(t, open(t, fsys), append(rows[:len(rows):len(rows)], Row{OID: oid(t, 99), Reason: "after the crash", Since: start.Add(time.Minute), Tries: 1})...)
}

// Open skips a damaged line and keeps the others; Damaged names the line.
func TestDamagedLineIsSkipped(t *testing.T) {
	whole, rows := lines(t)
	for where, test := range map[string]struct {
		text string
		rows []Row
	}{
		"line 1: ": {"no JSON\n" + string(whole), rows},
		"line 4: ": {string(whole) + "[]\n", rows},
		"line 2: ": {strings.Replace(string(whole), `"oid":"1"`, `"oid":"3"`, 1), []Row{rows[0], rows[2]}},
		"line 3: ": {strings.Replace(string(whole), `"tries":1,"crc":"79`, `"tries":1,"crc":"78`, 1), rows[:2]},
	} {
		fsys := disk(t)
		if err := atomicfile.Write(fsys, name, []byte(test.text)); err != nil {
			t.Fatal(err)
		}
		q := open(t, fsys)
		want(t, q, test.rows...)
		if err := q.Damaged(); err == nil || !strings.HasPrefix(err.Error(), where) {
			t.Errorf("got %v, want an error at %s", err, where)
		}
		if q = open(t, fsys); q.Damaged() != nil {
			t.Errorf("opened again: got %v, want no damage", q.Damaged())
		}
	}
}

// Scrub finds a line that was damaged while the list is open, and writes it again.
func TestScrub(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "the first"}, doc.Reject{OID: oid(t, 8), Reason: "the second"}))
	good := read(t, fsys)
	if err := atomicfile.Write(fsys, name, bytes.Replace(good, []byte("first"), []byte("fisst"), 1)); err != nil {
		t.Fatal(err)
	}
	for i, damaged := range []int{1, 0} {
		r := scrub.NewRun(t.Context(), nil)
		if err := q.Scrub(r); err != nil || len(r.Damaged) != damaged || r.Files != 1 {
			t.Errorf("scrub %d: got %+v, %v; want %d damaged files", i, r, err, damaged)
		}
	}
	if got := read(t, fsys); !bytes.Equal(got, good) {
		t.Errorf("got\n%swant\n%s", got, good)
	}
	add(t, q, batch(1, doc.Reject{OID: oid(t, 9), Reason: "the third"}))
	if q = open(t, fsys); q.Len() != 3 || q.Damaged() != nil {
		t.Errorf("got %d rows, %v, want 3", q.Len(), q.Damaged())
	}
}

// On a full disk changes fail, and earlier ones stay. When there is room again,
// changes succeed.
func TestFullDisk(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{OID: oid(t, 1), Reason: "before"}))
	q = open(t, fsys)
	add(t, q, batch(0, doc.Reject{OID: oid(t, 2), Reason: "before"}))
	before := []Row{
		{OID: oid(t, 1), Reason: "before", Since: start, Tries: 1},
		{OID: oid(t, 2), Reason: "before", Since: start, Tries: 1},
	}

	fsys.Fail(func(s faultfs.Step) error {
		if s.Op == "Write" {
			return syscall.ENOSPC
		}
		return nil
	})
	for range 3 {
		err := q.Add(batch(1, doc.Reject{OID: oid(t, 3), Reason: "while the disk is full"}))
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "quarantine: ") {
			t.Fatalf("got error %v, want that the disk is full", err)
		}
		if err := q.Clear([]doc.OID{oid(t, 1)}); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("clear: got error %v, want that the disk is full", err)
		}
		want(t, q, before...)
	}

	fsys.Fail(nil)
	add(t, q, batch(2, doc.Reject{OID: oid(t, 4), Reason: "after"}))
	rows := append(before, Row{OID: oid(t, 4), Reason: "after", Since: start.Add(2 * time.Second), Tries: 1})
	want(t, q, rows...)
	want(t, open(t, fsys.Crash(faultfs.Worst)), rows...)
}

// After a failed sync, or a failed write that could not be undone, every change fails
// without a write.
func TestBrokenFileIsNotWrittenTo(t *testing.T) {
	tests := map[string]func(faultfs.Step) error{
		"sync": func(s faultfs.Step) error {
			if s.Op == "Sync" {
				return syscall.EIO
			}
			return nil
		},
		"undo": func(s faultfs.Step) error {
			if s.Op == "Write" || s.Op == "Truncate" {
				return syscall.EIO
			}
			return nil
		},
	}
	for what, fault := range tests {
		t.Run(what, func(t *testing.T) {
			fsys := disk(t)
			q := open(t, fsys)
			add(t, q, batch(0, doc.Reject{OID: oid(t, 1), Reason: "before"}))
			before := Row{OID: oid(t, 1), Reason: "before", Since: start, Tries: 1}

			fsys.Fail(fault)
			if err := q.Add(batch(1, doc.Reject{OID: oid(t, 2), Reason: "lost"})); !errors.Is(err, syscall.EIO) {
				t.Fatalf("got error %v, want EIO", err)
			}
			fsys.Fail(nil)
			err := q.Add(batch(2, doc.Reject{OID: oid(t, 3), Reason: "after"}))
			if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "restart indexerd") {
				t.Fatalf("got error %v, want the first error and the remedy", err)
			}
			if got := fsys.Steps(); got != 0 {
				t.Errorf("got %d steps on the disk after the fault, want none", got)
			}
			want(t, q, before)

			// The remedy.
			after := fsys.Crash(faultfs.Worst)
			q = open(t, after)
			want(t, q, before)
			add(t, q, batch(2, doc.Reject{OID: oid(t, 3), Reason: "after"}))
			want(t, open(t, after), before, Row{OID: oid(t, 3), Reason: "after", Since: start.Add(2 * time.Second), Tries: 1})
		})
	}
}

// After a power cut at any step, every change that returned nil is there.
func TestCrashKeepsAcknowledgedChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := disk(t)
		q := open(t, fsys)
		add(t, q, batch(0, doc.Reject{OID: oid(t, 1), Reason: "r"}))
		fsys.Fail(faultfs.At(rapid.IntRange(1, 16).Draw(t, "step"), faultfs.ErrPowerCut))
		acknowledged := int64(1)
		for n := int64(2); n < 6; n++ {
			if q.Add(batch(int(n), doc.Reject{OID: oid(t, n), Reason: "r"})) != nil {
				break
			}
			acknowledged = n
			if n == 3 { // a restart in between: Open writes too
				if q, _ = Open(fsys, name); q == nil {
					break
				}
			}
		}
		after := open(t, fsys.Crash(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "kept") }))
		if got := int64(after.Len()); got != acknowledged && got != acknowledged+1 {
			t.Fatalf("got %d rows, want the %d acknowledged or the one under way too", got, acknowledged)
		}
		for i, row := range after.Rows() {
			if want := oid(t, int64(i+1)); row.OID != want || row.Tries != 1 {
				t.Fatalf("row %d: got %+v", i, row)
			}
		}
	})
}

// An error while opening is never an empty list.
func TestOpenFailsAtEachStep(t *testing.T) {
	text, rows := lines(t)
	for k := 1; ; k++ {
		fsys := disk(t)
		if err := atomicfile.Write(fsys, name, text); err != nil {
			t.Fatal(err)
		}
		fsys.Fail(faultfs.At(k, syscall.EIO))
		q, err := Open(fsys, name)
		steps := fsys.Steps()
		fsys.Fail(nil)
		if err != nil && (q != nil || !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "quarantine: ")) {
			t.Fatalf("step %d of %d: got %v, error %v, want EIO", k, steps, q, err)
		}
		if err == nil {
			want(t, q, rows...)
		}
		want(t, open(t, fsys), rows...)
		if k > steps {
			return
		}
	}
}

// FuzzReplay: any bytes are a list with one encoding.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"key":"118000000000000007","oid":"7","reason":"r","since":"2026-11-21T10:15:30.5Z","tries":1}` + "\n"))
	f.Add([]byte(`{"tries":1}` + "\n" + `{"key":"","tries":0}` + "\n" + `{"key":"00","reason":"r","tries":-1,"since":"2026-11-21T10:15:30+02:00"}` + "\n"))
	f.Add([]byte("{}\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		q := newQuarantine(nil)
		q.replay(text)
		written, err := encode(q.sorted())
		if err != nil {
			t.Fatal(err)
		}
		again := newQuarantine(nil)
		if again.replay(written); again.damaged != nil {
			t.Fatalf("%v in\n%s", again.damaged, written)
		}
		if second, err := encode(again.sorted()); err != nil || !bytes.Equal(second, written) {
			t.Fatalf("second encoding: got\n%s, error %v, want\n%s", second, err, written)
		}
	})
}

// Open does not wait for the name of an empty file. The first row does.
func TestFirstRowIsKept(t *testing.T) {
	fsys, syncs := disk(t), 0
	fsys.Fail(func(s faultfs.Step) error {
		if strings.HasPrefix(s.Op, "Sync") {
			syncs++
		}
		return nil
	})
	q := open(t, fsys)
	if syncs > 0 {
		t.Errorf("got %d syncs of an empty list, want none", syncs)
	}
	add(t, q, batch(1, doc.Reject{OID: oid(t, 1), Reason: "first"}))
	want(t, open(t, fsys.Crash(faultfs.Worst)), q.Rows()...)
}
