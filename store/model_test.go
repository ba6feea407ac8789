package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	_ "indexerd/internal/nofailfile"
)

// A model is what a map should say: the kept bodies of each page, newest
// first.
type model struct {
	versions int
	pages    [Families]map[doc.OID][]string
}

func newModel(versions int) *model {
	m := &model{versions: versions}
	for f := range m.pages {
		m.pages[f] = map[doc.OID][]string{}
	}
	return m
}

func (m *model) put(family uint8, p doc.Page) {
	kept := append([]string{string(p.Body)}, m.pages[family][p.OID]...)
	m.pages[family][p.OID] = kept[:min(len(kept), m.versions)]
}

func (m *model) delete(family uint8, oid doc.OID) { delete(m.pages[family], oid) }

func (m *model) clone() *model {
	c := &model{versions: m.versions}
	for f := range m.pages {
		c.pages[f] = maps.Clone(m.pages[f])
	}
	return c
}

// testPage is a page whose other fields all follow from its number and body.
func testPage(n int, body string) doc.Page {
	return doc.Page{Meta: testMeta(testOID(n), body), Body: []byte(body)}
}

func testOID(n int) doc.OID {
	oid, err := doc.NewOID(int64(n))
	if err != nil {
		panic(err) // an integer is always a key
	}
	return oid
}

func testMeta(oid doc.OID, body string) doc.Meta {
	sum := uint64(checksum([]byte(body)))
	m := doc.Meta{
		Stamp:   doc.Stamp{OID: oid, Updated: time.UnixMicro(int64(sum)).UTC(), Token: doc.Token{Digest: sum * 3, Epoch: uint32(sum % 7)}},
		Fetch:   doc.FetchSeq(sum + 1),
		Fetched: time.UnixMicro(int64(sum) + 5).UTC(),
		Hash:    doc.DocHash(sum * 5),
		V:       doc.Version(sum + 2),
		Gen:     doc.Generation(sum % 3),
	}
	if sum%5 == 0 {
		m.Updated = time.Time{}
	}
	return m
}

// compare makes sure that a map says what the model says; where it doesn't, or
// alternative is another model that a page may follow as a whole, that.
func compare(t rapid.TB, m *FileMap, want, alternative *model) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatalf("Check: %v", err)
	}
	for f := range want.pages {
		compareFamily(t, m.Family(uint8(f)), want.pages[f], alternative.pages[f])
	}
}

func compareFamily(t rapid.TB, f Family, want, alternative map[doc.OID][]string) {
	t.Helper()
	oids := map[doc.OID]bool{}
	for oid := range want {
		oids[oid] = true
	}
	for oid := range alternative {
		oids[oid] = true
	}
	present := map[doc.OID]string{}
	for oid := range oids {
		got := bodies(t, f, oid)
		if !slices.Equal(got, want[oid]) && !slices.Equal(got, alternative[oid]) {
			t.Fatalf("page %v: got versions %q, want %q or %q", oid, got, want[oid], alternative[oid])
		}
		compareNewest(t, f, oid, got)
		if len(got) > 0 {
			present[oid] = got[0]
		}
	}
	if got := f.Len(); got != len(present) {
		t.Fatalf("Len: got %d, want %d", got, len(present))
	}
	listed := map[doc.OID]bool{}
	for meta, err := range f.All() {
		if err != nil {
			t.Fatalf("All: %v", err)
		}
		body, ok := present[meta.OID]
		if !ok || listed[meta.OID] {
			t.Fatalf("All: got %v, which is absent or was listed before", meta.OID)
		}
		if want := testMeta(meta.OID, body); meta != want {
			t.Fatalf("All: got %+v, want %+v", meta, want)
		}
		listed[meta.OID] = true
	}
	if len(listed) != len(present) {
		t.Fatalf("All: got %d pages, want %d", len(listed), len(present))
	}
}

// bodies returns the bodies of a page's versions, with their metas checked.
func bodies(t rapid.TB, f Family, oid doc.OID) (got []string) {
	t.Helper()
	pages, err := f.Versions(oid)
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.Fatalf("Versions(%v): %v", oid, err)
	}
	for _, p := range pages {
		got = append(got, string(p.Body))
		if want := testMeta(oid, string(p.Body)); p.Meta != want {
			t.Fatalf("page %v: got %+v, want %+v", oid, p.Meta, want)
		}
	}
	return got
}

