package fulltext

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"pgregory.net/rapid"

	"indexerd/internal/doc"
	builder "indexerd/internal/fulltext/segment"
)

var bodies = Mapping{Content: []string{"body", "more"}, Analyzer: "standard", Positions: true}

// ofWords returns a text of n words with so many distinct ones.
func ofWords(n, distinct int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%06d ", i%distinct)
	}
	return b.String()
}

func bodyRow(body, more string) doc.Row {
	return doc.Row{Names: []string{"body", "more"}, Values: []any{body, more}}
}

func TestFitsChecksTheLimits(t *testing.T) {
	ix := newIndex(t, bodies)
	l := doc.Limits{Words: 100, Distinct: 50}
	for _, c := range []struct {
		name       string
		body, more string
		want       string // the option in the error; "" for none
	}{
		{"at the limits", ofWords(100, 50), "", ""},
		{"one word too many", ofWords(101, 50), "", "limits.words"},
		{"in two columns", ofWords(60, 10), ofWords(41, 10), "limits.words"},
		{"one distinct word too many", ofWords(51, 51), "", "limits.distinct_words"},
		{"distinct words are counted per column", ofWords(26, 26), ofWords(26, 26), "limits.distinct_words"},
		{"long, with one word", strings.Repeat("x", 1<<20), "", ""},
		{"nothing", "", "", ""},
	} {
		err := ix.Fits(bodyRow(c.body, c.more), l)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want+" ")):
			t.Errorf("%s: got %v, want one that names %s", c.name, err, c.want)
		}
	}
	if err := ix.Fits(bodyRow(ofWords(1000, 1000), ""), doc.Limits{}); err != nil {
		t.Errorf("without limits: got %v", err)
	}
}

// eachPosting calls f with the terms of a field of one document.
func eachPosting(t interface{ Fatal(...any) }, s *Schema, b indexedDoc, field string, f func(term string, p segment.Posting)) {
	seg, _, err := new(builder.Plugin).New([]index.Document{s.document("id", 1, b)})
	if err != nil {
		t.Fatal(err)
	}
	dict, err := seg.Dictionary(contentField(field))
	if err != nil {
		t.Fatal(err)
	}
	terms := dict.AutomatonIterator(nil, nil, nil)
	for e, err := terms.Next(); e != nil || err != nil; e, err = terms.Next() {
		list, listErr := dict.PostingsList([]byte(e.Term), nil, nil)
		if err := errors.Join(err, listErr); err != nil {
			t.Fatal(err)
		}
		p, err := list.Iterator(true, true, true, nil).Next()
		if err != nil {
			t.Fatal(err)
		}
		f(e.Term, p)
	}
}

// count counts the tokens that the index stores.
func TestCountIsThatOfTheIndex(t *testing.T) {
	for _, name := range []string{"standard", "en", "cjk", "ngram"} {
		m := bodies
		m.Analyzer = name
		s, err := NewSchema(m)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(r *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("ab AB.é电影の_'s,\n12"))).Draw(r, "text")
			b, err := s.build(bodyRow(text, ""))
			if err != nil {
				r.Fatal(err)
			}
			words, distinct := s.count(b, math.MaxInt, math.MaxInt)
			wantWords, wantDistinct := 0, 0
			eachPosting(r, s, b, "body", func(_ string, p segment.Posting) {
				wantWords, wantDistinct = wantWords+int(p.Frequency()), wantDistinct+1
			})
			if words != wantWords || distinct != wantDistinct {
				r.Errorf("%s: %q: got %d words, %d distinct; want %d and %d", name, text, words, distinct, wantWords, wantDistinct)
			}
			if words > len(text) {
				r.Errorf("%s: %q: %d words of %d bytes, but Fits assumes a byte per word", name, text, words, len(text))
			}
		})
	}
}

