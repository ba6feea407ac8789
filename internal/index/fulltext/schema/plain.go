package schema

import (
	"encoding/json"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
)

// Splitting is how an engine splits the texts of Plain into the terms of an Index: see
// analysis.Analyzer.Pattern.
type Splitting struct {
	Pattern   string
	MaxWord   int      // characters
	Stopwords []string // terms that are dropped
}

// Splitting returns how to split texts, or false if no Pattern does it.
func (s *Schema) Splitting() (Splitting, bool) {
	x := Splitting{s.Analysis.Pattern(), analysis.MaxWord, s.Analysis.Stopwords()}
	return x, x.Pattern != ""
}

// Plain returns a value of a content column for an engine that splits texts itself, each
// element of a list on its own. It is nil if the value has no term. same reports whether
// it is the value itself.
func (s *Schema) Plain(v any) (plain any, same bool) {
	if v == nil || v == "" {
		return nil, true
	}
	text := doc.FormatText(v)
	if !s.Analysis.HasTerm(text) {
		return nil, false
	}
	folded := s.Analysis.Plain(text)
	if folded == text && isScalar(v) {
		return v, true
	}
	return folded, folded == v
}

// isScalar reports whether the texts of a value in JSON are those of FormatText.
func isScalar(v any) bool {
	switch v := v.(type) {
	case nil, string, bool, int64, json.Number:
		return true
	case float64:
		b, err := json.Marshal(v)
		return err == nil && string(b) == doc.FormatText(v)
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !isScalar(e) })
	}
	return false
}