// compareNewest makes sure that Get and Meta agree with Versions.
func compareNewest(t rapid.TB, f Family, oid doc.OID, versions []string) {
	t.Helper()
	p, err := f.Get(oid)
	meta, ok, merr := f.Meta(oid)
	if merr != nil {
		t.Fatalf("Meta(%v): %v", oid, merr)
	}
	if len(versions) == 0 {
		if !errors.Is(err, ErrNotFound) || ok {
			t.Fatalf("page %v: got %v, %t, want none", oid, err, ok)
		}
		return
	}
	if err != nil || string(p.Body) != versions[0] {
		t.Fatalf("Get(%v): got %q, %v, want %q", oid, p.Body, err, versions[0])
	}
	if want := testMeta(oid, versions[0]); !ok || meta != want {
		t.Fatalf("Meta(%v): got %+v, %t, want %+v", oid, meta, ok, want)
	}
}

// A machine runs random operations against a map and a model.
type machine struct {
	t       *rapid.T
	fs      *crashFS
	options Options
	m       *FileMap
	model   *model
	count   int
}

func (s *machine) open() {
	s.options.FS = s.fs
	m, err := openMap("pages", s.options)
	if err != nil {
		s.t.Fatalf("Open: %v", err)
	}
	s.m = m
}

func (s *machine) check(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *machine) family(t *rapid.T) uint8 {
	return rapid.SampledFrom([]uint8{0, 0, 0, 1}).Draw(t, "family")
}

func (s *machine) Put(t *rapid.T) {
	family := s.family(t)
	var pages []doc.Page
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 1, 12).Draw(t, "pages") {
		s.count++
		size := rapid.SampledFrom([]int{0, 1, 40, 300, 1500, 40000}).Draw(t, "size")
		body := fmt.Sprintf("%d %d ", n, s.count) + strings.Repeat("abcd", size/4)
		pages = append(pages, testPage(n, body))
		s.model.put(family, pages[len(pages)-1])
	}
	s.check(s.m.Family(family).Put(pages))
}

func (s *machine) Delete(t *rapid.T) {
	family := s.family(t)
	var oids []doc.OID
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 1, 6).Draw(t, "oids") {
		oids = append(oids, testOID(n))
		s.model.delete(family, oids[len(oids)-1])
	}
	s.check(s.m.Family(family).Delete(oids))
}

func (s *machine) Compact(*rapid.T) { s.check(s.m.Compact(context.Background())) }
func (s *machine) Tend(*rapid.T)    { s.check(s.m.tend(context.Background())) }
func (s *machine) Sync(*rapid.T)    { s.check(s.m.Sync()) }

func (s *machine) Reopen(*rapid.T) {
	s.check(s.m.Close())
	s.open()
}

func (s *machine) Crash(t *rapid.T) {
	how := cut(rapid.IntRange(0, int(cuts)-1).Draw(t, "cut"))
	s.fs = s.fs.crash(how, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	s.open()
}

func (s *machine) Snapshot(t *rapid.T) {
	dir := fmt.Sprintf("copy%d", s.count)
	s.count++
	s.check(s.m.Snapshot(dir))
	c, err := openMap(dir, s.options)
	s.check(err)
	compare(t, c, s.model, s.model)
	s.check(c.Close())
}

// LoseDerived removes what can be made again from the values.
func (s *machine) LoseDerived(t *rapid.T) {
	s.check(s.m.Close())
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"address.idx", "key.dat"}), rapid.ID).Draw(t, "lost") {
		s.fs.Remove("pages/" + name)
	}
	s.open()
}

func (s *machine) Check(t *rapid.T) { compare(t, s.m, s.model, s.model) }

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &machine{t: t, fs: newCrashFS()}
		s.options = Options{
			SegmentBytes: rapid.SampledFrom([]int64{1 << 10, 1 << 13, 1 << 17}).Draw(t, "segment"),
			Versions:     rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "versions"),
			Compression:  rapid.SampledFrom([]Compression{S2, None, Zstd}).Draw(t, "compression"),
			CompactRate:  -1,
		}
		s.model = newModel(s.options.Versions)
		s.open()
		t.Repeat(map[string]func(*rapid.T){
			"put": s.Put, "put again": s.Put, "delete": s.Delete, "compact": s.Compact, "tend": s.Tend,
			"sync": s.Sync, "reopen": s.Reopen, "crash": s.Crash, "snapshot": s.Snapshot, "lose": s.LoseDerived,
			"": s.Check,
		})
		s.check(s.m.Close())
	})
}
