package demo

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A grammar generates text. It maps a rule to its productions, in which {rule} is
// another rule and {10-40} a number.
type grammar map[string][]string

// The grammars of an order.
var (
	//go:embed english.txt
	english string
	//go:embed chinese.txt
	chinese string
)

// grammarOf reads a grammar. A line has a rule, a colon and its productions, with bars
// between them; or the lines that follow it are indented and have them.
func grammarOf(text string) grammar {
	g, rule := grammar{}, ""
	for line := range strings.Lines(text) {
		if name, productions, found := strings.Cut(line, ":"); found && !strings.HasPrefix(line, " ") {
			rule, line = name, productions
		}
		if line = strings.TrimSpace(line); line != "" {
			g[rule] = append(g[rule], strings.Split(line, " | ")...)
		}
	}
	return g
}

// expand generates a text by a rule.
func (g grammar) expand(r *rand.Rand, rule string) string {
	var b strings.Builder
	g.write(&b, r, rule)
	return b.String()
}

func (g grammar) write(b *strings.Builder, r *rand.Rand, rule string) {
	rest := pick(r, g[rule])
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return
		}
		inner, after, _ := strings.Cut(after, "}")
		if low, high, ok := numbers(inner); ok {
			b.WriteString(strconv.Itoa(low + r.IntN(high-low+1)))
		} else {
			g.write(b, r, inner)
		}
		rest = after
	}
}

// numbers parses a range such as 10-40.
func numbers(s string) (low, high int, ok bool) {
	n, err := fmt.Sscanf(s, "%d-%d", &low, &high)
	return low, high, n == 2 && err == nil
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// random returns the random numbers of one order. They do not depend on the
// number of orders.
func random(seed uint64, id int64) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(id))) }
