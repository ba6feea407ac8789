package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A beside is a search of the daemon, and the same one of its peers.
type beside struct {
	name   string
	text   string // in the language of the daemon and of FTS5
	like   string // in tantivy's
	from   int    // of n, to
	to     int    // 0: any n
	newest bool
}

// besideRounds is how often each engine measures a search, one after the other.
const besideRounds = 5

// What a search may take beside tantivy's time, and what it may always take.
const (
	besideRatio = 1.5
	besideMS    = 2.0
)

// BenchmarkSearchBeside prints what searches take that are answered by a daemon over HTTP,
// with the fields of ten hits, their highlights and the total, beside tantivy and SQLite's
// FTS5, which search the same texts in a process of their own, with the total and the texts
// of ten hits. It prints medians of five interleaved measurements. All must find as many
// rows: of the texts only words of ASCII letters are left, which all engines split alike,
// with the default analyzers of the daemon and of tantivy. INDEXERD_ROWS is the number of rows.
func BenchmarkSearchBeside(b *testing.B) {
	rows := rounds(b, "INDEXERD_ROWS", 100_000, 100_000)
	began := time.Now()
	all := besideTexts(b, rows)
	row := func(i int) peerRow { return peerRow{all[i].Text, all[i].Kind, i, all[i].T} }
	fts, err := startPeer(b, "fts5", "python3", rows, row)
	if err != nil {
		fmt.Printf("FTS5: not run: %v\n", err)
	}
	var tantivy *searchPeer
	python, missing := tantivyPython()
	if missing == "" {
		if tantivy, err = startPeer(b, "tantivy", python, rows, row); err != nil {
			missing = err.Error()
		}
	}
	if missing != "" {
		fmt.Printf("tantivy: not run: %s\n", missing)
	}
	p := start(b, "run", "-c", writeFile(b, textConfig(textTable(b, all), filepath.Join(b.TempDir(), "data"))))
	p.readyWithin(b, time.Hour)
	settledCPU(b, p, func() {})
	var missed []string
	for _, q := range besideSearches(all) {
		missed = append(missed, q.print(b, p, tantivy, fts, rows)...)
	}
	verdict := "ok"
	if len(missed) > 0 {
		verdict = "MISS: " + strings.Join(missed, "; ")
	}
	fmt.Printf("search-beside: rows=%d took_s=%.0f %s\n", rows, time.Since(began).Seconds(), verdict)
}

// besideTexts are up to 200,000 texts, again and again, of 500 bytes and with dates in a
// random order.
func besideTexts(b *testing.B, rows int) []bodyText {
	b.Helper()
	some := peerTexts(b, min(rows, 200_000))
	for i := range some {
		text := commonWords(some[i].Text)
		some[i].Text = text[:min(len(text), 500)]
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]bodyText, rows)
	for i := range all {
		all[i] = some[i%len(some)]
		all[i].OID, all[i].N, all[i].T = int64(i+1), int64(i), 1_500_000_000+random.Int64N(100_000_000)
	}
	return all
}

// joinedWord is a word with an upper-case letter that is not the first.
var joinedWord = regexp.MustCompile(`[A-Za-z]+[A-Z][A-Za-z]*`)

// commonWords returns a text of which all engines have the same words: ASCII letters
// between spaces or the marks of a sentence.
func commonWords(text string) string {
	plain := []byte(text)
	for i, c := range plain {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		ends := i+1 == len(plain) || plain[i+1] == ' ' || plain[i+1] == '\n'
		if !letter && !(ends && strings.IndexByte(".,;:!?\n", c) >= 0) {
			plain[i] = ' '
		}
	}
	return string(joinedWord.ReplaceAllFunc(plain, bytes.ToLower))
}

// besideSearches are the searches, with words by their share of the texts.
func besideSearches(all []bodyText) []beside {
	texts := make([]string, min(len(all), 50_000))
	for i := range texts {
		texts[i] = all[i].Text
	}
	words, share := wordsByShare(texts), func(f float64) string { return fmt.Sprintf("word in %g %%", 100*f) }
	counted, _ := countWords(texts)
	var frequent, middle []string
	for i := range 32 {
		frequent = append(frequent, counted[min(30+3*i, len(counted)-1)].word)
		middle = append(middle, counted[min(300+30*i, len(counted)-1)].word)
	}
	one, two := words(0.08), words(0.1)
	or := func(words ...string) string { return strings.Join(words, " OR ") }
	several := func(words ...string) string { return strings.Join(words, " ") }
	return []beside{
		{name: share(0.8), text: words(0.8), like: words(0.8)},
		{name: share(0.04), text: words(0.04), like: words(0.04)},
		{name: share(0.001), text: words(0.001), like: words(0.001)},
		{name: "AND of two", text: one + " " + two, like: "+" + one + " +" + two},
		{name: "OR of two", text: or(one, two), like: several(one, two)},
		{name: "OR of 32 frequent", text: or(frequent...), like: several(frequent...)},
		{name: "OR of 32 middle", text: or(middle...), like: several(middle...)},
		{name: "phrase of two common", text: `"of the"`, like: `"of the"`},
		{name: "word and number range", text: one, like: one, from: len(all) / 4, to: len(all) / 2},
		{name: "all, newest first", newest: true},
		{name: "word in 80 %, newest", text: words(0.8), like: words(0.8), newest: true},
		{name: "word in 10 %, newest", text: two, like: two, newest: true},
	}
}

