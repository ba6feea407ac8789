package analysis

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/ckb"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hi"
	"github.com/blevesearch/bleve/v2/analysis/lang/hr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pl"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
)

// stemmers has the stemmer of each language, by its ISO 639 code. Those of Arabic,
// Sorani, Croatian, Hindi, Polish and Portuguese are Lucene's; the others are Snowball's.
var stemmers = map[string]func() analysis.TokenFilter{
	"ar":  func() analysis.TokenFilter { return ar.NewArabicStemmerFilter() },
	"ckb": func() analysis.TokenFilter { return ckb.NewSoraniStemmerFilter() },
	"da":  func() analysis.TokenFilter { return da.NewDanishStemmerFilter() },
	"de":  func() analysis.TokenFilter { return de.NewGermanStemmerFilter() },
	"en":  func() analysis.TokenFilter { return en.NewEnglishStemmerFilter() },
	"es":  func() analysis.TokenFilter { return es.NewSpanishStemmerFilter() },
	"fi":  func() analysis.TokenFilter { return fi.NewFinnishStemmerFilter() },
	"fr":  func() analysis.TokenFilter { return fr.NewFrenchStemmerFilter() },
	"hi":  func() analysis.TokenFilter { return hi.NewHindiStemmerFilter() },
	"hr":  func() analysis.TokenFilter { return hr.NewCroatianStemmerFilter() },
	"hu":  func() analysis.TokenFilter { return hu.NewHungarianStemmerFilter() },
	"it":  func() analysis.TokenFilter { return it.NewItalianStemmerFilter() },
	"nl":  func() analysis.TokenFilter { return nl.NewDutchStemmerFilter() },
	"no":  func() analysis.TokenFilter { return no.NewNorwegianStemmerFilter() },
	"pl":  sync.OnceValue(polish),
	"pt":  func() analysis.TokenFilter { return pt.NewPortugueseLightStemmerFilter() },
	"ro":  func() analysis.TokenFilter { return ro.NewRomanianStemmerFilter() },
	"ru":  func() analysis.TokenFilter { return ru.NewRussianStemmerFilter() },
	"sv":  func() analysis.TokenFilter { return sv.NewSwedishStemmerFilter() },
	"tr":  func() analysis.TokenFilter { return tr.NewTurkishStemmerFilter() },
}

// polish reads a table of 2 MB, which is part of the program.
func polish() analysis.TokenFilter {
	f, err := pl.NewPolishStemmerFilter()
	if err != nil {
		panic(err) // a test reads it
	}
	return f
}

// Languages returns the languages whose words have stems, in the order of their codes.
func Languages() []string { return slices.Sorted(maps.Keys(stemmers)) }

// Stem returns the folded stem of a word in its exact form, "" if it has none: it has a
// digit, or no language is set.
func (a *Analyzer) Stem(word string) string {
	if a.stemmer == nil || strings.ContainsFunc(word, unicode.IsDigit) {
		return ""
	}
	stream := analysis.TokenStream{{Term: []byte(word)}}
	return cut(folded(string(a.stemmer.Filter(stream)[0].Term)))
}

// IsStem reports whether a term of words is a stem.
func IsStem(term string) bool { return strings.HasPrefix(term, StemMark) }
