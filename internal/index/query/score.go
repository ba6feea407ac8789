package query

import "strconv"

// No text parses to the nodes of this file. They combine others and their scores.
type (
	// An AtLeast matches what at least so many of its nodes match. Nodes that have
	// nothing to search, such as a stop word, do not count. Its score is the sum of
	// those of the nodes that match.
	AtLeast struct {
		Nodes []Node
		Least Minimum
	}

	// An Optional matches every document. Its score is the sum of those of the nodes
	// that match. In an And whose other nodes have nothing to search, one of its nodes
	// must match.
	Optional struct{ Nodes []Node }

	// A DisMax matches what any of its nodes matches. Its score is the best of those
	// of the nodes that match, and Tie times the others.
	DisMax struct {
		Nodes []Node
		Tie   float64
	}

	// A Boosted matches what its node does, with Factor times the score. Its words
	// are scored field by field, also in a tuned search.
	Boosted struct {
		Node   Node
		Factor float64
	}

	// A Constant matches what its node does, and each match has this score.
	Constant struct {
		Node  Node
		Score float64
	}

	// A Searched matches what its node does, and what Else does if the node has
	// nothing to search, such as a stop word.
	Searched struct{ Node, Else Node }
)

func (AtLeast) node()  {}
func (Optional) node() {}
func (DisMax) node()   {}
func (Boosted) node()  {}
func (Constant) node() {}
func (Searched) node() {}

// String implements Node.
func (n AtLeast) String() string {
	return "atleast[" + n.Least.String() + "](" + Or{n.Nodes}.String() + ")"
}

// String implements Node.
func (n Optional) String() string { return "optional(" + Or(n).String() + ")" }

// String implements Node.
func (n DisMax) String() string { return "dismax[" + number(n.Tie) + "](" + Or{n.Nodes}.String() + ")" }

// String implements Node.
func (n Boosted) String() string { return "boost[" + number(n.Factor) + "](" + n.Node.String() + ")" }

// String implements Node.
func (n Constant) String() string { return "score[" + number(n.Score) + "](" + n.Node.String() + ")" }

// String implements Node.
func (n Searched) String() string {
	return "searched(" + n.Node.String() + " else " + n.Else.String() + ")"
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// mapScored is Map for the nodes of this file. It reports false for others.
func mapScored(n Node, f func(Node) Node) (Node, bool) {
	switch n := n.(type) {
	case AtLeast:
		return AtLeast{mapAll(n.Nodes, f), n.Least}, true
	case Optional:
		return Optional{mapAll(n.Nodes, f)}, true
	case DisMax:
		return DisMax{mapAll(n.Nodes, f), n.Tie}, true
	case Boosted:
		return Boosted{Map(n.Node, f), n.Factor}, true
	case Constant:
		return Constant{Map(n.Node, f), n.Score}, true
	case Searched:
		return Searched{Map(n.Node, f), Map(n.Else, f)}, true
	case Reweighted:
		return n.mapped(f), true
	}
	return nil, false
}
