package segment

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"indexerd/internal/test/sampletext"
)

// mergeBytes merges two segments that are the same bytes.
func mergeBytes(data []byte) error {
	m := &merge{}
	next := uint64(0)
	for range 2 {
		s, err := readSource(data)
		if err != nil {
			return err
		}
		next = s.number(next, nil)
		m.sources = append(m.sources, s)
	}
	m.docs = int(next)
	b := newBuilder()
	b.reset(new(bytes.Buffer))
	return b.merge(m)
}

// FuzzMerge merges damaged segments: that is an error or works, and panics only
// in vellum, from which a merge recovers.
func FuzzMerge(f *testing.F) {
	s := newSchema(f, "standard", true)
	good := bytesOf(f, built(f, newBuilder(), s, textRows(sampletext.English(5), 0)))
	if err := mergeBytes(good); err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), []byte{0x80})
	f.Add(uint16(len(good)-30), []byte{0xff, 0xff, 0xff})
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		f.Add(uint16(r.IntN(len(good))), []byte{byte(r.Uint32()), byte(r.Uint32())}[:1+r.IntN(2)])
	}
	f.Fuzz(func(t *testing.T, at uint16, damage []byte) {
		data := slices.Clone(good)
		copy(data[int(at)%len(data):], damage)
		defer func() {
			if p := recover(); p != nil && !bytes.Contains(debug.Stack(), []byte("vellum.")) {
				panic(p)
			}
		}()
		if err := mergeBytes(data); err != nil && !errors.Is(err, errBroken) && !errors.Is(err, errForeign) {
			t.Errorf("got %v, want %v, %v or none", err, errBroken, errForeign)
		}
	})
}

// A decoder reads no byte beyond the end, whatever the offset or length.
func TestDecoder(t *testing.T) {
	data := []byte{1, 0xff}
	for name, read := range map[string]func(d *decoder){
		"uvarint beyond the end": func(d *decoder) { d.at = 2; d.uvarint() },
		"uvarint at 2^64-1":      func(d *decoder) { d.at = dropped; d.uvarint() },
		"unfinished uvarint":     func(d *decoder) { d.at = 1; d.uvarint() },
		"bytes beyond the end":   func(d *decoder) { d.bytes(3) },
		"2^64-1 bytes":           func(d *decoder) { d.at = 1; d.bytes(dropped) },
		"bytes at 2^64-1":        func(d *decoder) { d.at = dropped; d.bytes(2) },
		"a number of 8 bytes":    func(d *decoder) { d.uint64() },
		"chunks at 2^64-1":       func(d *decoder) { d.chunks(dropped) },
	} {
		d := decoder{data: data}
		if read(&d); !d.broken {
			t.Errorf("%s: got no error", name)
		}
	}
	d := decoder{data: data}
	if v, b := d.uvarint(), d.bytes(1); v != 1 || len(b) != 1 || d.broken {
		t.Errorf("got %d and % x, want 1 and ff", v, b)
	}
}
