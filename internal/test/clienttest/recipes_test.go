package clienttest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```")

// Each recipe of docs/opensearch-api.md prints what the document says. The test
// replaces the address and the token only.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile("../../../docs/opensearch-api.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		recipes[m[1]] = m[2]
	}
	want := recipes["text"]
	if strings.Count(want, "\n") != 3 {
		t.Fatalf("got the output %q, want three lines", want)
	}
	var done []string
	for _, c := range Clients() {
		if slices.Contains(done, c.Language) {
			continue
		}
		done = append(done, c.Language)
		t.Run(c.Language, func(t *testing.T) {
			c.installed(t)
			s, err := films()
			if err != nil {
				t.Fatal(err)
			}
			recipe := strings.NewReplacer("http://127.0.0.1:9200", s.url, "read-only-secret", token).Replace(recipes[c.Language])
			if recipe == recipes[c.Language] {
				t.Fatal("the recipe does not have the address and the token")
			}
			file := filepath.Join(t.TempDir(), c.File)
			if c.Language == "javascript" { // modules are found from the place of a file
				file = filepath.Join(c.dir(t), "javascript", c.File)
				t.Cleanup(func() { _ = os.Remove(file) })
			}
			if err := os.WriteFile(file, []byte(recipe), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := c.run(t, file); err != nil || got != want {
				t.Errorf("got %q %v, want %q", got, err, want)
			}
		})
	}
	if len(done) != 4 {
		t.Errorf("got recipes of %v, want four", done)
	}
}
