package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/query"
)

// The types of Searcher.Types.
const (
	typeKeyword = "keyword"
	typeNumber  = "number"
	typeDate    = "date"
	typeBoolean = "boolean"
)

// withIntervals returns a search whose facets may also be of numbers, dates and booleans.
// A facet of numbers or dates has at most Size intervals of the same length, from the
// least to the greatest value of the matches: the interval needs a search for these first.
func (a asked) withIntervals(find searchFunc) searchFunc {
	return func(ctx context.Context, p Params, n query.Node) (Results, error) {
		counted, others, err := a.splitFacets(p.Facets)
		if err != nil || len(others) == 0 {
			if err != nil {
				return Results{}, err
			}
			return find(ctx, p, n)
		}
		ends, err := a.ends(ctx, find, p, n, others)
		if err != nil {
			return Results{}, err
		}
		own := len(p.Aggs)
		p.Facets, p.Aggs = counted, slices.Clone(p.Aggs)
		for i, f := range others {
			p.Aggs = append(p.Aggs, query.Agg{Of: f.agg(ends[i])})
		}
		r, err := find(ctx, p, n)
		if err != nil {
			return Results{}, err
		}
		for i, f := range others {
			r.Facets[f.Field] = f.counts(ends[i], r.Aggs[own+i])
		}
		r.Aggs = r.Aggs[:own]
		return r, nil
	}
}

// A typedFacet is a facet of numbers, dates or booleans.
type typedFacet struct {
	query.Facet
	of string // the type
}

// splitFacets separates the facets that the index counts from those of other types. A
// field that has several types in the tables is left to the index.
func (a asked) splitFacets(facets []query.Facet) (counted []query.Facet, others []typedFacet, err error) {
	for _, f := range facets {
		of := ""
		for _, part := range a.parts {
			visible, _ := part.forCaller(part.Caller)
			switch t := visible.typeOf(f.Field); {
			case t == "" || t == of:
			case of == "":
				of = t
			default:
				of = typeKeyword
			}
		}
		if of == "" || of == typeKeyword {
			counted = append(counted, f)
			continue
		}
		if f.Size < 1 || f.Size > query.MaxCounts {
			return nil, nil, badQuery("write the number of values to return", "facet %s: %d values, not 1 to %d", f.Field, f.Size, query.MaxCounts)
		}
		others = append(others, typedFacet{f, of})
	}
	if len(facets) > query.MaxFacets {
		return facets, nil, nil // which the index rejects
	}
	return counted, others, nil
}

// typeOf returns the type of the values of a field, "" if it is not searched by value.
func (s *Searcher) typeOf(field string) string {
	if slices.Contains(s.Metadata, field) || slices.ContainsFunc(s.Children, func(c Child) bool { return c.Name == field }) {
		return s.Types[field]
	}
	return ""
}

// ends returns the least and the greatest value of each facet among the matches.
func (a asked) ends(ctx context.Context, find searchFunc, p Params, n query.Node, facets []typedFacet) ([]query.Stats, error) {
	q := Params{Filters: p.Filters, Post: p.Post, Fresh: new(bool), Caller: p.Caller}
	for _, f := range facets {
		q.Aggs = append(q.Aggs, query.Agg{Of: query.StatsAgg{Field: f.Field}})
	}
	if !slices.ContainsFunc(facets, func(f typedFacet) bool { return f.of != typeBoolean }) {
		return make([]query.Stats, len(facets)), nil
	}
	r, err := find(ctx, q, n)
	if err != nil {
		return nil, err
	}
	ends := make([]query.Stats, len(facets))
	for i := range facets {
		ends[i] = r.Aggs[i].Stats
	}
	return ends, nil
}

