package osapi

import (
	"fmt"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// An explained is a node of the tree that explains a score.
type explained struct {
	Value       float64     `json:"value"`
	Description string      `json:"description"`
	Details     []explained `json:"details"`
}

func leaf(value float64, description string) explained {
	return explained{value, description, []explained{}}
}

// explanation returns the tree of the score of a hit. Its numbers count only documents
// that the caller may see.
func explanation(hit search.Hit, scored bool) explained {
	switch {
	case !scored:
		return leaf(0, "no score, since the hits are sorted by a field")
	case len(hit.Explain) == 0:
		return leaf(hit.Score, "ConstantScore(*:*)")
	}
	sum := explained{hit.Score, "sum of:", make([]explained, len(hit.Explain))}
	for i, p := range hit.Explain {
		sum.Details[i] = explainPart(p)
	}
	if len(sum.Details) == 1 && sum.Details[0].Value == sum.Value {
		return sum.Details[0]
	}
	return sum
}

// explainPart returns the tree of what one word in one field adds to a score.
func explainPart(p query.ScorePart) explained {
	switch {
	case p.Word == "":
		return leaf(p.Score, "ConstantScore(*:*)")
	case p.Distance > 0:
		return leaf(p.Score, fmt.Sprintf("weight(%s:%s), words %d apart", p.Field, p.Word, p.Distance))
	case p.IDF == 0 || p.Boost == 0:
		return leaf(p.Score, fmt.Sprintf("weight(%s:%s)", p.Field, p.Word))
	}
	tf := explained{p.Score / (p.Boost * p.IDF), "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:", []explained{leaf(p.Freq, "freq, occurrences of term within document")}}
	if p.Average > 0 {
		tf.Details = append(tf.Details, leaf(float64(p.Length), "dl, length of field"), leaf(p.Average, "avgdl, average length of field"))
	}
	score := explained{p.Score, fmt.Sprintf("score(freq=%g), computed as boost * idf * tf from:", p.Freq), []explained{
		leaf(p.Boost, "boost"), leaf(p.IDF, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5))"), tf,
	}}
	return explained{p.Score, fmt.Sprintf("weight(%s:%s), result of:", p.Field, p.Word), []explained{score}}
}
