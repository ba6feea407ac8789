package move_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/hbase"
	"indexerd/internal/pages/move"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/hbasetest"
	_ "indexerd/internal/test/nofailfile"
	"indexerd/internal/test/pagestest"
	"indexerd/store"
)

func TestMain(m *testing.M) { os.Exit(hbasetest.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fileMap(t testing.TB) move.Pages {
	m, err := store.Open(t.TempDir(), store.Options{Versions: 3})
	must(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func remote(t testing.TB, s pagetable.Store) move.Pages {
	p, err := pagetable.Config{Store: s, Name: "film", Versions: 3, Owner: "test", Patience: time.Minute}.Open(t.Context())
	must(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

func emulator(t testing.TB) move.Pages { return remote(t, bigtabletest.Open(t)) }

func gateway(t testing.TB) move.Pages {
	return remote(t, &hbase.Store{Gateways: []string{hbasetest.URL(t)}, Table: "move" + strconv.FormatInt(time.Now().UnixNano(), 36)})
}

// A stopping is a target that fails after a number of calls that write, as a process
// that is killed there.
type stopping struct {
	move.Pages
	left int
}

var errStopped = errors.New("stopped")

func (s *stopping) step() error {
	if s.left--; s.left < 0 {
		return errStopped
	}
	return nil
}

func (s *stopping) Put(pages []doc.Page) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Pages.Put(pages)
}

func (s *stopping) Delete(gone []doc.Removal) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Pages.Delete(gone)
}

func damaged(err error) bool {
	return errors.Is(err, store.ErrCorrupt) || errors.Is(err, pagetable.ErrCorrupt) || errors.Is(err, store.ErrNotFound) || errors.Is(err, pagetable.ErrNotFound)
}

func run(t testing.TB, from, to move.Pages) (move.Counts, error) {
	return move.Copy{From: from, To: to, Versions: 3, Damaged: damaged}.Run(t.Context())
}

// moved stops the copy at each step, continues it, and compares the stores itself.
func moved(t *testing.T, from, to move.Pages) {
	t.Helper()
	var n move.Counts
	err, steps := errStopped, 0
	for ; errors.Is(err, errStopped); steps++ {
		n, err = run(t, from, &stopping{to, steps})
	}
	must(t, err)
	if !n.Exact() || steps < 3 {
		t.Errorf("got %+v after %d steps, want an exact copy after 3 or more", n, steps)
	}
	pages := 0
	for m, err := range from.All() {
		must(t, err)
		pages++
		a, _, err := from.NewestVersions(m.OID, 1<<20)
		must(t, err)
		b, _, err := to.NewestVersions(m.OID, 1<<20)
		must(t, err)
		if len(a) != len(b) {
			t.Fatalf("page %v: got %d versions, want %d", m.OID, len(b), len(a))
		}
		for i := range a {
			if a[i].V != b[i].V || !bytes.Equal(a[i].Body, b[i].Body) {
				t.Errorf("page %v: version %d differs: got %s, want %s", m.OID, i, b[i].Body, a[i].Body)
			}
		}
	}
	for m, err := range to.All() {
		must(t, err)
		if pages--; pages < 0 {
			t.Fatalf("page %v is not in the source", m.OID)
		}
	}
	if n, err = run(t, from, to); err != nil || n.Copied+n.Removed > 0 {
		t.Errorf("got %+v, %v of a second copy, want that nothing is written", n, err)
	}
}

// Pages are moved to a store that has older, other and removed pages, changed and moved
// back. Each copy is stopped at each step.
func TestMove(t *testing.T) {
	for name, other := range map[string]func(testing.TB) move.Pages{"Bigtable's emulator": emulator, "HBase": gateway} {
		t.Run(name, func(t *testing.T) {
			a, b := fileMap(t), other(t)
			v := doc.Version(1)
			put := func(p move.Pages, from, to int) {
				var pages []doc.Page
				for i := from; i < to; i++ {
					pages = append(pages, pagestest.Page(i, v))
					v++
				}
				must(t, p.Put(pages))
			}
			put(b, 490, 520)
			put(a, 0, 500)
			put(a, 0, 100)
			put(a, 50, 70)
			moved(t, a, b)
			put(b, 60, 90)
			put(b, 600, 610)
			must(t, b.Delete([]doc.Removal{{OID: pagestest.Key(1), V: v}, {OID: pagestest.Key(2), V: v}}))
			v++
			moved(t, b, a)
			put(a, 1, 2) // removed before
			put(a, 100, 120)
			moved(t, a, b)
		})
	}
}

// A page that the target has with a higher number stays, and counts as different.
func TestNewerPage(t *testing.T) {
	a, b := fileMap(t), emulator(t)
	must(t, a.Put([]doc.Page{pagestest.Page(1, 5), pagestest.Page(2, 6)}))
	must(t, b.Put([]doc.Page{pagestest.Page(1, 9)}))
	n, err := run(t, a, b)
	if err != nil || n.Exact() || n.Differ != 1 || n.Copied != 1 {
		t.Errorf("got %+v, %v, want one page that differs, and one copied", n, err)
	}
}

// A page whose content was replaced under the same number is copied again.
func TestSameNumber(t *testing.T) {
	a, b := fileMap(t), emulator(t)
	page := pagestest.Page(1, 5)
	must(t, b.Put([]doc.Page{page}))
	page.Fetch, page.Body = 8, []byte(`{"row":{"id":1}}`)
	must(t, a.Put([]doc.Page{page}))
	n, err := run(t, a, b)
	if err != nil || !n.Exact() || n.Copied != 1 {
		t.Errorf("got %+v, %v, want one page copied", n, err)
	}
}

func TestCancel(t *testing.T) {
	a, b := fileMap(t), fileMap(t)
	must(t, a.Put([]doc.Page{pagestest.Page(1, 5)}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (move.Copy{From: a, To: b, Versions: 1, Damaged: damaged}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
	}
}

// BenchmarkMove prints pages a second from FileMap to each store and back.
func BenchmarkMove(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("PAGES"))
	if err != nil {
		n = 5000
	}
	for name, other := range map[string]func(testing.TB) move.Pages{"Bigtable's emulator": emulator, "HBase": gateway} {
		b.Run(name, func(b *testing.B) {
			from, to := fileMap(b), other(b)
			for i := range n {
				must(b, from.Put([]doc.Page{pagestest.Page(i, doc.Version(i+1))}))
			}
			for _, way := range [][2]move.Pages{{from, to}, {to, fileMap(b)}} {
				began := time.Now()
				counts, err := run(b, way[0], way[1])
				must(b, err)
				b.Logf("%s: %d pages, %d copied, %.0f pages/s", name, counts.Pages, counts.Copied, float64(n)/time.Since(began).Seconds())
			}
		})
	}
}
