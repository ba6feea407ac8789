package opensearch

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/index/query"
	"indexerd/internal/test/sampletext"
)

// texts are n texts, half of them English and half Chinese: of TESTDATA, or generated ones.
func texts(t *testing.T, n int) []string {
	t.Helper()
	english, chinese := textsOf(t, "en.jsonl.gz", n/2), textsOf(t, "zh.jsonl.gz", n-n/2)
	if english == nil {
		english = sampletext.English(n / 2)
	}
	if chinese == nil {
		chinese = sampletext.Chinese(n - n/2)
	}
	return append(english, chinese...)
}

// textsOf reads the first texts of a file of TESTDATA, and returns nil if there is none.
func textsOf(t *testing.T, name string, n int) (all []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("TESTDATA"), name))
	if err != nil {
		return nil
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for len(all) < n && lines.Scan() {
		var line struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line.Text)
	}
	if err := lines.Err(); err != nil || len(all) < n {
		t.Fatalf("%s: got %d texts, %v, want %d", name, len(all), err, n)
	}
	return all
}

// word returns a word of the vocabulary, or one of a text, which may be a few Chinese
// characters.
func (d *differential) word() string {
	if len(d.texts) == 0 || d.IntN(2) == 0 {
		return pick(d, vocabulary)
	}
	words := strings.Fields(pick(d, d.texts))
	if len(words) == 0 {
		return pick(d, vocabulary)
	}
	return piece(d.Rand, pick(d, words))
}

// piece returns a word, or a part of a long one.
func piece(random *rand.Rand, word string) string {
	r := []rune(word)
	if len(r) < 16 {
		return word
	}
	at := random.IntN(len(r) - 4)
	return string(r[at : at+1+random.IntN(4)])
}

// run returns some words of a text as they stand there, so that a phrase may find it.
func (d *differential) run(least, most int) string {
	if len(d.texts) == 0 {
		return d.words(least, most)
	}
	words := strings.Fields(pick(d, d.texts))
	n := min(least+d.IntN(most-least+1), len(words))
	at := d.IntN(len(words) - n + 1)
	return string(firstRunes(strings.Join(words[at:at+n], " "), 120))
}

// typed returns a query as a user types it, with each way of matching words. One in ten has
// no meaning, and is left to the tests of the parser.
func (d *differential) typed() query.Node {
	var parts []string
	for range 1 + d.IntN(4) {
		word := d.word()
		parts = append(parts, pick(d, []string{word, word, word, "-" + word, firstRunes(word, 2) + "*", word + "~1", `"` + strings.ReplaceAll(word, `"`, "") + `"`, "OR", "title:" + word, "year:>=0", "tags:a", "free:true"}))
	}
	n, err := query.Parse(strings.Join(parts, " "))
	if err != nil {
		return d.node(1)
	}
	n, _ = pick(d, []query.Match{query.MatchAll, query.MatchMost, query.MatchAny}).In(n)
	return n
}
