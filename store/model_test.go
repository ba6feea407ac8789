package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

// A model has the expected content of a map: the kept bodies of each page, newest
// first.
type model struct {
	versions int
	pages    map[doc.OID][]string
}

func newModel(versions int) *model {
	return &model{versions, map[doc.OID][]string{}}
}

func (m *model) put(p doc.Page) {
	kept := append([]string{string(p.Body)}, m.pages[p.OID]...)
	m.pages[p.OID] = kept[:min(len(kept), m.versions)]
}

func (m *model) delete(oid doc.OID) { delete(m.pages, oid) }

func (m *model) clone() *model { return &model{m.versions, maps.Clone(m.pages)} }

// testPage returns a page whose Meta follows from its number and body.
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

// compare checks a map, and compares each page with the model or the alternative.
func compare(t rapid.TB, m *FileMap, want, alternative *model) {
	t.Helper()
	if err := m.check(); err != nil {
		t.Fatalf("check: %v", err)
	}
	oids := maps.Clone(want.pages)
	maps.Copy(oids, alternative.pages)
	present := map[doc.OID]string{}
	for oid := range oids {
		got := bodies(t, m, oid)
		if !slices.Equal(got, want.pages[oid]) && !slices.Equal(got, alternative.pages[oid]) {
			t.Fatalf("page %v: got versions %q, want %q or %q", oid, got, want.pages[oid], alternative.pages[oid])
		}
		compareNewest(t, m, oid, got)
		if len(got) > 0 {
			present[oid] = got[0]
		}
	}
	if got := m.Len(); got != len(present) {
		t.Fatalf("Len: got %d, want %d", got, len(present))
	}
	listed := map[doc.OID]bool{}
	for meta, err := range m.All() {
		if err != nil {
			t.Fatalf("All: %v", err)
		}
		body, ok := present[meta.OID]
		if !ok || listed[meta.OID] {
			t.Fatalf("All: got %v, which is absent or is listed twice", meta.OID)
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

// bodies returns the bodies of a page's versions, and checks their Meta.
func bodies(t rapid.TB, m *FileMap, oid doc.OID) (got []string) {
	t.Helper()
	pages, more, err := m.NewestVersions(oid, math.MaxInt)
	if err != nil && !errors.Is(err, ErrNotFound) || more {
		t.Fatalf("NewestVersions(%v): more %t, %v", oid, more, err)
	}
	for _, p := range pages {
		got = append(got, string(p.Body))
		if want := testMeta(oid, string(p.Body)); p.Meta != want {
			t.Fatalf("page %v: got %+v, want %+v", oid, p.Meta, want)
		}
	}
	return got
}

// compareNewest compares Get and Meta with the versions.
func compareNewest(t rapid.TB, m *FileMap, oid doc.OID, versions []string) {
	t.Helper()
	p, err := m.Get(oid)
	meta, ok, merr := m.Meta(oid)
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

// A machine runs random operations on a map and a model.
type machine struct {
	t       *rapid.T
	fs      *faultfs.FS
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

func (s *machine) Put(t *rapid.T) {
	var pages []doc.Page
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 1, 12).Draw(t, "pages") {
		s.count++
		size := rapid.SampledFrom([]int{0, 1, 40, 300, 1500, 40000}).Draw(t, "size")
		body := fmt.Sprintf("%d %d ", n, s.count) + strings.Repeat("abcd", size/4)
		pages = append(pages, testPage(n, body))
		s.model.put(pages[len(pages)-1])
	}
	s.check(s.m.Put(pages))
}

func (s *machine) Delete(t *rapid.T) {
	var oids []doc.OID
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 1, 6).Draw(t, "oids") {
		oids = append(oids, testOID(n))
		s.model.delete(oids[len(oids)-1])
	}
	s.check(s.m.Delete(doc.Removals(0, oids...)))
}

func (s *machine) Compact(*rapid.T)   { s.check(compactAll(s.m)) }
func (s *machine) Maintain(*rapid.T)  { s.check(s.m.maintain(context.Background())) }
func (s *machine) SaveIndex(*rapid.T) { s.check(s.m.saveIndex()) }

func (s *machine) Reopen(*rapid.T) {
	s.check(s.m.Close())
	s.open()
}

func (s *machine) Crash(t *rapid.T) {
	cuts := powerCuts(rapid.Uint64().Draw(t, "seed"))
	s.fs = s.fs.Crash(rapid.SampledFrom(cuts).Draw(t, "cut"))
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

// LoseDerived removes files that Open rebuilds from the values.
func (s *machine) LoseDerived(t *rapid.T) {
	s.check(s.m.Close())
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"address.idx", "key.dat"}), rapid.ID).Draw(t, "lost") {
		s.fs.Remove("pages/" + name)
	}
	s.open()
}

func (s *machine) Compare(t *rapid.T) { compare(t, s.m, s.model, s.model) }

func TestRandomOperationsMatchTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &machine{t: t, fs: faultfs.New()}
		s.options = Options{
			SegmentBytes: rapid.SampledFrom([]int64{1 << 10, 1 << 13, 1 << 17}).Draw(t, "segment"),
			Versions:     rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "versions"),
			Compression:  rapid.SampledFrom([]Compression{S2, None, Zstd}).Draw(t, "compression"),
			CompactRate:  -1,
			spreadAt:     rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "spread at"),
		}
		s.model = newModel(s.options.Versions)
		s.open()
		t.Repeat(map[string]func(*rapid.T){
			"put": s.Put, "put again": s.Put, "delete": s.Delete, "compact": s.Compact, "maintain": s.Maintain,
			"save index": s.SaveIndex, "reopen": s.Reopen, "crash": s.Crash, "snapshot": s.Snapshot, "lose": s.LoseDerived,
			"": s.Compare,
		})
		s.check(s.m.Close())
	})
}
