package configs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// The values of stopwords that name no file.
const (
	noStopwords      = "none"
	EnglishStopwords = "english"
)

// maxWords is the most bytes that a file of stop words or synonyms may have. All stop
// words are stored with each index.
const maxWords = 1 << 20

// checkStopwords reads the file of stop words, if there is one.
func (r *reader) checkStopwords(path string, t *Table) {
	switch t.Stopwords {
	case "", noStopwords:
		return
	}
	if t.Content.Analyzer == "ngram" {
		r.wrong(path, "not used with analyzer ngram, which has no words", "remove it, or choose another analyzer")
		return
	}
	if t.Stopwords == EnglishStopwords {
		return
	}
	words, what := readStopwords(t.Stopwords)
	if what != "" {
		r.wrong(path, what, "write none, english, or the name of a UTF-8 file with one word a line")
		return
	}
	t.DroppedWords = words
}

// readStopwords returns the words of a file, or what is wrong with it. Blank lines
// and lines that begin with # are no words.
func readStopwords(file string) (words []string, what string) {
	data, what := readWords(file)
	if what != "" {
		return nil, what
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		switch fields := strings.Fields(string(line)); len(fields) {
		case 0:
		case 1:
			words = append(words, strings.ToLower(fields[0]))
		default:
			return nil, fmt.Sprintf("file has more than one word in line %d", n)
		}
	}
	slices.Sort(words)
	return slices.Compact(words), ""
}

// readWords reads a file of words, or returns what is wrong with it.
func readWords(file string) (data []byte, what string) {
	f, err := os.Open(file)
	if err != nil {
		return nil, "file can't be read: " + reason(err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxWords+1))
	switch {
	case err != nil:
		return nil, "file can't be read: " + reason(err)
	case len(data) > maxWords:
		return nil, "file has more than 1 MiB"
	case !utf8.Valid(data):
		return nil, "file is not UTF-8"
	}
	return data, ""
}
