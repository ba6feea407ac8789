package apidiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// number returns a number of the environment.
func number(t testing.TB, name string, without int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(without)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func decode(text string) (m map[string]any) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		panic(err) // the generator made it
	}
	return m
}

// A tally counts requests by outcome.
type tally struct {
	equal, listed, unsupported, failed int
	names                              map[string]int // of what is unsupported
	reasons                            map[string]int // of accepted differences
}

// Random requests get the same answers from the API and from OpenSearch.
// APIDIFF_N is their number, APIDIFF_SEED the seed.
func TestSameAsOpenSearch(t *testing.T) {
	n, seed := number(t, "APIDIFF_N", 200), number(t, "APIDIFF_SEED", 1)
	c := newCorpus(t, number(t, "APIDIFF_DOCS", 2000))
	p := start(t, c)
	var count tally
	count.names, count.reasons = map[string]int{}, map[string]int{}
	for i := range n {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i))), corpus: c}
		r := g.request()
		r.release = p.release
		p.try(i, r, &count)
	}
	print(count.names, "unsupported")
	print(count.reasons, "listed")
	verdict := "ok"
	if count.failed > 0 || count.unsupported > 0 {
		verdict = "MISS"
		if os.Getenv("APIDIFF_N") != "" {
			t.Fail() // the requests of make test may be refused, and not answered otherwise
		}
	}
	fmt.Printf("osapi-diff: requests=%d seed=%d equal=%d listed=%d differ=%d unsupported=%d %s\n", n, seed, count.equal, count.listed, count.failed, count.unsupported, verdict)
}

func print(numbers map[string]int, what string) {
	for _, name := range slices.SortedFunc(keys(numbers), func(a, b string) int { return cmp.Or(numbers[b]-numbers[a], strings.Compare(a, b)) }) {
		fmt.Printf("%s %6d  %s\n", what, numbers[name], name)
	}
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// try sends one request, and what continues it, to both servers.
func (p *pair) try(i int, r request, count *tally) {
	p.t.Helper()
	own, node := p.answers(p.own, r), p.answers(p.node, r)
	if r.refusal != "" {
		if !isRefused(r, own) {
			count.failed++
			p.report(i, r, []string{"status"}, own, node)
			return
		}
		count.listed++
		count.reasons["refused: "+r.refusal]++
		return
	}
	aspects := differences(viewOf(r, own), viewOf(r, node))
	if len(aspects) == 0 {
		if more, ok := next(r, node); ok {
			p.try(i, more, count)
			return
		}
		count.equal++
		return
	}
	if reason := refusal(own); reason != "" && node.status < 400 {
		count.unsupported++
		count.names[reason]++
		return
	}
	if reason := p.listed(r, aspects); reason != "" {
		count.listed++
		count.reasons[reason]++
		return
	}
	count.failed++
	p.report(i, r, aspects, own, node)
}

// refusal returns by which name a request, or one of several, is refused as not
// supported.
func refusal(a answer) string {
	for _, one := range items(a.body["responses"]) {
		if name := refusal(answer{status: int(one["status"].(float64)), body: one}); name != "" {
			return name
		}
	}
	if a.status != http.StatusBadRequest && a.status != http.StatusMethodNotAllowed {
		return ""
	}
	e, _ := a.body["error"].(map[string]any)
	reason, _ := e["reason"].(string)
	for _, mark := range []string{" is not supported", "does not support", "no handler found", "not supported", "unknown query [", "cannot accept sub-aggregations"} {
		if at := strings.Index(reason, mark); at >= 0 {
			end := strings.IndexAny(reason[at:], ";:")
			if end < 0 {
				return reason
			}
			return reason[:at+end]
		}
	}
	return ""
}

func (p *pair) report(i int, r request, aspects []string, own, node answer) {
	p.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "request %d %v: %s\n\tdiffers in %v", i, r.features, r, aspects)
	a, o := viewOf(r, own), viewOf(r, node)
	for _, aspect := range aspects {
		fmt.Fprintf(&b, "\n\t%s: got %.700s\n\twant %.700s", aspect, text(a[aspect]), text(o[aspect]))
	}
	if own.status >= 400 || node.status >= 400 {
		fmt.Fprintf(&b, "\n\tgot  %.400s\n\twant %.400s", own.text, node.text)
	}
	if own.status >= 400 && os.Getenv("APIDIFF_N") == "" {
		p.t.Log(b.String())
	} else {
		p.t.Error(b.String())
	}
}
