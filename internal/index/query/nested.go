package query

// A Nested matches documents that have one row of a child for which its node matches, as
// if the row were a document with no other field. No index answers it: package search
// checks the rows of the documents that Candidates matches, and searches their keys.
type Nested struct {
	Path string // name of the child
	Node Node
}

func (Nested) node() {}

// String implements Node.
func (n Nested) String() string { return "nested[" + n.Path + "](" + n.Node.String() + ")" }

// Candidates returns a query that matches the document too if one of its rows does.
func (n Nested) Candidates() Node { return And{[]Node{Has{Field: n.Path}, positive(n.Node)}} }

// positive returns a query that matches what n does and what its exclusions exclude.
func positive(n Node) Node {
	each := func(nodes []Node) []Node {
		all := make([]Node, len(nodes))
		for i, part := range nodes {
			all[i] = positive(part)
		}
		return all
	}
	switch n := n.(type) {
	case Not:
		return All{}
	case And:
		return And{each(n.Nodes)}
	case Or:
		return Or{each(n.Nodes)}
	case Some:
		return Some{each(n.Nodes)}
	case AtLeast:
		return AtLeast{each(n.Nodes), n.Least}
	case Optional:
		return Optional{each(n.Nodes)}
	case DisMax:
		return DisMax{each(n.Nodes), n.Tie}
	case Boosted:
		return positive(n.Node)
	case Constant:
		return positive(n.Node)
	case Searched:
		return Searched{positive(n.Node), positive(n.Else)}
	case Reweighted:
		return positive(n.Node)
	}
	return n
}
