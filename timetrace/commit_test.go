package timetrace

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"indexerd/internal/base/recovered"
	"indexerd/internal/test/faultfs"
)

// held is a disk that waits at the next replacement of the file until release is
// called, and then fails it with err.
func held(fsys *faultfs.FS, err error) (release func(), replaced *int) {
	gate, replaced := make(chan struct{}), new(int)
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op != "Rename" || strings.HasSuffix(s.Name, ".prev.tmp") {
			return nil
		}
		*replaced++
		if *replaced > 1 {
			return nil
		}
		<-gate
		return err
	})
	return func() { close(gate) }, replaced
}

func number(name string, n uint64, trace *Trace) error {
	return trace.UpdateTable(name, func(m *Table) { m.Numbers = n })
}

// numbers are those of a restart, and of the trace that is open.
func numbers(t *testing.T, fsys *faultfs.FS, trace *Trace) string {
	t.Helper()
	text := func(s State) string {
		var all []string
		for _, name := range []string{"a", "b", "c"} {
			all = append(all, fmt.Sprint(s[name].Numbers))
		}
		return strings.Join(all, " ")
	}
	return text(open(t, fsys.Crash(faultfs.Worst)).Tables()) + " in the file, " + text(trace.Tables()) + " in memory"
}

// All Updates that wait for a replacement share the next one, and return when they
// are durable.
func TestWaitingUpdatesShareAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		update(t, trace, State{"a": {}})
		release, replaced := held(fsys, nil)
		var waiting sync.WaitGroup
		for n := range 50 {
			waiting.Go(func() {
				name := fmt.Sprintf("t%d", n)
				if err := number(name, 1, trace); err != nil {
					t.Error(err)
				}
				if got := open(t, fsys.Crash(faultfs.Worst)).Tables()[name].Numbers; got != 1 {
					t.Errorf("%s: Update has returned, and a restart finds %d, want 1", name, got)
				}
			})
		}
		synctest.Wait()
		release()
		waiting.Wait()
		if *replaced != 2 {
			t.Errorf("50 Updates at a time: got %d replacements, want 2", *replaced)
		}
	})
}

// A replacement that fails fails its Updates only, and keeps what was noted.
func TestAFailedReplacementFailsItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		update(t, trace, State{"a": {}, "b": {}, "c": {}})
		trace.Note("c", func(m *Table) { m.Numbers = 5 })
		release, _ := held(fsys, syscall.EIO)
		var failed, next error
		var both sync.WaitGroup
		both.Go(func() { failed = number("a", 1, trace) })
		synctest.Wait()
		both.Go(func() { next = number("b", 1, trace) })
		synctest.Wait()
		release()
		both.Wait()
		if !errors.Is(failed, syscall.EIO) || next != nil {
			t.Errorf("got errors %v and %v, want EIO for the first Update only", failed, next)
		}
		if got, want := numbers(t, fsys, trace), "0 1 5 in the file, 0 1 5 in memory"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A change that can't be written, or panics, fails alone.
func TestABadChangeFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		update(t, trace, State{"a": {}, "b": {}, "c": {}})
		release, replaced := held(fsys, nil)
		var all sync.WaitGroup
		run := func(f func() error, check func(error) bool) {
			all.Go(func() {
				if err := f(); !check(err) {
					t.Errorf("got error %v", err)
				}
			})
			synctest.Wait()
		}
		none := func(err error) bool { return err == nil }
		panics := func(err error) bool { return errors.As(err, new(*recovered.Error)) }
		run(func() error { return number("a", 1, trace) }, none) // writes, and is held
		run(func() error { return number("b", 1, trace) }, none)
		run(func() error { return number("bad.name", 1, trace) }, func(err error) bool { return err != nil })
		run(func() error { return trace.UpdateTable("a", func(m *Table) { m.Numbers = 7; panic("bad") }) }, panics)
		run(func() error { return trace.Update(func(s State) { clear(s); panic("bad") }) }, panics)
		run(func() error { return trace.Update(func(s State) { clear(s); s["bad.name"] = Table{} }) }, func(err error) bool { return err != nil })
		run(func() error { return number("c", 1, trace) }, none)
		release()
		all.Wait()
		if got, want := numbers(t, fsys, trace), "1 1 1 in the file, 1 1 1 in memory"; got != want || *replaced != 2 {
			t.Errorf("got %s by %d replacements, want %s by 2", got, *replaced, want)
		}
	})
}

