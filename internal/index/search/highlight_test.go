package search

import (
	"context"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"indexerd/internal/index/query"
	_ "indexerd/internal/test/nofailfile"
)

// plain marks as a search without markings does.
var plain = marker{Marking: plainMarking("title")}

func allFragments(text string, spans []query.Span) []string {
	var out []string
	for _, f := range plain.fragments(text, spans) {
		out = append(out, plain.show(f))
	}
	return out
}

func TestFragments(t *testing.T) {
	words := func(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	filler := words(20, "Filler") + "." // 140 characters
	for _, c := range []struct {
		name, text string
		find       string
		want       []string
	}{
		{"short", "a drama", "drama", []string{"a <mark>drama</mark>"}},
		{"escaped", `<b>"drama"</b>`, "drama", []string{"&lt;b&gt;&#34;<mark>drama</mark>&#34;&lt;/b&gt;"}},
		{"white space around", "\n a drama \n", "drama", []string{"a <mark>drama</mark>"}},
		{"several sentences that fit", "One. A drama. Two! And more?", "drama", []string{"One. A <mark>drama</mark>. Two! And more?"}},
		{"sentence borders", filler + " One. A drama. " + filler + " " + filler, "drama", []string{"One. A <mark>drama</mark>. " + filler}},
		{"preceding sentences, if they fit", filler + " One. A drama. " + filler + filler, "drama", []string{filler + " One. A <mark>drama</mark>."}},
		{"an abbreviation is no border", strings.Repeat("x", 190) + ". J. R. Drama, i.e. a drama.", "a drama", []string{"J. R. Drama, i.e. <mark>a drama</mark>."}},
		{"a number is no border", strings.Repeat("x", 195) + ". Version 3.14 of a drama", "drama", []string{"Version 3.14 of a <mark>drama</mark>"}},
		{"quotes belong to the sentence", strings.Repeat("x", 195) + `." (A drama!) ` + filler + filler, "drama", []string{"(A <mark>drama</mark>!)"}},
		{"an empty line is a border", strings.Repeat("x", 195) + "\n\t\n a drama\nwith lines", "drama", []string{"a <mark>drama</mark>\nwith lines"}},
		{"Chinese sentences", strings.Repeat("今", 120) + "。" + "夜月明。」" + strings.Repeat("朝", 199) + "！", "夜", []string{strings.Repeat("今", 120) + "。<mark>夜</mark>月明。」"}},
		{
			"a long sentence is cut between words", words(50, "before") + " drama " + words(50, "after"), "drama",
			[]string{"…" + words(8, "before") + " <mark>drama</mark> " + words(23, "after") + "…"},
		},
		{
			"the end of a long sentence", words(50, "before") + " drama. " + filler, "drama",
			[]string{"…" + words(8, "before") + " <mark>drama</mark>."},
		},
		{
			"two matches in one piece", "drama and drama", "drama",
			[]string{"<mark>drama</mark> and <mark>drama</mark>"},
		},
		{
			"far matches", "drama " + words(60, "x12345") + " drama", "drama",
			[]string{"<mark>drama</mark> " + words(27, "x12345") + "…", "…" + words(8, "x12345") + " <mark>drama</mark>"},
		},
		{
			"no part of a sentence is shown twice", "drama " + words(30, "x12345") + " drama " + words(60, "x12345"), "drama",
			[]string{"<mark>drama</mark> " + words(27, "x12345") + "…", "…" + words(3, "x12345") + " <mark>drama</mark> " + words(24, "x12345") + "…"},
		},
		{
			"Chinese without any border", strings.Repeat("今", 100) + "夜" + strings.Repeat("月", 300), "夜",
			[]string{"…" + strings.Repeat("今", 60) + "<mark>夜</mark>" + strings.Repeat("月", 139) + "…"},
		},
		{
			"a match over a border", filler + " A drama. Ends here. " + filler, "drama. Ends",
			[]string{"A <mark>drama. Ends</mark> here. " + filler},
		},
		{
			"a match longer than a piece", strings.Repeat("x", 500), strings.Repeat("x", 500),
			[]string{"<mark>" + strings.Repeat("x", 200) + "</mark>…"},
		},
		{
			"a match is not cut at the end of a piece", "drama " + words(24, "x12345") + " a drama of a kind", "drama",
			[]string{"<mark>drama</mark> " + words(24, "x12345") + " a <mark>drama</mark> of a kind"},
		},
		{
			"nor at its start", "drama" + strings.Repeat("x", 193) + "drama", "drama",
			[]string{"<mark>drama</mark>" + strings.Repeat("x", 193) + "…", "…<mark>drama</mark>"},
		},
	} {
		if got := allFragments(c.text, spansOf(c.find, c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// spansOf finds a text anywhere.
func spansOf(find, text string) []query.Span {
	spans, _ := (&fakeTable{}).Matcher(query.Word{Text: find})(context.Background(), "", text)
	return spans
}

// Fragments with more distinct words come first, then those with more matches.
func TestBestFragmentsFirst(t *testing.T) {
	long := strings.Repeat("Filler ", 30) + ". "
	text := "One mad man. " + long + "Mad, mad, mad. " + long + "A mad scientist. " + long + "A scientist again."
	var spans []query.Span
	for at := range text {
		for _, word := range []string{"mad", "Mad", "scientist"} {
			if strings.HasPrefix(text[at:], word) {
				spans = append(spans, query.Span{Start: at, End: at + len(word)})
			}
		}
	}
	want := []string{"A <mark>mad</mark> <mark>scientist</mark>.", "<mark>Mad</mark>, <mark>mad</mark>, <mark>mad</mark>.", "One <mark>mad</mark> man."}
	if got := plain.best(plain.fragments(text, spans)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// checkFragments checks that each fragment is a part of the text, has a mark, is
// not too long, and cuts no character; and that every match is marked once, and
// completely unless it is longer than a fragment.
func checkFragments(t rapid.TB, m marker, text string, spans []query.Span) {
	t.Helper()
	marked := 0
	for _, f := range m.fragments(text, spans) {
		got := m.show(f)
		shown := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got)
		if f.begun {
			shown = strings.TrimPrefix(shown, ellipsis)
		}
		if f.unfinished {
			shown = strings.TrimSuffix(shown, ellipsis)
		}
		shown = html.UnescapeString(shown)
		if !strings.Contains(text, shown) || utf8.ValidString(text) && !utf8.ValidString(got) || !strings.Contains(got, "<mark>") {
			t.Fatalf("fragment %q of %q", got, text)
		}
		if n := utf8.RuneCountInString(shown); n > m.Runes {
			t.Fatalf("fragment of %d characters: %q of %q", n, got, text)
		}
		marks := strings.Split(got, "<mark>")[1:]
		if len(marks) != len(f.spans) {
			t.Fatalf("%d marks for %d matches in %q", len(marks), len(f.spans), got)
		}
		for i, mark := range marks {
			mark, _, _ = strings.Cut(mark, "</mark>")
			s := f.spans[i]
			if whole := text[s.Start:s.End]; html.UnescapeString(mark) != whole && utf8.RuneCountInString(whole) <= m.Runes-m.lead() {
				t.Fatalf("got mark %q, want %q", mark, whole)
			}
			marked++
		}
	}
	if marked != len(spans) {
		t.Fatalf("%d marks for %d matches of %q", marked, len(spans), text)
	}
}

func TestFragmentsOfRandomTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		pieces := rapid.SampledFrom([]string{"word ", "End. ", "A", "...", strings.Repeat("月", 50), "。", strings.Repeat("x", 70), "<&> ", "&amp;", "\n", "\n\n", "…"})
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
			if strings.TrimSpace(text[start:end]) == text[start:end] { // matches begin and end with letters
				spans = append(spans, query.Span{Start: start, End: end})
			}
			at = end + 1
		}
		m := plain
		m.Runes = rapid.SampledFrom([]int{fragmentRunes, 100, 18, 1}).Draw(t, "runes")
		checkFragments(t, m, text, spans)
	})
}

func FuzzFragments(f *testing.F) {
	f.Add("A drama. Another drama, <b>and</b> more drama! 今夜。drama", "drama")
	f.Add(strings.Repeat("x. ", 200), "x")
	f.Fuzz(func(t *testing.T, text, find string) {
		if find == "" || strings.TrimSpace(find) != find || !utf8.ValidString(text) || !utf8.ValidString(find) || strings.ContainsAny(text, "\r\x00") {
			return
		}
		checkFragments(t, plain, text, spansOf(find, text))
	})
}

func TestWordsInSpans(t *testing.T) {
	for text, want := range map[string][]string{
		"mad scientist":   {"mad", "scientist"},
		"mad, (mad) man ": {"mad", "mad", "man"},
		"x86_64":          {"x86_64"},
		"東京 大阪":           {"東京", "大阪"},
		"...":             nil,
		"":                nil,
	} {
		var got []string
		for _, s := range wordsIn("> "+text, []query.Span{{Start: 2, End: 2 + len(text)}}) {
			got = append(got, ("> " + text)[s.Start:s.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
