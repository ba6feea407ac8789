package analysis

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func latest(t testing.TB, name, language string, stopwords ...string) *Analyzer {
	t.Helper()
	a, err := New(Spec{Name: name, Version: Latest, Language: language, Stopwords: stopwords})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// byPosition joins the terms of one position with |, and positions with spaces, _ for one
// without a term.
func byPosition(tokens []Token) string {
	var b strings.Builder
	at := 0
	for _, t := range tokens {
		if t.Pos == at {
			b.WriteString("|" + t.Term)
			continue
		}
		b.WriteString(strings.Repeat(" _", t.Pos-at-1) + " " + t.Term)
		at = t.Pos
	}
	return strings.TrimSpace(b.String())
}

func TestLatestTokens(t *testing.T) {
	for _, c := range []struct{ analyzer, text, want string }{
		{"standard", "café résumé", "cafe|café resume|résumé"},
		{"standard", "cafe\u0301", "cafe|café"},
		{"standard", "l'été naïve Äpfel Straße", "l|lete ete|été|lete naive|naïve apfel|äpfel strasse|straße"},
		{"standard", "ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ|σίσυφοσ σισυφοσ|σίσυφοσ"},
		{"standard", "oﬃce ＦＵＬＬ ｗｉｄｔｈ", "office full width"},
		{"standard", "something_2020-07-13_with_important_words.pdf", "something 2020|20200713 07 13|20200713 with important words pdf|.pdf"},
		{"standard", "crm.action_log, analytics.stat_crm_data", "crm action log analytics stat crm data"},
		{"standard", "wi-fi e-mail co-operate O'Reilly", "wi|wifi fi|wifi e|email mail|email co|cooperate operate|cooperate o|oreilly reilly|oreilly"},
		{"standard", "C++, C# F# c .NET AT&T's R&D notepad++", "c|c++ c|c# f|f# c net|.net at|at&t t|ts|at&t r|r&d d|r&d notepad|notepad++"},
		{"standard", "dog's don’t I'M O'Reilly's iPhone's l's a'sb", "dog|dogs dont im o|oreilly reilly|reillys|oreilly iphone|phone|iphones l|ls a|asb sb|asb"},
		{"standard", "😀 🍕 👍🏽 🇩🇪 👩‍🔬", "😀 🍕 👍 🇩🇪 👩 🔬"},
		{"standard", "camelCaseWord iPhone15 X-100 iPhone15ProMax", "camelcaseword|camel|case|word iphone15|phone|iphone|15 x|x100 100|x100 iphone15promax|phone|iphone|15|pro|max|promax"},
		{"standard", "1,234.56 1.234,56 1'234 12,34 1,234,567", "1|1234 234|1234 56 1|1234 234|1234 56 1|1234 234|1234 12 34 1|1234567 234 567|1234567"},
		{"standard", "m² H₂O Ⅳ ½ ٣٤", "m2 h2o iv 1⁄2 34|٣٤"},
		{"standard", "й ё Ёлка їжак", "й е|ё елка|ёлка їжак"},
		{"standard", "a1b2c3d4e5 deadbeef00 550e8400-e29b", "a1b2c3d4e5 deadbeef00|deadbeef|00 550e8400|550|8400|550e8400e29b e29b|29|550e8400e29b"},
		{"standard", "ガ か\u3099 ｶﾞ", "ガ が ガ"},
		{"standard", "สวัสดี", "สว วั ัส สด ดี ี"},
		{"standard", "col·lecció so\u00ADft", "col|colleccio leccio|lecció|colleccio soft"},
		{"standard", "مُحَمَّد محمـد أحمد", "محمد|مُحَمَّد محمد احمد|أحمد"},
		{"standard", "שָׁלוֹם צה״ל", "שלום|שָׁלוֹם צה|צהל ל|צהל"},
		{"standard", "İstanbul ısı", "istanbul isi|ısı"},
		{"standard", "one...two a.b end.", "one two a b end"},
		{"cjk", "東京タワー サーバ", "東京 京タ タワ ワー ー _ サー ーバ バ"},
		{"ngram", "oﬃce", "of ff fi ic ce e"},
	} {
		if got := byPosition(latest(t, c.analyzer, "").Tokens(nil, c.text)); got != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.analyzer, c.text, got, c.want)
		}
	}
}

