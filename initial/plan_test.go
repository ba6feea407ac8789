package initial

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
)

const planName = "load.jsonl"

var planAt = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)

var planStart = Start{Settled: planAt.Add(-10 * time.Minute), Mode: "exact", Server: "one", Clock: planAt.Add(-time.Second), Local: planAt.Add(time.Hour)}

// newPlan makes a plan of five ranges.
func newPlan(t *testing.T, fsys atomicfile.FS) *Plan {
	t.Helper()
	p, err := createPlan(fsys, planName, record{Generation: 3, At: planAt, Rows: 50, Start: planStart, Breakpoints: []doc.HexOID{doc.HexOID(fakeworld.Key(-10)), doc.HexOID(fakeworld.Key(0)), doc.HexOID(fakeworld.Key(10)), doc.HexOID(fakeworld.Key(20))}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func finish(t *testing.T, p *Plan, ranges ...int) {
	t.Helper()
	for _, i := range ranges {
		if err := p.Finish(i, 10); err != nil {
			t.Fatal(err)
		}
	}
}

func reopen(t *testing.T, fsys atomicfile.FS) *Plan {
	t.Helper()
	p, err := openPlan(fsys, planName, 3)
	if err != nil || p == nil {
		t.Fatalf("got %v, %v, want a plan", p, err)
	}
	return p
}

func wantDone(t *testing.T, p *Plan, want ...int) {
	t.Helper()
	var got []int
	for i := range p.ranges {
		if p.Done(i) {
			got = append(got, i)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("finished: got %v, want %v", got, want)
	}
}

// The file has the format that the comments of record and finished describe.
func TestPlanFormat(t *testing.T) {
	files := faultfs.New()
	p := newPlan(t, files)
	finish(t, p, 2, 0)
	got, err := atomicfile.Read(files, planName)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"generation":3,"at":"2026-01-02T03:04:05.678901Z","rows":50,"settled":"2026-01-02T02:54:05.678901Z","mode":"exact","server":"one","clock":"2026-01-02T03:04:04.678901Z","local":"2026-01-02T04:04:05.678901Z","breakpoints":["117ffffffffffffff6","118000000000000000","11800000000000000a","118000000000000014"],"crc":"7b96e875"}
{"range":2,"rows":10,"crc":"563758d6"}
{"range":0,"rows":10,"crc":"7d38c1a5"}
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A crash may cut the last line anywhere. Complete lines count, and lines that are
// appended later are readable.
func TestPlanTornAtEveryByte(t *testing.T) {
	files := faultfs.New()
	finish(t, newPlan(t, files), 0, 1, 2)
	whole, err := atomicfile.Read(files, planName)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(whole, '\n') + 1
	for n := head; n <= len(whole); n++ {
		torn := faultfs.New()
		if err := atomicfile.Write(torn, planName, whole[:n]); err != nil {
			t.Fatal(err)
		}
		p := reopen(t, torn)
		lines := bytes.Count(whole[head:n], []byte("\n"))
		want := []int{0, 1, 2}[:lines]
		wantDone(t, p, want...)
		finish(t, p, 4)
		wantDone(t, reopen(t, torn.Crash(faultfs.Worst)), append(slices.Clone(want), 4)...)
		if t.Failed() {
			t.Fatalf("cut after %d of %d bytes", n, len(whole))
		}
	}
	// A rename writes the first line: a file without all of it is an error.
	for n := range head {
		torn := faultfs.New()
		if err := atomicfile.Write(torn, planName, whole[:n]); err != nil {
			t.Fatal(err)
		}
		if _, err := openPlan(torn, planName, 3); err == nil || !strings.Contains(err.Error(), "remove the file to load the table from scratch") {
			t.Fatalf("cut after %d bytes, in the record: got error %v, want one with the remedy", n, err)
		}
	}
}

// A crash at any step of creating a plan leaves no plan, or a complete one.
func TestPlanIsCreatedWholeOrNotAtAll(t *testing.T) {
	for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best} {
		for k := 0; ; k++ {
			files, crash := faultfs.New(), fakeworld.NewCountdown(k)
			files.Fail(func(s faultfs.Step) error { return crash.Before(s.Op) })
			_, made := createPlan(files, planName, record{Generation: 3, At: planAt, Breakpoints: []doc.HexOID{doc.HexOID(fakeworld.Key(0))}})
			p, err := openPlan(files.Crash(pick), planName, 3)
			if err != nil || p != nil && len(p.ranges) != 2 {
				t.Fatalf("after a crash at step %d: got %+v, %v, want none, or two ranges", k, p, err)
			}
			if made == nil {
				break
			}
		}
	}
}

// A full disk may cut one worker's line. No other line may follow it, because the
// plan would be unreadable.
func TestFullDiskLeavesAReadablePlan(t *testing.T) {
	for _, op := range []string{"Write", "Sync"} {
		files := faultfs.New()
		p := newPlan(t, files)
		finish(t, p, 0)
		failed := false
		files.Fail(func(s faultfs.Step) error {
			if s.Op == op && !failed {
				failed = true
				return syscall.ENOSPC
			}
			return nil
		})
		for _, i := range []int{1, 2} {
			if err := p.Finish(i, 10); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s fails: finish %d: got %v, want %v", op, i, err, syscall.ENOSPC)
			}
		}
		wantDone(t, p, 0)
		files.Fail(nil)
		p = reopen(t, files.Crash(faultfs.Worst))
		wantDone(t, p, 0)
		finish(t, reopen(t, files), 3)
		if again := reopen(t, files); !again.Done(0) || !again.Done(3) {
			t.Errorf("%s failed: got %v, want 0 and 3 finished", op, again.done)
		}
	}
}

// Finish may be called by several workers at the same time.
func TestPlanWorkers(t *testing.T) {
	files := faultfs.New()
	p := newPlan(t, files)
	var working sync.WaitGroup
	for i := range p.ranges {
		working.Go(func() {
			if err := p.Finish(i, 10); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	wantDone(t, reopen(t, files.Crash(faultfs.Worst)), 0, 1, 2, 3, 4)
}

func TestPlanOfAnotherIndexIsNone(t *testing.T) {
	files := faultfs.New()
	newPlan(t, files)
	if p, err := openPlan(files, planName, 4); p != nil || err != nil {
		t.Errorf("got %v, %v, want none", p, err)
	}
	if p, err := openPlan(files, "other", 3); p != nil || err != nil {
		t.Errorf("no file: got %v, %v, want none", p, err)
	}
}

// An unreadable plan is an error, and never "no plan": the load would start from
// scratch with a later time.
func TestUnreadablePlanIsAnError(t *testing.T) {
	tests := map[string]string{
		"empty":         "",
		"no JSON":       "at=2026\n",
		"bad key":       `{"generation":3,"at":"2026-01-02T03:04:05Z","breakpoints":["xy"]}` + "\n",
		"bad line":      `{"generation":3,"at":"2026-01-02T03:04:05Z","breakpoints":[]}` + "\n}\n",
		"no such range": `{"generation":3,"at":"2026-01-02T03:04:05Z","breakpoints":[]}` + "\n" + `{"range":1}` + "\n",
		"range below 0": `{"generation":3,"at":"2026-01-02T03:04:05Z","breakpoints":[]}` + "\n" + `{"range":-1}` + "\n",
	}
	for name, text := range tests {
		files := faultfs.New()
		if err := atomicfile.Write(files, planName, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if p, err := openPlan(files, planName, 3); err == nil || !strings.Contains(err.Error(), "remove the file to load the table from scratch") {
			t.Errorf("%s: got %v, error %v, want one with the remedy", name, p, err)
		}
	}
	files := faultfs.New()
	newPlan(t, files)
	files.Fail(faultfs.At(1, syscall.EIO))
	if p, err := openPlan(files, planName, 3); !errors.Is(err, syscall.EIO) {
		t.Errorf("the disk fails: got %v, %v, want %v", p, err, syscall.EIO)
	}
}

// Every key is in exactly one range, also one inserted after the breakpoints were
// read.
func TestRangesCoverEachKeyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfNDistinct(rapid.IntRange(-50, 50), 0, 10, rapid.ID).Draw(t, "breakpoints")
		slices.Sort(points)
		var breakpoints []doc.HexOID
		for _, n := range points {
			breakpoints = append(breakpoints, doc.HexOID(fakeworld.Key(n)))
		}
		ranges := cut(breakpoints)
		k := fakeworld.Key(rapid.IntRange(-60, 60).Draw(t, "key"))
		in := 0
		for _, r := range ranges {
			if (r.From == "" || r.From <= k) && (r.To == "" || k < r.To) {
				in++
			}
		}
		if in != 1 || len(ranges) != len(points)+1 {
			t.Errorf("key %v is in %d of %d ranges, want 1 of %d", k, in, len(ranges), len(points)+1)
		}
	})
}

// For any file, openPlan returns an error or a plan that works: what it records is
// read back.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"generation":3,"at":"2026-01-02T03:04:05Z","rows":5,"breakpoints":["118000000000000000"]}` + "\n" + `{"range":1,"rows":3}` + "\n" + `{"ran`))
	f.Add([]byte("{}\n{}\n"))
	f.Add([]byte(`{"generation":3,"breakpoints":[""]}` + "\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files := faultfs.New()
		if err := atomicfile.Write(files, planName, text); err != nil {
			t.Fatal(err)
		}
		p, err := openPlan(files, planName, 3)
		if err != nil || p == nil {
			return
		}
		if len(p.ranges) != len(p.Breakpoints)+1 {
			t.Errorf("got %d ranges of %d breakpoints", len(p.ranges), len(p.Breakpoints))
		}
		finish(t, p, len(p.ranges)-1)
		again := reopen(t, files)
		if !maps.Equal(again.done, p.done) {
			t.Errorf("got %v finished, want %v", again.done, p.done)
		}
	})
}

// Remove removes the file, and reports one that it can't remove.
func TestPlanRemove(t *testing.T) {
	files := faultfs.New()
	p := newPlan(t, files)
	files.Fail(faultfs.At(1, syscall.EROFS))
	if err := p.Remove(); !errors.Is(err, syscall.EROFS) || !strings.HasPrefix(err.Error(), "load plan: ") {
		t.Errorf("got %v, want %v", err, syscall.EROFS)
	}
	files.Fail(nil)
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := files.OpenFile(planName, os.O_RDONLY, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}
