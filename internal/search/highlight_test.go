package search

import (
	"html"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"indexerd/internal/query"
)

func TestFragments(t *testing.T) {
	words := func(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	for _, c := range []struct {
		name, text string
		find       string
		want       []string
	}{
		{"short", "a drama", "drama", []string{"a <mark>drama</mark>"}},
		{"escaped", `<b>"drama"</b>`, "drama", []string{"&lt;b&gt;&#34;<mark>drama</mark>&#34;&lt;/b&gt;"}},
		{
			"both ends between words", words(50, "before") + " drama " + words(50, "after"), "drama",
			[]string{words(8, "before") + " <mark>drama</mark> " + words(23, "after")},
		},
		{
			"two matches in one piece", "drama and drama", "drama",
			[]string{"<mark>drama</mark> and <mark>drama</mark>"},
		},
		{
			"far matches", "drama " + words(60, "x12345") + " drama", "drama",
			[]string{"<mark>drama</mark> " + words(27, "x12345"), words(8, "x12345") + " <mark>drama</mark>"},
		},
		{
			"Chinese has no spaces", strings.Repeat("今", 100) + "夜" + strings.Repeat("月", 300), "夜",
			[]string{strings.Repeat("今", 60) + "<mark>夜</mark>" + strings.Repeat("月", 139)},
		},
		{
			"a match longer than a piece", strings.Repeat("x", 500), strings.Repeat("x", 500),
			[]string{"<mark>" + strings.Repeat("x", 200) + "</mark>"},
		},
	} {
		spans := (&shelf{}).Spans(query.Word{Text: c.find}, "", c.text)
		if got := fragments(c.text, spans); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Whatever the text and the matches are: pieces are parts of the text, each
// has a mark, none is long, and nothing is cut inside a character.
func TestFragmentsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		pieces := rapid.SampledFrom([]string{"word ", strings.Repeat("月", 50), strings.Repeat("x", 70), "<&> ", "\n"})
		text := strings.Join(rapid.SliceOfN(pieces, n, n).Draw(t, "pieces"), "")
		var spans []query.Span
		for at := 0; at < len(text); {
			start := at + rapid.IntRange(0, 400).Draw(t, "gap")
			end := start + rapid.IntRange(1, 300).Draw(t, "length")
			for start < len(text) && !utf8.RuneStart(text[start]) {
				start++
			}
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			if end > len(text) || start >= end {
				break
			}
			spans = append(spans, query.Span{Start: start, End: end})
			at = end + 1
		}
		got := fragments(text, spans)
		if len(got) > maxFragments || (len(got) == 0) != (len(spans) == 0) {
			t.Fatalf("%d pieces for %d matches", len(got), len(spans))
		}
		for _, f := range got {
			plain := html.UnescapeString(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(f))
			if !strings.Contains(text, plain) || !utf8.ValidString(f) || !strings.Contains(f, "<mark>") || utf8.RuneCountInString(plain) > fragmentRunes {
				t.Fatalf("piece %q of %q", f, text)
			}
		}
	})
}
