package words

import (
	"strings"
	"testing"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

func TestSpansOfAQuery(t *testing.T) {
	for _, c := range []struct{ analyzer, query, text, want string }{
		{"standard", "drama shark", "A DRAMA of sharks and a Shark", "A [DRAMA] of sharks and a [Shark]"},
		{"standard", "-drama shark", "a drama of a shark", "a drama of a [shark]"},
		{"standard", `"mad scientist"`, "mad and Mad Scientist; mad", "mad and [Mad Scientist]; mad"},
		{"standard", `"man of the year"`, "man of the year, man in a year, man year", "[man of the year], [man in a year], man year"},
		{"standard", "dram*", "drama dramatic undramatic", "[drama] [dramatic] undramatic"},
		{"standard", "title:drama", "drama", "[drama]"},
		{"standard", "description:drama", "drama", "drama"},
		{"standard", "rating:drama", "drama", "drama"},
		{"standard", "git.exe", "a git.exe, git exe, exe", "a [git.exe], [git exe], exe"},
		{"standard", "元衡", "武元衡 元", "武[元衡] 元"},
		{"standard", "the OR *", "the", "the"},
		{"en", "runs", "Running dogs run", "[Running] dogs [run]"},
		{"cjk", "今", "月今 今夜 夜", "月[今] [今]夜 夜"},
		{"cjk", "夜月", "今夜月明 夜", "今[夜月]明 夜"},
		{"cjk", "今夜月", "今夜月明 今夜", "[今夜月]明 今夜"},
		{"ngram", "ram", "Drama RAM", "D[ram]a [RAM]"},
		{"ngram", "a", "bab", "b[a]b"},
		{"standard", `"mad scientist"~1`, "mad scientist, mad old scientist", "[mad scientist], [mad] old [scientist]"},
		{"standard", `"mad scientist"~2`, "a scientist, mad; mad", "a [scientist], [mad]; mad"},
		{"standard", `"mad scientist"~1`, "scientist of a mad", "scientist of a mad"},
		{"standard", `"man of year"~1`, "man of a year", "[man] of a [year]"},
		{"standard", "sceintist~", "Scientist or scientists, science", "[Scientist] or [scientists], science"},
		{"standard", "sceintist~1", "Scientist or scientists", "[Scientist] or scientists"},
		{"standard", "spider-man~", "spider and a men", "[spider] and a [men]"},
		{"cjk", "今夜~", "今夜月", "[今夜]月"},
		{"latest standard", "cafe", "Un Café, CAFÉS, cafe\u0301!", "Un [Café], CAFÉS, [cafe\u0301]!"},
		{"latest standard", "wifi", "Free Wi-Fi and wifi", "Free [Wi-Fi] and [wifi]"},
		{"latest standard", "wi-fi", "Free Wi-Fi and wifi; wi, fi", "Free [Wi-Fi] and [wifi]; [wi, fi]"},
		{"latest standard", "camel iphone15", "camelCase, iPhone15 or iPhone 15", "[camel]Case, [iPhone15] or [iPhone 15]"},
		{"latest standard", `"the wifi network"`, "the wi-fi network", "the [wi-fi network]"},
		{"latest standard", "C++ at&t", "C, C++ and AT&T's", "C, [C++] and [AT&T]'s"},
		{"latest standard", "dogs", "the dog's dogs", "the [dog's] [dogs]"},
		{"latest standard", "1234.5", "1,234.5 or 1234.5", "[1,234.5] or [1234.5]"},
		{"latest standard", "wi-f*", "wi-fi, wifi, fifi", "[wi-fi], [wifi], fifi"},
		{"latest standard", "strasse office", "Straße, oﬃce", "[Straße], [oﬃce]"},
		{"latest standard", "😀", "ha 😀😀", "ha [😀😀]"},
		{"latest standard", "กิน", "เขากำลังกินข้าว", "เขากำลัง[กิน]ข้าว"},
		{"latest en", "run", "Running dogs run", "[Running] dogs [run]"},
		{"latest en", `"dogs run"`, "dogs run, dog runs", "[dogs run], dog runs"},
		{"latest en", "ru*", "Running dogs", "[Running] dogs"},
	} {
		version := analysis.First
		if strings.HasPrefix(c.analyzer, "latest ") {
			version = analysis.Latest
		}
		s, err := schema.New(schema.Mapping{
			Content: []string{"title", "description"}, Analyzer: strings.TrimPrefix(c.analyzer, "latest "), AnalysisVersion: version, Stopwords: analysis.English(), Positions: true,
			Metadata: []schema.Field{{Name: "rating", Type: schema.Keyword}},
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := query.Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := marked(t, s, n, c.text); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.analyzer, c.query, got, c.want)
		}
	}
}

// marked puts brackets around the matches of a query in a title.
func marked(t *testing.T, s *schema.Schema, n query.Node, text string) string {
	t.Helper()
	spans, err := NewMatcher(s, n)(t.Context(), "title", text)
	if err != nil {
		t.Fatal(err)
	}
	out, at := "", 0
	for _, s := range spans {
		out += text[at:s.Start] + "[" + text[s.Start:s.End] + "]"
		at = s.End
	}
	return out + text[at:]
}

// A phrase that is being typed is marked in every column.
func TestMatcherOfABegunPhrase(t *testing.T) {
	s, err := schema.New(schema.Mapping{Content: []string{"title", "description"}, Analyzer: "standard", Positions: true})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"": "a [Mad Scientist], a mad dog", "title": "a [Mad Scientist], a mad dog", "description": "a Mad Scientist, a mad dog"} {
		if got := marked(t, s, query.PhrasePrefix{Field: field, Text: "mad sci"}, "a Mad Scientist, a mad dog"); got != want {
			t.Errorf("in %q: got %s, want %s", field, got, want)
		}
	}
}
