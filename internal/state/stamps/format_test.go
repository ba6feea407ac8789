package stamps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/test/faultfs"
)

// someRecords returns n records with keys of a length.
func someRecords(n, length int) []record {
	records := make([]record, n)
	for i := range records {
		key := fmt.Sprintf("%0*d", length, i)
		records[i] = record{key: []byte(key), u: int64(i*7919%1000) - 500, digest: uint64(i) << 32, epoch: uint32(i % 3)}
	}
	if n > 2 {
		records[2].u = gone
	}
	return records
}

func stream(records []record) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// runFile returns the bytes of a run.
func runFile(t testing.TB, records []record) []byte {
	t.Helper()
	fsys := faultfs.New()
	r, err := writeRun(fsys, "x.run", nil, stream(records))
	if err != nil {
		t.Fatal(err)
	}
	data, err := atomicfile.Read(fsys, "x.run")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.release(); err != nil {
		t.Fatal(err)
	}
	return data
}

// readRun opens bytes as a run and walks it.
func readRun(t testing.TB, data []byte) (records []record, err error) {
	t.Helper()
	r, err := openRun(nil, memoryFile{bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	for rec, err := range overlay(newMemory().all(), layers{{run: r, floor: lowest}}) {
		if err != nil {
			if !r.broken.Load() {
				t.Fatalf("%v: the run is not marked as broken", err)
			}
			return nil, err
		}
		rec.key = bytes.Clone(rec.key)
		records = append(records, rec)
	}
	for _, want := range records {
		got, ok, err := r.get(want.key)
		if err != nil || !ok || !sameRecord(got, want) {
			t.Fatalf("get %q: got %v, %v, %v, want %v", want.key, got, ok, err, want)
		}
	}
	return records, nil
}

func sameRecord(a, b record) bool {
	return bytes.Equal(a.key, b.key) && a.u == b.u && a.digest == b.digest && a.epoch == b.epoch
}

// A memoryFile is an open file in memory.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Name() string                       { return "x.run" }
func (memoryFile) Close() error                       { return nil }
func (memoryFile) Write([]byte) (int, error)          { return 0, os.ErrPermission }
func (memoryFile) WriteAt([]byte, int64) (int, error) { return 0, os.ErrPermission }
func (memoryFile) Truncate(int64) error               { return os.ErrPermission }
func (memoryFile) Sync() error                        { return nil }
func (f memoryFile) Stat() (os.FileInfo, error)       { return fileSize{size: f.Size()}, nil }

type fileSize struct {
	os.FileInfo
	size int64
}

func (f fileSize) Size() int64 { return f.size }

// shapes are runs of one block, of many, and of blocks of one record each.
var shapes = map[string][]record{
	"one record":   someRecords(1, 1),
	"one block":    someRecords(9, 12),
	"many blocks":  someRecords(5000, 20),
	"longest keys": someRecords(3, maxKey),
}

func TestRunRoundTrip(t *testing.T) {
	for name, want := range shapes {
		t.Run(name, func(t *testing.T) {
			got, err := readRun(t, runFile(t, want))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, want, sameRecord) {
				t.Fatalf("got %d records, want the %d written", len(got), len(want))
			}
		})
	}
}

// Any cut and any flipped bit of a run is an error.
func TestDamagedRunIsAnError(t *testing.T) {
	for name, records := range shapes {
		t.Run(name, func(t *testing.T) {
			data := runFile(t, records)
			step := 1 + len(data)/2000 // all of a small file
			if testing.Short() {
				step *= 8
			}
			for n := 0; n < len(data); n += step {
				checkDamage(t, fmt.Sprintf("the first %d bytes", n), data[:n])
				checkDamage(t, fmt.Sprintf("without the first %d bytes", n+1), data[n+1:])
			}
			for i := 0; i < len(data); i += step {
				bit := byte(1) << (i / step % 8)
				data[i] ^= bit
				checkDamage(t, fmt.Sprintf("byte %d with bit %#x flipped", i, bit), data)
				data[i] ^= bit
			}
			checkDamage(t, "a byte more", append(data, 0))
		})
	}
}

func checkDamage(t *testing.T, what string, data []byte) {
	t.Helper()
	records, err := readRun(t, data)
	switch {
	case err == nil:
		t.Fatalf("%s: got %d records, want an error", what, len(records))
	case !strings.HasPrefix(err.Error(), "read run x.run: ") || strings.Contains(err.Error(), "\n"):
		t.Fatalf("%s: got error %q, want one line that names the run", what, err)
	}
}

// Parts with right checksums that do not belong together are an error.
func TestInconsistentRunIsAnError(t *testing.T) {
	records := someRecords(3, 4)
	data := runFile(t, records)
	end := binary.LittleEndian.Uint64(data[len(data)-footerBytes+16:])
	blocks, index, foot := data[:end], data[end:len(data)-footerBytes], data[len(data)-footerBytes:]
	edit := func(part []byte, change func(b []byte)) []byte {
		part = bytes.Clone(part)
		change(part)
		return seal(part)
	}
	tests := []struct {
		name                string
		blocks, index, foot []byte
		want                string
	}{
		{"another program's file", blocks, index, edit(foot, func(b []byte) { b[8] = 'X' }), `footer: magic is "Xxstamps", not "ixstamps"`},
		{"another version", blocks, index, edit(foot, func(b []byte) { b[4] = 2 }), "footer: version is 2, not 1"},
		{"another offset of the index", blocks, index, edit(foot, func(b []byte) { b[16]++ }), "footer: index outside the file"},
		{"an index far away", blocks, index, edit(foot, func(b []byte) { b[23] = 0xff }), "footer: index outside the file"},
		{"a block too short", blocks, edit(index, func(b []byte) { b[4]-- }), foot, "index: blocks end at 82, not at 83"},
		{"a huge block", blocks, edit(index, func(b []byte) { b[7] = 0x7f }), foot, "index: block of 2130706515 bytes"},
		{"another first key", blocks, edit(index, func(b []byte) { b[17] = '/' }), foot, "block 0: first key differs from the index"},
		{"more records than there are", edit(blocks, func(b []byte) { b[4]++ }), index, foot, "block 0: cut off"},
		{"fewer records than there are", edit(blocks, func(b []byte) { b[4]-- }), index, foot, "block 0: 25 bytes after the last record"},
		{"keys out of order", edit(blocks, func(b []byte) { b[8+25+4] = '/' }), index, foot, "block 0: keys out of order"},
		{"an empty key", edit(blocks, func(b []byte) { b[8+25] = 0 }), index, foot, "block 0: key of 0 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readRun(t, slices.Concat(tt.blocks, tt.index, tt.foot))
			if want := "read run x.run: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got error %v, want %s", err, want)
			}
		})
	}
}

