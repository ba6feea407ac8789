package dsl

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A stringParser reads the tokens of a query_string by the rules of Lucene's classic
// parser. AND, OR and NOT change the clause before and behind them; they have no
// precedence.
type stringParser struct {
	*stringQuery
	text string
	rest []token
}

func cantParse(text string) error {
	return input.Error(input.NotOfField, "Failed to parse query [%s]", query.Shorten(text))
}

// parse returns the query of a text.
func (s *stringQuery) parse(text string) (query.Node, error) {
	if strings.TrimSpace(text) == "" {
		return query.None(), nil
	}
	all, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &stringParser{s, text, all}
	n, err := p.query("", true)
	if err != nil {
		return nil, err
	}
	if p.kind() != tokenEnd {
		return nil, cantParse(text)
	}
	return query.Searched{Node: n, Else: query.None()}, nil
}

func (p *stringParser) kind() tokenKind { return p.rest[0].kind }

func (p *stringParser) take() token {
	t := p.rest[0]
	if t.kind != tokenEnd {
		p.rest = p.rest[1:]
	}
	return t
}

// query reads clauses up to the end or a parenthesis. top is the whole query.
func (p *stringParser) query(field string, top bool) (query.Node, error) {
	p.t.depth++
	defer func() { p.t.depth-- }()
	if p.t.depth > query.MaxDepth {
		return nil, input.ParsingError("queries are nested deeper than %d", query.MaxDepth)
	}
	var c clauseList
	for first := true; first || p.kind() != tokenEnd && p.kind() != tokenClose; first = false {
		if p.several() {
			nodes, err := p.terms(field)
			if err != nil {
				return nil, err
			}
			c.several(nodes, p.m.all)
			continue
		}
		conjunction := tokenEnd
		if !first && (p.kind() == tokenAnd || p.kind() == tokenOr) {
			conjunction = p.take().kind
		}
		modifier := tokenEnd
		if slices.Contains([]tokenKind{tokenPlus, tokenMinus, tokenNot}, p.kind()) {
			modifier = p.take().kind
		}
		n, err := p.clause(field, top && first && modifier == tokenEnd && p.wholeGroup())
		if err != nil {
			return nil, err
		}
		if c.add(n, conjunction, modifier, p.m.all); first && modifier == tokenEnd && (p.kind() == tokenEnd || p.kind() == tokenClose) {
			return p.alone(n, top), nil
		}
	}
	if len(c) == 1 && c[0].occur == should {
		return p.alone(c[0].node, top), nil
	}
	least, given := query.Exactly(1), false
	if top && p.leastIsGiven {
		least, given = p.least, true
	}
	return c.parts().node(least, given), nil
}

// alone returns the only clause of a query. minimum_should_match of the whole query
// counts the words of it, also with a boost.
func (p *stringParser) alone(n query.Node, top bool) query.Node {
	switch m := n.(type) {
	case query.Boosted:
		m.Node = p.alone(m.Node, top)
		return m
	case query.AtLeast:
		if top && p.leastIsGiven {
			m.Least = p.least
		}
		return m
	}
	return n
}

// several reports whether two or more words come next, without an operator at them.
// They are searched together.
func (p *stringParser) several() bool { return p.plainTerm(0) && p.plainTerm(1) }

func (p *stringParser) plainTerm(i int) bool {
	return i+1 < len(p.rest) && p.rest[i].kind == tokenTerm && !slices.Contains([]tokenKind{tokenColon, tokenStar, tokenTilde, tokenBoost, tokenAnd, tokenOr}, p.rest[i+1].kind)
}

// terms reads these words. In one field each is a clause; in several fields they are
// one.
func (p *stringParser) terms(field string) ([]query.Node, error) {
	var words []string
	for p.plainTerm(0) {
		words = append(words, plainString(p.take().text))
	}
	fields, err := p.in(field)
	if err != nil {
		return nil, err
	}
	if len(fields) != 1 || fields[0].Type != mapping.Text || fields[0].boost != 1 || strings.HasPrefix(p.kindOf, "phrase") {
		n, err := p.words(field, strings.Join(words, " "))
		return []query.Node{n}, err
	}
	m := p.m
	m.begins = p.kindOf == "bool_prefix"
	return p.t.eachWord(fields[0].Field, strings.Join(words, " "), m)
}

