package language

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/bg"
	"github.com/blevesearch/bleve/v2/analysis/lang/ca"
	"github.com/blevesearch/bleve/v2/analysis/lang/ckb"
	"github.com/blevesearch/bleve/v2/analysis/lang/cs"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/el"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/eu"
	"github.com/blevesearch/bleve/v2/analysis/lang/fa"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/ga"
	"github.com/blevesearch/bleve/v2/analysis/lang/gl"
	"github.com/blevesearch/bleve/v2/analysis/lang/hi"
	"github.com/blevesearch/bleve/v2/analysis/lang/hr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/hy"
	"github.com/blevesearch/bleve/v2/analysis/lang/id"
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

// A written language is known by its stop words and letters. One that is none of
// analysis.Languages tells that texts are in none of them.
type written struct {
	code    string
	letters string // above ASCII
	list    []byte // of stop words, one a line
}

const (
	arabic   = "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئىة"
	cyrillic = "абвгдежзийклмнопрстуфхцчшщъьюя"
)

// Frequent words that a list of the library lacks, though that of a close language has them,
// and the most frequent ones of Slovene, which it has no list of.
var (
	moreDanish   = lines("ved ingen samme så før hver også selv uden mellem mens fordi")
	moreCroatian = lines("je i u na se od da ne ni s sa iz do po o to te li ili ali kao što koji koja koje kako ako nije sve samo već bez nakon ovaj ova ovo taj")
	slovene      = lines("je in na se za da ne ni s z v iz do po o to te ki ali kot kako če so bi pri lahko bo tudi še že pa ter od brez samo vse ta tega sem nekaj")
)

func lines(words string) []byte { return []byte("\n" + strings.ReplaceAll(words, " ", "\n") + "\n") }

// all is in the order of the codes.
var all = [...]written{
	{"ar", arabic, ar.ArabicStopWords},
	{"bg", cyrillic, bg.BulgarianStopWords},
	{"ca", "àçèéíïòóúü", ca.CatalanStopWords},
	{"ckb", "ئابپتجچحخدرڕزژسشعغفڤقکگلڵمنهەوۆیێة", ckb.SoraniStopWords},
	{"cs", "áčďéěíňóřšťúůýž", cs.CzechStopWords},
	{"da", "æøåé", slices.Concat(da.DanishStopWords, moreDanish)},
	{"de", "äöüßé", de.GermanStopWords},
	{"el", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", el.GreekStopWords},
	{"en", "éïöêàèç", en.EnglishStopWords},
	{"es", "áéíñóúü", es.SpanishStopWords},
	{"eu", "ñ", eu.BasqueStopWords},
	{"fa", arabic + "پچژگکیۀ", fa.PersianStopWords},
	{"fi", "äöåšž", fi.FinnishStopWords},
	{"fr", "àâæçéèêëîïôœùûüÿ", fr.FrenchStopWords},
	{"ga", "áéíóú", ga.IrishStopWords},
	{"gl", "áéíñóúüï", gl.GalicianStopWords},
	{"hi", "", hi.HindiStopWords},
	{"hr", "čćđšž", slices.Concat(hr.CroatianStopWords, moreCroatian)},
	{"hu", "áéíóöőúüű", hu.HungarianStopWords},
	{"hy", "", hy.ArmenianStopWords},
	{"id", "é", id.IndonesianStopWords},
	{"it", "àèéìíîòóùú", it.ItalianStopWords},
	{"nl", "áéëïóöüèê", nl.DutchStopWords},
	{"no", "æøåéòôó", no.NorwegianStopWords},
	{"pl", "ąćęłńóśźż", pl.PolishStopWords},
	{"pt", "áâãàçéêíóôõúü", pt.PortugueseStopWords},
	{"ro", "ăâîșşțţ", ro.RomanianStopWords},
	{"ru", cyrillic + "ёыэ", ru.RussianStopWords},
	{"sl", "čšž", slovene},
	{"sv", "åäöéà", sv.SwedishStopWords},
	{"tr", "çğıöşüâîû\u0307", tr.TurkishStopWords},
}

// writes reports whether the language writes a letter above ASCII. Hindi and Armenian are
// known by their scripts.
func (l written) writes(r rune) bool {
	switch l.code {
	case "hi":
		return unicode.Is(unicode.Devanagari, r)
	case "hy":
		return unicode.Is(unicode.Armenian, r)
	}
	return strings.ContainsRune(l.letters, r)
}
