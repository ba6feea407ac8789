package hits

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// openSnapshot returns a snapshot of an index in memory with these texts.
func openSnapshot(t *testing.T, s *schema.Schema, texts []string) *scorch.IndexSnapshot {
	t.Helper()
	if err := segment.Register(); err != nil {
		t.Fatal(err)
	}
	queue := index.NewAnalysisQueue(1)
	store, err := scorch.NewScorch(scorch.Name, map[string]any{"path": ""}, queue)
	if err == nil {
		err = store.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		queue.Close()
	})
	var rows []segment.Row
	for i, text := range texts {
		rows = append(rows, segment.Row{ID: fmt.Sprintf("%06d", i), Stored: []byte{1}, Texts: [][]string{{text}}})
	}
	in := &segment.Schema{Analyzer: s.Analysis, Positions: true, Stored: "v", Texts: []string{schema.ContentField("body")}, Lengths: []string{schema.LengthField(schema.ContentField("body"))}}
	if err := store.Batch(in.Batch(rows, nil)); err != nil {
		t.Fatal(err)
	}
	r, err := store.Reader()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r.(*scorch.IndexSnapshot)
}

// Most documents need no score: those that have one word of two, and those to which the
// endings of a prefix add little.
func TestBoundsLeaveOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	texts := make([]string, 3000)
	for k := range texts {
		words := make([]string, r.IntN(21))
		for i := range words {
			words[i] = string(rune('a' + min(r.IntN(6), r.IntN(6))))
		}
		if k%10 == 0 {
			words = append(words, "rare")
		}
		if k%70 == 0 {
			words = append(words, "seldom")
		}
		texts[k] = strings.Join(words, " ")
	}
	s, err := schema.New(schema.Mapping{Content: []string{"body"}, Analyzer: "standard", Positions: true})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := openSnapshot(t, s, texts)
	for text, most := range map[string]int{"rare OR seldom": 100, "rare a*": 150} {
		n, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l := NewLimits(1)
		l.Window, l.Few = 64, 0
		one, err := Prepare(s, query.Request{Query: n, Size: 5, Tuned: true}, l)
		if err != nil {
			t.Fatal(err)
		}
		se, err := plan.NewSession(t.Context(), s, snapshot, plan.Options{BM25: query.DefaultBM25})
		if err != nil {
			t.Fatal(err)
		}
		m, err := one.plan.Open(se)
		if err != nil {
			t.Fatal(err)
		}
		collect := one.collector
		words := collect.boundable(se, m)
		all, err := collect.match(se, m)
		if err := errors.Join(err, collect.compute(se, m, words, all)); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, f := range all {
			left += f.Count
		}
		if left < 6 || left > most {
			t.Errorf("%s: %d documents are left, want at most %d", text, left, most)
		}
	}
}

// A document whose words can add up to the least score is left, and one whose words add up to
// much less is not.
func TestLeaveOut(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const docs = 300
	for range 200 {
		b := &bounds{share: boundMargin, want: 1, window: docs}
		b.keepBest(1 + 9*r.Float32())
		p := &rangeScorer{boundsRange: &boundsRange{bounds: b, left: segment.AllBits(docs)}}
		sums := make([]float64, docs)
		for range 1 + r.IntN(20) {
			w := partWord{most: r.ExpFloat64(), in: segment.NewBits(docs)}
			for doc := range uint32(docs) {
				if r.IntN(3) == 0 {
					w.in.Set(doc)
					sums[doc] += w.most
				}
			}
			p.words = append(p.words, w)
		}
		win := plan.OpenWindow(320)
		win.Start(p.left, 0)
		win.Next()
		p.leaveOut(win)
		for doc, sum := range sums {
			left, low := p.left.Has(uint32(doc)), p.least()-float64(len(p.words))*p.least()/sumFull
			if sum >= p.least() && !left || sum < low && left {
				t.Fatalf("%d words: document %d has %v of %v, left: %v", len(p.words), doc, sum, p.least(), left)
			}
		}
	}
}
