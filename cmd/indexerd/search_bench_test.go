package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/test/sampletext"
)

// A searched is a query for the index and for FTS5. With OneWord its score has
// one part, so that both scores differ by a factor only.
type searched struct {
	Name    string
	Text    string
	Kind    string // a filter
	OneWord bool
	Tuned   bool
	Target  int // ms that p50 may take at 1,000,000 rows in the tuned order, 0 for none
	Slowest int // ms that p99 may take then, 0 for none
}

// A timed is what a query took, and what it found.
type timed struct {
	P50    float64   `json:"p50_ms"`
	P99    float64   `json:"p99_ms"`
	CPU    float64   `json:"cpu_ms"`
	Total  uint64    `json:"total"`
	Scores []float64 `json:"scores"`
}

func (t timed) String() string {
	return fmt.Sprintf("CPU %.2f ms, p50/p99 %.2f/%.2f", t.CPU, t.P50, t.P99)
}

// A query is searched so often, and for searchFor at least, so that rows change
// meanwhile. FTS5 answers it 30 times: its p99 is the longest answer.
const searchRounds, fts5Rounds = 300, 30

// searchFor is a second, or SEARCH_SECONDS.
func searchFor() time.Duration {
	if n, err := strconv.ParseFloat(os.Getenv("SEARCH_SECONDS"), 64); err == nil {
		return time.Duration(n * float64(time.Second))
	}
	return time.Second
}

// BenchmarkSearch prints what a search of the index takes, ten hits and the total,
// beside FTS5 with bm25 and count and PostgreSQL's GIN index with ts_rank and count, for a
// caller that sees all rows, 90 % and 10 % of them. All must find the same, and FTS5 must
// order the hits of a word alike in the plain order. Then it prints the tuned order, with the first words of a text as its title,
// also while 100 rows a second are written again. INDEXERD_ROWS is the number of rows.
func BenchmarkSearch(b *testing.B) {
	rows := rounds(b, "INDEXERD_ROWS", 100_000, 100_000)
	began := time.Now()
	texts := searchTexts(rows)
	words := wordsByShare(texts)
	queries := []searched{
		{Name: "rare word", Text: words(0.0001), OneWord: true},
		{Name: "common word, 7 %", Text: words(0.07), OneWord: true, Target: 5},
		{Name: "AND of two common", Text: words(0.07) + " " + words(0.08), Target: 5},
		{Name: "AND of rare, half", Text: words(0.0001) + " half"},
		{Name: "OR of two common", Text: words(0.07) + " OR " + words(0.08), Target: 15},
		{Name: "word in half", Text: "half", OneWord: true, Target: 15},
		{Name: "phrase of common", Text: `"of the"`},
		{Name: "prefix", Text: words(0.01)[:3] + "*", Slowest: 50},
		{Name: "value in 99 %", Kind: "most", Target: 5},
		{Name: "common word and value", Text: words(0.07), Kind: "most"},
	}
	fts, pg := searchFTS5(b, texts, queries), searchGIN(b, texts, queries)
	var missed []string
	miss := func(q searched, got timed, want timed) {
		b.Errorf("%s: got %d rows with scores %v, FTS5 %d with %v", q.Name, got.Total, got.Scores, want.Total, want.Scores)
		missed = append(missed, q.Name+": another answer")
	}
	plain := searchIndex(b, texts, "body")
	for i, q := range queries {
		all, most, few := searchOwn(b, plain, q, nil), searchOwn(b, plain, q, groupsFrom(0, 9)), searchOwn(b, plain, q, groupsFrom(3, 4))
		fmt.Printf("%-22s %7d rows, %v; 90 %% visible %v; 10 %% %v; FTS5 %v; GIN %.2f/%.2f\n", q.Name, all.Total, all, most, few, fts[i], pg[i].P50, pg[i].P99)
		if all.Total != fts[i].Total || q.OneWord && !proportional(all.Scores, fts[i].Scores) {
			miss(q, all, fts[i])
		}
		if pg[i].Total != fts[i].Total {
			missed = append(missed, fmt.Sprintf("%s: PostgreSQL finds %d rows of %d", q.Name, pg[i].Total, fts[i].Total))
		}
	}
	tuned := searchIndex(b, texts, "title", "body")
	for i, q := range queries {
		q.Tuned = true
		quiet := searchOwn(b, tuned, q, nil)
		stop := rewriteRows(b, tuned, texts)
		all, most := searchOwn(b, tuned, q, nil), searchOwn(b, tuned, q, groupsFrom(0, 9))
		fmt.Printf("%-22s tuned %v; with %.0f rows a second p50/p99 %.2f/%.2f, p99 %.1f times; 90 %% visible %.2f/%.2f\n",
			q.Name, quiet, stop(), all.P50, all.P99, all.P99/quiet.P99, most.P50, most.P99)
		if rows >= judgedRows {
			missed = append(missed, q.judge(quiet, all)...)
		}
		if all.Total != fts[i].Total {
			miss(q, all, fts[i])
		}
	}
	missed = append(missed, benchSearches{b, tuned, texts}.print(words)...)
	verdict := "ok"
	if len(missed) > 0 {
		verdict = "MISS: " + strings.Join(missed, "; ")
	}
	fmt.Printf("search: rows=%d queries=%d took_s=%.0f %s\n", rows, len(queries), time.Since(began).Seconds(), verdict)
}

