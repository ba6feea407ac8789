package query

import "indexerd/internal/doc"

// ByScore is the field name that sorts by how well documents match. The best
// come first when it is descending.
const ByScore = "_score"

// The bounds of a request.
const (
	MaxSize       = 1000     // hits in one answer
	MaxWindow     = 10_000   // From+Size; beyond it After
	MaxValues     = 1024     // of all Filters
	MaxSorts      = 8        // fields to sort by
	MaxFacets     = 16       // fields to count
	MaxCounts     = 1000     // values of one Facet
	MaxSlots      = 64       // words of a Phrase with Slop, those that are not searched too
	MaxLetters    = 50       // of a Fuzzy
	MaxValueBytes = 16 << 20 // of the values that Sort and Facets keep, with what keeping one takes
	MaxTerms      = 1 << 16  // words that all Prefix and Fuzzy of a query stand for, in all fields
)

// A Request is a search as the index answers it.
type Request struct {
	Query   Node     // nil is All
	Filters []Filter // all of them must hold; they don't count for the score
	From    int      // hits to leave out; not together with After
	Size    int      // hits to return
	After   string   // Result.Next of the answer before
	Sort    []Sort   // none: by score, best first; ties are by key
	Facets  []Facet

	// Visible, where there is one, is what the caller may see: documents for
	// which it holds, and every field but its own. The answer is as if there were
	// no others. No value: no document.
	Visible *Filter

	// Boosts say how much a match in a column of the content, or in a child,
	// counts for the score; without one, 1.
	Boosts map[string]float64
}

// A Filter holds where a metadata field has one of the values.
type Filter struct {
	Field  string
	Values []string
}

// A Sort orders hits by a metadata field or by ByScore. Documents without a
// value come last in either direction.
type Sort struct {
	Field      string
	Descending bool
}

// A Facet asks for the most frequent values of a keyword field.
type Facet struct {
	Field string
	Size  int
}

// A Result is the answer to a Request.
type Result struct {
	Total  uint64 // exact, whatever From, Size and After are
	Hits   []Hit
	Facets map[string][]Count // by field, for each Facet asked for
	Next   string             // After for what follows; "" at the end
}

// A Hit is one document found. Score is 0 where nothing sorts by it.
type Hit struct {
	OID   doc.OID
	Score float64
	V     doc.Version
	After string // Request.After for what follows this hit
}

// A Count is one value of a facet and the number of documents that have it.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A Span is the bytes [Start, End) of a text.
type Span struct{ Start, End int }
