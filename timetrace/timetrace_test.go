package timetrace

import (
	"bytes"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

const file = "/data/" + FileName

func disk(t rapid.TB) *faultfs.FS {
	t.Helper()
	fsys := faultfs.New()
	if err := fsys.MkdirAll("/data", 0o700); err != nil {
		t.Fatal(err)
	}
	return fsys
}

func open(t rapid.TB, fsys atomicfile.FS) *Trace {
	t.Helper()
	trace, err := Open(fsys, "/data", release)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func update(t rapid.TB, trace *Trace, s State) {
	t.Helper()
	if err := trace.Update(func(marks State) { replace(marks, s) }); err != nil {
		t.Fatal(err)
	}
}

// replace replaces marks by s.
func replace(marks, s State) {
	clear(marks)
	for name, table := range s {
		marks[name] = table
	}
}

func TestANewDirectoryHasNoMarks(t *testing.T) {
	trace := open(t, disk(t))
	if table, ok := trace.Table("film"); ok || !reflect.DeepEqual(table, Table{}) {
		t.Errorf("got %+v, %v, want nothing", table, ok)
	}
	if got := trace.Tables(); len(got) != 0 {
		t.Errorf("got %v, want no tables", got)
	}
}

func TestMarksSurvive(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	update(t, trace, example())
	err := trace.UpdateTable("film", func(m *Table) { m.Incremental = at(11, 0, 0, 0) })
	if err != nil {
		t.Fatal(err)
	}
	want := example()
	film := want["film"]
	film.Incremental = at(11, 0, 0, 0)
	want["film"] = film
	for _, trace := range []*Trace{trace, open(t, fsys.Crash(faultfs.Worst))} {
		if got := trace.Tables(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got, ok := trace.Table("film"); !ok || !reflect.DeepEqual(got, film) {
			t.Errorf("got %+v, %v, want %+v", got, ok, film)
		}
	}
}

// After Update the state is the one that a restart finds: without nanoseconds and
// time zones, which the file does not have.
func TestUpdateRemembersWhatItWrote(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	update(t, trace, State{"film": {Incremental: at(10, 0, 0, 1).Add(999).In(time.FixedZone("", 3600))}})
	want := State{"film": {Incremental: at(10, 0, 0, 1)}}
	if got := trace.Tables(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := open(t, fsys).Tables(); !reflect.DeepEqual(got, want) {
		t.Errorf("opened again: got %v, want %v", got, want)
	}
}

func TestALostFileIsNotANewDirectory(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	update(t, trace, example())
	update(t, trace, example())
	if err := fsys.Remove(file); err != nil {
		t.Fatal(err)
	}
	trace, err := Open(fsys, "/data", release)
	if trace != nil || err == nil || !strings.Contains(err.Error(), "is missing but its previous copy exists") {
		t.Fatalf("got %v, error %v, want that the file is missing", trace, err)
	}
	// Follow the error message.
	if err := fsys.Link(file+".prev", file); err != nil {
		t.Fatal(err)
	}
	if got := open(t, fsys).Tables(); !reflect.DeepEqual(got, example()) {
		t.Errorf("got %+v, want %+v", got, example())
	}
}

func TestOpenFailsAtEachStep(t *testing.T) {
	for _, name := range []string{"new", "written"} {
		fsys := disk(t)
		if name == "written" {
			update(t, open(t, fsys), example())
		}
		fsys.Fail(nil)
		open(t, fsys)
		steps := fsys.Steps()
		for k := 1; k <= steps; k++ {
			var op string
			fsys.Fail(func(s faultfs.Step) error {
				if s.N != k {
					return nil
				}
				op = s.Op
				return syscall.EIO
			})
			trace, err := Open(fsys, "/data", release)
			if op == "Close" {
				continue // of a file that was only read
			}
			if trace != nil || !errors.Is(err, syscall.EIO) {
				t.Errorf("%s directory, step %d of %d, %s: got %v, error %v, want EIO", name, k, steps, op, trace, err)
			}
		}
	}
}

// If any step fails the state is unchanged, the file has the old marks or the new
// ones, and the next Update succeeds.
func TestUpdateFailsAtEachStep(t *testing.T) {
	before, after := example(), State{"film": {Incremental: at(12, 0, 0, 0)}}
	for k := 1; ; k++ {
		fsys := disk(t)
		trace := open(t, fsys)
		update(t, trace, before)
		fsys.Fail(faultfs.At(k, syscall.ENOSPC))
		err := trace.Update(func(s State) { replace(s, after) })
		steps := fsys.Steps()
		fsys.Fail(nil)
		if k > steps {
			if err != nil {
				t.Fatalf("no step failed: got error %v", err)
			}
			return
		}
		want := after
		if err != nil {
			want = before
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), file) {
				t.Fatalf("step %d of %d: got error %v, want that %s can't be written: disk full", k, steps, err, file)
			}
		}
		if got := trace.Tables(); !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d of %d returned %v: got %v in memory, want %v", k, steps, err, got, want)
		}
		inFile := open(t, fsys).Tables()
		if ledByDir := k == steps && reflect.DeepEqual(inFile, after); !reflect.DeepEqual(inFile, want) && !ledByDir {
			t.Fatalf("step %d of %d returned %v: got %v in the file, want %v", k, steps, err, inFile, want)
		}
		update(t, trace, after)
		if got := open(t, fsys.Crash(faultfs.Worst)).Tables(); !reflect.DeepEqual(got, after) {
			t.Fatalf("step %d of %d, updated again: got %v, want %v", k, steps, got, after)
		}
	}
}

// A restart finds the marks that Durable has returned, even if the disk fails.
// Calls within a second cause one replacement of the file at most.
func TestDurableMarksSurviveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		update(t, trace, State{"film": {Settled: at(10, 0, 0, 0)}})
		shows := func(want int) {
			t.Helper()
			for _, got := range []State{trace.Durable(), open(t, fsys.Crash(faultfs.Worst)).Tables()} {
				if s := got["film"].Settled; !s.Equal(at(want, 0, 0, 0)) {
					t.Errorf("got S %v, want %d o'clock", s, want)
				}
			}
		}
		note := func(hour int) {
			trace.Note("film", func(m *Table) { m.Settled = at(hour, 0, 0, 0) })
		}
		shows(10)
		note(11)
		shows(10)
		time.Sleep(showEvery)
		shows(11)
		fsys.Fail(faultfs.At(1, syscall.EROFS))
		note(12)
		time.Sleep(showEvery)
		shows(11) // the disk took nothing
		if got, _ := trace.Table("film"); !got.Settled.Equal(at(12, 0, 0, 0)) {
			t.Errorf("Table: got S %v, want 12 o'clock", got.Settled)
		}
		shows(11)
		time.Sleep(showEvery)
		shows(12)
		fsys.Fail(nil)
		trace.Durable()
		if steps := fsys.Steps(); steps != 0 {
			t.Errorf("Durable without notes: got %d steps on the disk, want none", steps)
		}
	})
}