// judgedRows is the number of rows from which the times are judged.
const judgedRows = 1_000_000

// judge returns the targets that a query missed, alone and while rows change.
func (q searched) judge(quiet, changing timed) (missed []string) {
	if q.Target > 0 && quiet.P50 > float64(q.Target) {
		missed = append(missed, fmt.Sprintf("%s: p50 %.1f ms of %d", q.Name, quiet.P50, q.Target))
	}
	if q.Slowest > 0 && quiet.P99 > float64(q.Slowest) {
		missed = append(missed, fmt.Sprintf("%s: p99 %.1f ms of %d", q.Name, quiet.P99, q.Slowest))
	}
	if changing.P99 > 2*quiet.P99 {
		missed = append(missed, fmt.Sprintf("%s: p99 %.1f times while rows change", q.Name, changing.P99/quiet.P99))
	}
	return missed
}

// searchTexts returns texts of which every other one has the word half.
func searchTexts(rows int) []string {
	some := sampletext.English(min(rows, 200_000)) // a million take too much memory
	texts := make([]string, rows)
	for i := range texts {
		texts[i] = some[i%len(some)]
		if i%2 == 0 {
			texts[i] += " half"
		}
	}
	return texts
}

// A counted is a word, and how many texts have it.
type counted struct {
	word  string
	texts int
}

// countWords lists the words of the first texts, the most frequent first: those of three
// ASCII letters or more, in lower case, which every tokenizer finds alike.
func countWords(texts []string) (words []counted, sample int) {
	sample = min(len(texts), 50_000)
	having := map[string]int{}
	for _, text := range texts[:sample] {
		fields := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.N) })
		slices.Sort(fields)
		for _, w := range slices.Compact(fields) {
			if len(w) > 2 && !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
				having[w]++
			}
		}
	}
	for w, n := range having {
		words = append(words, counted{w, n})
	}
	slices.SortFunc(words, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.texts, a.texts), strings.Compare(a.word, b.word))
	})
	return words, sample
}

// wordsByShare returns a function that returns the word that is nearest to a share
// of the texts.
func wordsByShare(texts []string) func(share float64) string {
	words, sample := countWords(texts)
	return func(share float64) string {
		apart := func(c counted) float64 { return math.Abs(float64(c.texts)/float64(sample) - share) }
		return slices.MinFunc(words, func(a, b counted) int { return cmp.Compare(apart(a), apart(b)) }).word
	}
}

func kindOf(i int) string {
	if i%100 == 0 {
		return "few"
	}
	return "most"
}

func groupsFrom(from, to int) *query.Visible {
	f := query.Filter{Field: "grp"}
	for g := from; g < to; g++ {
		f.Values = append(f.Values, fmt.Sprint("g", g))
	}
	return &query.Visible{Hidden: f.Field, Filters: []query.Filter{f}}
}