// wholeGroup reports whether a query in parentheses comes next, with nothing behind it
// but a boost.
func (p *stringParser) wholeGroup() bool {
	rest := p.rest
	if len(rest) > 2 && rest[1].kind == tokenColon {
		rest = rest[2:]
	}
	depth := 0
	for i, t := range rest {
		switch t.kind {
		case tokenOpen:
			depth++
		case tokenClose:
			depth--
		}
		if depth == 0 && i > 0 && rest[i+1].kind == tokenBoost {
			i++
		}
		if depth == 0 {
			return i > 0 && (rest[i+1].kind == tokenEnd || rest[i+1].kind == tokenClose)
		}
	}
	return false
}

// clause reads a part, or a query in parentheses, with a field before it or without.
// top is set of parentheses around the whole query.
func (p *stringParser) clause(field string, top bool) (query.Node, error) {
	if (p.kind() == tokenTerm || p.kind() == tokenStar) && p.rest[1].kind == tokenColon {
		field = plainString(p.take().text)
		p.take()
	}
	if p.kind() != tokenOpen {
		return p.term(field)
	}
	p.take()
	n, err := p.query(field, top)
	if err != nil {
		return nil, err
	}
	if p.take().kind != tokenClose {
		return nil, cantParse(p.text)
	}
	if p.kind() == tokenBoost {
		n = boostOf(n, p.take())
	}
	return n, nil
}

// term reads one part, and the ~ and ^ behind it.
func (p *stringParser) term(field string) (query.Node, error) {
	t := p.take()
	var tilde *token
	var boost token
	for p.kind() == tokenTilde && tilde == nil && t.kind != tokenRange || p.kind() == tokenBoost && boost.text == "" {
		if next := p.take(); next.kind == tokenTilde {
			tilde = &next
		} else {
			boost = next
		}
	}
	n, err := p.search(field, t, tilde)
	if err != nil || boost.text == "" {
		return n, err
	}
	return boostOf(n, boost), nil
}

func (p *stringParser) search(field string, t token, tilde *token) (query.Node, error) {
	switch t.kind {
	case tokenTerm, tokenBare:
		if tilde != nil {
			edits, ok := p.edits, true
			if tilde.text != "" {
				edits, ok = fuzziness(tilde.text)
			}
			if !ok {
				return nil, cantParse(p.text)
			}
			return p.fuzzy(field, plainString(t.text), edits)
		}
		return p.words(field, plainString(t.text))
	case tokenQuoted:
		slop := p.slop
		if tilde != nil && tilde.text != "" {
			if x, err := input.Finite(tilde.text); err == nil {
				slop = int(min(max(x, math.MinInt32), math.MaxInt32))
			}
		}
		return p.phrase(field, plainString(t.text), slop)
	case tokenStar, tokenWild:
		return p.wildcard(field, t.text)
	case tokenPrefix:
		return p.prefix(field, plainString(t.text))
	case tokenRegexp:
		return p.regexp(field, t.text)
	case tokenRange:
		return p.between(field, t.rangeOf)
	}
	return nil, cantParse(p.text)
}

func boostOf(n query.Node, t token) query.Node {
	x, _ := strconv.ParseFloat(t.text, 64) // it is a number
	return Weighted(n, min(x, math.MaxFloat32))
}

// An occurrence says how a clause counts.
type occurrence int

const (
	should occurrence = iota
	must
	mustNot
)

type stringClause struct {
	node  query.Node
	occur occurrence
}

type clauseList []stringClause

// add adds a clause as Lucene does: AND makes the clause before it required too, and OR
// makes it optional if the default is AND.
func (c *clauseList) add(n query.Node, conjunction, modifier tokenKind, all bool) {
	if last := len(*c) - 1; last >= 0 && (*c)[last].occur != mustNot {
		switch {
		case conjunction == tokenAnd:
			(*c)[last].occur = must
		case conjunction == tokenOr && all:
			(*c)[last].occur = should
		}
	}
	occur := should
	switch {
	case modifier == tokenMinus || modifier == tokenNot:
		occur = mustNot
	case all && conjunction != tokenOr, !all && (modifier == tokenPlus || conjunction == tokenAnd):
		occur = must
	}
	*c = append(*c, stringClause{n, occur})
}

// several adds words without operators.
func (c *clauseList) several(nodes []query.Node, all bool) {
	for _, n := range nodes {
		c.add(n, tokenEnd, tokenEnd, all)
	}
}

func (c clauseList) parts() (p parts) {
	for _, one := range c {
		switch one.occur {
		case must:
			p.must = append(p.must, one.node)
		case should:
			p.should = append(p.should, one.node)
		default:
			p.not = append(p.not, one.node)
		}
	}
	return p
}