// agg returns the aggregation that counts a facet.
func (f typedFacet) agg(ends query.Stats) query.AggKind {
	switch f.of {
	case typeBoolean:
		return query.TermsAgg{Field: f.Field, Size: 2, MinCount: 1}
	case typeDate:
		return query.DatesAgg{Field: f.Field, Interval: f.dates(ends).interval}
	}
	// Not a histogram, which divides: the filter of an interval compares, and finds as many.
	bounds := f.bounds(ends)
	ranges := make([]query.Span64, len(bounds)-1)
	for i := range ranges {
		ranges[i] = query.Span64{From: bounds[i], To: bounds[i+1]}
	}
	return query.RangesAgg{Field: f.Field, Ranges: ranges}
}

// counts returns the facet from its aggregation.
func (f typedFacet) counts(ends query.Stats, r query.AggResult) []query.Count {
	switch f.of {
	case typeBoolean:
		return booleanCounts(r)
	case typeDate:
		return f.dates(ends).counts(r)
	}
	counts := []query.Count{}
	if ends.Count == 0 {
		return counts
	}
	bounds := f.bounds(ends)
	for i, b := range r.Buckets {
		from, to := bounds[i], bounds[i+1]
		counts = append(counts, query.Count{Value: between(number(from), number(to)), From: from, To: to, Count: int(b.Count)})
	}
	return counts
}

func booleanCounts(r query.AggResult) []query.Count {
	counts := make([]query.Count, len(r.Buckets))
	for i, b := range r.Buckets {
		counts[i] = query.Count{Value: strconv.FormatBool(b.Key[0].Number != 0), Count: int(b.Count)}
	}
	slices.SortFunc(counts, query.Count.Compare)
	return counts
}

// between is the value of a filter that finds an interval.
func between(from, to string) string { return fmt.Sprintf(">=%s <%s", from, to) }

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// rounded removes the error of a multiplication from a multiple of step.
func rounded(n, step float64) float64 {
	places := max(0, int(math.Ceil(-math.Log10(step)))+1)
	if places > 15 || math.Abs(n) > 1e15 {
		return n
	}
	exact, err := strconv.ParseFloat(strconv.FormatFloat(n, 'f', places, 64), 64)
	if err != nil {
		return n
	}
	return exact
}

// bounds returns the bounds of the intervals, of which there are at most Size: multiples of
// the shortest of 1, 2, 5, 10 and so on, and their fractions, that is long enough. Whole
// numbers have no fractions.
func (f typedFacet) bounds(ends query.Stats) (bounds []float64) {
	step, first, n := f.grid(ends)
	for i := range n + 1 {
		bounds = append(bounds, multiple(first+float64(i), step))
	}
	return bounds
}

// grid returns the length of the intervals, the first as a multiple of it, and how many
// there are.
func (f typedFacet) grid(ends query.Stats) (step, first float64, n int) {
	whole := ends.Min == math.Trunc(ends.Min) && ends.Max == math.Trunc(ends.Max) && ends.Sum == math.Trunc(ends.Sum)
	width := ends.Max - ends.Min
	if ends.Count == 0 || width == 0 || math.IsInf(width, 0) {
		step = max(1, math.Pow(10, math.Floor(math.Log10(max(1, math.Abs(ends.Max))))-14))
		first, n = span(ends, step)
		return step, first, min(n, 1)
	}
	power := math.Floor(math.Log10(width / float64(f.Size)))
	if whole {
		power = max(power, 0)
	}
	for ; ; power++ {
		for _, digit := range []float64{1, 2, 5} {
			step = digit * math.Pow(10, power)
			if step == 0 {
				continue
			}
			// Values on both sides of 0 are never in one.
			if first, n = span(ends, step); n <= f.Size || f.Size == 1 && step > max(math.Abs(ends.Max), math.Abs(ends.Min)) {
				return step, first, n
			}
		}
	}
}

// largestMultiple is up to which number floating point has each half.
const largestMultiple = 1 << 52

// span returns which multiple of step begins the first interval, and how many intervals
// reach from the least to the greatest number; many if that is not worth counting.
func span(ends query.Stats, step float64) (first float64, n int) {
	first = math.Floor(ends.Min / step)
	last := math.Floor(ends.Max / step)
	if !(last-first <= query.MaxCounts) || max(math.Abs(first), math.Abs(last)) > largestMultiple {
		return first, math.MaxInt
	}
	for multiple(first, step) > ends.Min { // by the error of the division
		first--
	}
	for multiple(first+1, step) <= ends.Min {
		first++
	}
	for multiple(last+1, step) <= ends.Max {
		last++
	}
	return first, int(last-first) + 1
}

