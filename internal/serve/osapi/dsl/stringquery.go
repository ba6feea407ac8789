package dsl

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A stringQuery is the options of a query_string or simple_query_string: how each part
// of its text is searched.
type stringQuery struct {
	t            *Translator
	fields       []weightedField // of a part without a field
	all          bool            // they are all fields
	kindOf       string          // type of multi_match
	m            matching
	analyzed     bool // beginnings of words are analyzed
	leading      bool // * and ? may come first
	slop         int
	edits        query.Edits // of a ~ without a number
	zone         *time.Location
	least        query.Minimum
	leastIsGiven bool
}

// stringQueryOptions are those that both queries have.
var stringQueryOptions = []string{"query", "fields", "default_operator", "analyze_wildcard", "lenient", "minimum_should_match", "fuzzy_prefix_length", "fuzzy_max_expansions", "fuzzy_transpositions", "auto_generate_synonyms_phrase_query"}

func (t *Translator) newStringQuery(o *options) (*stringQuery, error) {
	if n := len(o.m["query"]); n > query.MaxLength {
		return nil, input.ParsingError("[%s] query has %d bytes, more than %d", o.query, n, query.MaxLength)
	}
	if o.has("default_field") {
		if o.has("fields") {
			return nil, input.ParsingError("[%s] cannot use [fields] parameter in conjunction with [default_field]", o.query)
		}
		o.m["fields"] = o.m["default_field"]
	}
	fields, everywhere, err := t.weightedFields(o)
	if err != nil {
		return nil, err
	}
	s := &stringQuery{
		t: t, fields: fields, all: everywhere, analyzed: o.flag("analyze_wildcard", false), leading: o.flag("allow_leading_wildcard", true),
		slop: o.whole("phrase_slop", 0, query.MaxSlop), edits: query.Edits{Low: 3, High: 6},
		m: matching{
			all: o.word("default_operator", "or", "and") == "and", least: query.Exactly(1), lenient: o.flag("lenient", everywhere), part: true,
			prefix: o.whole("fuzzy_prefix_length", 0, math.MaxInt32), most: max(1, o.whole("fuzzy_max_expansions", 50, math.MaxInt32)), noSwaps: !o.flag("fuzzy_transpositions", true),
		},
	}
	s.kindOf = o.multiType()
	if s.m.tie, s.m.tieGiven = o.float("tie_breaker", 0), true; !o.has("tie_breaker") && (s.kindOf == "most_fields" || s.kindOf == "bool_prefix") {
		s.m.tie = 1
	}
	s.least, s.leastIsGiven = o.minimum()
	if s.zone = time.UTC; o.has("time_zone") {
		if s.zone, err = format.Zone(o.text("time_zone")); err != nil {
			o.fail("time_zone: %v", err)
		}
	}
	if o.has("fuzziness") {
		s.edits = *o.fuzziness(o.text("fuzziness"))
	}
	o.flag("auto_generate_synonyms_phrase_query", true) // there are no synonyms
	return s, nil
}

