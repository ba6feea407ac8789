package proposal

import (
	"slices"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis/language"
)

// The forms of Source.Language that are no language.
const (
	AutoLanguage = "auto" // each table's is detected
	NoLanguage   = "none"
)

// cjkShare is the least share of Chinese, Japanese and Korean characters in the letters of
// a text for which pairs of characters are worth their space.
const cjkShare = 0.1

// eastern reports whether enough of the letters are Chinese, Japanese and Korean.
func eastern(texts []string) bool {
	letters, eastern := 0, 0
	for _, text := range texts {
		for _, r := range text {
			if unicode.IsLetter(r) {
				letters++
			}
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				eastern++
			}
		}
	}
	return eastern > 0 && float64(eastern) >= cjkShare*float64(letters)
}

// findLanguage chooses the analyzer and the language of a table whose content is text.
func (p *proposal) findLanguage(s Source, of sample) {
	var texts []string
	some := false
	for _, c := range p.content {
		own := func(s selected) bool { return s.as == c.as }
		if c.Kind == doc.TextColumn && slices.ContainsFunc(p.columns, own) {
			texts, some = append(texts, of[c.CatalogColumn.Name]...), true
		}
	}
	if !some {
		return
	}
	p.eastern = eastern(texts)
	switch found := language.Of(texts); {
	case s.Language != "" && s.Language != AutoLanguage:
		p.language, p.languageWhy = s.Language, "of all tables, as --language says"
	case found != "":
		p.language, p.languageWhy = found, "that of the sampled texts: a word finds its other forms too"
	}
}
