package hits

import (
	"fmt"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// An Explained is a node of the tree that explains a score.
type Explained struct {
	Value       float64     `json:"value"`
	Description string      `json:"description"`
	Details     []Explained `json:"details"`
}

// Leaf returns an explanation without details.
func Leaf(value float64, description string) Explained {
	return Explained{value, description, []Explained{}}
}

// Explain returns the tree of the score of a hit. Its numbers count only documents
// that the caller may see.
func Explain(hit search.Hit, scored bool) Explained {
	switch {
	case !scored:
		return Leaf(0, "no score, since the hits are sorted by a field")
	case len(hit.Explain) == 0:
		return Leaf(hit.Score, "ConstantScore(*:*)")
	}
	sum := Explained{hit.Score, "sum of:", make([]Explained, len(hit.Explain))}
	for i, p := range hit.Explain {
		sum.Details[i] = explainPart(p)
	}
	if len(sum.Details) == 1 && sum.Details[0].Value == sum.Value {
		return sum.Details[0]
	}
	return sum
}

// explainPart returns the tree of what one word in one field adds to a score.
func explainPart(p query.ScorePart) Explained {
	switch {
	case p.Word == "":
		return Leaf(p.Score, "ConstantScore(*:*)")
	case p.Distance > 0:
		return Leaf(p.Score, fmt.Sprintf("weight(%s:%s), words %d apart", p.Field, p.Word, p.Distance))
	case p.IDF == 0 || p.Boost == 0:
		return Leaf(p.Score, fmt.Sprintf("weight(%s:%s)", p.Field, p.Word))
	}
	tf := Explained{p.Score / (p.Boost * p.IDF), "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:", []Explained{Leaf(p.Freq, "freq, occurrences of term within document")}}
	if p.Average > 0 {
		tf.Details = append(tf.Details, Leaf(float64(p.Length), "dl, length of field"), Leaf(p.Average, "avgdl, average length of field"))
	}
	score := Explained{p.Score, fmt.Sprintf("score(freq=%g), computed as boost * idf * tf from:", p.Freq), []Explained{
		Leaf(p.Boost, "boost"), Leaf(p.IDF, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5))"), tf,
	}}
	return Explained{p.Score, fmt.Sprintf("weight(%s:%s), result of:", p.Field, p.Word), []Explained{score}}
}