// print measures a search in each engine, and returns what is wrong.
func (q beside) print(b *testing.B, p *proc, tantivy, fts *searchPeer, rows int) (missed []string) {
	b.Helper()
	asked := peerQuery{FTS5: q.text, Tantivy: q.like, From: q.from, To: q.to, Newest: q.newest, Rounds: math.MaxInt32, Seconds: searchFor().Seconds() / besideRounds}
	address := p.base + "/api/v1/tables/text/search?" + q.params().Encode()
	var ours, tantivys, ftss []timed
	for range besideRounds {
		ours = append(ours, timeHTTP(b, p, address))
		if tantivy != nil {
			tantivys = append(tantivys, tantivy.time(b, asked))
		}
		if fts != nil {
			ftss = append(ftss, fts.time(b, asked))
		}
	}
	us := medianTimed(ours)
	line := fmt.Sprintf("%-22s %7d rows, %v", q.name, us.Total, us)
	for name, measured := range map[string][]timed{"tantivy": tantivys, "FTS5": ftss} {
		if len(measured) > 0 && measured[0].Total != us.Total {
			b.Errorf("%s: got %d rows, %s %d", q.name, us.Total, name, measured[0].Total)
			missed = append(missed, fmt.Sprintf("%s: another total than %s", q.name, name))
		}
	}
	if len(tantivys) > 0 {
		them := medianTimed(tantivys)
		line += fmt.Sprintf("; tantivy CPU %.2f, p50 %.2f, ratio %.2f/%.2f", them.CPU, them.P50, us.CPU/them.CPU, us.P50/them.P50)
		if most := max(besideMS, besideRatio*them.P50); rows >= judgedRows && us.P50 > most {
			missed = append(missed, fmt.Sprintf("%s: p50 %.1f ms of %.1f", q.name, us.P50, most))
		}
	}
	if len(ftss) > 0 {
		them := medianTimed(ftss)
		line += fmt.Sprintf("; FTS5 CPU %.2f, p50 %.2f, ratio %.2f/%.2f", them.CPU, them.P50, us.CPU/them.CPU, us.P50/them.P50)
	}
	fmt.Println(line)
	return missed
}

// params are those of a search over HTTP.
func (q beside) params() url.Values {
	v := url.Values{"q": {q.text}}
	if q.to > 0 {
		v.Set("q", fmt.Sprintf("%s n:[%d TO %d]", q.text, q.from, q.to))
	}
	if q.newest {
		v.Set("sort", "-written")
	}
	return v
}

// timeHTTP asks the daemon for a fifth of searchFor, at least ten times.
func timeHTTP(b *testing.B, p *proc, address string) (t timed) {
	b.Helper()
	before, first := p.cpu(b), time.Now()
	var took []float64
	var answer []byte
	for len(took) < 10 || time.Since(first) < searchFor()/besideRounds {
		began := time.Now()
		response, err := http.Get(address)
		if err != nil {
			b.Fatal(err)
		}
		answer, err = io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%s: status %d: %s: %v", address, response.StatusCode, answer, err)
		}
		took = append(took, time.Since(began).Seconds()*1000)
	}
	t.CPU = (p.cpu(b) - before) * 1000 / float64(len(took))
	if err := json.Unmarshal(answer, &t); err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	t.P50, t.P99 = took[len(took)/2], took[len(took)*99/100]
	return t
}

// medianTimed has the medians of several measurements of a search.
func medianTimed(all []timed) timed {
	median := func(of func(timed) float64) float64 {
		sorted := slices.SortedFunc(slices.Values(all), func(a, b timed) int { return cmp.Compare(of(a), of(b)) })
		return of(sorted[len(sorted)/2])
	}
	return timed{
		P50: median(func(t timed) float64 { return t.P50 }), P99: median(func(t timed) float64 { return t.P99 }), CPU: median(func(t timed) float64 { return t.CPU }),
		Total: all[len(all)-1].Total,
	}
}