// multiple returns a multiple of step without the error of the multiplication.
func multiple(n, step float64) float64 { return rounded(n*step, step) }

// A dateGrid divides time for a facet: into intervals, of which a number count as one.
type dateGrid struct {
	interval calendar.Interval
	years    int    // of one count, if the interval is a year
	form     string // of the ends of an interval in a filter
}

// grids are the lengths to choose from, the shortest first.
var grids = []dateGrid{
	{interval: calendar.Interval{Unit: calendar.Second}, form: time.RFC3339},
	{interval: calendar.Interval{Unit: calendar.Minute}, form: time.RFC3339},
	{interval: calendar.Interval{Length: 5 * time.Minute}, form: time.RFC3339},
	{interval: calendar.Interval{Length: 15 * time.Minute}, form: time.RFC3339},
	{interval: calendar.Interval{Unit: calendar.Hour}, form: time.RFC3339},
	{interval: calendar.Interval{Length: 3 * time.Hour}, form: time.RFC3339},
	{interval: calendar.Interval{Length: 6 * time.Hour}, form: time.RFC3339},
	{interval: calendar.Interval{Unit: calendar.Day}, form: time.DateOnly},
	{interval: calendar.Interval{Unit: calendar.Week}, form: time.DateOnly},
	{interval: calendar.Interval{Unit: calendar.Month}, form: "2006-01"},
	{interval: calendar.Interval{Unit: calendar.Quarter}, form: "2006-01"},
	{interval: calendar.Interval{Unit: calendar.Year}, years: 1, form: "2006"},
}

// dates returns the shortest grid of which Size intervals reach from the first to the
// last date.
func (f typedFacet) dates(ends query.Stats) dateGrid {
	for _, g := range grids[:len(grids)-1] {
		if ends.Count == 0 || int((ends.Max-ends.Min)/float64(g.interval.Shortest().Milliseconds()))+2 <= f.Size || g.number(ends) <= f.Size {
			return g
		}
	}
	g := grids[len(grids)-1]
	first, last := yearOf(ends.Min), yearOf(ends.Max)
	for _, digit := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000} {
		if g.years = digit; last/digit-first/digit < f.Size {
			break
		}
	}
	return g
}

// number returns how many intervals the ends are apart; many if that is not worth counting.
func (g dateGrid) number(ends query.Stats) int {
	if (ends.Max-ends.Min)/float64(g.interval.Shortest().Milliseconds()) > query.MaxCounts {
		return math.MaxInt
	}
	n, last := 1, g.interval.Start(int64(ends.Max))
	for at := g.interval.Start(int64(ends.Min)); at < last; at = g.interval.Next(at) {
		n++
	}
	return n
}

func yearOf(ms float64) int { return time.UnixMilli(int64(ms)).UTC().Year() }

// counts returns the intervals, without gaps.
func (g dateGrid) counts(r query.AggResult) []query.Count {
	counts := []query.Count{}
	for i, b := range r.Buckets {
		from := time.UnixMilli(int64(b.Key[0].Number)).UTC()
		to := time.UnixMilli(g.interval.Next(int64(b.Key[0].Number))).UTC()
		if g.years > 0 {
			from = time.Date(from.Year()-from.Year()%g.years, 1, 1, 0, 0, 0, 0, time.UTC)
			to = from.AddDate(g.years, 0, 0)
		}
		if i > 0 && counts[len(counts)-1].From == formatTime(from) {
			counts[len(counts)-1].Count += int(b.Count)
			continue
		}
		counts = append(counts, query.Count{Value: between(from.Format(g.form), to.Format(g.form)), From: formatTime(from), To: formatTime(to), Count: int(b.Count)})
	}
	return counts
}
