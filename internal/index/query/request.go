package query

import (
	"cmp"
	"slices"

	"indexerd/internal/base/doc"
)

// ByScore is the field name that sorts by score. Sort.Descending puts the best
// matches first.
const ByScore = "_score"

// The limits of a request.
const (
	MaxSize       = 1000     // hits in one answer
	MaxWindow     = 10_000   // From+Size; use After for further hits
	MaxValues     = 1024     // of all Filters
	MaxSorts      = 8        // fields to sort by
	MaxFacets     = 16       // fields to count
	MaxCounts     = 1000     // values of one Facet
	MaxSlots      = 64       // words of a Phrase with Slop, including words that are not searched
	MaxLetters    = 50       // of a Fuzzy
	MaxValueBytes = 16 << 20 // memory of the values that Sort and Facets keep
	MaxAnyTerms   = 1 << 16  // of all AnyTerm
	MaxTerms      = 1 << 16  // words that all Prefix and Fuzzy of a query match, in all fields
)

// A Request is a search.
type Request struct {
	Query   Node     // nil is All
	Filters []Filter // all must match; they do not affect the score
	From    int      // hits to skip; not together with After
	Size    int      // hits to return
	Skipped bool     // return the hits that From skips too
	After   string   // Result.Next of the previous answer
	Behind  *Place   // like After, by values; nil: from the beginning
	Sort    []Sort   // empty: by score, best first; ties are sorted by key
	Facets  []Facet

	// Aggs summarize all documents that Query and Filters match.
	Aggs []Agg

	// Mergeable keeps what aggregate.Merge needs of Result.Aggs: all buckets.
	Mergeable bool

	// Post, if not nil, restricts hits and total further. Aggs and Facets ignore it.
	Post Node

	// Collapse, if not "", is a metadata field of one keyword or number in each document.
	// Of the documents with the same value, and of those without one, only the first is a
	// hit. Total counts all. After and Behind need a Sort by this field alone.
	Collapse string

	// MinScore leaves out documents with a lower score. 0: none.
	MinScore float64

	// Visible, if not nil, restricts the search. The answer is the same as without the
	// other documents.
	Visible *Visible

	// Boosts are the weights of matches in a content column or child. The default
	// is 1.
	Boosts map[string]float64

	// BM25 are the parameters of the score, nil for the default.
	BM25 *BM25

	// Tuned scores the columns of the content as one text, in which short columns
	// count more, and words that are near each other. Without it each column adds a
	// separate score.
	Tuned bool

	// Lucene scores a word without the factor k1+1, as Lucene does. Of scores that
	// consist of words only the order is the same.
	Lucene bool

	// Explain sets Hit.Explain.
	Explain bool
}

// A Filter matches documents with one of the values in a metadata field. A value of a
// number or date may be a range, as ParseRange reads it.
type Filter struct {
	Field  string
	Values []string
}

// Visible are the documents that a caller may see: those that match each filter. A filter
// without values matches none. The field Hidden, "" is none, exists for the filters only.
type Visible struct {
	Filters []Filter
	Hidden  string
}

// By returns whether visibility depends on a field.
func (v *Visible) By(field string) bool {
	return v != nil && slices.ContainsFunc(v.Filters, func(f Filter) bool { return f.Field == field })
}

// BM25 are the parameters of the score of the same name.
type BM25 struct {
	K1 float64 // how much a word counts that occurs again; 0: nothing
	B  float64 // how much a long text is worth less, 0 to 1
}

// DefaultBM25 are the parameters that search engines use.
var DefaultBM25 = BM25{K1: 1.2, B: 0.75}

// A Sort orders hits by a metadata field or by ByScore. Documents without a value come
// last in either direction. Of several values, the first in order counts.
type Sort struct {
	Field      string
	Descending bool
	First      bool   // documents without a value come first
	Missing    string // the value of documents without one; "": none
	Pick       Pick
}

// A Pick is the value that counts of several ones. "" is the first in order.
type Pick string

// The values of Pick.
const (
	PickMin Pick = "min"
	PickMax Pick = "max"
)

// A Facet requests the most frequent values of a field. The index counts keywords.
type Facet struct {
	Field string
	Size  int
	All   bool // all values, in no particular order; Size is checked and not used
}

// A Result is the answer to a Request.
type Result struct {
	Total  uint64 // exact number of documents that match
	Hits   []Hit
	Facets map[string][]Count // by field
	Aggs   []AggResult        // of each of Request.Aggs; nil without
	Next   string             // After of the next request; "" at the end
	Best   float64            // highest score of all matches, before After too; 0 if the hits are not sorted by it
}

// A Hit is one document found. Score is 0 if the hits are not sorted by it.
type Hit struct {
	OID   doc.OID
	Score float64
	V     doc.Version
	After string // Request.After for the hits that follow
	Keys  []Key  // by which the hit is sorted, one for each Sort; nil if it is sorted by score only

	// Explain lists the parts of the score, the greatest first. Their sum is the
	// score. It is nil if Request.Explain is not set or hits are not sorted by score.
	Explain []ScorePart
}

// A ScorePart is what one word of the query in one field adds to the score of a hit.
// A document that matches without a word has a part with nothing but a score. All
// numbers count only documents that the caller may see.
type ScorePart struct {
	Word    string  `json:"word,omitempty"`    // or phrase, as it is in the index
	Field   string  `json:"field,omitempty"`   // content column or child
	Boost   float64 `json:"boost,omitempty"`   // of the field
	IDF     float64 `json:"idf,omitempty"`     // weight of the word: high if few documents have it
	Freq    float64 `json:"freq,omitempty"`    // how often the field has the word
	Length  int     `json:"length,omitempty"`  // words of the field; 0 in an index whose scores ignore it
	Average float64 `json:"average,omitempty"` // mean length of the field in all documents
	Score   float64 `json:"score"`

	// Distance is how far apart two words of the query are in the field, in a part
	// that only they add.
	Distance int `json:"distance,omitempty"`
}

// A Key is the value of a hit in the field of a Sort. Hits without a value have
// the zero Key; so has a Sort by score.
type Key struct {
	Type string // of the field
	Term []byte // bytes.Compare is the order of the values of one type
	Text string // the value, as in a Range
}

// A Count is one value of a facet and the number of documents that have it. Of a number or
// date it is an interval, [From, To): numbers, or times as text. Value is then the range as
// a Filter has it.
type Count struct {
	Value string `json:"value"`
	From  any    `json:"from,omitempty"`
	To    any    `json:"to,omitempty"`
	Count int    `json:"count"`
}

// Compare orders counts: the most frequent first, equally frequent ones by value.
func (c Count) Compare(d Count) int {
	return cmp.Or(cmp.Compare(d.Count, c.Count), cmp.Compare(c.Value, d.Value))
}

// A Span is the bytes [Start, End) of a text.
type Span struct{ Start, End int }
