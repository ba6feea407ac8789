package dsl

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// simpleQueryString finds what the text of a simple_query_string says. No text is an
// error.
func (t *Translator) simpleQueryString(body json.RawMessage) (query.Node, error) {
	o := readOptions("simple_query_string", body, append([]string{"flags"}, stringQueryOptions...)...)
	if o.err != nil {
		return nil, o.err
	}
	s, err := t.newStringQuery(o)
	if err != nil {
		return nil, err
	}
	s.kindOf, s.m.tie = "most_fields", 1
	text := o.text("query")
	flags := o.flags()
	if o.err != nil {
		return nil, o.err
	}
	if strings.TrimSpace(text) == "*" {
		return o.boosted(query.All{}, nil)
	}
	p := simpleParser{stringQuery: s, text: []rune(text), flags: flags}
	n, err := p.query()
	if err != nil {
		return nil, err
	}
	return o.boosted(query.Searched{Node: s.withMinimum(n), Else: query.None()}, nil)
}

// withMinimum applies minimum_should_match to the parts of a query.
func (s *stringQuery) withMinimum(n query.Node) query.Node {
	if least, ok := n.(query.AtLeast); ok && s.leastIsGiven {
		least.Least = s.least
		return least
	}
	if _, ok := n.(query.And); ok && s.leastIsGiven && s.least.Of(0) > 0 {
		return query.None()
	}
	return n
}

// simpleFlags are the operators of a simple_query_string.
var simpleFlags = []string{"AND", "NOT", "OR", "PREFIX", "PHRASE", "PRECEDENCE", "ESCAPE", "WHITESPACE", "FUZZY", "NEAR", "SLOP"}

// flags reads the operators that are on; nil are all.
func (o *options) flags() []string {
	if !o.has("flags") {
		return simpleFlags
	}
	var on []string
	for flag := range strings.SplitSeq(strings.ToUpper(o.text("flags")), "|") {
		switch {
		case flag == "ALL":
			return simpleFlags
		case flag == "NONE":
		case slices.Contains(simpleFlags, flag):
			on = append(on, flag)
		default:
			o.fail("unknown flag [%s]; there are ALL, NONE, %s", query.Shorten(flag), strings.Join(simpleFlags, ", "))
		}
	}
	return on
}

// A simpleParser reads a text by the rules of Lucene's simple parser.
type simpleParser struct {
	*stringQuery
	text  []rune
	flags []string
	at    int
}

func (p *simpleParser) has(flag string) bool { return slices.Contains(p.flags, flag) }

// is reports whether an operator comes next.
func (p *simpleParser) is(r rune, flag string) bool {
	return p.at < len(p.text) && p.text[p.at] == r && p.has(flag)
}

// A simpleTree is the query of what was read: parts that one operator combines.
type simpleTree struct {
	parts     []query.Node
	operator  rune // + or | of parts; 0 for one part
	following rune // before the next part; 0: the default
	nots      int
}

// query reads the whole text.
func (p *simpleParser) query() (query.Node, error) {
	p.t.depth++
	defer func() { p.t.depth-- }()
	if p.t.depth > query.MaxDepth {
		return nil, input.ParsingError("queries are nested deeper than %d", query.MaxDepth)
	}
	var tree simpleTree
	for p.at < len(p.text) {
		n, err := p.part(&tree)
		switch {
		case err != nil:
			return nil, err
		case n != nil:
			tree.add(n, p.m.all)
		}
		if p.at > 0 && p.text[p.at-1] == '-' && p.has("NOT") && n == nil {
			continue
		}
		tree.nots = 0
	}
	return tree.node(), nil
}

// part reads an operator, a part in parentheses or quotes, or a word. An operator is no
// node.
func (p *simpleParser) part(tree *simpleTree) (query.Node, error) {
	switch {
	case p.is('(', "PRECEDENCE"):
		return p.group(tree)
	case p.is('"', "PHRASE"):
		return p.quoted(tree)
	case p.is('+', "AND"), p.is('|', "OR"):
		if tree.following == 0 && tree.parts != nil {
			tree.following = p.text[p.at]
		}
	case p.is('-', "NOT"):
		tree.nots++
	case p.is(')', "PRECEDENCE"), p.has("WHITESPACE") && strings.ContainsRune(" \t\n\r", p.text[p.at]):
	default:
		return p.word()
	}
	p.at++
	return nil, nil
}

