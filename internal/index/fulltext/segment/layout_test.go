package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"

	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/test/sampletext"
)

// A flipFile is the file of a segment in which bits are flipped, one at a time.
type flipFile struct {
	path   string
	data   []byte
	config map[string]any
	seed   maphash.Seed
	want   *answers // of the undamaged segment
}

func newFlipFile(t *testing.T, rows int) *flipFile {
	t.Helper()
	s := newSchema(t, "standard", true)
	f := &flipFile{path: filepath.Join(t.TempDir(), "segment"), seed: maphash.MakeSeed()}
	if err := built(t, newBuilder(), s, textRows(slices.Repeat(sampletext.English(10), rows/10), 0)).(*zap.SegmentBase).Persist(f.path); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.data, err = os.ReadFile(f.path); err != nil {
		t.Fatal(err)
	}
	if f.want, err = f.answers(); err != nil {
		t.Fatal(err)
	}
	return f
}

// Answers are what a segment answers: how many, and their digest, as a flip reads thousands.
type answers struct {
	n      int
	digest maphash.Hash
}

func (f *flipFile) noAnswers() *answers {
	a := new(answers)
	a.digest.SetSeed(f.seed)
	return a
}

// add adds a value of a field and a document.
func (a *answers) add(field string, doc uint64, value []byte) {
	a.n++
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], doc)
	a.digest.WriteString(field) // a hash returns no error
	a.digest.Write(number[:])
	binary.BigEndian.PutUint64(number[:], uint64(len(value)))
	a.digest.Write(number[:])
	a.digest.Write(value)
}

func (a *answers) same(b *answers) bool { return a.n == b.n && a.digest.Sum64() == b.digest.Sum64() }

// answers opens the segment as scorch does, and returns what it answers, nothing if it does
// not open. A panic is an error, as it is for a search.
func (f *flipFile) answers() (all *answers, err error) {
	all = f.noAnswers()
	s, err := new(Plugin).OpenUsing(f.path, f.config)
	if err != nil {
		return all, err
	}
	defer s.Close()
	all.add("it is open", s.Count(), nil)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var ids []string
	var state segment.DocVisitState
	var text []byte
	fields := []string{"m:kind", "m:n", "c:text"}
	for n := range s.Count() {
		err := s.VisitStoredFields(n, func(field string, typ byte, v []byte, _ []uint64) bool {
			text = append(append(text[:0], typ), v...)
			all.add(field, n, text)
			return true
		})
		if err != nil {
			return all, err
		}
		id, err := s.DocID(n)
		if err != nil {
			return all, err
		}
		ids = append(ids, string(id))
		state, err = s.(segment.DocValueVisitable).VisitDocValues(n, fields, func(field string, term []byte) { all.add(field, n, term) }, state)
		if err != nil {
			return all, err
		}
	}
	found, err := s.DocNumbers(ids) // panics are caught there
	if err != nil {
		return all, err
	}
	for _, n := range found.ToArray() {
		all.add("_id", uint64(n), nil)
	}
	return all, f.words(s, all)
}

// words reads terms and postings. It recovers from panics, as a search does.
func (f *flipFile) words(s segment.Segment, all *answers) (err error) {
	defer (&source{file: "segment"}).caught(&err)
	r, err := NewReader(s)
	if err != nil {
		return err
	}
	var places []int
	for _, field := range []string{"_id", "c:text", "l:text", "m:kind", "m:n"} {
		for _, term := range []string{"00000007", "the", "kind3", string(numbers.Append(nil, 12)), "\x01"} {
			p, found, err := r.Find(field, term)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			c := p.Cursor(nil)
			for c.Next() {
				all.add(term, uint64(c.Doc), nil)
				all.add(field, uint64(c.Freq), nil)
				places = c.AppendPositions(places[:0])
				for _, place := range places {
					all.add("place", uint64(place), nil)
				}
			}
			if err := c.Err(); err != nil {
				return err
			}
		}
	}
	c, err := r.Column("m:n")
	if err != nil {
		return err
	}
	for doc := range uint32(r.Docs()) {
		n, ok := c.Least(doc)
		all.add(strconv.FormatBool(ok), uint64(doc), nil)
		all.add("number", uint64(n), nil)
	}
	return nil
}

// flip calls check with what the file answers with one bit flipped, and how many bytes it
// allocated.
func (f *flipFile) flip(t *testing.T, bit int, check func(got *answers, err error, allocated uint64)) {
	t.Helper()
	file, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(b byte) {
		if _, err := file.WriteAt([]byte{b}, int64(bit/8)); err != nil {
			t.Fatal(err)
		}
	}
	write(f.data[bit/8] ^ 1<<(bit%8))
	defer write(f.data[bit/8])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := f.answers()
	runtime.ReadMemStats(&after)
	check(got, err, after.TotalAlloc-before.TotalAlloc)
}

// A region is what zapx reads from a file when it opens it.
type region struct {
	name     string
	from, to uint64
	found    string // when a flipped bit is
}

// When a flipped bit of a region is found.
const (
	atOpen  = "when the file is opened"
	later   = "when the field is read, or before"
	perhaps = "perhaps: it is of names, which the index knows, of options, or of the checksum"
)