func TestNoRecordsMakeNoRun(t *testing.T) {
	fsys := faultfs.New()
	r, err := writeRun(fsys, "x.run", nil, stream(nil))
	if r != nil || err != nil {
		t.Fatalf("got run %v, error %v, want neither", r, err)
	}
	if _, err := fsys.OpenFile("x.run", os.O_RDONLY, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
}

// FuzzRun: any bytes are a run or an error.
func FuzzRun(f *testing.F) {
	for _, records := range shapes {
		f.Add(runFile(f, records))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := readRun(t, data)
		if err == nil && !slices.IsSortedFunc(records, func(a, b record) int { return bytes.Compare(a.key, b.key) }) {
			t.Fatalf("got records out of order: %v", records)
		}
	})
}

// FuzzParts: any blocks and index with right checksums are a run or an error.
func FuzzParts(f *testing.F) {
	data := runFile(f, someRecords(3, 4))
	end := binary.LittleEndian.Uint64(data[len(data)-footerBytes+16:])
	f.Add(data[:end], data[end:len(data)-footerBytes])
	f.Fuzz(func(t *testing.T, blocks, index []byte) {
		if len(blocks) < 4 || len(index) < 4 {
			return
		}
		file := slices.Concat(seal(bytes.Clone(blocks)), seal(bytes.Clone(index)))
		file = appendFooter(file, footer{index: uint64(len(blocks)), length: uint64(len(index))})
		records, err := readRun(t, file)
		if err == nil && len(records) == 0 && len(blocks) > 0 {
			t.Fatal("got no record and no error")
		}
	})
}
