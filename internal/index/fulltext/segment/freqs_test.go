package segment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scanTexts have words of all densities: lists of runs, bitmaps and arrays, of one chunk and
// of many, in texts of up to 300 words.
func scanTexts(n int) []string {
	r := rand.New(rand.NewPCG(8, 1))
	texts := make([]string, n)
	for i := range texts {
		words := []string{"every"}
		for word, one := range map[string]int{"half": 2, "tenth": 10, "fiftieth": 50, "rare": 5000, "last": max(1, n-i)} {
			for range r.IntN(4) + 1 {
				if r.IntN(one) == 0 {
					words = append(words, word)
				}
			}
		}
		if r.IntN(100) == 0 {
			words = append(words, strings.Repeat("long ", 100+r.IntN(200)))
		}
		slices.Sort(words)
		texts[i] = strings.Join(words, " ")
	}
	return texts
}

// A scan in windows passes on what one of the whole list does, whether it reads all
// documents of a window or some, and also after windows that it passes over.
func TestScanWindows(t *testing.T) {
	texts := scanTexts(allDocs + 5000)
	r, err := NewReader(built(t, newBuilder(), newSchema(t, "standard", true), textRows(texts, 0)))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 9))
	for _, word := range []string{"every", "half", "tenth", "fiftieth", "rare", "last", "long"} {
		p, found, err := r.Find("c:text", word)
		if err != nil || !found {
			t.Fatalf("%s: found %v, %v", word, found, err)
		}
		var all []Freq
		for c := p.Cursor(nil); c.Next(); {
			all = append(all, Freq{c.Doc, uint32(c.Freq), uint32(c.Length)})
		}
		for _, size := range []int{64, 4096, allDocs, 10 * allDocs} {
			checkWindows(t, word, p, all, size, random)
		}
	}
}

func checkWindows(t *testing.T, word string, p Postings, all []Freq, size int, random *rand.Rand) {
	t.Helper()
	s, err := p.OpenScan()
	if err != nil {
		t.Fatal(err)
	}
	if s.Docs() != len(all) {
		t.Errorf("%s: got %d documents, want %d", word, s.Docs(), len(all))
	}
	for from := uint32(0); int(from) < p.src.docs; from += uint32(size) {
		to, in, every := from+uint32(size), NewBits(p.src.docs), false
		switch random.IntN(4) {
		case 0:
			continue
		case 1:
			every = true
		default:
			for range 1 << random.IntN(14) {
				in.Set(uint32(random.IntN(p.src.docs)))
			}
		}
		var got, want []Freq
		for _, one := range all {
			if from <= one.Doc && one.Doc < to && (every || in.Has(one.Doc)) {
				want = append(want, one)
			}
		}
		if every {
			in = nil
		}
		if err := s.Read(from, to, in, func(batch []Freq) { got = append(got, batch...) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: from %d to %d, all %v: got %d documents, want %d", word, from, to, every, len(got), len(want))
		}
	}
}