// Tokens have ascending positions, the first one of each being no extra form, and terms of
// which a query language or another engine misreads none.
func FuzzLatestTokens(f *testing.F) {
	for _, s := range []string{
		"A Epic Drama", "今夜月 and 今", "ＷＩＤＥ İ ß ﬁ", "e\u0301\u0301 \xff", "dog's’s", "C++ .NET at&t's 1,234.5", "ﷺ ½ ㎏ ｶﾞ か\u3099", "👩🏽‍🔬🇩🇪🇩",
		"מִּשׁ محمـد", "й\u0301 и\u0306", "\u00adx\u00ad-\u00ady", "iPhone15Pro-maxX", "ⅨⅫ ǅ ŉ ΐ և ẞ", "\u0345α \u1fb3", "ๅำ ำ",
	} {
		f.Add(s)
	}
	var all []*Analyzer
	for _, name := range []string{"standard", "en", "cjk", "ngram"} {
		all = append(all, latest(f, name, map[string]string{"standard": "de"}[name]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		letters := func(r rune) rune {
			if latestKind(r) == letter {
				return r
			}
			return -1
		}
		if word := strings.Map(letters, strings.ToValidUTF8(text, "")); word != "" {
			once := folded(word)
			if twice := folded(once); twice != once {
				t.Fatalf("%q: folded to %q, and again to %q", word, once, twice)
			}
			if got := folded(exact(word)); got != once {
				t.Fatalf("%q: folded to %q, its exact form %q to %q", word, once, exact(word), got)
			}
			if !isASCII(word) && (once != foldedOf(word) || exact(word) != exactOf(word)) {
				t.Fatalf("%q: got %q and %q, want %q and %q", word, once, exact(word), foldedOf(word), exactOf(word))
			}
		}
		for _, a := range all {
			pos := 0
			last := a.Each(text, func(tok Token) bool {
				if tok.Term == "" || len(tok.Term) > 2*MaxWord || tok.Pos < pos || tok.Pos == pos && !tok.Form.Extra() || tok.Start < 0 || tok.End <= tok.Start || tok.End > len(text) {
					t.Fatalf("%q: token %+v after position %d", text, tok, pos)
				}
				if strings.ContainsFunc(tok.Term, func(r rune) bool { return unicode.IsSpace(r) || r == '|' || r == '!' }) || utf8.ValidString(text) && !utf8.ValidString(tok.Term) {
					t.Fatalf("%q: term %q", text, tok.Term)
				}
				if IsStem(tok.Term) != (tok.Form == Stem) {
					t.Fatalf("%q: term %q of form %d", text, tok.Term, tok.Form)
				}
				pos = tok.Pos
				return true
			})
			if last < pos {
				t.Fatalf("%q: the text ends at position %d, before its last token at %d", text, last, pos)
			}
		}
	})
}

func TestLanguages(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"en", "running dogs run", "running|~~~run dogs|~~~dog run"},
		{"de", "Häuser Haus", "hauser|häuser|~~~haus haus"},
		{"ru", "лисица лисицы", "лисица|~~~лисиц лисицы|~~~лисиц"},
		{"fr", "continuellement", "continuellement|~~~continuel"},
		{"pl", "domami", "domami|~~~dom"},
	} {
		if got := byPosition(latest(t, "standard", c.language).Tokens(nil, c.text)); got != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.language, c.text, got, c.want)
		}
	}
	for _, language := range Languages() {
		latest(t, "standard", language).Tokens(nil, "a word of "+language)
	}
	if _, err := New(Spec{Name: "standard", Version: Latest, Language: "xx"}); err == nil {
		t.Error("an unknown language: got no error")
	}
}

