package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/query"
)

// benchSearches are searches in the tuned order that have nothing beside them in FTS5.
type benchSearches struct {
	b     *testing.B
	index *fulltext.Index
	texts []string
}

// print prints what searches take while a query is typed, with synonyms, with filters
// that are kept, sorted by values, with facets, and of several clients at once. It
// returns the targets that were missed.
func (s benchSearches) print(words func(share float64) string) (missed []string) {
	common, other := words(0.07), words(0.08)
	missed = s.typing(common, other)
	synonyms := query.Synonym{Word: query.Word{Text: common}, Texts: []string{common, other, words(0.0001), "of the"}}
	s.line("word with synonyms", query.Request{Query: synonyms, Size: 10, Tuned: true})
	s.filters(query.Request{Query: parsed(s.b, words(0.0001)), Size: 10, Tuned: true})
	s.line("all by a keyword", query.Request{Size: 10, Sort: []query.Sort{{Field: "grp", Descending: true}}})
	s.line("all by two keywords", query.Request{Size: 10, Sort: []query.Sort{{Field: "kind"}, {Field: "grp"}}})
	s.line("two facets of all", query.Request{Facets: []query.Facet{{Field: "grp", Size: 10}, {Field: "kind", Size: 10}}})
	s.line("a facet of a word", query.Request{Query: parsed(s.b, common), Size: 10, Tuned: true, Facets: []query.Facet{{Field: "grp", Size: 10}}})
	for _, changing := range []bool{false, true} {
		for name, visible := range map[string]*query.Visible{"all": nil, "90 %": groupsFrom(0, 9)} {
			s.clients(changing, name, query.Request{Query: parsed(s.b, common+" "+other), Size: 10, Tuned: true, Visible: visible})
		}
	}
	return missed
}

func (s benchSearches) line(name string, req query.Request) {
	t := timeSearch(s.b, s.index, req)
	fmt.Printf("%-22s %7d rows, %v\n", name, t.Total, t)
}

// typingTarget is what a search may take while a query is typed, in ms.
const typingTarget = 10

// typing types a word after another.
func (s benchSearches) typing(first, word string) (missed []string) {
	for n := 2; n <= len(word); n++ {
		text := first + " " + word[:n]
		t := timeSearch(s.b, s.index, query.Request{Query: query.Typing(parsed(s.b, text), text), Size: 10, Tuned: true})
		fmt.Printf("typing %-15s %7d rows, %v\n", text, t.Total, t)
		if len(s.texts) >= judgedRows && t.P50 > typingTarget {
			missed = append(missed, fmt.Sprintf("typing %s: p50 %.1f ms of %d", text, t.P50, typingTarget))
		}
	}
	return missed
}

// filters prints the first searches with a filter, and later ones. A filter in another
// order is another one.
func (s benchSearches) filters(req query.Request) {
	for name, share := range map[string]int{"90 %": 9, "10 %": 1} {
		req.Visible = groupsFrom(0, share)
		later := timeSearch(s.b, s.index, req)
		var first float64
		const times = 5
		for i := range times {
			req.Visible = groupsFrom(0, share)
			values := &req.Visible.Filters[0].Values
			*values = append(*values, fmt.Sprint("none", i))
			began := time.Now()
			if _, err := s.index.Search(s.b.Context(), req); err != nil {
				s.b.Fatal(err)
			}
			first += time.Since(began).Seconds() * 1000 / times
		}
		fmt.Printf("rare word, %s visible: filter not kept %.2f ms, kept %v\n", name, first, later)
	}
}

// clients prints how many searches a second 1, 2 and 4 clients make that see a share of
// the rows, and how long these take.
func (s benchSearches) clients(changing bool, visible string, req query.Request) {
	stop := func() float64 { return 0 }
	if changing {
		stop = rewriteRows(s.b, s.index, s.texts)
	}
	line := ""
	for _, n := range []int{1, 2, 4} {
		lasting := 2 * searchFor()
		took := make([][]float64, n)
		var done sync.WaitGroup
		began := time.Now()
		for i := range took {
			done.Go(func() {
				for time.Since(began) < lasting {
					at := time.Now()
					if _, err := s.index.Search(s.b.Context(), req); err != nil {
						s.b.Error(err)
						return
					}
					took[i] = append(took[i], time.Since(at).Seconds()*1000)
				}
			})
		}
		done.Wait()
		seconds := time.Since(began).Seconds()
		all := slices.Sorted(slices.Values(slices.Concat(took...)))
		if len(all) == 0 {
			return
		}
		line += fmt.Sprintf("; %d clients %.0f, p50/p99 %.2f/%.2f ms", n, float64(len(all))/seconds, all[len(all)/2], all[len(all)*99/100])
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("AND of two common, %s visible, searches a second, %.0f rows a second changing%s; load of the machine %.4s\n", visible, stop(), line, load)
}
