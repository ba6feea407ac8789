package query

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"indexerd/internal/base/calendar"
)

// The limits of aggregations.
const (
	MaxAggs     = 64     // of a request, sub-aggregations included
	MaxAggDepth = 8      // of sub-aggregations
	MaxBuckets  = 65_535 // of an answer, those of sub-aggregations included
	MaxTop      = 100    // From+Size of a TopAgg
	MaxPercents = 100    // of a PercentilesAgg
)

// An Agg summarizes the documents that match a request. It puts documents in buckets
// and does its Subs in each, or computes something of their values. A document has
// each of its values once. The value of a date is the millisecond that it is in.
type Agg struct {
	Of   AggKind
	Subs []Agg // of each bucket
}

// An AggKind is what an Agg does: one of the types below. A Field "" is a field
// without values.
type AggKind interface{ aggKind() }

type (
	// A TermsAgg has a bucket for each value of a field.
	TermsAgg struct {
		Field    string
		Size     int // buckets to return
		Order    []BucketOrder
		MinCount int       // of the documents of a bucket; at least 1
		Include  *ValueSet // nil: all values
		Exclude  *ValueSet // nil: no value
		Missing  *string   // the value of documents without one; nil: they are in no bucket
	}

	// A FiltersAgg has a bucket for each query, and with Others one for the documents
	// that no query matches.
	FiltersAgg struct {
		Queries []Node
		Others  bool
	}

	// A RangesAgg has a bucket for each range of numbers or milliseconds. A document
	// is in each bucket that has one of its values.
	RangesAgg struct {
		Field   string
		Ranges  []Span64
		Missing *string
	}

	// A HistogramAgg has a bucket for each interval of numbers. The key of a bucket is
	// the first number.
	HistogramAgg struct {
		Field            string
		Interval, Offset float64
		MinCount         int         // 0: also empty buckets between others and in Bounds
		Bounds           *[2]float64 // there are buckets from here to there, also without documents; nil: only with some
		Order            []BucketOrder
		Missing          *string
	}

	// A DatesAgg has a bucket for each interval of time. The key of a bucket is its
	// first millisecond.
	DatesAgg struct {
		Field    string
		Interval calendar.Interval
		MinCount int
		Bounds   *[2]int64 // as in a HistogramAgg, in milliseconds
		Order    []BucketOrder
		Missing  *string
	}

	// A CompositeAgg has a bucket for each combination of the values of sources. It
	// returns the first ones after a key.
	CompositeAgg struct {
		Sources []Source
		Size    int
		After   []BucketValue // nil: from the beginning
	}

	// A StatsAgg computes Stats of the numbers of a field, whether or not Squares and
	// the rest are needed.
	StatsAgg struct {
		Field   string
		Missing *string
	}

	// A CountAgg counts the values of a field of any type, as Stats.Count.
	CountAgg struct {
		Field   string
		Missing *string
	}

	// A DistinctAgg counts the different values of a field, as Stats.Count.
	DistinctAgg struct {
		Field   string
		Missing *string
	}

	// A PercentilesAgg returns values of a field for shares of all its values, each in
	// percent: the value that follows the share in order, or the last one.
	PercentilesAgg struct {
		Field    string
		Percents []float64 // up to MaxPercents
		Missing  *string
	}

	// A TopAgg returns the first documents, as hits are sorted.
	TopAgg struct {
		From, Size int
		Sort       []Sort // empty: by score, best first
	}
)

func (TermsAgg) aggKind()       {}
func (FiltersAgg) aggKind()     {}
func (RangesAgg) aggKind()      {}
func (HistogramAgg) aggKind()   {}
func (DatesAgg) aggKind()       {}
func (CompositeAgg) aggKind()   {}
func (StatsAgg) aggKind()       {}
func (CountAgg) aggKind()       {}
func (DistinctAgg) aggKind()    {}
func (PercentilesAgg) aggKind() {}
func (TopAgg) aggKind()         {}

// A Span64 is the numbers [From, To).
type Span64 struct{ From, To float64 }

// A ValueSet is some values of a field: a list, or keywords that match a pattern as a
// whole.
type ValueSet struct {
	Values  []string
	Pattern *regexp.Regexp // in place of Values, for keywords; anchored at both ends
	Text    string         // of Pattern, as the syntax of Lucene has it
}

