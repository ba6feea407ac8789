package segment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"indexerd/internal/test/sampletext"
)

// A Reader finds what zapx finds, in memory and in a file, also in a segment that
// zapx has written.
func TestReader(t *testing.T) {
	for seed := range uint64(100) {
		s, rows := oddRows(t, rand.New(rand.NewPCG(seed, 4)))
		own := built(t, newBuilder(), s, rows)
		for _, seg := range []segment.Segment{own, onDisk(t, own), oracle(t, s, rows)} {
			checkReader(t, seg)
		}
	}
	for _, positions := range []bool{true, false} {
		texts := sampletext.English(3000)
		for i := 0; i < len(texts); i += 5 {
			texts[i] = strings.Repeat(texts[i], i%11) // some have more than 127 words, and words more than 63 times
		}
		checkReader(t, built(t, newBuilder(), newSchema(t, "standard", positions), textRows(texts, 0)))
	}
}

func checkReader(t *testing.T, s segment.Segment) {
	t.Helper()
	r, err := NewReader(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range s.Fields() {
		d, err := s.Dictionary(field)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = r.Each(field, "", "", func(term []byte, p Postings) (bool, error) {
			n++
			list, err := d.PostingsList(term, nil, nil)
			if err != nil {
				return false, err
			}
			found, ok, err := r.Find(field, string(term))
			if err != nil || !ok || found != p {
				t.Errorf("%s %q: found %v, %t, %v", field, term, found, ok, err)
			}
			checkPostings(t, fmt.Sprintf("%s %q", field, term), p, list, r.Docs())
			return true, nil
		})
		if terms, lenErr := r.Terms(field); errors.Join(err, lenErr) != nil || n != d.Cardinality() || terms != n {
			t.Errorf("%s: got %d terms, %d, %v, %v, want %d", field, n, terms, err, lenErr, d.Cardinality())
		}
	}
	if _, ok, err := r.Find("no such field", "x"); ok || err != nil {
		t.Errorf("a field that is not there: got %t, %v", ok, err)
	}
}

// checkPostings compares the postings of a term with those that zapx reads.
func checkPostings(t *testing.T, name string, p Postings, list segment.PostingsList, docs int) {
	t.Helper()
	c, it := p.Cursor(nil), list.Iterator(true, true, true, nil)
	var all []scanned
	var numbers []uint32
	var positions []int
	freq := 0
	for {
		want, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			break
		}
		numbers = append(numbers, uint32(want.Number()))
		if !c.Next() || uint64(c.Doc) != want.Number() || c.Freq != int(want.Frequency()) {
			t.Fatalf("%s: got document %d, freq %d, %v, want %d, %d", name, c.Doc, c.Freq, c.Err(), want.Number(), want.Frequency())
		}
		if n, ok := want.(interface{ NormUint64() uint64 }); ok && c.Freq > 0 && uint64(c.Length) != n.NormUint64() {
			t.Errorf("%s: got length %d, want %d", name, c.Length, n.NormUint64())
		}
		positions, freq = nil, c.Freq
		for _, l := range want.Locations() {
			positions = append(positions, int(l.Pos()))
		}
		if got := c.AppendPositions(nil); !slices.Equal(got, positions) {
			t.Errorf("%s: got positions %v, want %v", name, got, positions)
		}
		all = append(all, scanned{c.Doc, c.Freq, c.Length, fmt.Sprint(positions)})
	}
	if c.Next() || c.Err() != nil {
		t.Errorf("%s: more than %d documents, or %v", name, len(numbers), c.Err())
	}
	in := NewBits(docs)
	if err := p.AddTo(in); err != nil || !slices.Equal(slices.Collect(in.All), numbers) {
		t.Errorf("%s: got set %v, %v, want %v", name, slices.Collect(in.All), err, numbers)
	}
	in.Clear(numbers[0])
	if n, err := p.CountIn(in); err != nil || n != len(numbers)-1 {
		t.Errorf("%s: counted %d but the first, %v, want %d", name, n, err, len(numbers)-1)
	}
	last := numbers[len(numbers)-1]
	if n, err := p.CountIn(nil); err != nil || n != len(numbers) {
		t.Errorf("%s: counted %d, %v, want %d", name, n, err, len(numbers))
	}
	only := NewBits(docs)
	only.Set(last)
	if c := p.Cursor(only); !c.SkipTo(last) || c.Doc != last || c.Freq != freq || !slices.Equal(c.AppendPositions(nil), positions) || !c.SkipTo(last) || c.SkipTo(last+1) {
		t.Errorf("%s: skipped to %d, %v, want %d and then the end", name, c.Doc, c.Err(), last)
	}
	checkScan(t, name, p, docs, all)
}

// A scanned is a posting as Scan has it.
type scanned struct {
	doc          uint32
	freq, length int
	positions    string
}

// checkScan scans sets of documents: few, many, and those of a part of the segment.
func checkScan(t *testing.T, name string, p Postings, docs int, all []scanned) {
	t.Helper()
	for _, wanted := range []func(doc uint32) bool{
		func(uint32) bool { return true }, func(uint32) bool { return false },
		func(doc uint32) bool { return doc%3 == 1 }, func(doc uint32) bool { return doc%101 == 7 }, func(doc uint32) bool { return int(doc) > docs/2 && doc%7 > 0 },
	} {
		in := NewBits(docs)
		for doc := range uint32(docs) {
			if wanted(doc) {
				in.Set(doc)
			}
		}
		var want, freqs, placed []scanned
		for _, s := range all {
			if wanted(s.doc) {
				want = append(want, s)
			}
		}
		step := func() error { return nil }
		err := p.Scan(in, step, func(batch []Freq) {
			for _, p := range batch {
				freqs = append(freqs, scanned{doc: p.Doc, freq: int(p.Freq), length: int(p.Length)})
			}
		})
		listed := slices.Collect(in.All)
		placedErr := p.ScanPositions(listed, step, func(at int, p *Posting) {
			if listed[at] != p.Doc {
				t.Errorf("%s: place %d has document %d, not %d", name, at, listed[at], p.Doc)
			}
			positions, err := p.AppendPositions(nil)
			placed = append(placed, scanned{p.Doc, p.Freq, p.Length, fmt.Sprint(positions)})
			if err != nil {
				t.Errorf("%s: positions of %d: %v", name, p.Doc, err)
			}
		})
		if err = errors.Join(err, placedErr); err != nil || !slices.Equal(placed, want) {
			t.Fatalf("%s: scanned %v, %v, want %v", name, placed, err, want)
		}
		for i := range want {
			want[i].positions = ""
		}
		if !slices.Equal(freqs, want) {
			t.Fatalf("%s: scanned %v without positions, want %v", name, freqs, want)
		}
	}
}

// The sum of the words in a set of documents is that of their rows.
func TestWordsOfDocuments(t *testing.T) {
	s := newSchema(t, "standard", true)
	texts := append(sampletext.English(300), "", "...", "the of", "one")
	r, err := NewReader(built(t, newBuilder(), s, textRows(texts, 0)))
	if err != nil {
		t.Fatal(err)
	}
	in, want := NewBits(len(texts)), 0
	for i, text := range texts {
		if i%3 != 1 {
			in.Set(uint32(i))
			want += len(s.Analyzer.Tokens(nil, text))
		}
	}
	if got, err := r.Words("l:text", in); err != nil || got != uint64(want) || want == 0 {
		t.Errorf("got %d words, %v, want %d", got, err, want)
	}
}
