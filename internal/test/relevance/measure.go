package main

import (
	"cmp"
	"math"
	"slices"
)

// ndcg is the normalized discounted cumulative gain of the first ten hits (Järvelin and
// Kekäläinen, 2002), with 2^gain-1 as the gain of a document.
func ndcg(hits []int, gains map[int]int) float64 {
	var got []int
	for _, h := range hits {
		got = append(got, gains[h])
	}
	var ideal []int
	for _, g := range gains {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b int) int { return cmp.Compare(b, a) })
	return dcg(got) / dcg(ideal)
}

func dcg(gains []int) (sum float64) {
	for i, g := range gains[:min(10, len(gains))] {
		sum += (math.Exp2(float64(g)) - 1) / math.Log2(float64(i+2))
	}
	return sum
}

// averagePrecision is the mean of the precision at each relevant document, 0 at those
// that are not found.
func averagePrecision(hits []int, gains map[int]int) float64 {
	found, sum := 0.0, 0.0
	for i, h := range hits {
		if gains[h] > 0 {
			found++
			sum += found / float64(i+1)
		}
	}
	return sum / float64(len(gains))
}