// Each part of a batch costs at most the limit, or is one document. The parts have
// all documents in order.
func TestParts(t *testing.T) {
	s, err := NewSchema(bodies)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "a few words", strings.Repeat("ordinary ", 3000), ofWords(6000, 10), ofWords(6000, 5500)}
	const most = 4 << 20
	costs := make([]int64, len(texts))
	for i, text := range texts {
		b, err := s.build(bodyRow(text, ""))
		if err != nil {
			t.Fatal(err)
		}
		costs[i] = s.cost(b)
	}
	rapid.Check(t, func(r *rapid.T) {
		var docs []doc.Doc
		var want []int64
		for i, k := range rapid.SliceOfN(rapid.IntRange(0, len(texts)-1), 0, 12).Draw(r, "texts") {
			docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: doc.OID(fmt.Sprintf("%03d", i))}}, Row: bodyRow(texts[k], "")})
			want = append(want, costs[k])
		}
		n := 0
		for left := docs; len(left) > 0; {
			var p part
			rest, err := p.fill(s, left, most)
			if err != nil {
				r.Fatal(err)
			}
			var sum int64
			for i, d := range p.puts {
				sum += want[n+i]
				if got, want := d.ID(), fmt.Sprintf("%03d", n+i); got != want {
					r.Errorf("got document %s, want %s", got, want)
				}
			}
			if len(p.puts) == 0 || p.cost != sum || p.cost > most && len(p.puts) > 1 {
				r.Fatalf("got a part of %d documents with cost %d, want one document or cost %d at most", len(p.puts), p.cost, most)
			}
			n += len(p.puts)
			left = rest
		}
		if n != len(docs) {
			r.Errorf("got %d documents in parts, want %d", n, len(docs))
		}
	})
}

// A batch that costs more than a part is written completely, with its deletes.
func TestApplyInParts(t *testing.T) {
	ix := newIndex(t, bodies)
	oid := func(i int) doc.OID { return doc.OID(fmt.Sprintf("%03d", i)) }
	apply(t, ix, []doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(999)}, V: 1}, Row: bodyRow("gone", "")}})
	before := ix.batches.Load()
	text := strings.Repeat("sevenlt ", shortText/8-1)
	n := partCost/(shortCost*len(text)) + 1
	var docs []doc.Doc
	for i := range n {
		docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(i)}, V: 2}, Row: bodyRow(text, "")})
	}
	if err := ix.Apply(docs, doc.Removals(1<<62, oid(999))); err != nil {
		t.Fatal(err)
	}
	if got := ix.batches.Load() - before; got != 2 {
		t.Errorf("got %d batches, want 2", got)
	}
	if got, err := ix.Count(); err != nil || got != uint64(n) {
		t.Errorf("got %d documents, %v; want %d", got, err, n)
	}
}

// Concurrent writes cost at most the budget. A write that costs more runs alone.
func TestBudget(t *testing.T) {
	b := newBudget(10)
	var mu sync.Mutex
	var now, most int64
	var all sync.WaitGroup
	for i := range 40 {
		cost := int64(i%7 + 1)
		if i%10 == 0 {
			cost = 1000
		}
		all.Go(func() {
			_ = b.run(cost, func() error {
				mu.Lock()
				now += min(cost, 10)
				most = max(most, now)
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				now -= min(cost, 10)
				mu.Unlock()
				return nil
			})
		})
	}
	all.Wait()
	if most > 10 {
		t.Errorf("got cost %d at once, want 10 at most", most)
	}
}

// A segment with one large document does not make the next segments allocate
// more. By default zap would assume its size for every document.
func TestLargeDocumentLeavesNoLargeBuffers(t *testing.T) {
	ix := newIndex(t, bodies)
	large := ofWords(30_000, 30_000)
	for round := range 3 {
		apply(t, ix, []doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: "large"}, V: doc.Version(round + 1)}, Row: bodyRow(large, "")}})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		apply(t, ix, []doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: "small"}, V: doc.Version(round + 1)}, Row: bodyRow("a few words", "")}})
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 32 {
			t.Errorf("small document after a large one: allocated %d MB, want 32 at most", got)
		}
	}
}
