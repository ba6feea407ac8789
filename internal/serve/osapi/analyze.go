package osapi

import (
	"encoding/json"
	"iter"
	"strings"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// maxTokens bounds the tokens of an _analyze.
const maxTokens = 10_000

// Between the texts of a list.
const (
	positionGap = 100
	offsetGap   = 1
)

// An analyzedToken is a token as _analyze has it. Offsets count UTF-16 code units.
type analyzedToken struct {
	Token    string `json:"token"`
	Start    int    `json:"start_offset"`
	End      int    `json:"end_offset"`
	Type     string `json:"type"`
	Position int    `json:"position"`
}

// analyze splits text into the terms that an index searches: those of a field, of an
// index, or of an analyzer of indexerd.
func (s server) analyze(c *call) (any, error) {
	m, err := input.ObjectOf(c.body, "body", "text", "analyzer", "field")
	if err != nil {
		return nil, err
	}
	if err := checkURL(c.URL.Query(), []string{"index"}); err != nil {
		return nil, err
	}
	texts, err := input.Strings(m["text"], "text")
	if err != nil || m["text"] == nil {
		return nil, input.Error(input.InvalidRequest, "[text] is text, or a list of texts")
	}
	a, err := s.analyzerOf(c, m)
	if err != nil {
		return nil, err
	}
	list, position, offset := []analyzedToken{}, -1, 0
	for _, text := range texts {
		last := 0
		for tok := range a.tokens(text) {
			list = append(list, analyzedToken{strings.TrimPrefix(tok.Term, analysis.StemMark), offset + format.UTF16Len(text[:tok.Start]), offset + format.UTF16Len(text[:tok.End]), "word", position + tok.Pos})
			last = tok.Pos
			if len(list) > maxTokens {
				return nil, input.ParsingError("the text has more than %d tokens", maxTokens)
			}
		}
		position, offset = position+last+positionGap, offset+format.UTF16Len(text)+offsetGap
	}
	return map[string]any{"tokens": list}, nil
}

// A textAnalyzer splits text; a nil one leaves it whole.
type textAnalyzer struct{ *analysis.Analyzer }

// tokens yields the tokens of a text, which may have far more than an answer.
func (a textAnalyzer) tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		if a.Analyzer == nil {
			yield(analysis.Token{Term: text, End: len(text), Pos: 1})
			return
		}
		a.Each(text, yield)
	}
}

// analyzerOf returns the analyzer that a request names.
func (s server) analyzerOf(c *call, m map[string]json.RawMessage) (textAnalyzer, error) {
	name, field := "", ""
	for key, to := range map[string]*string{"analyzer": &name, "field": &field} {
		if m[key] == nil {
			continue
		}
		var err error
		if *to, err = input.Scalar(m[key], key); err != nil {
			return textAnalyzer{}, err
		}
	}
	index := c.PathValue("index")
	if index == "" {
		index = c.URL.Query().Get("index")
	}
	switch {
	case name == "keyword":
		return textAnalyzer{}, nil
	case name != "" && name != "default" && index != "" && s.isAnalyzerOf(c, index, name):
		return s.ofIndex(c, index, "") // with its stop words
	case name != "" && name != "default":
		a, err := analysis.New(mapping.AnalyzerOf(name))
		if err != nil {
			return textAnalyzer{}, input.ArgumentError("failed to find analyzer [%s]: there are default, keyword, standard, en, cjk and ngram", query.Shorten(name))
		}
		return textAnalyzer{a}, nil
	case index == "" && field != "":
		return textAnalyzer{}, input.ParsingError("[field] needs an index")
	case index == "":
		a, err := analysis.New(mapping.AnalyzerOf("standard"))
		return textAnalyzer{a}, err
	}
	return s.ofIndex(c, index, field)
}

// isAnalyzerOf reports whether an index has an analyzer of this name, as its mapping says.
func (s server) isAnalyzerOf(c *call, index, name string) bool {
	t, err := s.target(index, c.caller, leniency{})
	return err == nil && len(t.Tables) == 1 && t.Index.Analyzer() == name
}

// ofIndex returns the analyzer of an index, or of a field. A field that does not exist,
// or that the caller may not see, has that of the index.
func (s server) ofIndex(c *call, index, field string) (textAnalyzer, error) {
	t, err := s.target(index, c.caller, leniency{})
	if err != nil {
		return textAnalyzer{}, err
	}
	if len(t.Tables) != 1 || strings.Contains(index, "*") {
		return textAnalyzer{}, input.ParsingError("[_analyze] needs one index, not %s", query.Shorten(index))
	}
	switch f := t.Field(field); f.Type {
	case mapping.Text, "":
		a, err := t.engine.Analyzer(t.Tables[0])
		return textAnalyzer{a}, err
	case mapping.Keyword:
		return textAnalyzer{}, nil
	default:
		return textAnalyzer{}, input.ParsingError("Can't process field [%s], Analysis requests are only supported on tokenized fields", f.Name)
	}
}
