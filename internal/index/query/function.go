package query

import (
	"fmt"
	"math"
	"strings"
)

type (
	// A Reweighted matches what its node does. Its score is combined with what its
	// functions give each match. The factor of a Boosted around it applies to the
	// score of the node, as in Lucene. No text parses to it.
	Reweighted struct {
		Node      Node
		Functions []Function
		Mode      Mode    // of the functions that apply; without any they give 1
		Combine   Mode    // of the score and what the functions give
		Most      float64 // that the functions give; 0: any number
	}

	// A Function gives a number to the documents that match its filter.
	Function struct {
		Filter Node    // nil: all
		Weight float64 // of Value, or the number itself
		Value  *FieldFunction
	}

	// A FieldFunction gives a number that depends on the least value of a field of
	// numbers, or of dates in milliseconds.
	FieldFunction struct {
		Field string
		Curve Curve

		// Of a Factor: Modify(Factor * value), with Missing for documents without a
		// value, which are an error if it is nil.
		Factor  float64
		Modify  Modifier
		Missing *float64

		// Of the other curves: 1 up to Offset from Origin, and Decay at Scale behind
		// it. Documents without a value have 1.
		Origin, Scale, Offset, Decay float64
	}
)

// A Mode combines numbers.
type Mode string

// The modes. First is not for the score, and Replace is only for it.
const (
	Multiply Mode = "multiply"
	Sum      Mode = "sum"
	Average  Mode = "avg" // weighted by the weights
	Least    Mode = "min"
	Greatest Mode = "max"
	First    Mode = "first"   // of the functions that apply
	Replace  Mode = "replace" // the score
)

// A Curve is the form of a FieldFunction.
type Curve string

// The curves.
const (
	Factor Curve = "field_value_factor"
	Gauss  Curve = "gauss"
	Exp    Curve = "exp"
	Linear Curve = "linear"
)

// A Modifier changes a number, as its name: log1p is the logarithm to base 10 of 1
// more.
type Modifier string

// Modifiers returns all modifiers.
func Modifiers() []string {
	return []string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}
}

func (Reweighted) node() {}

// String implements Node.
func (n Reweighted) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reweighted[%s %s %g](%s", n.Mode, n.Combine, n.Most, n.Node)
	for _, f := range n.Functions {
		fmt.Fprintf(&b, ", %g", f.Weight)
		if f.Filter != nil {
			fmt.Fprintf(&b, " if %s", f.Filter)
		}
		if f.Value != nil {
			fmt.Fprintf(&b, " of %s(%s)", f.Value.Curve, f.Value.Field)
		}
	}
	return b.String() + ")"
}

func (n Reweighted) mapped(f func(Node) Node) Node {
	functions := make([]Function, len(n.Functions))
	for i, fn := range n.Functions {
		if functions[i] = fn; fn.Filter != nil {
			functions[i].Filter = Map(fn.Filter, f)
		}
	}
	n.Node, n.Functions = Map(n.Node, f), functions
	return n
}

// WithoutValue returns the number for a document without a value.
func (f FieldFunction) WithoutValue() (float64, error) {
	switch {
	case f.Curve != Factor:
		return 1, nil
	case f.Missing == nil:
		return 0, Errorf("write missing", "a match has no value in field %s, whose function has no number for that", Shorten(f.Field))
	}
	return f.Of(*f.Missing)
}

// Of returns the number for a value. It is an error if it is negative or no number.
func (f FieldFunction) Of(value float64) (float64, error) {
	distance := max(0, math.Abs(value-f.Origin)-f.Offset)
	x := 0.0
	switch f.Curve {
	case Gauss:
		x = math.Exp(distance * distance * math.Log(f.Decay) / (f.Scale * f.Scale))
	case Exp:
		x = math.Exp(distance * math.Log(f.Decay) / f.Scale)
	case Linear:
		reach := f.Scale / (1 - f.Decay)
		x = max(0, (reach-distance)/reach)
	default:
		x = f.Modify.of(f.Factor * value)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		return 0, Errorf("filter such documents, or choose another modifier", "the function of field %s gives %g for the value %g: a score is a number from 0", Shorten(f.Field), x, value)
	}
	return x, nil
}

func (m Modifier) of(x float64) float64 {
	switch m {
	case "log":
		return math.Log10(x)
	case "log1p":
		return math.Log10(x + 1)
	case "log2p":
		return math.Log10(x + 2)
	case "ln":
		return math.Log(x)
	case "ln1p":
		return math.Log1p(x)
	case "ln2p":
		return math.Log1p(x + 1)
	case "square":
		return x * x
	case "sqrt":
		return math.Sqrt(x)
	case "reciprocal":
		return 1 / x
	}
	return x
}