// queryString finds what the text of a query_string says.
func (t *Translator) queryString(body json.RawMessage) (query.Node, error) {
	names := append([]string{"default_field", "type", "tie_breaker", "phrase_slop", "fuzziness", "allow_leading_wildcard", "time_zone", "escape", "max_determinized_states", "enable_position_increments", "rewrite"}, stringQueryOptions...)
	o := readOptions("query_string", body, names...)
	if o.err != nil {
		return nil, o.err
	}
	s, err := t.newStringQuery(o)
	if err != nil {
		return nil, err
	}
	text := o.text("query")
	if o.flag("escape", false) {
		text = escapeString(text)
	}
	o.whole("max_determinized_states", 0, math.MaxInt32)
	o.constantRewrite()
	if !o.flag("enable_position_increments", true) {
		o.fail("enable_position_increments is true")
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(s.parse(text))
}

// in returns the fields of a part: those of the query, or those with a name, which may
// have a *.
func (s *stringQuery) in(field string) ([]weightedField, error) {
	if field == "" || field == "*" && s.all {
		return s.fields, nil
	}
	fields, err := s.t.fieldsLike(field, 1)
	return slices.DeleteFunc(fields, func(f weightedField) bool { return f.Type == "" }), err
}

// inEach searches a part in each of its fields.
func (s *stringQuery) inEach(field string, search func(mapping.Field) (query.Node, error)) (query.Node, error) {
	fields, err := s.in(field)
	if err != nil {
		return nil, err
	}
	if err := s.t.count(len(fields) + 1); err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, f := range fields {
		n, err := search(f.Field)
		switch {
		case s.t.over != nil:
			return nil, s.t.over
		case err != nil && s.m.lenient:
			n = query.None()
		case err != nil:
			return nil, err
		}
		nodes = append(nodes, Weighted(n, f.boost))
	}
	return disMax(nodes, s.m.tie), nil
}

// words finds the words of a part.
func (s *stringQuery) words(field, text string) (query.Node, error) {
	if field == "_exists_" {
		return s.t.has(text)
	}
	if field != "" && len(text) > 1 && (text[0] == '<' || text[0] == '>') {
		bound := &edge{text: text[1:], exclusive: true}
		if len(text) > 2 && text[1] == '=' {
			bound = &edge{text: text[2:]}
		}
		if text[0] == '>' {
			return s.between(field, rangeOf{from: bound})
		}
		return s.between(field, rangeOf{to: bound})
	}
	fields, err := s.in(field)
	if err != nil {
		return nil, err
	}
	return s.t.inFields(s.kindOf, fields, text, s.m)
}

func (s *stringQuery) phrase(field, text string, slop int) (query.Node, error) {
	if field == "_exists_" {
		return s.t.has(text)
	}
	if slop < 0 || slop > query.MaxSlop {
		return nil, input.ParsingError("the slop of a phrase is a number from 0 to %d", query.MaxSlop)
	}
	m := s.m
	m.slop = slop
	return s.inEach(field, func(f mapping.Field) (query.Node, error) { return s.t.phrase(f, text, m) })
}

// prefix finds words that begin so. Letters are in lower case, as words are.
func (s *stringQuery) prefix(field, text string) (query.Node, error) {
	m := s.m
	m.begins = true
	return s.inEach(field, func(f mapping.Field) (query.Node, error) {
		if f.Type == mapping.Text && s.analyzed {
			return s.t.words(f, text, m)
		}
		return s.t.ofTerms("prefix", f, query.Beginning, asWord(f, text), false)
	})
}

// wildcard finds words with any characters for * and ?. A lone * is any value.
func (s *stringQuery) wildcard(field, text string) (query.Node, error) {
	switch {
	case text == "*" && (field == "*" || field == "" && s.all):
		return query.All{}, nil
	case text == "*" && field != "":
		return s.t.has(field)
	case !s.leading && (text[0] == '*' || text[0] == '?'):
		return nil, input.ParsingError("'*' or '?' not allowed as first character in WildcardQuery")
	}
	return s.inEach(field, func(f mapping.Field) (query.Node, error) {
		if text == "*" && f.Type != "" {
			return s.t.has(f.Shown())
		}
		return s.t.ofTerms("wildcard", f, query.Wildcard, asWord(f, text), false)
	})
}

func (s *stringQuery) regexp(field, text string) (query.Node, error) {
	return s.inEach(field, func(f mapping.Field) (query.Node, error) { return s.t.ofTerms("regexp", f, query.Regexp, text, false) })
}

func (s *stringQuery) fuzzy(field, text string, edits query.Edits) (query.Node, error) {
	m := s.m
	m.fuzzy = &edits
	return s.inEach(field, func(f mapping.Field) (query.Node, error) {
		n, err := similarTerm(f, asWord(f, text), m)
		if err == nil && f.Type != "" {
			err = s.t.countFuzzy()
		}
		return n, err
	})
}

func (s *stringQuery) between(field string, r rangeOf) (query.Node, error) {
	r.zone = s.zone
	return s.inEach(field, func(f mapping.Field) (query.Node, error) {
		lower := func(e *edge) *edge {
			if e == nil {
				return nil
			}
			return &edge{asWord(f, e.text), e.exclusive}
		}
		return s.t.inRange(f, rangeOf{lower(r.from), lower(r.to), r.formats, r.zone})
	})
}

// asWord returns a text as the words of a field have it.
func asWord(f mapping.Field, text string) string {
	if f.Type == mapping.Text && utf8.ValidString(text) {
		return strings.ToLower(text)
	}
	return text
}

// parts are the clauses of a query.
type parts struct{ must, should, not []query.Node }

// node returns the query. Parts that are not searched, such as stop words, do not count.
func (p parts) node(least query.Minimum, given bool) query.Node {
	wanted := 0
	if given {
		wanted = least.Of(len(p.should))
	}
	nodes := slices.Clone(p.must)
	switch {
	case wanted > len(p.should):
		return query.None()
	case len(p.should) == 0:
	case len(p.must) == 0 && len(p.should) == 1 && wanted < 2:
		nodes = p.should
	case len(p.must) == 0:
		nodes = []query.Node{query.AtLeast{Nodes: p.should, Least: least}}
	case wanted == 0:
		nodes = append(nodes, query.Optional{Nodes: p.should})
	default:
		nodes = append(nodes, query.AtLeast{Nodes: p.should, Least: least})
	}
	if len(nodes) == 0 && len(p.not) > 0 {
		nodes = []query.Node{Filtered(query.All{})}
	}
	for _, n := range p.not {
		nodes = append(nodes, query.Not{Node: n})
	}
	if len(nodes) == 0 {
		return query.And{}
	}
	return all(nodes)
}
