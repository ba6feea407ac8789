package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A grammar makes text: a rule is replaced by one of its productions, in
// which {rule} stands for another rule and {10-40} for a number.
type grammar map[string][]string

// expand makes a text of a rule.
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

// numbers reads "10-40".
func numbers(s string) (low, high int, ok bool) {
	n, err := fmt.Sscanf(s, "%d-%d", &low, &high)
	return low, high, n == 2 && err == nil
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// random is the randomness of one order, or of one change, and of no other, so
// that each is the same however many there are.
func random(seed uint64, id int64) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(id))) }
