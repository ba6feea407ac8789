package query

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The examples of docs/search.md parse, and its limits are the constants.
func TestDocumentedLanguage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## The query")
	language, _, _ := strings.Cut(rest, "## The order of hits")
	examples := regexp.MustCompile("(?m)^\\| [^|]+ \\| `([^`]+)` \\|").FindAllStringSubmatch(language, -1)
	if len(examples) < 20 {
		t.Errorf("got %d examples, want more", len(examples))
	}
	for _, e := range examples {
		if _, err := Parse(e[1]); err != nil {
			t.Errorf("%s: %v", e[1], err)
		}
	}
	if want := fmt.Sprintf("only the first %d words of the content count, and the first %d `*` and `~`", MaxTyped, MaxMany); !strings.Contains(strings.Join(strings.Fields(language), " "), want) {
		t.Errorf("docs/search.md does not contain %q", want)
	}
	_, limits, _ := strings.Cut(string(text), "## Limits")
	for _, want := range []string{
		fmt.Sprintf("| %d bytes, %d words, phrases and ranges, nested %d deep |", MaxLength, MaxClauses, MaxDepth),
		fmt.Sprintf("| words and phrases that all synonyms of a query stand for | %d |", MaxSynonyms),
		fmt.Sprintf("| %d, of at most %d letters |", MaxFuzzy, MaxLetters),
		fmt.Sprintf("| %d places, in a phrase of at most %d words |", MaxSlop, MaxSlots),
		fmt.Sprintf("| %d, counted in each field |", MaxTerms),
		fmt.Sprintf("| values of all filters | %d |", MaxValues),
		fmt.Sprintf("| %d fields, %d values each |", MaxFacets, MaxCounts),
		fmt.Sprintf("| fields to sort by | %d |", MaxSorts),
		fmt.Sprintf("| %d in a search, nested %d deep, %d buckets in an answer, %d MiB of values and buckets in memory |", MaxAggs, MaxAggDepth, MaxBuckets, MaxValueBytes>>20),
		fmt.Sprintf("| %d in one answer; `from` and `size` reach to hit %d,", MaxSize, MaxWindow),
	} {
		if !strings.Contains(limits, want) {
			t.Errorf("docs/search.md does not contain %q", want)
		}
	}
}