func (f *flipFile) layout(t *testing.T) (all []region) {
	t.Helper()
	s, err := readSource(f.data)
	if err != nil {
		t.Fatal(err)
	}
	size := uint64(len(f.data))
	foot := size - zap.FooterSize
	all = append(all, region{"footer", foot, size - crcSize, atOpen}, region{"checksum", size - crcSize, size, perhaps}, region{"index of fields", s.index, foot, atOpen},
		region{"first of the stored index", s.stored, s.stored + 8, atOpen}, region{"last of the stored index", s.stored + 8*uint64(s.docs-1), s.stored + 8*uint64(s.docs) + 1, atOpen})
	list := decoder{data: f.data, at: s.index}
	list.uvarint()
	for _, field := range s.fields {
		at := list.uint64()
		d := decoder{data: f.data, at: at}
		d.uvarint()
		all = append(all, region{"length of the name of " + field.name, at, d.at, atOpen}, region{"name and options of " + field.name, d.at, field.end - 31, perhaps}, region{"sections of " + field.name, field.end - 31, field.end, atOpen})
		r := decoder{data: f.data, at: field.record}
		start, end, dict := r.uvarint(), r.uvarint(), r.uvarint()
		all = append(all, region{"record of " + field.name, field.record, r.at, atOpen})
		d = decoder{data: f.data, at: dict}
		d.uvarint()
		all = append(all, region{"length of the dictionary of " + field.name, dict, d.at, atOpen})
		if start != math.MaxUint64 {
			all = append(all, region{"number of chunks of " + field.name, end - 8, end, atOpen}, region{"length of their ends of " + field.name, end - 16, end - 8, later})
			length := binary.BigEndian.Uint64(f.data[end-16:])
			all = append(all, region{"ends of chunks of " + field.name, end - 16 - length, end - 16, later})
			if end < field.record {
				all = append(all, region{"width and magic of the column of " + field.name, field.record - 6, field.record, atOpen})
			}
		}
	}
	return all
}

// most is how much memory a segment of the tests may take, opened and read, whatever bit
// of it is flipped.
const most = 32 << 20

// Every flipped bit of what zapx trusts when it opens a file is found, though nothing reads
// the checksum: the segment is not opened, or what depends on the bit is an error. The
// others change no answer.
func TestLayoutFlips(t *testing.T) {
	f := newFlipFile(t, 2500)
	for _, r := range f.layout(t) {
		for bit := int(8 * r.from); bit < int(8*r.to); bit++ {
			if testing.Short() && bit%5 != 0 {
				continue
			}
			f.flip(t, bit, func(got *answers, err error, allocated uint64) {
				switch known := errors.As(err, new(*BrokenError)) || errors.Is(err, errForeign); {
				case err != nil && !known:
					t.Errorf("%s, bit %d: got %v, want a BrokenError", r.name, bit-int(8*r.from), err)
				case err == nil && r.found != perhaps, r.found == atOpen && got.n > 0:
					t.Errorf("%s, bit %d: got %d answers, %v; want it found %s", r.name, bit-int(8*r.from), got.n, err, r.found)
				}
				if allocated > most {
					t.Errorf("%s, bit %d: allocated %d MB", r.name, bit-int(8*r.from), allocated>>20)
				}
			})
		}
	}
}

// Any flipped bit of a segment is an error, or changes an answer, but never panics where
// nothing recovers and never takes more memory than a segment has.
func TestFlipsTakeNoMemory(t *testing.T) {
	f := newFlipFile(t, 2500)
	random := rand.New(rand.NewPCG(5, 6))
	n := 3000
	if testing.Short() {
		n = 400
	}
	for range n {
		bit := random.IntN(8 * len(f.data))
		f.flip(t, bit, func(_ *answers, err error, allocated uint64) {
			if allocated > most {
				t.Errorf("bit %d: allocated %d MB, %v", bit, allocated>>20, err)
			}
		})
	}
	if got, err := f.answers(); err != nil || !got.same(f.want) {
		t.Errorf("undamaged: got %d answers, %v, want %d", got.n, err, f.want.n)
	}
}

// A file that ends too early is an error at each length.
func TestCutOffSegments(t *testing.T) {
	f := newFlipFile(t, 100)
	for n := (len(f.data) - 1) / 7 * 7; n >= 0; n -= 7 {
		if err := os.Truncate(f.path, int64(n)); err != nil { // a file that is written again waits for the disk
			t.Fatal(err)
		}
		if _, err := f.answers(); err == nil {
			t.Fatalf("%d of %d bytes: got no error", n, len(f.data))
		}
	}
	if err := os.WriteFile(f.path, bytes.Clone(f.data), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckLayout(f.path); err != nil {
		t.Error(err)
	}
}

// BenchmarkCheckLayout checks the layout of segments of two sizes.
func BenchmarkCheckLayout(b *testing.B) {
	for _, rows := range []int{1000, 30000} {
		s := newSchema(b, "standard", true)
		path := filepath.Join(b.TempDir(), "segment")
		if err := built(b, newBuilder(), s, textRows(slices.Repeat(sampletext.English(10), rows/10), 0)).(*zap.SegmentBase).Persist(path); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) {
			for b.Loop() {
				if err := CheckLayout(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Bytes that claim to be 4 GB when they are decompressed are not.
func TestDecompressTakesNoMemory(t *testing.T) {
	claim := append(binary.AppendUvarint(nil, math.MaxUint32), 0, 'a')
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decompress(nil, claim)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, errBroken) || allocated > most {
		t.Errorf("got %v and %d MB, want %v", err, allocated>>20, errBroken)
	}
}

// A look-up of ids in a file that was cut off, which raises a fault, is an error.
func TestLookupInACutOffFile(t *testing.T) {
	f := newFlipFile(t, 100)
	s, err := new(Plugin).OpenUsing(f.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(f.path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DocNumbers([]string{"00000007"}); !errors.As(err, new(*BrokenError)) {
		t.Errorf("got %v, want a BrokenError", err)
	}
}