// Note does not wait for the disk, except for an Update of the same table: it
// changes the marks that this Update leaves, whether or not it succeeds.
func TestNoteDuringAReplacement(t *testing.T) {
	for _, fault := range []error{nil, syscall.EIO} {
		synctest.Test(t, func(t *testing.T) {
			fsys := disk(t)
			trace := open(t, fsys)
			update(t, trace, State{"a": {}, "b": {}, "c": {}})
			release, _ := held(fsys, fault)
			var all sync.WaitGroup
			all.Go(func() { _ = number("a", 10, trace) })
			synctest.Wait()
			add := func(m *Table) { m.Numbers++ }
			trace.Note("b", add)
			noted := false
			all.Go(func() { trace.Note("a", add); noted = true })
			synctest.Wait()
			if noted {
				t.Error("Note of the table that is being written: got no wait, want one")
			}
			if got := trace.Tables(); got["a"].Numbers != 0 || got["b"].Numbers != 1 {
				t.Errorf("during the replacement: got %+v, want the note of b, and a as it was", got)
			}
			release()
			all.Wait()
			if err := trace.UpdateTable("c", func(*Table) {}); err != nil {
				t.Fatal(err)
			}
			want := "11 1 0 in the file, 11 1 0 in memory"
			if fault != nil {
				want = "1 1 0 in the file, 1 1 0 in memory"
			}
			if got := numbers(t, fsys, trace); got != want {
				t.Errorf("the replacement returned %v: got %s, want %s", fault, got, want)
			}
		})
	}
}

// A Flush changes no table, so no Note waits for it, and one that fails keeps what
// was noted.
func TestNoteDuringAFlush(t *testing.T) {
	for _, fault := range []error{nil, syscall.EIO} {
		synctest.Test(t, func(t *testing.T) {
			fsys := disk(t)
			trace := open(t, fsys)
			update(t, trace, State{"a": {}, "b": {}, "c": {}})
			add := func(m *Table) { m.Numbers++ }
			trace.Note("a", add)
			trace.Note("b", add)
			release, _ := held(fsys, fault)
			var flush sync.WaitGroup
			flush.Go(func() {
				if err := trace.Flush(); !errors.Is(err, fault) {
					t.Errorf("got %v, want %v", err, fault)
				}
			})
			synctest.Wait()
			trace.Note("a", add)
			release()
			flush.Wait()
			want := "1 1 0 in the file, 2 1 0 in memory"
			if fault != nil {
				want = "0 0 0 in the file, 2 1 0 in memory"
			}
			if got := numbers(t, fsys, trace); got != want {
				t.Errorf("the replacement returned %v: got %s, want %s", fault, got, want)
			}
			if err := trace.Flush(); err != nil {
				t.Fatal(err)
			}
			if got, want := numbers(t, fsys, trace), "2 1 0 in the file, 2 1 0 in memory"; got != want {
				t.Errorf("flushed again: got %s, want %s", got, want)
			}
		})
	}
}

// After a power cut at any step each of several tables has its last acknowledged
// marks or those that an interrupted Update wanted.
func TestConcurrentUpdatesSurviveACrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := disk(t)
		trace := open(t, fsys)
		fsys.Fail(faultfs.At(rapid.IntRange(1, 120).Draw(t, "step"), faultfs.ErrPowerCut))
		var acknowledged [4]uint64
		var passes sync.WaitGroup
		for i := range acknowledged {
			passes.Go(func() {
				for n := uint64(1); n < 5 && number(fmt.Sprint(i), n, trace) == nil; n++ {
					acknowledged[i] = n
				}
			})
		}
		passes.Wait()
		after, err := Open(fsys.Crash(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "kept") }), "/data", release)
		if err != nil {
			t.Fatalf("%d was acknowledged: %v", acknowledged, err)
		}
		for i, n := range acknowledged {
			if got, _ := after.Table(fmt.Sprint(i)); got.Numbers != n && got.Numbers != n+1 {
				t.Fatalf("table %d: got %d, want %d or the next one", i, got.Numbers, n)
			}
		}
	})
}
