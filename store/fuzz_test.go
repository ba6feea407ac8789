package store

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// sealed returns a complete record for a place of a segment.
func sealed(number, place uint32) []byte {
	page := testPage(5, "some content")
	var p part
	p.encode(&codecs{compression: None}, []doc.Page{page})
	h := p.records[0].head
	h.seq, h.batch = 9, place
	h.encode(p.buf)
	seal(p.buf, int(h.keyLen), number, place)
	return p.buf
}

// scanBytes scans a segment with these bytes behind its header.
func scanBytes(t testing.TB, number uint32, b []byte, each func(scanned)) {
	t.Helper()
	fsys := faultfs.New()
	f, err := createSegment(fsys, "value.dat", segmentHeader{number: number})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, segmentHeaderSize); err != nil {
		t.Fatal(err)
	}
	c := newScan(&segment{segmentHeader: segmentHeader{number: number}, file: f}, 0, segmentHeaderSize+int64(len(b)))
	for {
		found, err := c.next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		each(found)
	}
}

// FuzzRecord scans any bytes. The scan covers all of them, and every record that
// it finds encodes to the same bytes.
func FuzzRecord(f *testing.F) {
	f.Add(sealed(3, 4), uint32(3))
	f.Add(append(sealed(3, 4), sealed(3, 5)...), uint32(3))
	f.Add([]byte("rec1"), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, number uint32) {
		next := int64(segmentHeaderSize)
		scanBytes(t, number, b, func(found scanned) {
			if found.at != next || found.size <= 0 {
				t.Fatalf("got %d bytes at %d, want them at %d", found.size, found.at, next)
			}
			next += found.size
			if found.rec == nil {
				return
			}
			again := bytes.Clone(found.rec)
			found.head.encode(again)
			seal(again, int(found.head.keyLen), number, placeAt(found.at))
			if !bytes.Equal(again, found.rec) {
				t.Fatalf("got %x, want %x", again, found.rec)
			}
		})
		if want := int64(segmentHeaderSize + len(b)); next != want {
			t.Fatalf("the scan ends at %d, want %d", next, want)
		}
	})
}

// TestRecordIsBoundToItsPlace moves a record, and changes each byte of its header
// and value: the scan finds no record.
func TestRecordIsBoundToItsPlace(t *testing.T) {
	whole := func(number uint32, b []byte) (ok bool) {
		scanBytes(t, number, b, func(found scanned) { ok = ok || found.err == nil })
		return ok
	}
	b := sealed(3, 4)
	if !whole(3, b) {
		t.Error("a record where it was sealed: got none")
	}
	if whole(4, b) {
		t.Error("a record in another segment: got one")
	}
	if whole(3, append(make([]byte, unit), b...)) {
		t.Error("a record at another place: got one")
	}
	for i := range b {
		damaged := bytes.Clone(b)
		damaged[i] ^= 0x40
		if padding := i >= headerSize+9+len("some content"); whole(3, damaged) && !padding {
			t.Errorf("byte %d changed: got a record", i)
		}
	}
}

func FuzzSegmentHeader(f *testing.F) {
	f.Add((&segmentHeader{number: 1, last: 3, rewrite: 2, cleaned: 77}).encode())
	f.Add(make([]byte, segmentHeaderSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeSegmentHeader(b)
		if err != nil {
			return
		}
		again, err := decodeSegmentHeader(h.encode())
		if err != nil || again != h {
			t.Fatalf("got %+v, %v, want %+v", again, err, h)
		}
	})
}

// FuzzFrames reads any key.dat: the frames are complete, or end with ErrCorrupt.
func FuzzFrames(f *testing.F) {
	fsys := faultfs.New()
	k, err := openKeys(fsys, ".", false)
	if err != nil {
		f.Fatal(err)
	}
	rec := sealed(0, 4)
	k.begin(0)
	k.add(rec[:headerSize+9])
	s := &segment{}
	if err := k.finish(s, 4, 4+placeAt(int64(len(rec)))); err != nil {
		f.Fatal(err)
	}
	f.Add(content(f, fsys, "key.dat")[keysHeaderSize:])
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := openKeys(faultfs.New(), ".", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.file.WriteAt(b, keysHeaderSize); err != nil {
			t.Fatal(err)
		}
		k.end.Store(keysHeaderSize + int64(len(b)))
		for fr, err := range k.frames(keysHeaderSize) {
			if err != nil {
				if !errors.Is(err, ErrCorrupt) {
					t.Fatalf("got %v, want ErrCorrupt", err)
				}
				break
			}
			if !fr.complete() {
				t.Fatalf("frame at %d: the records do not fill it", fr.off)
			}
		}
	})
}

// FuzzIndex decodes any head with any tables: an error, or a value that encodes to
// the same bytes.
func FuzzIndex(f *testing.F) {
	tables := indexTables{segments: []indexSegment{{number: 1, end: 64}}, shards: make([]indexShard, shardCount)}
	tables.shards[3] = indexShard{slots: 8, used: 2, live: 1, pages: 1}
	b := tables.encode()
	head := indexHead{segments: 1, slots: 8, at: position{1, 4}, keys: 16, seq: 3, tablesSum: checksum(b), versions: 1}
	f.Add(head.encode(), b)
	f.Fuzz(func(t *testing.T, head, tables []byte) {
		h, err := decodeIndexHead(head)
		if err != nil {
			return
		}
		if again, err := decodeIndexHead(h.encode()); err != nil || again != h {
			t.Fatalf("head: got %+v, %v, want %+v", again, err, h)
		}
		got, err := decodeIndexTables(&h, tables)
		if err != nil {
			return
		}
		if !bytes.Equal(got.encode(), tables) {
			t.Fatal("tables: encode does not return the decoded bytes")
		}
	})
}

func FuzzDict(f *testing.F) {
	f.Add(encodeDict([]byte("a dictionary")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := decodeDict(b); err == nil && !bytes.Equal(encodeDict(d), b) {
			t.Fatalf("got %x, want %x", encodeDict(d), b)
		}
	})
}

// FuzzDecode decodes any value with any codec: an error, or as many bytes as the
// record states.
func FuzzDecode(f *testing.F) {
	samples := make([][]byte, 300)
	for i := range samples {
		samples[i] = bytes.Repeat([]byte{byte(i), 'a', 'b', byte(i >> 4)}, 40)
	}
	k, err := newCodecs(Zstd, train(samples))
	if err != nil {
		f.Fatal(err)
	}
	for c := range codecLast + 1 {
		for compression := range None + 1 {
			stored, _ := (&codecs{compression, k.dict, k.zstd}).append(nil, samples[0])
			f.Add(stored, byte(c), 160)
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte, c byte, raw int) {
		if raw < 0 || raw > 1<<16 {
			return
		}
		got, err := k.decode(nil, codec(c%byte(codecLast+1)), stored, raw)
		if err == nil && len(got) != raw {
			t.Fatalf("got %d bytes, want %d", len(got), raw)
		}
	})
}

// FuzzLog opens a map with any tail of the log: it serves only pages that were
// put, and works.
func FuzzLog(f *testing.F) {
	whole := newRuin(f)
	b := whole.value(f)
	f.Add(b[len(b)-400:], 400)
	f.Add([]byte{}, 100)
	f.Add(bytes.Repeat([]byte{0}, 600), 0)
	f.Fuzz(func(t *testing.T, tail []byte, cut int) {
		b := whole.value(t)
		if cut < 0 || cut > len(b)-segmentHeaderSize {
			return
		}
		r := whole.damaged(t, append(b[:len(b)-cut], tail...), cut%2 == 0)
		r.worksOn(t, r.open(t))
	})
}