// After a power cut at any step the file has the last acknowledged marks or those
// of the interrupted Update.
func TestUpdateSurvivesACrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		set := func(n uint64) error {
			return trace.UpdateTable("film", func(m *Table) { m.Numbers = n })
		}
		if err := set(1); err != nil {
			t.Fatal(err)
		}
		fsys.Fail(faultfs.At(rapid.IntRange(1, 60).Draw(t, "step"), faultfs.ErrPowerCut))
		acknowledged := uint64(1)
		for n := uint64(2); n < 5 && set(n) == nil; n++ {
			acknowledged = n
		}
		after, err := Open(fsys.Crash(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "kept") }), "/data", release)
		if err != nil {
			t.Fatalf("%d was acknowledged: %v", acknowledged, err)
		}
		if got, _ := after.Table("film"); got.Numbers != acknowledged && got.Numbers != acknowledged+1 {
			t.Fatalf("got %d, want %d or the next one", got.Numbers, acknowledged)
		}
	})
}

func TestUpdateKeepsThePreviousCopy(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	update(t, trace, example())
	if _, err := atomicfile.Read(fsys, file+".prev"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the first file has a previous copy: error %v", err)
	}
	update(t, trace, State{})
	text, err := atomicfile.Read(fsys, file+".prev")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, golden(t)) {
		t.Errorf("got previous copy\n%s\nwant\n%s", text, golden(t))
	}
}

func TestUpdateRejectsMarksThatCannotBeRead(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	update(t, trace, example())
	for name, table := range map[string]Table{
		"kind":       {Kinds: []doc.Kind{0x55}},
		"year":       {Incremental: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"name.point": {},
	} {
		err := trace.UpdateTable(name, func(m *Table) { *m = table })
		if err == nil || !strings.HasPrefix(err.Error(), "update "+file+": ") {
			t.Errorf("%s: got error %v, want that %s can't be updated", name, err, file)
		}
	}
	if got := trace.Tables(); !reflect.DeepEqual(got, example()) {
		t.Errorf("got %+v, want %+v", got, example())
	}
	if got := open(t, fsys).Tables(); !reflect.DeepEqual(got, example()) {
		t.Errorf("opened again: got %+v, want %+v", got, example())
	}
}

func TestTablesIsACopy(t *testing.T) {
	trace := open(t, disk(t))
	update(t, trace, example())
	clear(trace.Tables())
	if got := trace.Tables(); !reflect.DeepEqual(got, example()) {
		t.Errorf("got %v, want %v", got, example())
	}
}

// Passes of different tables update their marks concurrently.
func TestConcurrentUpdatesAreAllKept(t *testing.T) {
	fsys := disk(t)
	trace := open(t, fsys)
	var passes sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		passes.Go(func() {
			for range 25 {
				if err := trace.UpdateTable(name, func(m *Table) { m.Numbers++ }); err != nil {
					t.Error(err)
				}
				trace.Table(name)
			}
		})
	}
	passes.Wait()
	for name, table := range open(t, fsys).Tables() {
		if got, want := table.Numbers, uint64(25); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	if got, want := len(trace.Tables()), 4; got != want {
		t.Errorf("got %d tables, want %d", got, want)
	}
}
