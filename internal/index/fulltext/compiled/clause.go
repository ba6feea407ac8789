package compiled

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A Clause is a part of a compiled query: one of the types below.
type Clause any

type (
	// Every matches all documents.
	Every struct{}

	// A Both matches documents that all of Must match and none of Not. Without Must it
	// starts from all documents.
	Both struct{ Must, Not []Clause }

	// An Any matches documents that at least so many of its clauses match.
	Any struct {
		Clauses []Clause
		AtLeast int
	}

	// An Optional matches all documents. Its score is the sum of those of the clauses
	// that match.
	Optional struct{ Clauses []Clause }

	// A DisMax matches documents that any of its clauses matches. Its score is the
	// best of theirs, and Tie times the others.
	DisMax struct {
		Clauses []Clause
		Tie     float64
	}

	// A Constant matches as its clause does. The score of each match is Score.
	Constant struct {
		Clause Clause
		Score  float64
	}

	// A Weighted matches as its clause does, with scores multiplied by Factor.
	Weighted struct {
		Clause Clause
		Factor float64
	}

	// A Reweighted matches as its clause does. Its score is combined with those of
	// its functions, as in a query.Reweighted. Filters, nil for all documents, are in
	// place of those of the functions.
	Reweighted struct {
		Clause  Clause
		Filters []Clause
		query.Reweighted
	}

	// A Term matches documents with a term in a field.
	Term struct{ Field, Term string }

	// Forms match documents with any of some terms in a field, which count as one term.
	Forms struct {
		Field string
		Terms []string
	}

	// An AnyTerm matches documents with one of some terms in a field. Its score is that
	// of a Constant.
	AnyTerm struct {
		Field string
		Terms []string
	}

	// A TermPrefix matches documents with a term that begins so, one of the first Most
	// of these terms unless Most is 0.
	TermPrefix struct {
		Field, Prefix string
		Most          int
	}

	// A TermPattern matches documents with a term that a query.Pattern describes.
	// With Stems the field has stems behind analysis.StemMark, which no pattern describes.
	TermPattern struct {
		Field string
		Kind  query.PatternKind
		Text  string
		Fold  bool
		Stems bool
	}

	// A TermSimilar matches documents with a term at most so many edits away, as a
	// query.Similar does. The first Prefix letters are the same.
	TermSimilar struct {
		Field, Term         string
		Edits, Prefix, Most int
		NoSwaps             bool
	}

	// A HasTerm matches documents with any term in a field.
	HasTerm struct{ Field string }

	// A TermNear matches documents with a term at most so many edits away: a letter is
	// removed, added, replaced, or exchanged with the next.
	TermNear struct {
		Field, Term string
		Edits       int
	}

	// A TermRange matches documents with a term in [Min, Max). An empty bound is open.
	TermRange struct{ Field, Min, Max string }

	// Terms match documents with the terms at consecutive positions, or, with Slop, in
	// any order and moved by so many positions together. "" is any term or none. With
	// Open the last term is a prefix, of the first Most terms unless Most is 0.
	Terms struct {
		Field string
		Terms []string
		Open  bool
		Most  int
		Slop  int
	}

	// Keys matches the documents with these keys.
	Keys struct{ OIDs []doc.OID }
)
