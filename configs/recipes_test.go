package configs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A recipe is for copying: each must be a whole file without a fault.
func TestRecipes(t *testing.T) {
	const file = "../docs/recipes.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllSubmatchIndex(text, -1)
	if len(blocks) == 0 || len(blocks) != strings.Count(string(text), "```")/2 {
		t.Fatalf("%s has %d recipes among %d fences", file, len(blocks), strings.Count(string(text), "```"))
	}
	for _, b := range blocks {
		at := fmt.Sprintf("%s:%d", file, 1+strings.Count(string(text[:b[2]]), "\n"))
		c, err := Parse(at, text[b[2]:b[3]], environment)
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		checkComplete(t, c)
	}
}
