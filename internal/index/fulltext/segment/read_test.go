package segment

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/blevesearch/vellum"

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

// vellum reads the terms and numbers of an fst.
func TestFST(t *testing.T) {
	f := &fst{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		values := map[string]uint64{}
		for range r.IntN(600) {
			term := make([]byte, r.IntN(4))
			for i := range term {
				term[i] = byte(r.IntN(1 + 255*r.IntN(2)))
			}
			values[fmt.Sprintf("%s%s", []string{"", "common", "co"}[r.IntN(3)], term)] = r.Uint64() >> r.IntN(64)
		}
		checkFST(t, f, values)
	}
	all := map[string]uint64{"": 7}
	for c := range 256 { // a state with as many transitions as there can be
		all[string([]byte{byte(c)})] = uint64(c)
	}
	checkFST(t, f, all)
}

func checkFST(t *testing.T, f *fst, values map[string]uint64) {
	t.Helper()
	f.start()
	terms := make([]string, 0, len(values))
	for term := range values {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	for _, term := range terms {
		if err := f.insert([]byte(term), values[term]); err != nil {
			t.Fatal(err)
		}
	}
	data, err := f.finish()
	if err != nil {
		t.Fatal(err)
	}
	read, err := vellum.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if read.Len() != len(terms) {
		t.Fatalf("got %d terms, want %d", read.Len(), len(terms))
	}
	it, err := read.Iterator(nil, nil)
	for _, want := range terms {
		if err != nil {
			t.Fatal(err)
		}
		if term, v := it.Current(); string(term) != want || v != values[want] {
			t.Fatalf("got %q = %d, want %q = %d", term, v, want, values[want])
		}
		if v, ok, err := read.Get([]byte(want)); v != values[want] || !ok || err != nil {
			t.Fatalf("%q: got %d, %t, %v; want %d", want, v, ok, err, values[want])
		}
		err = it.Next()
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		t.Fatalf("after the last term: got %v, want %v", err, vellum.ErrIteratorDone)
	}
}