// TestClassesAreThoseOfTheFunction compares the pages of classes with what fills them, and
// says that plain characters are their own forms.
func TestClassesAreThoseOfTheFunction(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got, want := latestKind(r), latestKindOf(r); got != want {
			t.Fatalf("kind of %U: got %v, want %v", r, got, want)
		}
		if got, want := latestCJKs.at(r), latestCJK(r); got != want {
			t.Fatalf("kind of %U for cjk: got %v, want %v", r, got, want)
		}
		if got, want := latestNgrams.at(r), latestNgram(r); got != want {
			t.Fatalf("kind of %U for ngram: got %v, want %v", r, got, want)
		}
		if got, want := shapeOf(r), shapeOfOther(r); r >= utf8.RuneSelf && got != want {
			t.Fatalf("shape of %U: got %v, want %v", r, got, want)
		}
		if text := string(r); r >= utf8.RuneSelf && isPlain(text) && (foldedOf(text) != text || exactOf(text) != text) {
			t.Errorf("forms of %U: got %q and %q", r, foldedOf(text), exactOf(text))
		}
	}
}

// TestForms compares the forms of words that are plain or were read before with those that
// are made, also of characters that make another one of those before them.
func TestForms(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"a", "Z", "1", "ß", "é", "e\u0301", "\u0301", "\u0308", "и", "й", "Ж", "ё", "σ", "Σ", "ς", "ა", "字", "か", "\u3099", "ﾊ", "ﾟ", "サ", "가", "각", "\u1100", "\u1161", "\u11a8",
		"ب", "ي", "\u064e", "\u0654", "ש", "\u05c1", "क", "\u093f", "\u094d", "ก", "ำ", "\u0f40", "\u00ad", "\u200d", "Ａ", "ǆ", "Ꭰ", "ꭰ", "\xff", "𐐀", "𐐨",
	})
	rapid.Check(t, func(t *rapid.T) {
		word := "é" + strings.Join(rapid.SliceOfN(parts, 1, 6).Draw(t, "parts"), "")
		if rapid.Bool().Draw(t, "begins otherwise") {
			word = strings.TrimPrefix(word, "é")
		}
		if isASCII(word) {
			return
		}
		for range 2 { // the second time it is remembered
			if got, want := [2]string{folded(word), exact(word)}, [2]string{foldedOf(word), exactOf(word)}; got != want {
				t.Fatalf("%q: got %q, want %q", word, got, want)
			}
		}
	})
}

// Words for which there is one place have each their own forms.
func TestManyForms(t *testing.T) {
	for i := range 2 * len(readBefore.places) {
		word := fmt.Sprintf("É%d", i)
		if got, want := [2]string{folded(word), exact(word)}, [2]string{fmt.Sprintf("e%d", i), fmt.Sprintf("é%d", i)}; got != want {
			t.Fatalf("%q: got %q, want %q", word, got, want)
		}
	}
}

// A word that is alone has no other word and no other form.
func TestWordAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bA", "1", "1,234", "é", "e\u0301", "-", "'s", "’", "&", ",", ".", "+", "#", "_", " ", "字", "\u00AD"}), 1, 9)
		text := strings.Join(parts.Draw(t, "parts"), "")
		for at, r := range text {
			if latestKind(r) != letter {
				continue
			}
			c := readCompound(text, at)
			if first := firstRun(text, at); first.isAlone(text) && (len(c.runs) != 1 || len(c.forms) != 0 || c.end != first.end || !reflect.DeepEqual(c.runs[0], first)) {
				t.Errorf("%q at %d: %+v with %+v is alone", text, at, c.runs, c.forms)
			}
			c.release()
		}
	})
}