func searchIndex(b *testing.B, texts []string, columns ...string) *fulltext.Index {
	b.Helper()
	index, err := fulltext.Create(filepath.Join(b.TempDir(), columns[0]), schema.Mapping{
		Content: columns, Analyzer: "standard", Positions: true,
		Metadata: []schema.Field{{Name: "kind", Type: schema.Keyword}, {Name: "grp", Type: schema.Keyword}},
	}, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := index.Close(); err != nil {
			b.Error(err)
		}
	})
	const batch = 10_000
	for from := 0; from < len(texts); from += batch {
		var docs []doc.Doc
		for i := from; i < min(from+batch, len(texts)); i++ {
			docs = append(docs, searchDoc(b, texts, i, 1))
		}
		if err := index.Apply(docs, nil); err != nil {
			b.Fatal(err)
		}
	}
	return index
}

func searchDoc(b *testing.B, texts []string, i int, v doc.Version) doc.Doc {
	b.Helper()
	oid, err := doc.NewOID(int64(i))
	if err != nil {
		b.Error(err)
	}
	title := strings.Join(strings.Fields(texts[i])[:4], " ")
	return doc.Doc{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: v},
		Row:  doc.Row{Names: []string{"title", "body", "kind", "grp"}, Values: []any{title, texts[i], kindOf(i), fmt.Sprint("g", i%10)}},
	}
}

// rewriteRows writes rows all over the table again as they are, ten of them ten times
// a second. stop ends it and returns how many rows a second were written.
func rewriteRows(b *testing.B, index *fulltext.Index, texts []string) (stop func() float64) {
	b.Helper()
	const each, apart = 10, 7919 // a prime
	ended, stopped := make(chan int, 1), make(chan struct{})
	began := time.Now()
	go func() {
		tick := time.NewTicker(time.Second / 10)
		defer tick.Stop()
		n := 0
		defer func() { ended <- n }()
		for {
			select {
			case <-stopped:
				return
			case <-tick.C:
			}
			var docs []doc.Doc
			for range each {
				n++
				docs = append(docs, searchDoc(b, texts, n*apart%len(texts), 2))
			}
			if err := index.Apply(docs, nil); err != nil {
				b.Error(err)
				return
			}
		}
	}()
	return func() float64 {
		close(stopped)
		return float64(<-ended) / time.Since(began).Seconds()
	}
}

func searchOwn(b *testing.B, index *fulltext.Index, q searched, visible *query.Visible) (t timed) {
	b.Helper()
	req := query.Request{Query: parsed(b, q.Text), Size: 10, Visible: visible, Tuned: q.Tuned}
	if q.Kind != "" {
		req.Filters = []query.Filter{{Field: "kind", Values: []string{q.Kind}}}
	}
	return timeSearch(b, index, req)
}

func parsed(b *testing.B, text string) query.Node {
	b.Helper()
	n, err := query.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// timeSearch makes a search again and again.
func timeSearch(b *testing.B, index *fulltext.Index, req query.Request) (t timed) {
	b.Helper()
	var took []float64
	before, first := cpuUsed(b), time.Now()
	for len(took) < searchRounds || time.Since(first) < searchFor() {
		began := time.Now()
		res, err := index.Search(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began).Seconds()*1000)
		t.Total, t.Scores = res.Total, nil
		for _, h := range res.Hits {
			t.Scores = append(t.Scores, h.Score)
		}
	}
	t.CPU = (cpuUsed(b) - before).Seconds() * 1000 / float64(len(took))
	slices.Sort(took)
	t.P50, t.P99 = took[len(took)/2], took[len(took)*99/100]
	return t
}

// cpuUsed returns the processor time that this process has used.
func cpuUsed(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// searchFTS5 runs the queries in SQLite.
func searchFTS5(b *testing.B, texts []string, queries []searched) (found []timed) {
	b.Helper()
	fts, err := startPeer(b, "fts5", "python3", len(texts), func(i int) peerRow { return peerRow{Text: texts[i], Kind: kindOf(i), N: i} })
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range queries {
		found = append(found, fts.time(b, peerQuery{FTS5: q.Text, Kind: q.Kind, Rounds: fts5Rounds, Seconds: 10}))
	}
	return found
}

// proportional reports whether scores differ by a factor only. That of FTS5 is
// another idf.
func proportional(own, other []float64) bool {
	if len(own) != len(other) || len(own) == 0 {
		return false
	}
	for i := range own {
		if math.Abs(own[i]/own[0]-other[i]/other[0]) > 1e-4 {
			return false
		}
	}
	return true
}
