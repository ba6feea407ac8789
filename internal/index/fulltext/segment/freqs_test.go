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
	s := new(Scan)
	if err := p.OpenScan(s); err != nil {
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
		if every && random.IntN(3) > 0 {
			checkScores(t, word, s, from, to, want)
			continue
		}
		if err := s.Read(from, to, in, func(batch []Freq) { got = append(got, batch...) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: from %d to %d, all %v: got %d documents, want %d", word, from, to, every, len(got), len(want))
		}
	}
}

// numbered scores each frequency and length otherwise.
type numbered struct{}

func (numbered) Score(freq, length uint32) float64 { return float64(1 + 1000*freq + length) }

func (n numbered) Joined(weight float64, freq, length uint32) float64 {
	return weight * n.Score(freq, length)
}

// checkScores compares the scores of a window with those of its documents.
func checkScores(t *testing.T, word string, s *Scan, from, to uint32, want []Freq) {
	t.Helper()
	a := ScoreSum{From: from, Sums: make([]float64, to-from), Table: new(ScoreTable), Scorer: numbered{}}
	joined := map[uint32]float64{}
	if from%128 == 0 { // every fifth document has a weight
		a.Weights = make([]float64, to-from)
		for at := uint32(0); at < to-from; at += 5 {
			a.Weights[at], joined[at] = float64(at+1)/7, float64(at+1)/7
		}
	}
	if err := s.AddScores(to, &a); err != nil {
		t.Fatal(err)
	}
	for _, one := range want {
		at := one.Doc - from
		score := (numbered{}).Score(one.Freq, one.Length)
		if weight := joined[at]; weight != 0 {
			score = (numbered{}).Joined(weight, one.Freq, one.Length)
			if a.Weights[at] != 0 {
				t.Fatalf("%s: from %d to %d: the weight of document %d is added and left", word, from, to, one.Doc)
			}
		}
		if a.Sums[at] != score {
			t.Fatalf("%s: from %d to %d: document %d has %v, want the score of %+v", word, from, to, one.Doc, a.Sums[at], one)
		}
		a.Sums[at] = 0
	}
	if at := slices.IndexFunc(a.Sums, func(sum float64) bool { return sum != 0 }); at >= 0 {
		t.Fatalf("%s: from %d to %d: document %d has %v", word, from, to, from+uint32(at), a.Sums[at])
	}
}

// The positions of some documents are those that a cursor reads, whatever is passed over.
func TestScanPositions(t *testing.T) {
	texts := scanTexts(allDocs + 5000)
	r, err := NewReader(built(t, newBuilder(), newSchema(t, "standard", true), textRows(texts, 0)))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(4, 9))
	for _, word := range []string{"every", "half", "tenth", "fiftieth", "rare", "last", "long"} {
		p, _, err := r.Find("c:text", word)
		if err != nil {
			t.Fatal(err)
		}
		positions := map[uint32][]int{}
		for c := p.Cursor(nil); c.Next(); {
			positions[c.Doc] = c.AppendPositions(nil)
		}
		for range 40 {
			in := NewBits(len(texts))
			for range 1 << random.IntN(14) {
				in.Set(uint32(random.IntN(len(texts))))
			}
			docs := slices.Collect(in.All)
			got := map[uint32]bool{}
			err := p.ScanPositions(docs, func() error { return nil }, func(at int, p *Posting) {
				places, err := p.AppendPositions(nil)
				if got[p.Doc] = true; err != nil || docs[at] != p.Doc || !slices.Equal(places, positions[p.Doc]) {
					t.Fatalf("%s: %d documents: document %d, at %d: got %v, %v, want %v", word, len(docs), p.Doc, at, places, err, positions[p.Doc])
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range docs {
				if _, has := positions[doc]; has != got[doc] {
					t.Fatalf("%s: %d documents: document %d is read: %v, want %v", word, len(docs), doc, got[doc], has)
				}
			}
		}
	}
}
