package fulltext

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/sampletext"
)

var textMapping = schema.Mapping{Content: []string{"text"}, Analyzer: "standard", Positions: true, Metadata: []schema.Field{{Name: "n", Type: schema.Number}}}

func textDocs(t testing.TB, texts []string) []doc.Doc {
	docs := make([]doc.Doc, len(texts))
	for i, text := range texts {
		docs[i] = doc.Doc{
			Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: doc.Version(i + 1)},
			Row:  doc.Row{Names: []string{"text", "n"}, Values: []any{text, int64(i)}},
		}
	}
	return docs
}

// outsideTexts returns n texts of a file that is not part of the project.
func outsideTexts(t testing.TB, name string, n int) []string {
	t.Helper()
	f, err := os.Open(pgtest.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	texts := make([]string, n)
	for i := range texts {
		var line struct{ Text string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		texts[i] = line.Text
	}
	return texts
}

// A search finds a word in exactly the texts that have it. With cjk and ngram it
// finds every piece of a run of characters, also as a prefix, phrase or fuzzy
// word.
func TestTextsAreFoundByWordsAndPieces(t *testing.T) {
	const n = 400
	for _, c := range []struct {
		analyzer, name string
		texts          func(t *testing.T) []string
	}{
		{"standard", "English", func(*testing.T) []string { return sampletext.English(n) }},
		{"ngram", "English", func(*testing.T) []string { return sampletext.English(n) }},
		{"cjk", "Chinese", func(*testing.T) []string { return sampletext.Chinese(n) }},
		{"ngram", "Chinese", func(*testing.T) []string { return sampletext.Chinese(n) }},
		{"standard", "en.jsonl.gz", func(t *testing.T) []string { return outsideTexts(t, "en.jsonl.gz", n) }},
		{"cjk", "zh.jsonl.gz", func(t *testing.T) []string { return outsideTexts(t, "zh.jsonl.gz", n) }},
	} {
		t.Run(c.analyzer+" "+c.name, func(t *testing.T) {
			t.Parallel()
			texts := c.texts(t)
			m := textMapping
			m.Analyzer = c.analyzer
			ix := newIndex(t, m)
			docs := textDocs(t, texts)
			apply(t, ix, docs[:n/2])
			apply(t, ix, docs[n/2:])
			for i, text := range texts {
				texts[i] = strings.ToLower(text)
			}
			if c.analyzer == "standard" {
				checkWords(t, ix, texts)
			} else {
				checkPieces(t, ix, texts)
			}
		})
	}
}

// checkWords searches for the words of some texts.
func checkWords(t *testing.T, ix *Index, texts []string) {
	t.Helper()
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
		})
	}
	frequency := map[string]uint64{} // texts that have the word
	for _, text := range texts {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words(text)))) {
			frequency[w]++
		}
	}
	checked := 0
	for i := 0; i < len(texts); i += len(texts) / 10 {
		for _, w := range words(texts[i]) {
			checked++
			if got, want := ask(t, ix, query.Word{Text: w}.String()).Total, frequency[w]; got != want {
				t.Errorf("%s: got %d, want %d", w, got, want)
			}
		}
	}
	if checked < 50 {
		t.Errorf("checked %d words, want at least 50", checked)
	}
}

// checkPieces searches for pieces of one to four characters.
func checkPieces(t *testing.T, ix *Index, texts []string) {
	t.Helper()
	checked := map[string]bool{}
	for i, text := range texts {
		for _, run := range strings.FieldsFunc(text, func(r rune) bool {
			tokens := ix.Analysis.Tokens(nil, string(r))
			return len(tokens) == 0 || tokens[0].Form != analysis.Lone
		}) {
			runes := []rune(run)
			if len(runes) < 5 || len(checked) > 250 {
				continue
			}
			at := i % (len(runes) - 4)
			for size := 1; size <= 4; size++ {
				checked[string(runes[at:at+size])] = true
			}
			break
		}
	}
	if len(checked) < 100 {
		t.Errorf("checked %d pieces, want at least 100", len(checked))
	}
	for _, piece := range slices.Sorted(maps.Keys(checked)) {
		var want uint64
		for _, text := range texts {
			if strings.Contains(text, piece) {
				want++
			}
		}
		for _, n := range []query.Node{query.Word{Text: piece}, query.Prefix{Text: piece}, query.Phrase{Text: piece}, query.Fuzzy{Text: piece}} {
			if got := ask(t, ix, n.String()).Total; got != want {
				t.Errorf("%s: got %d, want %d", fmt.Sprint(n), got, want)
			}
		}
	}
}
