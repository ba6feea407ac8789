package fulltext

import (
	"math"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// cars are synonyms of one group, of a rule that replaces, and of a rule that adds.
var cars = []query.Synonyms{
	{From: []string{"car", "automobile", "motor car"}, To: []string{"car", "automobile", "motor car"}},
	{From: []string{"PC"}, To: []string{"computer"}},
	{From: []string{"big apple"}, To: []string{"big apple", "new york"}},
	{From: []string{"汽车", "轿车"}, To: []string{"汽车", "轿车"}},
}

func expand(t *testing.T, s *schema.Schema, text string) query.Node {
	t.Helper()
	n, err := words.NewSynonyms(s, cars).Expand(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A word finds its synonyms, wherever it stands by itself.
func TestSynonyms(t *testing.T) {
	texts := []string{"red car", "red automobile", "red motor car", "car red motor", "red cars", "a pc", "a computer", "big red apple", "new york", "york new", "红色汽车", "白色轿车"}
	for _, c := range []struct{ analyzer, query, want string }{
		{"standard", "car", "0 1 2 3"},
		{"standard", "CAR", "0 1 2 3"},
		{"standard", "automobile red", "0 1 2 3"},
		{"standard", "motor car", "0 1 2 3"}, // 3 has both words
		{"standard", "motor", "2 3"},
		{"standard", "red motor car", "0 1 2 3"},
		{"standard", "motor OR car", "0 1 2 3"},
		{"standard", `"car"`, "0 2 3"},
		{"standard", `"motor car"`, "2"},
		{"standard", "automobil*", "1"},
		{"standard", "red -car", "4 7"},
		{"standard", "title:car", "0 1 2 3"},
		{"standard", "title:motor title:car", "0 1 2 3"},
		{"standard", "description:car", ""},
		{"standard", "pc", "6"},
		{"standard", "computer", "6"},
		{"standard", "big apple", "7 8"},
		{"standard", "new york", "8 9"},
		{"en", "cars", "0 1 2 3 4"},
		{"cjk", "汽车", "10 11"},
		{"cjk", "automobile", "0 1 2 3"},
	} {
		for _, tuned := range []bool{false, true} {
			ix := titled(t, c.analyzer, texts...)
			res, err := ix.Search(t.Context(), query.Request{Query: expand(t, ix.Schema, c.query), Size: 20, Tuned: tuned})
			if err != nil {
				t.Fatal(err)
			}
			got := keys(res)
			slices.SortFunc(got, func(a, b string) int { return len(a)*10 - len(b)*10 + strings.Compare(a, b) })
			if strings.Join(got, " ") != c.want || res.Total != uint64(len(got)) {
				t.Errorf("%s %s, tuned %t: got %v of %d, want %s", c.analyzer, c.query, tuned, got, res.Total, c.want)
			}
		}
	}
}

// Synonyms count as one word: the score of the group is that of a word that has the freq
// of all of them and that all of their documents have.
func TestScoreOfSynonyms(t *testing.T) {
	ix := newIndex(t, corpusMapping)
	apply(t, ix, corpusTexts.docs(t, 0, 1, 2, 3, 4, 5, 6, 7))
	either := func(words []string) float64 {
		return isWord("shark")(words) + isWord("world")(words) + isPhrase("mad", "scientist")(words)
	}
	n := query.Synonym{Word: query.Word{Text: "shark"}, Texts: []string{"shark", "world", "mad scientist", "quokka"}}
	res, err := ix.Search(t.Context(), query.Request{Query: n, Size: 9, Explain: true})
	if err != nil || len(res.Hits) != 6 {
		t.Fatalf("got %d hits, %v, want 6", len(res.Hits), err)
	}
	for _, h := range res.Hits {
		k := slices.IndexFunc([]int64{0, 1, 2, 3, 4, 5, 6, 7}, func(k int64) bool { return oid(t, k) == h.OID })
		if want := corpusTexts.bm25(int64(k), either, query.DefaultBM25, freq(either).idf); math.Abs(h.Score-want) > 1e-5 {
			t.Errorf("%d: got score %v, want %v; parts %+v", k, h.Score, want, h.Explain)
		}
		sum := 0.0
		for _, part := range h.Explain {
			sum += part.Score
			if part.Word != `shark | world | "mad scientist" | quokka` {
				t.Errorf("%d: part %+v", k, part)
			}
		}
		if math.Abs(sum-h.Score) > 1e-5 {
			t.Errorf("%d: the parts %+v add up to %v, want %v", k, h.Explain, sum, h.Score)
		}
	}
}

// Words near each other count too if one of them is a synonym, as parts of the score; a
// word is not near itself. Pages have all hits once.
func TestSynonymsNearEachOther(t *testing.T) {
	ix := titled(t, "standard", "red car", "red automobile", "red dust on the old grey car", "red motor car", "car red", "automobile car", "car dust")
	for text, near := range map[string][]string{"red car": {"0", "1", "2", "3", "4"}, "car automobile": {"5"}, "car dust": {"2", "6"}} {
		req := query.Request{Query: expand(t, ix.Schema, text), Size: 9, Tuned: true, Explain: true}
		res, err := ix.Search(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, h := range res.Hits {
			sum := 0.0
			for _, part := range h.Explain {
				sum += part.Score
				if part.Distance > 0 {
					got = append(got, keys(res)[i])
				}
			}
			if math.Abs(sum-h.Score) > 1e-5*h.Score {
				t.Errorf("%s: the parts %+v add up to %v, want %v", text, h.Explain, sum, h.Score)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, near) {
			t.Errorf("%s: near each other in %v, want %v", text, got, near)
		}
		checkPages(t, text, ix, req, res, 1)
	}
}

// In an index without positions a phrase among synonyms is found where its words are.
func TestSynonymsWithoutPositions(t *testing.T) {
	m := films
	m.Positions = false
	ix := newIndex(t, m)
	var docs []doc.Doc
	for i, title := range []string{"motor boat of a car maker", "motor", "automobile"} {
		docs = append(docs, film(t, int64(i), 1, map[string]any{"title": title}))
	}
	apply(t, ix, docs)
	rules := []query.Synonyms{{From: []string{"x"}, To: []string{"motor car", "automobile"}}}
	for _, tuned := range []bool{false, true} {
		n, err := ix.Synonyms(rules).Expand(parse(t, "x"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := ix.Search(t.Context(), query.Request{Query: n, Size: 9, Tuned: tuned})
		if got := keys(res); err != nil || len(got) != 2 || !slices.Contains(got, "0") || !slices.Contains(got, "2") {
			t.Errorf("tuned %t: got %v, %v, want 0 and 2", tuned, got, err)
		}
	}
}

// A text shows the synonyms that were found in it.
func TestSynonymsInTexts(t *testing.T) {
	s, err := schema.New(films)
	if err != nil {
		t.Fatal(err)
	}
	find := words.NewMatcher(s, expand(t, s, "car -pc"))
	text := "an automobile, a pc and a motor car"
	spans, err := find(t.Context(), "title", text)
	var got []string
	for _, span := range spans {
		got = append(got, text[span.Start:span.End])
	}
	if want := []string{"automobile", "motor car"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// A query whose words have too many synonyms is rejected, and one without synonyms stays
// as it is.
func TestTooManySynonyms(t *testing.T) {
	s, err := schema.New(films)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("car ", query.MaxSynonyms/3)
	if _, err := words.NewSynonyms(s, cars).Expand(parse(t, text)); err != nil {
		t.Error(err)
	}
	want := "with its synonyms the query stands for more than 1024 words and phrases: search for fewer words"
	if _, err := words.NewSynonyms(s, cars).Expand(parse(t, text+"car car")); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, text := range []string{"", "*", "red (shark OR -old) year:[1 TO 2] rating:car", "re*"} {
		if n, err := words.NewSynonyms(s, cars).Expand(parse(t, text)); err != nil || n.String() != parse(t, text).String() {
			t.Errorf("%s: got %v, %v", text, n, err)
		}
	}
	if words.NewSynonyms(s, nil) != nil || words.NewSynonyms(s, []query.Synonyms{{From: []string{"..."}, To: []string{"x"}}}) != nil {
		t.Error("got synonyms, want none")
	}
}
