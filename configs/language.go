package configs

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// noLanguage is the value of language for texts without stems.
const noLanguage = "none"

// firstVersion is the analyzer standard of the first version, and the beginning of the
// others: plain-1-en.
const firstVersion = "plain-1"

// analyzers are the values of content.analyzer.
func analyzers() []string {
	all := []string{"standard", "en", "cjk", "ngram"}
	for _, name := range slices.Clone(all) {
		all = append(all, firstVersion+strings.TrimSuffix("-"+name, "-standard"))
	}
	return all
}

// stems is a language. The language is decided once, so auto is not one.
type stems struct {
	choice
}

func (v stems) read(r *reader, at place, n *yaml.Node) {
	if n := target(n); n.Kind == yaml.ScalarNode && n.Value == "auto" {
		at.do = "run `indexerd init`, which detects it, or write none or one of " + strings.Join(v.words[1:], ", ")
		r.fault(at, "auto is not decided again at each start")
		return
	}
	v.choice.read(r, at, n)
}

// checkAnalyzer separates the analyzer from its version, and reports a language that the
// analyzer does not use. With analyzer en there is none beside it.
func (r *reader) checkAnalyzer(path string, t *Table) {
	written := t.Content.Analyzer
	name, first := strings.CutPrefix(written, firstVersion)
	if t.Content.First = first; first {
		t.Content.Analyzer = strings.TrimPrefix(name, "-")
	}
	switch {
	case t.Language == "":
	case first || name == "ngram":
		r.wrong(path, "not used with analyzer "+written, "remove it, or choose another analyzer")
	case name == "en" && t.Language != "en":
		r.wrong(path, "analyzer en is that of English", "write analyzer: standard")
	}
	if t.Language == noLanguage || name == "en" { // the name of the analyzer says it
		t.Language = ""
	}
}
