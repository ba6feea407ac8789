package history

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

func open(t *testing.T, name string) *History {
	t.Helper()
	h, err := Open(atomicfile.OS, name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sample(late ...time.Duration) Run {
	r := Run{Pass: "compensate", Tier: "1m", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: 4 * time.Millisecond}
	r.Report = doc.Report{
		Window: doc.Window{From: r.Started.Add(-time.Minute), To: r.Started},
		Read:   1, Compared: 2, Added: 3, Updated: 4, Deleted: 5, Skipped: 6, Quarantined: 7,
	}
	for _, l := range late {
		r.Report.Late.Note(l)
	}
	return r
}

func TestRunsComeBackAfterReopen(t *testing.T) {
	name := Name(t.TempDir())
	h := open(t, name)
	for i := range 5 {
		n, err := h.Append(sample(time.Duration(i) * time.Second))
		if err != nil || n != int64(i+1) {
			t.Fatalf("append: got run %d, %v, want %d", n, err, i+1)
		}
	}
	before, _ := h.Runs(10, 0)
	late := h.Lateness()
	h = open(t, name)
	after, _ := h.Runs(10, 0)
	if len(after) != 5 || after[0] != before[0] || after[4] != before[4] {
		t.Errorf("after reopening:\n%+v\nwant\n%+v", after, before)
	}
	if got := h.Lateness(); got != late {
		t.Errorf("lateness after reopening: got %v, want %v", got, late)
	}
	if n, err := h.Append(sample()); err != nil || n != 6 {
		t.Errorf("the next run: got %d, %v, want 6", n, err)
	}
}

func TestRunsArePagedNewestFirst(t *testing.T) {
	h := open(t, Name(t.TempDir()))
	for range 7 {
		if _, err := h.Append(sample()); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	after, pages := int64(0), 0
	for {
		runs, next := h.Runs(3, after)
		for _, r := range runs {
			got = append(got, r.ID())
		}
		pages++
		if next == 0 {
			break
		}
		after = next
	}
	if s := strings.Join(got, " "); s != "7 6 5 4 3 2 1" || pages != 3 {
		t.Errorf("got %s in %d pages, want 7 6 5 4 3 2 1 in 3", s, pages)
	}
}

// A crash may cut the last line anywhere. Open keeps the complete lines.
func TestIncompleteLastLine(t *testing.T) {
	name := Name(t.TempDir())
	h := open(t, name)
	for range 3 {
		if _, err := h.Append(sample(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := bytes.LastIndexByte(text[:len(text)-1], '\n'); cut < len(text); cut++ {
		files := faultfs.New()
		if err := atomicfile.Write(files, "cut", text[:cut]); err != nil {
			t.Fatal(err)
		}
		h, err := Open(files, "cut")
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		if runs, _ := h.Runs(10, 0); len(runs) != bytes.Count(text[:cut], []byte("\n")) {
			t.Errorf("cut at byte %d: got %d runs", cut, len(runs))
		}
	}
}

// After a power cut a later block may be on the disk and an earlier one not. The run
// with zero bytes is lost, and the others stay.
func TestLineWithZeroBytes(t *testing.T) {
	name := Name(t.TempDir())
	text := "{\"run\":1}\n" + strings.Repeat("\x00", 30) + "\"added\":1}\n{\"run\":4}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h, err := Open(atomicfile.OS, name)
		if err != nil {
			t.Fatal(err)
		}
		if runs, _ := h.Runs(10, 0); len(runs) < 2 || runs[len(runs)-2].Number != 4 || runs[len(runs)-1].Number != 1 {
			t.Errorf("got %+v, want runs 4 and 1 first", runs)
		}
		if _, err := h.Append(sample()); err != nil {
			t.Fatal(err)
		}
	}
}

// Open drops a damaged line. Lines of an older release have no checksum.
func TestDamagedLineIsDropped(t *testing.T) {
	name := Name(t.TempDir())
	if err := os.WriteFile(name, []byte("{\"run\":1}\nnonsense\n{\"run\":2,\"deleted\":9,\"crc\":\"00000000\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := Open(atomicfile.OS, name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.Append(sample()); n != 2 || err != nil {
		t.Errorf("got number %d, %v, want 2", n, err)
	}
	if h, err = Open(atomicfile.OS, name); err != nil {
		t.Fatal(err)
	}
	if runs, _ := h.Runs(10, 0); len(runs) != 2 {
		t.Errorf("got %+v, want two runs", runs)
	}
}

func TestAdvice(t *testing.T) {
	var few, safe, late doc.Lateness
	for range 50 {
		few.Note(time.Second)
	}
	for i := range 1_000_000 {
		d := 900 * time.Millisecond
		if i < 2 {
			d = 4 * time.Minute
		}
		safe.Note(d)
		if i < 10 {
			d = time.Hour + 20*time.Second
		}
		late.Note(d)
	}
	for _, c := range []struct {
		name string
		l    doc.Lateness
		want string
	}{
		{"few", few, "50 rows seen so far: too few to advise"},
		{"safe", safe, "99.9 % of rows were seen within 1s; your last tier's timeout of 10m is safe; 3m would miss 2 in 10^6"},
		{"late", late, "99.9 % of rows were seen within 1s; 10 in 10^6 were later than your last tier's timeout of 10m: raise it above 1h0m20s"},
	} {
		if got := Advice(&c.l, 10*time.Minute); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// OpenReadOnly reads what Open would read, and does not rewrite a cut line.
func TestOpenReadOnly(t *testing.T) {
	name := Name(t.TempDir())
	if h, err := OpenReadOnly(atomicfile.ReadOnly(atomicfile.OS), name); err != nil {
		t.Fatalf("without a file: %v", err)
	} else if runs, _ := h.Runs(10, 0); len(runs) != 0 {
		t.Errorf("without a file: got %v", runs)
	}
	h := open(t, name)
	for range 3 {
		if _, err := h.Append(sample()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cut := text[:len(text)-5]
	if err := os.WriteFile(name, cut, 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err = OpenReadOnly(atomicfile.ReadOnly(atomicfile.OS), name); err != nil {
		t.Fatal(err)
	}
	if runs, _ := h.Runs(10, 0); len(runs) != 2 {
		t.Errorf("got %d runs, want the 2 whole ones", len(runs))
	}
	if _, err := h.Append(sample()); !errors.Is(err, atomicfile.ErrReadOnly) {
		t.Errorf("Append: got %v, want ErrReadOnly", err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, cut) {
		t.Errorf("the file became %q, %v", got, err)
	}
}

func TestLongErrorsAreCut(t *testing.T) {
	h := open(t, Name(t.TempDir()))
	r := sample()
	r.Err = "x" + strings.Repeat("é", 1<<20) // the cut falls into a character
	if _, err := h.Append(r); err != nil {
		t.Fatal(err)
	}
	runs, _ := h.Runs(1, 0)
	if want := "x" + strings.Repeat("é", maxErr/2-1) + "..."; runs[0].Err != want {
		t.Errorf("got %d bytes, want %d", len(runs[0].Err), len(want))
	}
}

// A line that a full disk cut is removed, so that the next one is readable.
func TestFailedAppendIsUndone(t *testing.T) {
	files := faultfs.New()
	h, err := Open(files, "history")
	if err != nil {
		t.Fatal(err)
	}
	files.Fail(func(s faultfs.Step) error {
		if s.Op == "Write" {
			return syscall.ENOSPC
		}
		return nil
	})
	if n, err := h.Append(sample()); n != 0 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full disk: got run %d, %v, want %v", n, err, syscall.ENOSPC)
	}
	files.Fail(nil)
	if n, err := h.Append(sample()); n != 1 || err != nil {
		t.Errorf("after it: got run %d, %v, want 1", n, err)
	}
	again, err := Open(files, "history")
	if err != nil {
		t.Fatal(err)
	}
	if runs, _ := again.Runs(10, 0); len(runs) != 1 {
		t.Errorf("got %d runs, want 1", len(runs))
	}
}