// A Source is one part of the key of a CompositeAgg: a value of a field, or the
// interval that it is in.
type Source struct {
	Field      string
	Interval   float64            // of numbers, if it is not 0
	Dates      *calendar.Interval // of dates, if not nil
	Descending bool
	Missing    bool // documents without a value have a key too
}

// A BucketOrder orders buckets by ByCount, ByKey, or a metric of a sub-aggregation.
type BucketOrder struct {
	By         string // ByCount, ByKey, or a Metric
	Path       []int  // of a metric: the place of the sub-aggregation in Subs, and so on
	Descending bool
}

// What buckets are ordered by. The names from MetricCount on are those of metrics.
const (
	ByCount = "_count"
	ByKey   = "_key"

	MetricDocs  = "docs" // of the first bucket of a FiltersAgg
	MetricCount = "count"
	MetricMin   = "min"
	MetricMax   = "max"
	MetricAvg   = "avg"
	MetricSum   = "sum"

	MetricSquares   = "sum_of_squares"
	MetricVariance  = "variance"
	MetricDeviation = "std_deviation"
)

// percentile begins the name of a metric that is one of several percentiles.
const percentile = "percentile "

// MetricPercentile is the metric of a PercentilesAgg that is number i of its Percents.
func MetricPercentile(i int) string { return percentile + strconv.Itoa(i) }

// PercentileOf returns which of the Percents a metric is; false if it is another one.
func PercentileOf(metric string) (i int, ok bool) {
	text, ok := strings.CutPrefix(metric, percentile)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(text)
	return i, err == nil && i >= 0
}

// Compare orders values of one type. No value is first.
func (v BucketValue) Compare(w BucketValue) int {
	switch {
	case v.None && w.None:
		return 0
	case v.None:
		return -1
	case w.None:
		return 1
	}
	return cmp.Or(cmp.Compare(v.Number, w.Number), cmp.Compare(v.Text, w.Text))
}

// Compare orders the keys of a CompositeAgg.
func (a CompositeAgg) Compare(v, w []BucketValue) int {
	for i, s := range a.Sources {
		c := v[i].Compare(w[i])
		if s.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// Add adds other numbers.
func (s Stats) Add(t Stats) Stats {
	switch {
	case s.Count == 0:
		return t
	case t.Count == 0:
		return s
	}
	return Stats{s.Count + t.Count, min(s.Min, t.Min), max(s.Max, t.Max), s.Sum + t.Sum, s.Squares + t.Squares}
}

// Metric returns a number of the stats. Without numbers the mean is NaN, and min and
// max are infinite.
func (s Stats) Metric(name string) float64 {
	n := float64(s.Count)
	switch name {
	case MetricMin:
		if s.Count == 0 {
			return math.Inf(1)
		}
		return s.Min
	case MetricMax:
		if s.Count == 0 {
			return math.Inf(-1)
		}
		return s.Max
	case MetricAvg:
		return s.Sum / n
	case MetricSum:
		return s.Sum
	case MetricSquares:
		return s.Squares
	case MetricVariance:
		return max(0, (s.Squares-s.Sum*s.Sum/n)/n)
	case MetricDeviation:
		return math.Sqrt(s.Metric(MetricVariance))
	}
	return n
}

// An AggResult is the answer to an Agg.
type AggResult struct {
	Buckets     []Bucket
	Other       uint64 // documents in buckets that Size of a TermsAgg leaves out
	Stats       Stats
	Values      map[BucketValue]struct{} // of a DistinctAgg, if Request.Mergeable
	Counts      map[float64]uint64       // of a PercentilesAgg that is not finished: how many documents have each value
	Percentiles []float64                // of a PercentilesAgg, in the order of Percents; NaN without values
	Hits        []Hit                    // of a TopAgg
	Total       uint64                   // documents of a TopAgg
	Best        float64                  // highest score of them; 0 if they are not sorted by score only
}

// A Bucket is some of the documents.
type Bucket struct {
	Key   []BucketValue // one; more in a CompositeAgg, none in a FiltersAgg and RangesAgg
	Count uint64        // documents
	Subs  []AggResult
}

// A BucketValue is a value in the key of a bucket.
type BucketValue struct {
	Text   string  // a keyword
	Number float64 // a number, the milliseconds of a date, 1 for true
	None   bool    // no value, in a CompositeAgg
}

// Stats summarize numbers.
type Stats struct {
	Count    uint64
	Min, Max float64 // 0 without numbers
	Sum      float64
	Squares  float64 // sum of squares
}
