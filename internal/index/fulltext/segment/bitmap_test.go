package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
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
			var list docList
			if err := readBitmap(data, len(names)*allDocs, &list); err != nil || !slices.Equal(list, docs) {
				t.Errorf("%v: read %d documents, %v, want %d", names, len(list), err, len(docs))
			}
			checkBits(t, data, docs, len(names)*allDocs)
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
		var list docList
		if err := readBitmap([]byte(data), allDocs, &list); err != errBroken || len(list) > allDocs {
			t.Errorf("%s: got %v and %d documents, want %v", name, err, len(list), errBroken)
		}
	}
	if err := readBitmap([]byte("\x00\x00\x00\x00"), allDocs, new(docList)); err != errForeign {
		t.Errorf("another magic: got %v, want %v", err, errForeign)
	}
}

// checkBits adds the documents of a bitmap to a set, counts them in one with every
// third document, and adds them to a set that is too small.
func checkBits(t *testing.T, data []byte, docs []uint32, limit int) {
	t.Helper()
	all, third, want := adder{to: NewBits(limit)}, counter{in: NewBits(limit)}, 0
	for doc := uint32(0); int(doc) < limit; doc += 3 {
		third.in.Set(doc)
	}
	if err := errors.Join(readBitmap(data, limit, &all), readBitmap(data, limit, &third)); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(all.to.All); !slices.Equal(got, docs) || all.to.Count() != len(docs) || all.broken {
		t.Errorf("set: got %d documents, broken %t, want %d", len(got), all.broken, len(docs))
	}
	for _, doc := range docs {
		if doc%3 == 0 {
			want++
		}
	}
	if third.n != want {
		t.Errorf("counted %d documents in every third, want %d", third.n, want)
	}
	small := adder{to: NewBits(int(docs[len(docs)-1]) / wordBits * wordBits)}
	if err := readBitmap(data, limit, &small); err != nil || !small.broken {
		t.Errorf("a set without the last document: got %v, broken %t, want broken", err, small.broken)
	}
}
