package store

import (
	"fmt"
	"testing"
	"time"

	"indexerd/internal/doc"
)

func page(i int, body string) doc.Page {
	oid, _ := doc.NewOID(int64(i))
	return doc.Page{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid, Updated: time.UnixMicro(int64(i)).UTC()}, V: doc.Version(i)}, Body: []byte(body)}
}

func TestSmoke(t *testing.T) {
	for _, mm := range []bool{false, true} {
		dir := t.TempDir()
		o := Options{SegmentBytes: 1 << 16, Mmap: mm, CompactRate: -1}
		m, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		for r := 0; r < 5; r++ {
			var pages []doc.Page
			for i := 0; i < 1000; i++ {
				pages = append(pages, page(i, fmt.Sprintf("round %d page %d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", r, i)))
			}
			if err := m.Put(pages); err != nil {
				t.Fatal(err)
			}
		}
		check := func(m *FileMap) {
			t.Helper()
			if m.Len() != 1000 {
				t.Fatalf("len %d", m.Len())
			}
			for i := 0; i < 1000; i++ {
				p, err := m.Get(page(i, "").OID)
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("round 4 page %d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", i); string(p.Body) != want {
					t.Fatalf("got %s, want %s", p.Body, want)
				}
			}
			if err := m.Check(); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range m.All() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 1000 {
				t.Fatalf("all %d", n)
			}
		}
		check(m)
		if err := m.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(m)
		t.Logf("%+v", m.Stats())
		if err := m.Snapshot(dir + "/snap"); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{dir, dir + "/snap"} {
			m, err = Open(d, o)
			if err != nil {
				t.Fatal(err)
			}
			check(m)
			t.Logf("%+v", m.Stats())
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
