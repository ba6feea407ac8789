package fulltext

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	builder "indexerd/internal/index/fulltext/segment"
)

var bodies = schema.Mapping{Content: []string{"body", "more"}, Analyzer: "standard", Positions: true}

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

// segmentOf builds a segment of rows.
func segmentOf(s *schema.Schema, rows []builder.Row) (segment.Segment, error) {
	var docs []index.Document
	for _, d := range rowsOf(s).Batch(rows, nil).IndexOps {
		if d != nil {
			docs = append(docs, d)
		}
	}
	seg, _, err := new(builder.Plugin).New(docs)
	return seg, err
}

// eachPosting calls f with the terms of a field of one document.
func eachPosting(t interface{ Fatal(...any) }, s *schema.Schema, b schema.Indexed, field string, f func(term string, p segment.Posting)) {
	seg, err := segmentOf(s, []builder.Row{row(b, "id", 1)})
	if err != nil {
		t.Fatal(err)
	}
	dict, err := seg.Dictionary(schema.ContentField(field))
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
		s, err := schema.New(m)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(r *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("ab AB.é电影の_'s,\n12"))).Draw(r, "text")
			b, err := s.Build(bodyRow(text, ""), new(schema.Lists))
			if err != nil {
				r.Fatal(err)
			}
			words, distinct := s.Count(b, math.MaxInt, math.MaxInt)
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
	s, err := schema.New(bodies)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "a few words", strings.Repeat("ordinary ", 3000), ofWords(6000, 10), ofWords(6000, 5500)}
	const most = 4 << 20
	costs := make([]int64, len(texts))
	for i, text := range texts {
		b, err := s.Build(bodyRow(text, ""), new(schema.Lists))
		if err != nil {
			t.Fatal(err)
		}
		costs[i] = costOf(s, b, shortCost)
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
			rest, err := p.fill(s, left, shortCost, most)
			if err != nil {
				r.Fatal(err)
			}
			var sum int64
			for i, d := range p.puts {
				sum += want[n+i]
				if got, want := d.ID, fmt.Sprintf("%03d", n+i); got != want {
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

// manyRows returns n rows with the texts.
func manyRows(n int, text func(i int) string) (docs []doc.Doc) {
	for i := range n {
		docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: doc.OID(fmt.Sprintf("%08d", i))}, V: 1}, Row: bodyRow(text(i), "")})
	}
	return docs
}

// ordinary returns a text whose words are as frequent as those of a language.
func ordinary(random *rand.Rand, words int) string {
	zipf := rand.NewZipf(random, 1.4, 2, 1<<20)
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "word%x ", zipf.Uint64())
	}
	return b.String()
}

// No batch needs more memory than its cost, and an ordinary one not much less: else
// budgets would stand empty. Garbage is counted, which no collection may have removed.
func TestCostBoundsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and a minute with the race detector, which also allocates: run without -short")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		docs []doc.Doc
		most float64 // the cost as a multiple of the memory; 0: any
	}{
		{"no text", manyRows(2000, func(int) string { return "" }), 2},
		{"ordinary", manyRows(5000, func(int) string { return ordinary(random, 80) }), 5},
		{"ordinary, few", manyRows(fewPuts-1, func(int) string { return ordinary(random, 80) }), 0},
		{"numbers", manyRows(2000, func(i int) string { return ofNumbers(i*90, 90) }), 5},
		{"letters", manyRows(2000, func(int) string { return strings.Repeat("a ", 300) }), 5},
		{"Chinese", manyRows(2000, func(int) string { return strings.Repeat("电影 ", 100) }), 5},
		{"long, letters", manyRows(10, func(int) string { return strings.Repeat("a b c ", 8000) }), 0},
		{"long, one word", manyRows(10, func(int) string { return ofWords(50_000, 1) }), 0},
		{"long, some words", manyRows(10, func(int) string { return ofWords(50_000, 1000) }), 0},
		{"long, numbers", manyRows(10, func(i int) string { return ofNumbers(i*20_000, 20_000) }), 0},
		{"very long", manyRows(1, func(int) string { return ofNumbers(0, 300_000) }), 0},
	} {
		for _, analyzer := range []string{"standard", "en", "cjk", "ngram"} {
			for _, positions := range []bool{true, false} {
				s, err := schema.New(schema.Mapping{Content: []string{"body", "more"}, Analyzer: analyzer, Positions: positions})
				if err != nil {
					t.Fatal(err)
				}
				cost, took := buildingTakes(t, s, c.docs)
				if took > cost || c.most > 0 && float64(cost) > c.most*float64(took) {
					t.Errorf("%s, %s, positions %v: cost %d, building took %d bytes: want a cost of 1 to %.0f times as much", c.name, analyzer, positions, cost, took, c.most)
				}
			}
		}
	}
}

// ofNumbers returns a text of n numbers from the first one.
func ofNumbers(first, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d ", first+i)
	}
	return b.String()
}

// buildingTakes returns the cost of documents, and the bytes that a new builder
// allocates to build a segment of them.
func buildingTakes(t *testing.T, s *schema.Schema, docs []doc.Doc) (cost, took int64) {
	t.Helper()
	perByte, err := costOfByte(s, docs)
	if err != nil {
		t.Fatal(err)
	}
	var p part
	if _, err := p.fill(s, docs, perByte, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	runtime.GC() // twice empties the pool of builders
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seg, err := segmentOf(s, p.puts)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(seg)
	return p.cost, int64(after.TotalAlloc - before.TotalAlloc)
}

// A full batch of ordinary rows is one part, and so one segment.
func TestFullBatchIsOnePart(t *testing.T) {
	s, err := schema.New(bodies)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	docs := manyRows(10_000, func(int) string { return ordinary(random, 80) })
	perByte, err := costOfByte(s, docs)
	if err != nil {
		t.Fatal(err)
	}
	var p part
	rest, err := p.fill(s, docs, perByte, partCost)
	if err != nil || len(rest) > 0 || p.cost >= collectAfter {
		t.Errorf("got a part of %d of %d documents, cost %d, %v; want all, below %d", len(p.puts), len(docs), p.cost, err, int64(collectAfter))
	}
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