// group reads what is in parentheses. Without a closing one the opening one is ignored.
func (p *simpleParser) group(tree *simpleTree) (query.Node, error) {
	p.at++
	depth := 1
	for end := p.at; end < len(p.text); end++ {
		switch r := p.text[end]; {
		case r == '\\' && p.has("ESCAPE"):
			end++
			continue
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		if depth > 0 {
			continue
		}
		inner := simpleParser{stringQuery: p.stringQuery, text: p.text[p.at:end], flags: p.flags}
		if p.at = end + 1; len(inner.text) == 0 {
			tree.following = 0
			return nil, nil
		}
		return inner.query()
	}
	return nil, nil
}

// quoted reads a phrase. Without a closing quote the opening one is ignored.
func (p *simpleParser) quoted(tree *simpleTree) (query.Node, error) {
	start := p.at + 1
	var phrase []rune
	for end := start; end < len(p.text); end++ {
		switch r := p.text[end]; {
		case r == '\\' && p.has("ESCAPE") && end+1 < len(p.text):
			end++
			phrase = append(phrase, p.text[end])
		case r == '"':
			if p.at = end + 1; end == start {
				tree.following = 0
				return nil, nil
			}
			return p.phrase("", string(phrase), p.slop())
		default:
			phrase = append(phrase, r)
		}
	}
	p.at = start
	return nil, nil
}

// slop reads the ~ and number behind a phrase.
func (p *simpleParser) slop() int {
	if !p.is('~', "NEAR") {
		return 0
	}
	if p.at+1 == len(p.text) {
		p.at++
		return 0
	}
	return p.number()
}

// number reads ~ and what follows it: without a number 2, and 0 if it is none.
func (p *simpleParser) number() int {
	p.at++
	from := p.at
	for p.at < len(p.text) && !p.ended() {
		p.at++
	}
	if from == p.at {
		return 2
	}
	n, _ := strconv.ParseInt(string(p.text[from:p.at]), 10, 32)
	return max(0, int(n))
}

// ended reports whether a word ends here.
func (p *simpleParser) ended() bool {
	return p.is('"', "PHRASE") || p.is('|', "OR") || p.is('+', "AND") || p.is('(', "PRECEDENCE") || p.is(')', "PRECEDENCE") ||
		p.has("WHITESPACE") && strings.ContainsRune(" \t\n\r", p.text[p.at])
}

// word reads a word, with a * or ~ at its end or without.
func (p *simpleParser) word() (query.Node, error) {
	var word []rune
	prefix := false
	for ; p.at < len(p.text); p.at++ {
		r := p.text[p.at]
		switch {
		case r == '\\' && p.has("ESCAPE"):
			if prefix = false; p.at+1 < len(p.text) {
				p.at++
				word = append(word, p.text[p.at])
			}
			continue
		case p.ended():
			return p.searched(word, prefix)
		case len(word) > 0 && r == '~' && p.has("FUZZY"):
			edits := min(p.number(), query.MaxEdits)
			if edits == 0 {
				return p.words("", string(word))
			}
			return p.fuzzy("", string(word), query.Edits{Most: edits})
		}
		prefix = len(word) > 0 && r == '*' && p.has("PREFIX")
		word = append(word, r)
	}
	return p.searched(word, prefix)
}

func (p *simpleParser) searched(word []rune, prefix bool) (query.Node, error) {
	switch {
	case len(word) == 0:
		return nil, nil
	case prefix:
		return p.prefix("", string(word[:len(word)-1]))
	}
	return p.words("", string(word))
}

// add adds a part. A change of the operator makes all before it one part.
func (t *simpleTree) add(n query.Node, all bool) {
	if t.nots%2 == 1 {
		n = query.And{Nodes: []query.Node{query.All{}, query.Not{Node: n}}}
	}
	if t.following == 0 {
		t.following = map[bool]rune{true: '+', false: '|'}[all]
	}
	if len(t.parts) > 0 {
		if t.operator != t.following && len(t.parts) > 1 {
			t.parts = []query.Node{t.node()}
		}
		t.operator = t.following
	}
	t.parts = append(t.parts, n)
	t.following = 0
}

func (t *simpleTree) node() query.Node {
	switch {
	case len(t.parts) == 0:
		return query.And{}
	case len(t.parts) == 1:
		return t.parts[0]
	case t.operator == '+':
		return query.And{Nodes: t.parts}
	}
	return query.AtLeast{Nodes: t.parts, Least: query.Exactly(1)}
}
