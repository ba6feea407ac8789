package configs

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

func TestSynonyms(t *testing.T) {
	many := strings.Repeat("a,", maxGroup) + "a"
	for content, want := range map[string]string{
		"": "", "# none\n\n \r\n": "",
		"car,  motor   car\r\n": "",
		"a => b, c d":           "",
		"a, b => a":             "",
		"a, b\ncar\n":           ":2: only one word or phrase",
		"a,,b":                  ":1: no word before or after a comma or =>",
		"a =>":                  ":1: no word before or after a comma or =>",
		"=> a":                  ":1: no word before or after a comma or =>",
		"a => b => c":           ":1: two =>",
		"a, b c d e f g h i":    "",
		"a, b c d e f g h i j":  ":1: phrase of 9 words, more than 8",
		many:                    ":1: 65 words and phrases, more than 64",
		"a, d\xe9r":             "file is not UTF-8",
	} {
		_, faults := loadSynonyms(t, content, "standard")
		if len(faults) == 0 && want == "" {
			continue
		}
		if len(faults) != 1 || want == "" || !strings.HasSuffix(faults[0].What, want) || faults[0].Path != "tables.film.synonyms" || faults[0].Line != 4 {
			t.Errorf("%.30q: got %v, want %q", content, faults, want)
		}
	}
	c, faults := loadSynonyms(t, "car, motor car\n# x\npc => computer, pc\n", "en")
	want := []query.Synonyms{
		{From: []string{"car", "motor car"}, To: []string{"car", "motor car"}},
		{From: []string{"pc"}, To: []string{"computer", "pc"}},
	}
	if len(faults) > 0 || !reflect.DeepEqual(c.Tables[0].SynonymRules, want) {
		t.Errorf("got %+v, %v, want %+v", c, faults, want)
	}
	if _, faults := loadSynonyms(t, "a, b", "ngram"); len(faults) != 1 || !strings.Contains(faults[0].What, "not used with analyzer ngram") {
		t.Errorf("ngram: got %v", faults)
	}
	if _, faults := loadSynonyms(t, strings.Repeat("a\n", 50), "en"); len(faults) != maxSynonymFaults {
		t.Errorf("50 wrong lines: got %d faults, want %d", len(faults), maxSynonymFaults)
	}
}

// loadSynonyms loads a configuration with a file of synonyms. A command that only talks
// to a daemon needs no such file.
func loadSynonyms(t *testing.T, content, analyzer string) (*Config, Faults) {
	t.Helper()
	dir := t.TempDir()
	list, file := filepath.Join(dir, "synonyms.txt"), filepath.Join(dir, "c.yaml")
	config := "data: d\nsources: {s: {driver: sqlite, dsn: x.db}}\ntables:\n  film: {source: s, sql: SELECT id FROM film, key: id, content: {fields: [id], analyzer: " + analyzer + "}, synonyms: " + list + "}\n"
	for name, text := range map[string]string{list: content, file: config} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LoadWithoutSecrets(file, os.LookupEnv); err != nil && analyzer != "ngram" {
		t.Errorf("%.30q: without secrets: %v", content, err)
	}
	c, err := Load(file, os.LookupEnv)
	if err == nil {
		return c, nil
	}
	faults, _ := err.(Faults)
	return nil, faults
}
