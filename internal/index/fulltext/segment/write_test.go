package segment

import (
	"bytes"
	"errors"
	"hash/crc32"
	"testing"
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
