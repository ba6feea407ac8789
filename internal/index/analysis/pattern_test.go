package analysis

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The matches of Pattern in what Plain returns, in lower case and cut, are the terms of the
// text.
func TestPlain(t *testing.T) {
	a := newTestAnalyzer(t, "standard", "the", "ÉTÉ")
	words := regexp.MustCompile(a.Pattern())
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([A-Za-z_. é今Ωİ。।ＷＡ１ａ·Ⱥ]{0,9}|the|ÉTÉ|`+strings.Repeat("Ⱥ", 99)+`|x{300}| |é[a-z]{300})*`))
	rapid.Check(t, func(t *rapid.T) {
		text := text.Draw(t, "text")
		plain := a.Plain(text)
		var got, want []string
		for _, word := range words.FindAllString(plain, -1) {
			r := []rune(strings.Map(foldRune, word))
			if term := string(r[:min(len(r), MaxWord)]); !a.stop[term] {
				got = append(got, term)
			}
		}
		for _, token := range a.Tokens(nil, text) {
			want = append(want, token.Term)
		}
		if !slices.Equal(got, want) || a.HasTerm(text) != (len(want) > 0) {
			t.Fatalf("%q as %q: got %q, a term %t, want %q", text, plain, got, a.HasTerm(text), want)
		}
	})
}

// Texts of common scripts are plain as they are.
func TestCommonTextsArePlain(t *testing.T) {
	a := newTestAnalyzer(t, "standard")
	for _, text := range []string{
		"", "It's “quoted” – 3.14 €, naïve CAFÉ №1 ©™ ½ 🎬👩‍🔬✈️ \u2028", "東京タワー、今夜月。「引用」（全角）！？～・", "Ёлка ΑΘΗΝΑ, Ἀθῆναι; İstanbul ẞ", "हिन्दी। भाषा॥ ১২৩৳", "العربية، ؟ עִבְרִית־",
		"서울, ㈜ﾃｽﾄ", "สวัสดี ฿ ฯลฯ", "ქართული ᲥᲐᲠᲗᲣᲚᲘ; հայերեն։ ខ្មែរ។ አማርኛ፡",
	} {
		if got := a.Plain(text); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, text := range []string{"ＷＩＤＥ １２", "x\U00010400", strings.Repeat("é", MaxWord), "\u0378"} {
		if got := a.Plain(text); got == text || !utf8.ValidString(got) {
			t.Errorf("%q: got it as it is, want it folded", text)
		}
	}
}

func TestPatternOfOtherAnalyzers(t *testing.T) {
	for _, name := range []string{"en", "cjk", "ngram"} {
		if got := newTestAnalyzer(t, name).Pattern(); got != "" {
			t.Errorf("%s: got %.20s, want none", name, got)
		}
	}
	if got := utf8.RuneCountInString(newTestAnalyzer(t, "standard").Pattern()); got > 1000 {
		t.Errorf("the pattern has %d characters, want few: an automaton is made of them for each index", got)
	}
}
