// Package typed judges a handler of searches by what people type and paste into a search
// box: words that are not typed to their end, with slips, URLs, part numbers, lines of a
// log, operators without meaning, other scripts, and bytes. Every text is answered.
//
// TYPED_N is how many texts a test sends, TYPED_DOCS how many documents it searches, and
// SEED repeats a run.
package typed

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/sampletext"
)

// Mapping is that of the documents of Docs.
var Mapping = schema.Mapping{
	Content: []string{"title", "body"}, Analyzer: "standard", AnalysisVersion: analysis.Latest, Positions: true,
	Metadata: []schema.Field{{Name: "rating", Type: schema.Keyword}, {Name: "year", Type: schema.Number}, {Name: "seen", Type: schema.Date}},
}

// Docs returns n documents: about 400 bytes of text, some of it as people paste it.
func Docs(t testing.TB, n int) []doc.Doc {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	docs := make([]doc.Doc, n)
	for i, text := range sampletext.English(n) {
		oid, err := doc.NewOID(int64(i))
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = doc.Doc{
			Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: doc.Version(i + 1)},
			Row: doc.Row{
				Names:  []string{"title", "body", "rating", "year", "seen"},
				Values: []any{text[:min(len(text), 20+r.IntN(20))], text + " " + Pasted(r), fmt.Sprint("r", i%5), int64(1900 + i%150), time.Unix(int64(i)*86400, 0).UTC().Format(time.RFC3339)},
			},
		}
		docs[i].Row.Values[0] = validText(docs[i].Row.Values[0].(string))
	}
	return docs
}

// allowed is what an answer may take.
const allowed = 200 * time.Millisecond

// again is how often a slow answer is asked for again: a busy machine makes any answer
// slow once.
const again = 3

// shown is how many of the slowest answers are printed.
const shown = 10

// An answer is what the ith text took.
type answer struct {
	i         int
	took, cpu time.Duration // of this process
}

// own returns what an answer took, without the time in which other programs had the
// processors.
func (a answer) own() time.Duration { return min(a.took, a.cpu) }

func (a answer) isSlow() bool { return a.own() > allowed }

// Judge sends N texts, one by one, and fails for one that is not answered with 200.
// Only if TYPED_N is set it fails for a slow one too: the last line has what answers take.
func Judge(t *testing.T, h http.Handler, request func(q string, r *rand.Rand) *http.Request, docs []doc.Doc) {
	n, err := strconv.Atoi(os.Getenv("TYPED_N"))
	measured := err == nil
	if !measured {
		n = 300
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), strconv.Itoa(int(time.Now().UnixNano())%1_000_000)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(q string, i int) (answer, *httptest.ResponseRecorder) {
		req, w := request(q, rand.New(rand.NewPCG(seed, uint64(i)))), httptest.NewRecorder()
		cpu, began := cpuTime(t), time.Now()
		h.ServeHTTP(w, req)
		return answer{i, time.Since(began), cpuTime(t) - cpu}, w
	}
	took, slow, bad := make([]answer, 0, n), 0, 0
	cpu := cpuTime(t)
	for i := range n {
		q := Draw(rand.New(rand.NewPCG(seed, uint64(i)+1<<32)), docs)
		a, w := ask(q, i)
		if w.Code != http.StatusOK {
			bad++
			t.Errorf("text %d of seed %d: %d: %.200s\n%.300q", i, seed, w.Code, w.Body, q)
		}
		for tries := 0; a.isSlow() && tries < again && measured; tries++ {
			if once, _ := ask(q, i); once.took < a.took {
				a = once
			}
		}
		if took = append(took, a); a.isSlow() {
			slow++
		}
	}
	cpu = cpuTime(t) - cpu
	slices.SortFunc(took, func(a, b answer) int { return cmp.Compare(a.own(), b.own()) })
	for _, a := range took[n-min(n, shown):] {
		t.Logf("text %d of seed %d: %v, cpu %v: %.200q", a.i, seed, a.took, a.cpu, Draw(rand.New(rand.NewPCG(seed, uint64(a.i)+1<<32)), docs))
	}
	slices.SortFunc(took, func(a, b answer) int { return cmp.Compare(a.took, b.took) })
	verdict := "ok"
	if bad > 0 || slow > 0 && measured {
		verdict = "MISS"
		t.Fail()
	}
	t.Logf("typed: texts=%d docs=%d seed=%d not-answered=%d over-200ms=%d p50=%.2fms p99=%.2fms max=%.1fms cpu=%.2fms-each %s", n, len(docs), seed, bad, slow,
		ms(took[n/2].took), ms(took[n*99/100].took), ms(took[n-1].took), ms(cpu)/float64(n), verdict)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// cpuTime returns the processor time of this process.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
