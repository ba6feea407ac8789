package segment

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// A bitmap has the bytes of the one that roaring makes of the same documents, added
// one by one as zapx does. Both are read, and so is one in which roaring has put runs
// wherever they are shorter.
func TestBitmaps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func(doc uint32) bool{
		"all":   func(uint32) bool { return true },
		"most":  func(uint32) bool { return rnd.IntN(3) > 0 },
		"few":   func(doc uint32) bool { return doc%97 == 0 },
		"run":   func(doc uint32) bool { return doc&0xffff > 60_000 },
		"empty": func(uint32) bool { return false },
	}
	for _, names := range [][]string{
		{"all"}, {"few"}, {"all", "few"}, {"most", "all", "run"}, {"all", "all", "all", "few"}, {"few", "empty", "all", "most", "all"},
		{"few", "most", "run", "few", "most"}, {"all", "all", "all", "all", "all", "all", "all", "all", "few"},
	} {
		var docs []uint32
		library := roaring.New()
		for i, name := range names {
			for doc := uint32(i * allDocs); doc < uint32((i+1)*allDocs); doc++ {
				if shapes[name](doc) {
					docs = append(docs, doc)
					library.Add(doc)
				}
			}
		}
		want, err := library.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		b := newBuilder()
		b.writeBitmap(docs)
		size, n := binary.Uvarint(b.out)
		if got := b.out[n:]; int(size) != len(got) || !bytes.Equal(got, want) {
			t.Errorf("%v: got %d bytes, said to be %d, want those %d of roaring", names, len(got), size, len(want))
		}
		library.RunOptimize()
		optimized, err := library.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{want, optimized} {
			var p postings
			if err := p.readBitmap(data, len(names)*allDocs); err != nil || !slices.Equal(p.docs, docs) {
				t.Errorf("%v: read %d documents, %v, want %d", names, len(p.docs), err, len(docs))
			}
		}
	}
}

// A damaged bitmap takes no more memory than the segment has documents.
func TestDamagedBitmaps(t *testing.T) {
	const container = "\x00\x00\xff\xff"
	run := "\x01\x00\x00\x00\xff\xff"
	for name, data := range map[string]string{
		"the same container again": "\x3b\x30\x01\x00\x03" + container + container + run + run,
		"beyond the documents":     "\x3b\x30\x00\x00\x01" + "\x01\x00\xff\xff" + run,
		"a run before another":     "\x3b\x30\x00\x00\x01" + container + "\x02\x00\x05\x00\x05\x00\x05\x00\x01\x00",
		"a run beyond its end":     "\x3b\x30\x00\x00\x01" + container + "\x01\x00\x05\x00\xff\xff",
		"cut":                      "\x3b\x30\x00\x00\x01" + container + "\x01\x00\x05",
		"no bits of runs":          "\x3b\x30\xff\xff",
	} {
		var p postings
		if err := p.readBitmap([]byte(data), allDocs); err != errBroken || len(p.docs) > allDocs {
			t.Errorf("%s: got %v and %d documents, want %v", name, err, len(p.docs), errBroken)
		}
	}
	if err := new(postings).readBitmap([]byte("\x00\x00\x00\x00"), allDocs); err != errForeign {
		t.Errorf("another magic: got %v, want %v", err, errForeign)
	}
}
