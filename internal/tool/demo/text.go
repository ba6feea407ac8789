package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A grammar generates text. It maps a rule to its productions, in which {rule} is
// another rule and {10-40} a number.
type grammar map[string][]string

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
