package proposal

import (
	"slices"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest/films"
	"indexerd/internal/test/sampletext"
)

func TestEastern(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"Chinese":       {strings.Join(sampletext.Chinese(20), "\n"), true},
		"Japanese":      {"吾輩は猫である。名前はまだ無い。", true},
		"Korean":        {"나는 고양이다 abc", true},
		"a few letters": {strings.Repeat("Antwort auf die Frage der Kunden ", 10) + "猫", false},
		"nothing":       {"", false},
	} {
		if got := eastern(strings.Split(c.text, "\n")); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

// The language is detected from the texts, unless it is given.
func TestLanguage(t *testing.T) {
	const german = "Der Hund lief über die Straße und das Kind rief ihm nach, aber er hörte nicht. Am nächsten Morgen war er wieder da, als wäre nichts geschehen, " +
		"und die Mutter sagte, dass sie ihn nicht mehr allein lassen will. In der Stadt gab es an diesem Tag einen Markt mit Obst und Gemüse."
	c, _ := lite(t, "shop.db", `CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)`, `CREATE TABLE visit (id INTEGER PRIMARY KEY, n INTEGER)`)
	for _, test := range []struct {
		language, text, want string
	}{
		{"", german, "language: de  # that of the sampled texts"},
		{AutoLanguage, german, "language: de  # that of the sampled texts"},
		{AutoLanguage, "ACADEMY DINOSAUR", "content: {fields: [text]}\n  visit"},
		{"no", german, "language: \"no\"  # of all tables, as --language says"},
		{NoLanguage, german, "language: none  # of all tables, as --language says"},
		{AutoLanguage, "吾輩は猫である", "analyzer: cjk}\n  visit"},
		{"en", "吾輩は猫である", "analyzer: cjk}\n    language: en  #"},
		{AutoLanguage, "", "content: {fields: [text]}\n  visit"},
	} {
		s := Source{Driver: "sqlite", DSN: "shop.db", Address: "shop.db", Language: test.language, Texts: func(_ string, columns []string) [][]string {
			if test.text == "" {
				return nil
			}
			return slices.Repeat([][]string{{test.text}}, len(columns))
		}}
		yaml, _ := all(c, s)
		_, note, _ := strings.Cut(yaml, "\n  note:")
		if got := strings.ReplaceAll(note, "\n\n", "\n"); !strings.Contains(got, test.want) || strings.Count(yaml, "language:") > 1 {
			t.Errorf("%q, %.20s: got\n%s\nwant %q in it", test.language, test.text, got, test.want)
		}
		if _, err := configs.Parse("init", []byte(yaml), func(string) (string, bool) { return "", false }); err != nil {
			t.Errorf("%q: %v", test.language, err)
		}
	}
}

// The analyzer is chosen from the texts of the content, under their names in the
// SQL.
func TestAnalyzerIsSampled(t *testing.T) {
	c, open := postgres(t, func(dsn string) { films.Load(t, dsn) })
	s := pagilaAt
	asked := map[string][]string{}
	s.Texts = func(sql string, columns []string) [][]string {
		asked[sql[strings.Index(sql, " FROM ")+6:]] = columns
		texts := make([][]string, len(columns))
		for i := range texts {
			texts[i] = []string{"タワー"}
			if slices.Contains(columns, "description") {
				texts[i] = []string{strings.Repeat("that is the one which they would have been with, and not from it ", 20)}
			}
		}
		return texts
	}
	c.Tables = append(c.Tables, doc.CatalogTable{SQL: "n", Columns: []doc.CatalogColumn{{Name: "id", Kind: doc.NumberColumn, Key: true}}, Keys: [][]string{{"id"}}})
	yaml, _ := all(c, s)
	for _, want := range []string{
		"    content: {fields: [title, description, language], boosts: {title: 3}}\n    language: en  # that of the sampled texts: a word finds its other forms too\n    title: title\n",
		"# cjk: many of the sampled characters are Chinese, Japanese or Korean\n    content: {fields: [name], analyzer: cjk}\n    title: name\n",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("got\n%s\nwant %q in it", yaml, want)
		}
	}
	if !slices.Equal(asked["film"], []string{"title", "description"}) || asked["n"] != nil {
		t.Errorf("got samples of %v, want title and description of film, and none of n", asked)
	}
	c.Tables = c.Tables[:len(c.Tables)-1]
	yaml, _ = all(c, s)
	works(t, yaml, open)
}
