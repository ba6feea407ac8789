package main

import (
	"fmt"
	"slices"
)

// most is the highest ratio of new to old that is ok.
const most = 1.05

// A series has the usage of each round, of the old and of the new commit.
type series [2][]usage

// line returns the result in words, and whether it is ok.
func (s series) line(rows int, server bool) (text string, ok bool) {
	older, newer := s.medians(daemonTime)
	var ratios []float64
	for i := range s[0] {
		ratios = append(ratios, s[1][i].daemon/s[0][i].daemon)
	}
	verdict := "ok"
	if ok = newer <= most*older; !ok {
		verdict = "MISS"
	}
	perRow := 1e6 / float64(rows)
	text = fmt.Sprintf("daemon %6.2f %6.2f  %.3f (%.3f to %.3f)", older*perRow, newer*perRow, newer/older, slices.Min(ratios), slices.Max(ratios))
	if server {
		older, newer := s.medians(serverTime)
		text += fmt.Sprintf("  server %6.2f %6.2f  %.3f", older*perRow, newer*perRow, newer/older)
	}
	return text + "  " + verdict, ok
}

func (s series) medians(of func(usage) float64) (older, newer float64) {
	return median(s[0], of), median(s[1], of)
}

func median(all []usage, of func(usage) float64) float64 {
	values := make([]float64, len(all))
	for i, u := range all {
		values[i] = of(u)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
