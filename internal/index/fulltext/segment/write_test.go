package segment

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Large pieces go past the buffer to the file: in their place, with the right offsets and
// checksum.
func TestPut(t *testing.T) {
	var file bytes.Buffer
	b := newBuilder()
	b.reset(&file)
	var want []byte
	for i, size := range []int{3, flushFrom, 0, 5, flushFrom - 1, flushFrom + 7, 1} {
		piece := bytes.Repeat([]byte{byte('a' + i)}, size)
		want = append(want, piece...)
		b.put(piece)
		if b.at() != uint64(len(want)) {
			t.Fatalf("behind %d bytes: got offset %d", len(want), b.at())
		}
	}
	if len(b.out) >= 2*flushFrom {
		t.Errorf("the buffer has %d bytes", len(b.out))
	}
	if err := b.flush(); err != nil || !bytes.Equal(file.Bytes(), want) || b.crc != crc32.ChecksumIEEE(want) {
		t.Errorf("got %d bytes with checksum %x, %v; want %d with %x", file.Len(), b.crc, err, len(want), crc32.ChecksumIEEE(want))
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// An error of a large piece is that of the next flush, and of all later ones.
func TestPutOnAFullDisk(t *testing.T) {
	b := newBuilder()
	b.reset(&fullDisk{flushFrom})
	b.put(make([]byte, 2*flushFrom))
	for range 2 {
		b.put([]byte("more"))
		if err := b.flush(); !errors.Is(err, errFull) {
			t.Errorf("got %v, want %v", err, errFull)
		}
	}
	b.reset(&fullDisk{flushFrom})
	if err := b.flush(); err != nil {
		t.Errorf("the next segment: got %v", err)
	}
}

// A merge that fails amid the docvalues of a field leaves some of them in its builder. They
// are not in the next segment.
func TestSegmentAfterAMergeOnAFullDisk(t *testing.T) {
	s := newSchema(t, "standard", true)
	r := rand.New(rand.NewPCG(1, 2))
	terms := make([]string, 1000) // less than a merge keeps before it writes
	for i := range terms {
		for len(terms[i]) < flushFrom/2/len(terms) {
			terms[i] += fmt.Sprintf("%016x", r.Uint64())
		}
	}
	large := func(from int) segment.Segment {
		rows := textRows(make([]string, 4000), from) // whose values are more
		for i := range rows {
			rows[i].Values[0] = []string{terms[r.IntN(len(terms))]}
		}
		return built(t, newBuilder(), s, rows)
	}
	segments := []segment.Segment{large(0), large(4000)}
	rows := textRows(slices.Repeat([]string{"a text"}, 10), 0)
	want := bytesOf(t, built(t, newBuilder(), s, rows))
	full := filepath.Join(t.TempDir(), "segment")
	for range 10 { // a pool may lose the builder
		if err := os.Symlink("/dev/full", full); err != nil {
			t.Fatal(err)
		}
		if _, _, err := new(Plugin).Merge(segments, make([]*roaring.Bitmap, 2), full, nil, nil); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("got %v, want %v", err, syscall.ENOSPC)
		}
		next, _, err := new(Plugin).NewUsing(documentsOf(s, rows), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, next), want) {
			t.Fatal("the next segment differs from that of a new builder")
		}
	}
}

// A merge writes to its file wherever its buffer is full, also between the docvalues of a
// field and its column.
func TestBufferIsFullAnywhere(t *testing.T) {
	s := newSchema(t, "standard", true)
	r := rand.New(rand.NewPCG(3, 4))
	const rows = 500 // of a segment, whose fields take less than 300 bytes each; together they are one chunk of docvalues
	for stored := flushFrom/(2*rows) - 300; stored < flushFrom/(2*rows); stored += 4 {
		var segments []segment.Segment
		for from := range 2 {
			some := textRows(make([]string, rows), from*rows)
			for i := range some {
				for len(some[i].Stored) < stored {
					some[i].Stored = append(some[i].Stored, byte(r.Uint32()))
				}
			}
			segments = append(segments, built(t, newBuilder(), s, some))
		}
		path := filepath.Join(t.TempDir(), "segment")
		if _, _, err := new(Plugin).Merge(segments, make([]*roaring.Bitmap, 2), path, nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := CheckLayout(path); err != nil {
			t.Errorf("%d bytes stored of a row: %v", stored, err)
		}
	}
}
